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
ALL_CPUS=$(printf %x $(((1 << NCPUS) - 1)))

# around NAME COMMAND...: COMMAND with the counters before and after it
around()
{
	w=$1
	shift
	cat "$STATS" >"$PHASE/$w.before"
	"$@" || fail "$w: '$*' failed"
	cat "$STATS" >"$PHASE/$w.after"
}

# cyclic NAME [a]: cyclictest with one thread a CPU; pinned with a.  Threads that
# keep a histogram have one period and would all wake at the same instant, so
# they are spread over it.  cyclictest 2.4 pins its threads whether asked or
# not, where libnuma finds nodes: without a they are let go once they run.
cyclic()
{
	# Under load the shell would come too late to let them go; above their own
	# priority it would be in their way.
	chrt -f -p 80 $$
	chrt -o 0 cyclictest -q -m -p 90 -t -a -i 1000 \
		--aligned=$((1000 / NCPUS + 6)) -l "$LOOPS" -h 2000 \
		--json="$PHASE/$1.json" >/dev/null &
	c=$!
	[ "${2:-}" = a ] || let_go "$c" || return 1
	chrt -o -p 0 $$
	wait "$c"
}

# let_go PID: once all threads run, and the last has pinned itself, allow each of
# them every CPU.  One program for all: starting one takes long under load.
let_go()
{
	i=0
	until set -- "$1" /proc/"$1"/task/* && [ $# -eq $((NCPUS + 2)) ]; do
		i=$((i + 1))
		[ "$i" -le 100 ] || return 1
		sleep 0.01
	done
	sleep 0.01
	taskset -a -p "$ALL_CPUS" "$1" >/dev/null
}

# Each load is the leader of a process group, by which it can be ended whole;
# its loops and seconds are more than any phase has.
load_start()
{
	setsid hackbench -p -g 1 -f 8 -l 1000000 >/dev/null 2>&1 &
	load1=$!
	setsid stress-ng --cpu 1 --vm 1 --vm-bytes 4M --timer 1 --timer-freq 500 \
		--fork 1 -t 600 >/dev/null 2>&1 &
	load2=$!
	sleep 0.2
}

load_stop()
{
	kill -9 "-$load1" "-$load2" || return 1
	wait "$load1" "$load2" || :
	sleep 0.1
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
	around idle-float cyclic idle-float
	around idle-pinned cyclic idle-pinned a
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
	around load-float cyclic load-float
	around load-pinned cyclic load-pinned a
	load_stop
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
cyclic warm-up
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
