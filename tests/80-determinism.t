#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two runs of one guest on the instruction clock leave the same bytes.  It is a
# short form of the main job, with all that enters its table.
# Seen to fail: without "-icount" in scripts/boot.  Not with clock=host there: the
# guest reads the hardware clock once, in whole seconds.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"

# start I: run I of the guest, in the background
start()
{
	"$TOP/scripts/boot" -o "$T/$1" -t 1500 -e LOOPS=100 -e "PHASES=off on" \
		-e 'DOMAINS=SMT MC NUMA' "$TOP/scripts/guest/run.sh" >"$T/$1.log" 2>&1 &
}

# same A B: all that left these two guests is the same, and so are the consoles
same()
{
	cmp "$T/$1/ship.tgz" "$T/$2/ship.tgz" && cmp "$T/$1/console.log" "$T/$2/console.log"
}

start 1
pid1=$!
start 2
pid2=$!
wait "$pid1"
ok $? 'run 1 ends in order' "$(cat "$T/1.log")"
wait "$pid2"
ok $? 'run 2 ends in order' "$(cat "$T/2.log")"
[ "$(find "$T/1/guest" -name '*.json' | wc -l)" -eq 8 ]
ok $? 'it has measured what the main job measures' "$(find "$T/1/guest")"
if same 1 2 >"$T/cmp" 2>&1; then
	ok 0 'what leaves the guests is the same, to the byte'
else
	# The known weakness of docs/lab.md: a run departs once in a while.  Of
	# three, two have to agree; without determinism no two do.
	diag "runs 1 and 2 differ, a third decides: $(cat "$T/cmp")"
	start 3
	wait $!
	same 1 3 >"$T/cmp" 2>&1 || same 2 3 >>"$T/cmp" 2>&1
	ok $? 'what leaves two of three guests is the same, to the byte' \
		"$(cat "$T/cmp"; diff -rq "$T/1/guest" "$T/3/guest")"
fi
done_testing
