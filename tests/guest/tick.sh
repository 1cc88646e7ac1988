# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# TICK_GRAN: who joins asks for less, by the number of those that compete, at the
# level where they do, down to a quarter; who goes on running asks for all of it.
# Needs slice and waker as files.
. /lib/rtmig/guest-lib

STATS=$DBG/rtmig/stats
MS=1000000

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
arm() { echo "$1" >"$FEATURES" || fail "no flag $1"; mark "$1"; }

# here KEY: a counter of CPU 1, and of CPU 2, which wakes the waker and counts that
here()
{
	awk -v k="$1" '$1 ~ /^cpu[12]$/ && $2 == k { n += $3; seen = 1 }
		END { print n; exit !seen }' "$STATS" || fail "no counter $1"
}

# hogs N [COMMAND...]: loops on CPU 1, each started by the command
hogs()
{
	i=$1
	shift
	while [ "$i" -gt 0 ]; do
		i=$((i - 1))
		beside taskset -c 1 "$@" sh -c 'while :; do :; done'
	done
}

# preempted: how often the hogs have had to go
preempted()
{
	for p in $STARTED; do cat "/proc/$p/status"; done |
		awk '/^nonvoluntary/ { n += $2 } END { print n + 0 }'
}

# turns: how often hogs alone have had to go in a while; into SWITCHES
turns()
{
	sleep 0.1
	s=$(preempted)
	sleep 0.6
	SWITCHES=$(($(preempted) - s))
	echo "# $SWITCHES switches" >>"$OUT/tap"
	end_started
}

# wakes [COMMAND...]: a waker beside the hogs, started by the command, and what that
# shortens, into the counters; how late it is in the mean into LATE
WAKES=60
wakes()
{
	sleep 0.1
	echo 1 >"$DBG/rtmig/reset"
	LATE=$(taskset -c 1 "$@" /tmp/waker $WAKES) || fail "waker: $*"
	echo "# $(here gran_short) shortened, $LATE ns late (virtual)" >>"$OUT/tap"
	end_started
}

# Kernel threads of this CPU wake up as well, now and then.
# all_short: each wake-up was; none_short: none was
all_short() { between "$(here gran_short)" $WAKES $((WAKES * 2)); }
none_short() { between "$(here gran_short)" 0 $((WAKES / 2)); }

# cut NS: is this how much was cut off, by the waker's requests and the few others?
cut() { between "$(here gran_cut_ns)" $((WAKES * $1)) $((($(here gran_short) - WAKES) * SLICE + WAKES * $1)); }

# adds_up: does each line of the debug file add up, at all levels?  Without groups
# and SCHED_IDLE sleepers, who is queued competes, or sleeps, or is SCHED_IDLE.
# shellcheck disable=SC2016 # awk's own
adds_up()
{
	awk '/^cfs_rq\[/ { name = $1 }
		$1 == ".nr_running" { n = $3 }
		$1 == ".h_nr_delayed" { d = $3 }
		$1 == ".nr_competing" { c = $3 }
		$1 == ".idle_nr_running" && name ~ /:\/$/ {
			seen++
			if (c != n - d - $3) {
				print name, "running", n, "delayed", d, "idle", $3, "competing", c
				bad = 1
			}
		}
		END { print seen " run queues"; exit bad || !seen }' "$DBG/sched/debug"
}

check 'off by default' grep -qw NO_TICK_GRAN "$FEATURES"
check_rt
quiet_machine
settle
load_module rtmig
check 'no tracepoint is missing' sh -c "! grep ^missing $STATS"
for f in slice waker; do
	cp /lib/rtmig/$f /tmp/$f
	chmod 755 /tmp/$f
done
# a tick of 4 ms is fine enough to see the turns of the long one, and turns of one
# tick leave kernel threads few chances beside the waker
LONG=$((24 * MS))
SLICE=$((3 * MS))
setting "$DBG/sched/base_slice_ns" $LONG

# One that sleeps for a millisecond stays queued, and joins nobody when it wakes up
arm NO_DELAY_DEQUEUE
arm NO_TICK_GRAN
hogs 4
turns
off=$SWITCHES
setting "$DBG/sched/base_slice_ns" $SLICE
hogs 16
wakes
check '16 hogs, off: nothing is shortened' is "$(counter gran_short)" 0

arm TICK_GRAN
setting "$DBG/sched/base_slice_ns" $LONG
hogs 4
turns
check '4 hogs keep their turns' between "$SWITCHES" $((off - 8)) $((off + 8))
setting "$DBG/sched/base_slice_ns" $SLICE
hogs 1
wakes
check '1 hog: a wake-up asks for all of the slice' none_short
hogs 2
wakes
check '2 hogs: each wake-up asks for less' all_short
check '2 hogs: a third is cut off' cut $((SLICE / 3))
hogs 4
wakes
check '4 hogs: each wake-up asks for less' all_short
check '4 hogs: three fifths are cut off' cut $((SLICE * 3 / 5))
hogs 16
wakes
check '16 hogs: each wake-up asks for less' all_short
check '16 hogs: for a quarter, the bound' [ "$(here gran_min)" -ge $WAKES ]
check '16 hogs: and never for less' between "$(here gran_cut_ns)" $((WAKES * SLICE * 3 / 4)) \
	$(($(here gran_short) * SLICE * 3 / 4))

hogs 4
wakes /tmp/slice $((SLICE - 1))
check 'a slice of its own is kept' none_short
hogs 4
wakes chrt -b 0
check 'SCHED_BATCH is left alone' none_short
hogs 1
hogs 3 chrt -i 0
wakes
check '1 hog beside SCHED_IDLE ones: all of the slice' none_short

# Levels: what competes in a group is not what competes with it
mkdir /tmp/cpu
mount -t cgroup -o cpu cpu /tmp/cpu
mkdir /tmp/cpu/a /tmp/cpu/b /tmp/cpu/c /tmp/cpu/d
# shellcheck disable=SC2016 # the inner shell's
into='echo $$ >"/tmp/cpu/$0/tasks" && exec "$@"'
hogs 4 sh -c "$into" a
wakes sh -c "$into" a
check 'with 4 hogs in its group: each wake-up asks for less' all_short
check 'with 4 hogs in its group: in the group' \
	between "$(here gran_short_group)" $WAKES $((WAKES + 6))
for g in a b c; do hogs 1 sh -c "$into" $g; done
wakes sh -c "$into" d
check 'alone in a group beside 3 groups: each wake-up asks for less' all_short
check 'alone in a group beside 3 groups: as a group' \
	is "$(here gran_short_group)" 0
hogs 4 sh -c "$into" a
wakes
check 'beside 1 group of 4 hogs: all of the slice' none_short
for g in a b c; do hogs 1 sh -c "$into" $g; done
wakes sh -c "$into" d /tmp/slice $((SLICE - 1))
check 'a group keeps the slice of its task' none_short

arm DELAY_DEQUEUE
# Who sleeps and is only still queued does not count, on any path
check 'hackbench runs' sh -c 'hackbench -p -g 1 -f 4 -l 200 >/dev/null'
check 'and in a group' sh -c "echo \$\$ >/tmp/cpu/a/tasks; hackbench -p -g 1 -f 4 -l 200 >/dev/null"
check 'all that is queued adds up' adds_up
hogs 4
hogs 2 chrt -i 0
sleep 0.1
check 'with hogs, too' adds_up
end_started
check 'no argument of a tracepoint is out of range' is "$(counter unknown)" 0
rmmod rtmig
checks_done
