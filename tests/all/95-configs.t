#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels without JUMP_LABEL and without SCHED_DEBUG, built and booted: what
# 40-features.t proves from the sources acts in a kernel.  And one without SMP,
# where little of the series is left.
# Seen to fail: the part without SMP with the lab kernel ("no SMP", "one CPU").

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

for v in no-jump-label no-sched-debug; do
	run "$TOP/scripts/kernel" -v $v
	ok "$RC" "$v: builds" "$OUT" || continue
	run "$TOP/scripts/module" -t -k "$BDIR/linux/obj-$v" -o "$BDIR/module-$v"
	ok "$RC" "$v: so does the module" "$OUT"
	guest $v "$T/$v" -m "$BDIR/module-$v" \
		-k "$BDIR/linux/obj-$v/arch/x86/boot/bzImage" \
		"$TOP/tests/guest/configs.sh"
done

v=no-smp
run "$TOP/scripts/kernel" -v $v
if ok "$RC" "$v: builds" "$OUT"; then
	! grep 'warning:' "$BDIR/$v.log"
	ok $? "$v: without a warning"
	run "$TOP/scripts/module" -k "$BDIR/linux/obj-$v" -o "$BDIR/module-$v"
	ok "$RC" "$v: so do the modules" "$OUT"
	guest $v "$T/$v" -T 1x1x1 -m "$BDIR/module-$v" \
		-k "$BDIR/linux/obj-$v/arch/x86/boot/bzImage" \
		"$TOP/tests/guest/one-cpu.sh"
fi
done_testing
