#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 70-debug.t once more with virtual CPUs that run in parallel, on the host's
# clock: finds other races, and needs a host that is not busy.
#
# No flag flips here: when a static key is patched, QEMU's parallel virtual CPUs
# may run the breakpoint once more that the kernel has already taken away
# ("Oops: int3"; QEMU 10.0.2, the pristine kernel and its own features within
# half a minute).
#
# Seen to fail: with a might_sleep() in the interrupt of test_burst.c (the console).

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

need_kernel debug "$BDIR/linux/obj-debug/arch/x86/boot/bzImage"
# The host preempts a virtual CPU inside an interrupt, or for longer than a period
# of a deadline task.
cat >"$T/allowed" <<-END
	hrtimer: interrupt took
	sched: DL replenish lagged too much
END
guest debug "$T/debug" -p -e FLIP=no -t 1200 -M 2048 -m "$BDIR/module-debug" \
	-k "$BDIR/linux/obj-debug/arch/x86/boot/bzImage" -x "$T/allowed" \
	"$TOP/tests/guest/debug.sh"
done_testing
