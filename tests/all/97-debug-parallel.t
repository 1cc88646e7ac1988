#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 70-debug.t once more with virtual CPUs that run in parallel, on the host's
# clock: finds other races, and needs a host that is not busy.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

need_kernel debug "$BDIR/linux/obj-debug/arch/x86/boot/bzImage"
# The host preempts a virtual CPU inside an interrupt.
echo 'hrtimer: interrupt took' >"$T/allowed"
guest debug "$T/debug" -p -t 1200 -M 2048 -m "$BDIR/module-debug" \
	-k "$BDIR/linux/obj-debug/arch/x86/boot/bzImage" -x "$T/allowed" \
	"$TOP/tests/guest/debug.sh"
done_testing
