# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# TICK_GRAN: requests are shortened, by the number of those that compete, at the
# level where they do, to half at least, and those of nobody else.  A tick of 4 ms
# is fine enough for a slice of 24 ms.  Needs slice as a file.
. /lib/rtmig/guest-lib

STATS=$DBG/rtmig/stats
MS=1000000

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
arm() { echo "$1" >"$FEATURES" || fail "no flag $1"; mark "$1"; }

# here KEY: a counter of CPU 1
here()
{
	awk -v k="$1" '$1 == "cpu1" && $2 == k { print $3; seen = 1 }
		END { exit !seen }' "$STATS" || fail "no counter $1"
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

# measure: what happens in a while, once the hogs run; into the counters and SWITCHES
measure()
{
	sleep 0.1
	echo 1 >"$DBG/rtmig/reset"
	s=$(preempted)
	sleep 0.6
	SWITCHES=$(($(preempted) - s))
	echo "# $SWITCHES switches, $(here gran_short) shortened" >>"$OUT/tap"
	end_started
}

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
cp /lib/rtmig/slice /tmp/slice
chmod 755 /tmp/slice
setting "$DBG/sched/base_slice_ns" $((24 * MS))

# Kernel threads come in between, with requests of their own: the hogs' switches
# tell whose were shortened.  In 600 ms they switch 25 times, and 50 at half.
# A kernel thread is also one that competes, for a moment, so that a few requests of
# two hogs are shortened: 7 switches more on 6.12.118 where 25 more are a half.
# kept OFF, halved OFF: against the hogs' switches with the feature off
kept() { between "$SWITCHES" $(($1 - 6)) $(($1 + 9)); }
halved() { between "$SWITCHES" $(($1 + 12)) $(($1 + 34)); }

arm NO_TICK_GRAN
hogs 4
measure
off=$SWITCHES
check '4 hogs, off: nothing is shortened' is "$(counter gran_short)" 0
hogs 2
measure
off2=$SWITCHES

arm TICK_GRAN
hogs 4
measure
check '4 hogs: twice as many switches' halved "$off"
check '4 hogs: and that is counted' [ "$(here gran_short)" -gt 40 ]
hogs 2
measure
check '2 hogs: as many as before' kept "$off2"
hogs 3
measure
short=$(here gran_short)
check '3 hogs: requests are shortened' [ "$short" -gt 20 ]
check '3 hogs: mostly by a third, by a half beside kernel threads' \
	between "$(here gran_cut_ns)" $((short * 8 * MS)) $((short * 11 * MS))
hogs 8
measure
short=$(here gran_short)
check '8 hogs: requests are shortened' [ "$short" -gt 40 ]
check '8 hogs: to a half, the bound' is "$(here gran_cut_ns) $(here gran_min)" \
	"$((short * 12 * MS)) $short"

hogs 4 /tmp/slice $((23 * MS))
measure
check 'a slice of their own is kept' kept "$off"
hogs 4 chrt -b 0
measure
check 'SCHED_BATCH is left alone' kept "$off"
hogs 4 chrt -i 0
hogs 2
measure
check '2 hogs beside SCHED_IDLE ones are left alone' kept "$off2"

# Levels: what competes in a group is not what competes with it
mkdir /tmp/cpu
mount -t cgroup -o cpu cpu /tmp/cpu
mkdir /tmp/cpu/a /tmp/cpu/b /tmp/cpu/c /tmp/cpu/d
# shellcheck disable=SC2016 # the inner shell's
into='echo $$ >"/tmp/cpu/$0/tasks" && exec "$@"'
hogs 4 sh -c "$into" a
measure
short=$(here gran_short)
check '4 hogs in one group: twice as many switches' halved "$off"
check '4 hogs in one group: for requests in the group' \
	between "$(here gran_short_group)" $((short - 4)) "$short"
for g in a b c d; do hogs 1 sh -c "$into" $g; done
measure
check '4 groups of one hog: twice as many switches' halved "$off"
check '4 groups of one hog: for requests of the groups' \
	is "$(here gran_short_group)" 0
for g in a b c d; do hogs 1 sh -c "$into" $g /tmp/slice $((23 * MS)); done
measure
check '4 groups of one hog with a slice of its own are left alone' kept "$off"

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
