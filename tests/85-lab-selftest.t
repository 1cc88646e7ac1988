#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The laboratory judges itself: the same guest gives the same bytes however the
# host's threads are delayed and though it is stopped for some seconds, and a delay
# of known length in the wake-up path is found back, in the arm where it is.
# Seen to fail: "found back" with 21000 instead of 20000 in run.sh's arm on; two
# arms swapped in scripts/rtmig/result.py give a delay of the other sign and the
# verdict "better".  With a hardware clock that goes with the host's (RTMIG_CLOCK=host,
# or clock=host in scripts/boot) the two runs are not the same.  For jitter see
# 80-determinism.t.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
load='import json, sys; r = json.load(open(sys.argv[1]))'

raw=$BUILD/lab/$BASE/delay@2x2x2/switched

# qemu_of PID: the number of the QEMU that this process has started, or one of its
# children
qemu_of()
{
	local p

	for p in $(pgrep -P "$1"); do
		if [ "$(cat "/proc/$p/comm" 2>/dev/null)" = timeout ]; then
			pgrep -P "$p"
		else
			qemu_of "$p"
		fi
	done
}

# stop_guest PID: once its guest measures, halt it for three seconds, as a host may
# that has other things to do
stop_guest()
{
	local qemu i

	for ((i = 0; i < 1200; i++)); do
		! grep -qs 'lab 04-off of' "$raw/console.log" || break
		sleep 0.1
	done
	qemu=$(qemu_of "$1")
	[ -n "$qemu" ] && kill -STOP "$qemu" || return 1
	sleep 3
	kill -CONT "$qemu"
}

# measure NAME [stop]: the scenario delay, its raw data in $T/NAME
measure()
{
	local pid rc=0 stopped=0

	rm -rf "$raw"
	RTMIG_SCENARIOS=$TOP/tests/scenarios RTMIG_RESULTS=$T/$1.results \
		"$TOP/scripts/lab" delay >"$T/$1.log" 2>&1 </dev/null &
	pid=$!
	[ $# -eq 1 ] || stop_guest "$pid" || stopped=1
	wait "$pid" || rc=$?
	OUT=$(cat "$T/$1.log")
	cp -r "$raw" "$T/$1"
	[ "$stopped" = 0 ] || OUT="the guest could not be stopped; $OUT"
	return $((rc | stopped))
}

# figure EXPRESSION: of the first result
figure()
{
	python3 -c "$load; print($1)" "$T/plain.results/delay.json"
}

measure plain
ok $? 'a scenario is measured' "$OUT"

# Found back: 20000 instructions, within 2 %
d=$(figure 'round(r["metrics"]["insns"]["on"] - r["metrics"]["insns"]["off"])')
[ "$d" -ge 19600 ] && [ "$d" -le 20400 ]
ok $? "a delay of 20000 instructions is found back within 2 %" "$d"
d=$(figure 'round(r["metrics"]["wake_to_run_mean"]["on"] - r["metrics"]["wake_to_run_mean"]["off"])')
[ "$d" -ge 19600 ] && [ "$d" -le 20400 ]
ok $? 'and in the time to the first instruction' "$d"
is "$(figure 'r["metrics"]["insns"]["verdict"]')" worse 'its arm is the worse one'
# The delay is the module's function of the stretch
d=$(figure '[f.split(":")[1] for f in r["where"]["irqsoff"]["on"]["functions"] if f.startswith("[module]:")][0]')
[ "${d:-0}" -ge 19600 ] && [ "$d" -le 20400 ]
ok $? 'and from outside, in the longest stretch with interrupts off' "$d"
is "$(figure 'r["where"]["irqsoff"]["on"]["from"]')" asm_sysvec_apic_timer_interrupt \
	'which is the interrupt that it was put into'

gcc -O2 -Wall -shared -fPIC -o "$T/jitter.so" "$TOP/tests/jitter.c"
ok $? 'jitter compiles'
export RTMIG_PRELOAD=$BUILD/qemu-turns.so:$T/jitter.so
measure jitter stop
ok $? 'it is measured on a host that delays threads and halts the guest' "$OUT"
cmp "$T/plain/ship.tgz" "$T/jitter/ship.tgz" >"$T/cmp" 2>&1 &&
	cmp "$T/plain/console.log" "$T/jitter/console.log" >>"$T/cmp" 2>&1 &&
	cmp "$T/plain/where" "$T/jitter/where" >>"$T/cmp" 2>&1
ok $? 'both are the same, to the byte' "$(cat "$T/cmp"; diff -rq "$T/plain/guest" "$T/jitter/guest")"
is "$(cat "$T"/plain/guest/*/rtc | wc -l)" 10 'with the time of each round in them'

# Half-way: what was measured is kept, and said to be partial
unset RTMIG_PRELOAD
RTMIG_SCENARIOS=$TOP/tests/scenarios RTMIG_RESULTS=$T/dies.results \
	run "$TOP/scripts/lab" dies
is "$RC" 1 'a guest that is gone half-way is a failure'
like "$OUT" 'PARTIAL: of 5 rounds' 'it is told that the data is partial'
is "$(python3 -c "$load; print(r['partial'], r['complete'])" "$T/dies.results/dies.json")" \
	"True {'off': 1, 'on': 1}" 'the complete rounds are kept'
done_testing
