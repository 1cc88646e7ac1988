# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Push and pull, each feature of the series alone against all of them off: that it
# acts, that its counter shows it, and that it costs nothing that is of use.
. /lib/rtmig/guest-lib

STATS=$DBG/rtmig/stats
TEST=$DBG/rtmig_test

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
situation() { echo 1 >"$DBG/rtmig/reset"; echo "$1" >"$TEST/run"; }
result() { sed -n "s/^$1 //p" "$TEST/result"; }
run() { check "$1: runs" situation "$1"; }
# figure TEXT KEY: what changelogs quote
figure() { echo "# $1: $(result "$2") ns, virtual" >>"$OUT/tap"; }
only() { set_flags off; echo "$1" >"$FEATURES" || fail "no flag $1"; mark "$1"; }

check_rt
check_hres
quiet_machine
settle
load_module rtmig_test
load_module rtmig
check 'no tracepoint is missing' sh -c "! grep ^missing $STATS"

# No flag: half of the pristine kernel's interrupts, see 57-lab-situations.t
set_flags off
mark 'all off'
run storm
drops=$(result drops)
check 'storm, off: each of the six is interrupted once a drop' \
	between "$(result ipis)" $((6 * drops - 20)) $((6 * drops + 20))
check 'storm, off: each was asked' between "$(counter walk_asked)" "$(result ipis)" $((6 * drops + 100))
check 'storm, off: none was left out' is \
	"$(counter walk_lower) $(counter walk_resched) $(counter walk_pinned) $(counter walk_passed)" '0 0 0 0'
run 'storm waiter=40 spin_us=2000'
off=$(result ipis)
check 'storm waiter=40, off: waiters above the low CPU are moved there' \
	between "$(result useful)" 4 6
useful=$(result useful)
run 'strand rounds=3'
figure 'strand, off, until it runs' widen_to_run_mean_ns
check 'strand, off: nobody moves the waiter' is "$(result moved)" 0
run 'migdis ms=40'
ipis=$(result ipis) tries=$(result push_tries)
check 'migdis pinned, off: interrupts without use' [ "$ipis" -gt 500 ]
run 'dl rounds=10 gap_us=0'
figure 'dl, one interrupt, off, until it runs' wake_to_run_mean_ns
check 'dl, one interrupt, off: it waits for the deadline thread' \
	between "$(result wake_to_run_min_ns)" 200000 250000
run 'dl rounds=10 gap_us=20 fifo_first=1'
figure 'dl, preempted, off, until it is done' wake_to_end_mean_ns
check 'dl, preempted, off: it waits for the deadline thread' \
	between "$(result wake_to_end_min_ns)" 220000 280000
fair_server 2 20000000 5000000
run 'fair rounds=5'
fair_server 2 1000000000 0
figure 'fair server, off, until it runs' wake_to_run_mean_ns
check 'fair server, off: it waits for 4 ms and more' [ "$(result wake_to_run_min_ns)" -gt 4000000 ]
run 'migdis ms=40 hi=migratable n=4 spare=3'
stoppers=$(result stoppers) section=$(result lock_section_mean_ns)
check 'migdis spare, off: the stopper works' [ "$stoppers" -gt 0 ]
run 'idle rounds=20'
check 'idle, off: each wake-up marks the CPU as overloaded' \
	between "$(counter overload_set)" 20 60
check 'idle, off: and clears the mark' is "$(counter overload_set)" "$(counter overload_clear)"

only RT_PREROUTE_PINNED
run 'migdis ms=40 hi=migratable n=4 spare=3'
check 'wake-ups are routed away from lock holders' [ "$(counter route_pinned_moved)" -gt 20 ]
check 'the stopper has less to do, by a quarter at least' \
	between "$(result stoppers)" 0 $((stoppers * 3 / 4))
check 'no lock is held for longer' between "$(result lock_section_mean_ns)" 300000 $((section * 102 / 100))
run 'migdis ms=40 hi=migratable n=4'
check 'without a spare CPU some stay: all others are as urgent' \
	[ "$(counter route_pinned)" -gt "$(counter route_pinned_moved)" ]

only RT_PUSH_CHANGED
run 'strand rounds=3'
figure 'strand, RT_PUSH_CHANGED' widen_to_run_mean_ns
check 'a waiter whose mask grows is moved' is "$(result moved)" 3
# One turn of the guest may come late: the mean, and off it is 2.5 ms.
check 'at once' between "$(result widen_to_run_mean_ns)" 1000 150000
check 'as a push' is "$(counter push_wakeup_pushed)" 3

only RT_PUSH_DL
run 'dl rounds=10 gap_us=0'
figure 'dl, one interrupt, RT_PUSH_DL' wake_to_run_mean_ns
check 'dl, one interrupt: it is pushed at once' between "$(result wake_to_run_mean_ns)" 1000 50000
check 'dl, one interrupt: by the wake-up' is "$(counter push_wakeup_pushed)" 10
run 'dl rounds=10 gap_us=20 fifo_first=1'
figure 'dl, preempted, RT_PUSH_DL' wake_to_end_mean_ns
check 'dl, preempted: it goes on elsewhere' between "$(result wake_to_end_mean_ns)" 50000 180000
check 'dl, preempted: pushed at the switch' is "$(counter push_schedule_pushed)" 10
fair_server 2 20000000 5000000
run 'fair rounds=5'
fair_server 2 1000000000 0
figure 'fair server, RT_PUSH_DL' wake_to_run_mean_ns
check 'fair server: it is pushed at once' between "$(result wake_to_run_mean_ns)" 1000 150000
check 'fair server: by the wake-up' is "$(counter push_wakeup_pushed)" 5

only RT_PUSH_FILTER
run storm
check 'storm: no interrupt' between "$(result ipis)" 0 2
check 'storm: six are left out a drop' between "$(counter walk_lower)" $((6 * drops - 20)) $((6 * drops + 120))
run 'storm waiter=40 spin_us=2000'
check 'storm waiter=40: all that is of use still happens' is "$(result useful)" "$useful"
check 'storm waiter=40: with a fifth of the interrupts at most' between "$(result ipis)" "$useful" $((off / 5))

only RT_OVERLOAD_MOVABLE
run 'migdis ms=40'
check 'migdis pinned: hardly an interrupt' between "$(result ipis)" 0 10
check 'migdis pinned: hardly a try' between "$(result push_tries)" 0 $((tries / 50))
run 'migdis ms=40 hi=migratable'
check 'migdis migratable: the stopper still helps lock holders' [ "$(result stoppers)" -gt 50 ]

only RT_OVERLOAD_DEFER
run 'idle rounds=20'
check 'idle: no wake-up marks the CPU as overloaded' between "$(counter overload_set)" 0 5
run 'storm waiter=40 spin_us=2000'
check 'storm waiter=40: all that is of use still happens' is "$(result useful)" "$useful"
check 'storm waiter=40: marks are set' [ "$(counter overload_set)" -gt 5 ]

set_flags on
mark 'all on'
run storm
check 'storm, on: no interrupt' between "$(result ipis)" 0 2
check 'no argument was unknown or out of range' is "$(counter unknown)" 0
checks_done
