#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The modules: they build for the series, for the pristine kernel and for
# Debian's stock RT kernel; loading and unloading under load is safe; without
# the series the module says what is missing.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"

guest churn "$T/churn" "$TOP/tests/guest/module.sh"

if stock=$("$TOP/scripts/stock" 2>"$T/stock.err"); then
	kdir=$(head -n 1 <<<"$stock")
	image=$(tail -n 1 <<<"$stock")
	run "$TOP/scripts/module" -k "$kdir" -o "$T/stock"
	ok "$RC" "builds with the headers of Debian's RT kernel" "$OUT"
	guest stock "$T/guest" -k "$image" -m "$T/stock" \
		"$TOP/tests/guest/stock.sh"
else
	ok 1 "Debian's RT kernel can be had" "$(cat "$T/stock.err")"
fi

run "$TOP/scripts/module" -k "$T" -o "$T/none"
is "$RC" 1 'a folder that is no kernel is refused'
like "$OUT" '^rtmig: no built kernel' 'and it is said in a line'
done_testing
