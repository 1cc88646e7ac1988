#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TICK_GRAN on the kernel of the scenario tick, whose tick takes 1 ms: it acts on the
# kernel's own slice, which it cannot on the lab kernel.
# Never run so far.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

v=hz1000
run "$TOP/scripts/kernel" -v $v
ok "$RC" "$v: builds" "$OUT" || bail_out "no $v kernel"
! grep 'warning:' "$BDIR/$v.log"
ok $? "$v: without a warning"
guest $v "$T/$v" -m - -k "$BDIR/linux/obj-$v/arch/x86/boot/bzImage" \
	"$TOP/tests/guest/tick-hz1000.sh"
done_testing
