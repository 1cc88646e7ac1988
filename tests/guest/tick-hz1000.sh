# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# TICK_GRAN with a tick of 1 ms and the slice that the kernel has chosen, 2.8 ms on
# 8 CPUs: a turn takes three ticks, and two when it is halved.  At a quarter of that
# slice every turn is one tick, and only HRTICK can make it shorter.
. /lib/rtmig/guest-lib

between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

# arm WORD...: of the features
arm() { for w in "$@"; do echo "$w" >"$FEATURES" || fail "no $w"; done; mark "$*"; }

# measure: how often 4 hogs on CPU 1 have to go in 300 ms; into SWITCHES
measure()
{
	for i in 1 2 3 4; do beside taskset -c 1 sh -c 'while :; do :; done'; done
	sleep 0.2
	for i in a b; do
		for p in $STARTED; do cat "/proc/$p/status"; done |
			awk '/^nonvoluntary/ { n += $2 } END { print n + 0 }' >"/tmp/$i"
		[ $i = b ] || sleep 0.3
	done
	SWITCHES=$(($(cat /tmp/b) - $(cat /tmp/a)))
	echo "# $SWITCHES switches" >>"$OUT/tap"
	end_started
}

check 'a tick of 1 ms' sh -c 'zcat /proc/config.gz | grep -x CONFIG_HZ=1000'
check_rt
check_hres
quiet_machine
settle
slice=$(cat "$DBG/sched/base_slice_ns")
check 'a slice of 2.8 ms' between "$slice" 2800000 2800000
arm NO_TICK_GRAN
measure
off=$SWITCHES
check 'off: a turn takes three ticks' between "$off" 85 125
arm TICK_GRAN
measure
check 'on: two' between "$SWITCHES" $((off * 13 / 10)) $((off * 17 / 10))
setting "$DBG/sched/base_slice_ns" $((slice / 4))
measure
on=$SWITCHES
arm NO_TICK_GRAN
measure
check 'a quarter of the slice: one tick in either arm' between "$on" $((SWITCHES * 9 / 10)) $((SWITCHES * 11 / 10))
arm HRTICK
measure
off=$SWITCHES
arm TICK_GRAN
measure
check 'a quarter, with HRTICK: twice as many switches' between "$SWITCHES" $((off * 15 / 10)) $((off * 23 / 10))
arm NO_HRTICK NO_TICK_GRAN
checks_done
