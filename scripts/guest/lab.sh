# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2317,SC2153 # the scenario calls; boot -e sets
#
# The rounds of a laboratory scenario, on the machine that is measured: in the
# guest (scripts/lab boots it) or on a real one (scripts/bench).  busybox sh.
#
# The scenario is scenarios/NAME/run.sh, sourced here:
#   prepare   once: modules, checks
#   round     measures once, all its steps; the same in every round; $arm is which
#   finish    once, also when it is interrupted: ends what it has started
# Its variables are its own but for arm, at, total and those in capitals.
# It writes what it found into the folder $ROUND, in the files that
# scripts/rtmig/raw.py describes, mostly by the functions below.
#
# variables: ENVIRONMENT (virtual or hardware), SCENARIO, ROUNDS (of each arm),
# ARMS, SEED, COUNTERS (False: without rtmig.ko), and those of the scenario

RTMIG_LIB=${RTMIG_LIB:-/lib/rtmig}
. "$RTMIG_LIB/guest-lib"

STATS=$DBG/rtmig/stats
TEST=$DBG/rtmig_test
WORK=$RTMIG_LIB/work

# step NAME: what comes now is this step of the round, - is all that it measures,
# "" what is not measured; on the instruction clock a step is seen from outside
step()
{
	mark "lab $(basename "$ROUND") step $1"
}

# value NAME[STEP] NUMBER: a figure of this round
value()
{
	echo "$1 $2" >>"$ROUND/values"
}

# situation STEP REQUEST: a situation of rtmig_test.ko; its samples go into the
# round with this step ("" for none), its results are for result
situation()
{
	step "${1:--}"
	echo "$2" >"$TEST/run" || fail "rtmig_test refuses '$2'"
	cat "$TEST/result" >"$WORK/result"
	sed "s/^[a-z0-9_]*/&${1:+[$1]}/" "$TEST/samples" >>"$ROUND/samples"
	step ""
}

# result KEY: a figure of the last situation
result()
{
	awk -v k="$1" '$1 == k { print $2; seen = 1 } END { exit !seen }' \
		"$WORK/result"
}

# per_round STEP METRIC KEY: a count of the situation, for one of its rounds
per_round()
{
	value "$2${1:+[$1]}" "$(awk -v k="$3" '
		$1 == k { n = $2 } $1 == "rounds" { r = $2 }
		END { if (n == "" || !r) exit 1; printf "%.6g", n / r }' "$WORK/result")"
}

# phase N: a delay of up to 10 ms that depends on the seed and the round alone
phase()
{
	awk -v seed="$SEED" -v n="$1" 'BEGIN {
		x = (seed * 7919 + n * 104729 + 12345) % 2147483647
		for (i = 0; i < 4; i++)
			x = (x * 16807) % 2147483647
		printf "%.6f\n", (x % 10000) / 1000000
	}'
}

# counters FILE: all counters of rtmig.ko, summed over the CPUs
counters()
{
	[ ! -e "$STATS" ] || awk '$1 ~ /^cpu/ { s[$2] += $3 }
		END { for (k in s) print k, s[k] }' "$STATS" | sort >"$1"
}

# order: the arms in their order, so that a drift meets them alike: a b b a a b ...
order()
{
	awk -v arms="$ARMS" -v rounds="$ROUNDS" 'BEGIN {
		n = split(arms, a, " ")
		for (r = 0; r < rounds; r++)
			for (i = 1; i <= n; i++)
				print r % 2 ? a[n + 1 - i] : a[i]
	}'
}

one_round()
{
	mkdir -p "$ROUND"
	counters "$WORK/before"
	round
	counters "$WORK/after"
	[ ! -e "$WORK/before" ] || awk 'NR == FNR { a[$1] = $2; next }
		$1 in a { print $1, a[$1], $2 }' "$WORK/before" "$WORK/after" \
		>"$ROUND/counters"
}

# The ends of a run, wanted or not: the machine is as it was.
leave()
{
	status=$?
	trap - EXIT
	# nothing may come between
	trap '' HUP INT TERM
	finish || :
	restore_settings
	rmmod rtmig_test 2>/dev/null || :
	rmmod rtmig 2>/dev/null || :
	exit "$status"
}

# shellcheck disable=SC1091
. "$RTMIG_LIB/run.sh"

mkdir -p "$WORK"
: >"$OUT/rounds"
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
check_rt
check_hres
[ -z "${DOMAINS:-}" ] || check_domains "$DOMAINS"
quiet_machine
settle
# not where its handlers would be measured, too
[ "${COUNTERS:-}" = False ] || load_module rtmig
prepare
case " $ARMS " in
*' off'*' on '* | *' on'*' off '*)
	flag_defaults | grep -q ' 1$' ||
		fail "off and on do not differ: none of $(our_flags | tr '\n' ' ')is on by default" ;;
esac

{
	echo "format 1"
	echo "scenario $SCENARIO"
	echo "base $BASE"
	echo "kernel $(uname -r)"
	echo "uname_v $(uname -v)"
	echo "environment $ENVIRONMENT"
	echo "cpus $NCPUS"
	echo "topology $TOPOLOGY"
	echo "unit $([ "$ENVIRONMENT" = virtual ] && echo guest-ns || echo ns)"
	echo "seed $SEED"
	echo "rounds $ROUNDS"
	echo "arms $ARMS"
	echo "flags $(our_flags | tr '\n' ' ')"
	echo "cmdline $(cat /proc/cmdline)"
	echo "series $([ -n "$(boot_flags)" ] && echo yes || echo no)"
	[ ! -f "$RTMIG_LIB/meta" ] || cat "$RTMIG_LIB/meta"
} >"$OUT/meta"
ship meta

# What is slow the first time only (page cache, learned state of the balancer)
# comes first and does not count.
mark "lab warm-up"
ROUND=$WORK/00-warm-up
arm=${ARMS%% *}
[ "$arm" = pristine ] || set_flags "$arm"
one_round

total=$(order | wc -l)
at=0
for arm in $(order); do
	at=$((at + 1))
	ROUND=$OUT/$(printf '%02d' "$at")-$arm
	[ "$arm" = pristine ] || set_flags "$arm"
	sleep "$(phase "$at")"
	mark "lab $(basename "$ROUND") of $total"
	one_round
	mark "lab $(basename "$ROUND") end"
	[ "$ENVIRONMENT" != virtual ] || rtc >"$ROUND/rtc"
	echo "$at $arm" >>"$OUT/rounds"
	ship "$(basename "$ROUND")" rounds
done
trace_arms
