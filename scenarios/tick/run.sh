# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# tick: see README.md.
#
# variables: LOOPS (wake-ups a step), HOGS (the numbers of hogs), SLICES (parts of
# the default slice: 1 and 4 are all of it and a quarter), HRTICK (no, yes or both)

BASE_SLICE=$DBG/sched/base_slice_ns
# the CPU that all of it shares; the others idle
ON=1

prepare()
{
	[ "$ENVIRONMENT" = virtual ] && n=50 || n=2000
	LOOPS=${LOOPS:-$n}
	HOGS=${HOGS:-1 2 4 8 16}
	SLICES=${SLICES:-1 4}
	HRTICK=${HRTICK:-both}
	slice=$(cat "$BASE_SLICE")
	# remembered, and put back in the end
	setting "$BASE_SLICE" "$slice"
	command -v cyclictest >/dev/null || fail "no cyclictest: install rt-tests"
	# A feature of the kernel's own: known by its two names only.
	HRTICK_WAS=$(tr ' ' '\n' <"$FEATURES" | grep -xE '(NO_)?HRTICK') ||
		fail "no HRTICK in $FEATURES"
}

# here: the switches of this CPU, and the time in ns
here()
{
	awk -v cpu="cpu#$ON," '
		$1 == "ktime" { now = $3 }
		$1 == cpu { at = 1 }
		at && $1 == ".nr_switches" { print $3, now * 1000000; exit }' \
		"$DBG/sched/debug"
}

# hogs N: that many loops that never sleep, and two that start one program after
# another, each of which computes for a while, as compilers do under make -j2
hogs()
{
	i=0
	while [ $i -lt "$1" ]; do
		i=$((i + 1))
		beside taskset -c $ON sh -c 'while :; do :; done'
	done
	for i in 1 2; do
		beside taskset -c $ON sh -c 'while :; do
			awk "BEGIN { for (i = 0; i < 20000; i++) s += i }"
		done'
	done
	sleep 0.1
}

# latency STEP: a timer wakes a fair task
latency()
{
	step "$1"
	from=$(here)
	in_front chrt -o 0 cyclictest -q --policy=other -t 1 -a $ON -i 9973 \
		-l "$LOOPS" -h 200000 --json="$ROUND/latency[$1].json" >/dev/null ||
		fail "cyclictest"
	to=$(here)
	step ""
	value "switches[$1]" "$(echo "$from $to" |
		awk '{ printf "%.2f", ($3 - $1) / ($4 - $2) * 1e9 }')"
}

# part STEP SLICE WORD: with this slice, and HRTICK or NO_HRTICK
part()
{
	echo $((slice / $2)) >"$BASE_SLICE"
	echo "$3" >"$FEATURES"
	# shellcheck disable=SC2086 # the numbers are words
	for h in $HOGS; do
		hogs "$h"
		latency "$1,n=$h"
		end_started
	done
}

round()
{
	# shellcheck disable=SC2086 # the parts are words
	for s in $SLICES; do
		case $s in 1) name=default ;; 4) name=quarter ;; *) name=part$s ;; esac
		[ "$HRTICK" = yes ] || part "$name" "$s" NO_HRTICK
		[ "$HRTICK" = no ] || part "$name,hrtick" "$s" HRTICK
	done
	echo "$HRTICK_WAS" >"$FEATURES"
	echo "$slice" >"$BASE_SLICE"
}

finish()
{
	end_started
	[ -z "${HRTICK_WAS:-}" ] || echo "$HRTICK_WAS" >"$FEATURES"
}
