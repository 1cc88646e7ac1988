# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The main job, in the guest: with the series' features off and on in ABBA
# order, cyclictest unpinned and pinned, idle and under load, rt-migrate-test,
# and the situations of rtmig_test.ko, with rtmig.ko's counters around each.
# scripts/report reads what this leaves in $OUT.
#
# from the host: LOOPS (cyclictest's, a thread), DOMAINS (expected, "" for
# whatever there is), PHASES (arms in their order)

. /lib/rtmig/guest-lib

STATS=$DBG/rtmig/stats
TEST=$DBG/rtmig_test

# around NAME COMMAND...: COMMAND with the counters before and after it
around()
{
	w=$1
	shift
	cat "$STATS" >"$PHASE/$w.before"
	"$@" || fail "$w: '$*' failed"
	cat "$STATS" >"$PHASE/$w.after"
}

situation()
{
	echo "$2" >"$TEST/run" || return 1
	cat "$TEST/result" >"$PHASE/$1.txt"
}

migrate()
{
	rt-migrate-test -l 3 $((NCPUS + 1)) >"$PHASE/migrate.txt"
}

phase()
{
	PHASE=$OUT/$1
	mkdir "$PHASE"
	set_flags "$2"
	mark "$1: cyclictest, idle"
	around idle-float cyclic "$PHASE/idle-float.json" float
	around idle-pinned cyclic "$PHASE/idle-pinned.json" pinned
	mark "$1: burst and dl"
	for k in 4 7; do
		for order in equal descending; do
			around "burst-k$k-$order" situation "burst-k$k-$order" \
				"burst k=$k order=$order rounds=40"
		done
	done
	around dl situation dl "dl rounds=40"
	mark "$1: rt-migrate-test"
	around migrate migrate
	mark "$1: cyclictest under hackbench and stress-ng"
	load_start
	around load-float cyclic "$PHASE/load-float.json" float
	around load-pinned cyclic "$PHASE/load-pinned.json" pinned
	load_stop
	rtc >"$PHASE/rtc"
}

check_rt
check_hres
[ -z "${DOMAINS:-}" ] || check_domains "$DOMAINS"
quiet_machine
settle
load_module rtmig
load_module rtmig_test

{
	echo "base $BASE"
	echo "kernel $(uname -r)"
	echo "uname_v $(uname -v)"
	echo "environment virtual"
	echo "cpus $NCPUS"
	echo "topology $TOPOLOGY"
	echo "cmdline $(cat /proc/cmdline)"
	echo "series $(sed -n 's/^series //p' "$DBG/rtmig/version")"
	echo "unit guest-ns"
	echo "flags $(our_flags | tr '\n' ' ')"
} >"$OUT/meta"

# What is slow the first time only (page cache, lazy set-up) comes first.
mark "warm-up"
PHASE=/tmp/warm-up
mkdir -p "$PHASE"
LOOPS_ASKED=$LOOPS LOOPS=20
cyclic "$PHASE/warm-up.json" float
load_start
load_stop
LOOPS=$LOOPS_ASKED

n=1
for arm in ${PHASES:-off on on off on off off on}; do
	phase "p$n-$arm" "$arm"
	ship "p$n-$arm"
	n=$((n + 1))
done
rmmod rtmig_test
rmmod rtmig
