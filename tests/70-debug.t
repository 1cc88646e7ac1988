#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The debug kernel, with lockdep, PROVE_RAW_LOCK_NESTING, DEBUG_ATOMIC_SLEEP and
# DEBUG_PREEMPT, under load, CPU hotplug and flags that flip.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel debug "$BDIR/linux/obj-debug/arch/x86/boot/bzImage"
guest debug "$T/debug" -t 1200 -M 2048 -m "$BDIR/module-debug" \
	-k "$BDIR/linux/obj-debug/arch/x86/boot/bzImage" \
	"$TOP/tests/guest/debug.sh"
done_testing
