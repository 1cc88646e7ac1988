# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The lab kernel does what it should: domains, flags, counters for the right
# reason, rt-migrate-test.
. /lib/rtmig/guest-lib

STATS=$DBG/rtmig/stats
TEST=$DBG/rtmig_test

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

check 'uname -r ends in -rtmig' sh -c 'uname -r; uname -r | grep -q -- "-rtmig$"'
check 'PREEMPT_RT' sh -c 'uname -v; uname -v | grep -q PREEMPT_RT'
check 'high-resolution timers on every CPU' check_hres
check "domains are $DOMAINS" check_domains "$DOMAINS"
check 'RT throttling and the fair server can be switched off' quiet_machine
for f in ACPI_PROCESSOR CPU_IDLE X86_PM_TIMER HOTPLUG_CPU JUMP_LABEL SCHEDSTATS \
	CPUSETS CGROUP_SCHED KUNIT NUMA SCHED_SMT SCHED_MC HZ_250 NO_HZ_IDLE; do
	check "CONFIG_$f" sh -c "zcat /proc/config.gz | grep -x CONFIG_$f=y"
done

# flags: each can be seen, switched, and read back, and no other one moves
all_flags() { tr ' ' '\n' <"$FEATURES" | grep .; }
flips()
{
	was=$(all_flags | grep -x "$1\|NO_$1")
	all_flags >/tmp/before
	echo "NO_$1" >"$FEATURES" && all_flags | grep -qx "NO_$1" || return 1
	echo "$1" >"$FEATURES" && all_flags | grep -qx "$1" || return 1
	echo "$was" >"$FEATURES"
	all_flags >/tmp/after
	diff /tmp/before /tmp/after
}
check 'the series has flags' [ -n "$(our_flags)" ]
for flag in $(our_flags); do
	default=$flag
	[ "$flag" != TICK_GRAN ] || default=NO_$flag
	check "$default is the default" sh -c "tr ' ' '\n' <$FEATURES | grep -x $default"
	check "$flag can be switched, and only it moves" flips "$flag"
done
refused() { ! echo NO_SUCH_FLAG >"$FEATURES"; }
check 'an unknown flag is refused' refused

check 'the clock is the TSC' settle
load_module rtmig
load_module rtmig_test
check 'the module knows the series' grep -x 'series yes' "$DBG/rtmig/version"
check 'no tracepoint is missing' sh -c "! grep ^missing $STATS"

# situation "REQUEST": run it with counters from zero
situation() { echo 1 >"$DBG/rtmig/reset"; echo "$1" >"$TEST/run"; }
result() { sed -n "s/^$1 //p" "$TEST/result"; }

set_flags off
check 'burst, off: runs' situation 'burst k=4 rounds=20 events=1'
check 'burst, off: three pushes a round' is "$(result pushes)" 60
check 'burst, off: rto_pushed counts them' is "$(counter rto_pushed)" 60
check 'burst, off: a route for each wake-up, with its priority and CPU' \
	is "$(result route_events)" 80
check 'burst, off: a push event for each push, with its priority and CPUs' \
	is "$(result push_events)" 60
check 'burst, off: as pushes after a switch' is "$(counter push_schedule_pushed)" 60
check 'burst, off: and not of a wake-up' is "$(counter push_wakeup_pushed)" 0
check 'burst, off: rto_schedule_tail counts the tries' \
	between "$(counter rto_schedule_tail)" 60 70
check 'burst, off: nothing is routed by queued priority' is "$(counter route_queued)" 0
check 'burst, off: all are routed as if the CPU were free' \
	between "$(counter route_prev)" 80 90
set_flags on
check 'burst, on: runs' situation 'burst k=4 rounds=20 events=1'
check 'burst, on: no push' is "$(result pushes)" 0
check 'burst, on: rto_pushed agrees' is "$(counter rto_pushed)" 0
check 'burst, on: a route for each wake-up, with its priority and CPU' \
	is "$(result route_events)" 80
check 'burst, on: three of four are routed by queued priority' \
	is "$(counter route_queued_moved)" 60
set_flags off
check 'dl, off: runs' situation 'dl rounds=20'
check 'dl, off: one push a round' is "$(result pushes)" 20
check 'dl, off: as a push of a wake-up' is "$(counter push_wakeup_pushed)" 20
check 'dl, off: rto_wakeup counts the tries' is "$(counter rto_wakeup)" 20
check 'dl, off: nothing is routed away from the deadline task' is "$(counter route_dl)" 0
set_flags on
check 'dl, on: runs' situation 'dl rounds=20'
check 'dl, on: no push' is "$(result pushes)" 0
check 'dl, on: routed away from the deadline task' is "$(counter route_dl_moved)" 20
check 'dl: the deadline thread ran where it should' is "$(result same_cpu)" 20

# The deadline thread is queued but does not run: no push helps there
for arm in off on; do
	set_flags $arm
	check "dl, one interrupt, $arm: runs" situation 'dl rounds=20 gap_us=0'
	check "dl, one interrupt, $arm: no push" is "$(result pushes)" 0
	[ $arm = on ] && moved=20 || moved=0
	check "dl, one interrupt, $arm: $moved routed away" is "$(counter route_dl_moved)" "$moved"
done

# The fair server runs a starved thread ahead of the one that wakes up
for arm in off on; do
	set_flags $arm
	fair_server 2 20000000 5000000
	check "fair server, $arm: runs" situation 'fair rounds=5'
	fair_server 2 1000000000 0
	check "fair server, $arm: it ran in every round" is "$(result served)" 5
	[ $arm = on ] && moved=5 || moved=0
	check "fair server, $arm: $moved ran elsewhere" is "$(result moved)" "$moved"
	check "fair server, $arm: $moved routed away" is "$(counter route_dl_moved)" "$moved"
done

# The kernel's own cpupri.c, compiled into the module
check 'cpupri: runs' situation cpupri
for n in '' '\[nr_cpus=64]' '\[cpus=64]' '\[cpus=255]' '\[cpus=1024]' '\[cpus=4096]'; do
	check "cpupri: a search for a CPU at NORMAL $n" between "$(result "find_normal$n")" 20 1200
	check "cpupri: a change of level $n" between "$(result "set$n")" 15 100
	check "cpupri: a search takes longer where all are at level 97 $n" \
		[ "$(result "find_level_97_fresh$n")" -gt "$(result "find_normal$n")" ]
done

# bad requests
bad() { ! echo "$1" >"$TEST/run"; }
check 'unknown situation is refused' bad 'nonsense k=4'
check 'k out of range is refused' bad 'burst k=0'
check 'unknown key is refused' bad 'burst q=4'
check 'CPU out of range is refused' bad 'burst cpu=4096'

# latency: the histogram holds what the count says
echo 1 >"$DBG/rtmig/reset"
cyclictest -q -m -p 80 -t 4 -i 1000 -l 200 >/dev/null
hist=$(awk 'NR > 1 { n += $3 } END { print n + 0 }' "$DBG/rtmig/hist")
check 'latency: histogram and count agree' between "$hist" \
	"$(counter latency_count)" "$(($(counter latency_count) + 20))"
check 'latency: the cycles of cyclictest were seen' between "$hist" 500 4000
check 'latency: mean below maximum' sh -c "awk '
	\$2 == \"latency_sum_ns\" { s += \$3 }
	\$2 == \"latency_count\" { n += \$3 }
	\$2 == \"latency_max_ns\" && \$3 > m { m = \$3 }
	END { print s / n, m; exit !(n && s / n > 500 && s / n <= m) }' $STATS"
check 'no argument was unknown or out of range so far' is "$(counter unknown)" 0
echo 1 >"$DBG/rtmig/reset"
check 'reset: starts from zero' between "$(counter latency_count)" 0 20

set_flags on
# The test of 2007: N+1 tasks on N CPUs; task 0 rightly waits.  It allows 1 ms,
# and busy CPUs that share one clock are N times as slow.
rt-migrate-test -l 3 $((NCPUS + 1)) >"$OUT/migrate.txt"
migrate() { awk '/^ Task/ { t = $2 } /Max:/ && t > 0 { n++; print t, $2; if ($2 > 1000 * '"$NCPUS"') bad = 1 }
	END { exit bad || n != '"$NCPUS"' }' "$OUT/migrate.txt"; }
check "rt-migrate-test: tasks 1 to $NCPUS start within $NCPUS ms" migrate

check 'rt-migrate-test: interrupts of walks are counted' [ "$(counter push_ipis)" -gt 0 ]
check 'rt-migrate-test: some of them are useful' [ "$(counter push_ipis_useful)" -gt 0 ]
check 'rt-migrate-test: routes because of the running task' [ "$(counter route_curr)" -gt 0 ]
check 'rt-migrate-test: tries without a free CPU' \
	[ $(($(counter push_wakeup_no_cpu) + $(counter push_schedule_no_cpu))) -gt 0 ]
check 'rt-migrate-test: walks are counted' [ "$(counter pull_walk)" -gt 0 ]
check 'rt-migrate-test: no argument is unknown or out of range' is "$(counter unknown)" 0

# Without RT_PUSH_IPI CPUs pull for themselves: the other half of the tracepoint
echo 1 >"$DBG/rtmig/reset"
echo NO_RT_PUSH_IPI >"$FEATURES"
rt-migrate-test -l 3 $((NCPUS + 1)) >/dev/null
echo RT_PUSH_IPI >"$FEATURES"
check 'without RT_PUSH_IPI: pulled tasks are counted' [ "$(counter pull_pulled)" -gt 0 ]
check 'without RT_PUSH_IPI: rto_pulled agrees' is "$(counter rto_pulled)" "$(counter pull_pulled)"
check 'without RT_PUSH_IPI: nobody walks' is "$(counter pull_walk)" 0
check 'no argument of a tracepoint is unknown or out of range' is "$(counter unknown)" 0
rmmod rtmig_test
rmmod rtmig

# KUnit: what it said at boot, then once more with a CPU that is not active
KUNIT=$DBG/kunit/cpupri
kunit_passes()
{
	cat "$KUNIT/results"
	grep -qE '^# Totals: pass:[1-9][0-9]* fail:0 skip:0 ' "$KUNIT/results" &&
		! grep -q 'not ok' "$KUNIT/results"
}
kunit_inactive() { sed -n 's/.*cpupri_inactive: \(.*\) CPUs are not active/\1/p' "$KUNIT/results"; }
check 'KUnit, cpupri: passes at boot' kunit_passes
check 'KUnit, cpupri: all CPUs were active then' is "$(kunit_inactive)" 0
for cpu in $((NCPUS - 1)) 1; do
	echo 0 >"/sys/devices/system/cpu/cpu$cpu/online"
	echo 1 >"$KUNIT/run"
	check "KUnit, cpupri: passes without CPU $cpu" kunit_passes
	check "KUnit, cpupri: one CPU was not active" is "$(kunit_inactive)" 1
	echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"
done
checks_done
