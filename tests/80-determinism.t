#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two runs of one guest on the instruction clock leave the same bytes, also when
# the threads of QEMU are delayed in the second.  It is a short form of the main
# job, with all that enters its table.
# Seen to fail: without "-icount" in scripts/boot; and a guest with jitter alone
# (RTMIG_PRELOAD) does not get as far as its console.  With a hardware clock that
# goes with the host's (RTMIG_CLOCK=host) if the runs take seconds more or less:
# 85-lab-selftest.t makes sure of that.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"

# start I: run I of the guest, in the background
start()
{
	"$TOP/scripts/boot" -o "$T/$1" -t 1500 -e LOOPS=100 -e "PHASES=off on" \
		-e 'DOMAINS=SMT MC NUMA' "$TOP/scripts/guest/run.sh" >"$T/$1.log" 2>&1 &
}

gcc -O2 -Wall -shared -fPIC -o "$T/jitter.so" "$TOP/tests/jitter.c"
ok $? 'jitter compiles'
start 1
pid1=$!
export RTMIG_PRELOAD=$BUILD/qemu-turns.so:$T/jitter.so
start 2
pid2=$!
wait "$pid1"
ok $? 'run 1 ends in order' "$(cat "$T/1.log")"
wait "$pid2"
ok $? 'run 2, with delays, ends in order' "$(cat "$T/2.log")"
[ "$(find "$T/1/guest" -name '*.json' | wc -l)" -eq 8 ]
ok $? 'it has measured what the main job measures' "$(find "$T/1/guest")"
cmp "$T/1/ship.tgz" "$T/2/ship.tgz" >"$T/cmp" 2>&1
ok $? 'what leaves the guests is the same, to the byte' \
	"$(cat "$T/cmp"; diff -rq "$T/1/guest" "$T/2/guest")"
cmp "$T/1/console.log" "$T/2/console.log" >"$T/cmp" 2>&1
ok $? 'and so are the consoles' "$(cat "$T/cmp")"
done_testing
