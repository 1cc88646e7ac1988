#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two runs of one guest on the instruction clock leave the same bytes.  It is a
# short form of the main job, with all that enters its table.
# Seen to fail: with boot's "clock=vm" changed to "clock=host".

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"

pids=()
for i in 1 2; do
	"$TOP/scripts/boot" -o "$T/$i" -t 1500 -e LOOPS=100 -e "PHASES=off on" \
		-e 'DOMAINS=SMT MC NUMA' "$TOP/scripts/guest/run.sh" >"$T/$i.log" 2>&1 &
	pids+=($!)
done
for i in 1 2; do
	wait "${pids[i - 1]}"
	ok $? "run $i ends in order" "$(cat "$T/$i.log")"
done
[ "$(find "$T/1/guest" -name '*.json' | wc -l)" -eq 8 ]
ok $? 'it has measured what the main job measures' "$(find "$T/1/guest")"
cmp "$T/1/ship.tgz" "$T/2/ship.tgz" >"$T/cmp" 2>&1
ok $? 'all that left the two guests is the same, to the byte' \
	"$(cat "$T/cmp"; diff -rq "$T/1/guest" "$T/2/guest")"
cmp "$T/1/console.log" "$T/2/console.log" >"$T/cmp" 2>&1
ok $? 'and so are their consoles' "$(cat "$T/cmp")"
done_testing
