#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every patch builds and boots alone: with the patches up to it, and no more.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
patches=$(sed -n 's/^\([0-9]\{4\}\)-.*\.patch.*/\1/p' "$TOP/patches/$BASE/series")
for p in base $patches; do
	run "$TOP/scripts/kernel" -r "$p"
	ok "$RC" "$p builds" "$OUT" || continue
	! grep 'warning:' "$BDIR/at-$p.log"
	ok $? "$p: without a warning"
	guest "$p" "$T/$p" -m - -e 'DOMAINS=SMT MC NUMA' \
		-k "$BDIR/at-$p/linux/obj/arch/x86/boot/bzImage" \
		"$TOP/tests/guest/boots.sh"
	case $p in base | 0103) ;; *) rm -rf "$BDIR/at-$p" ;; esac
done
done_testing
