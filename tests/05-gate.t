#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The console gate lets a clean log pass and nothing else: every pattern is fed
# a line as the kernel prints it, and what is missing counts as a failure.

. "$(dirname "$0")/tap.sh"

gate=$TOP/scripts/console-gate
clean='[    0.000000] Linux version 6.12.117-rtmig (rtmig@lab) #1 SMP PREEMPT_RT
[    0.000000] Command line: console=ttyS0 nokaslr panic=-1
[    0.100000] rcu: Preemptible hierarchical RCU implementation.
[    0.200000] Memory: debug mode is off, warnings are shown'

printf '%s\n' "$clean" >"$T/clean"
run "$gate" "$T/clean"
is "$RC:$OUT" '0:' 'a clean log passes, silently'

# One line for each pattern, as 6.12 prints them.
while IFS= read -r line; do
	printf '%s\n[    1.000000] %s\n' "$clean" "$line" >"$T/log"
	run "$gate" "$T/log"
	[ "$RC" -eq 1 ] && [[ $OUT == *"$line"* ]]
	ok $? "caught: $line" "status $RC: $OUT"
done <<'LINES'
BUG: kernel NULL pointer dereference, address: 0000000000000008
kernel BUG at kernel/sched/rt.c:1725!
WARNING: CPU: 3 PID: 71 at kernel/sched/rt.c:2063 push_rt_task+0x1c/0x2a0
Oops: Oops: 0000 [#1] PREEMPT_RT SMP NOPTI
Oops: general protection fault, probably for non-canonical address
Call Trace:
Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009
WARNING: possible circular locking dependency detected
WARNING: possible recursive locking detected
WARNING: inconsistent lock state
[ BUG: Invalid wait context ]
WARNING: suspicious RCU usage
WARNING: bad unlock balance detected!
DEBUG_LOCKS_WARN_ON(1)
BUG: scheduling while atomic: swapper/0/0/0x00000002
BUG: sleeping function called from invalid context at kernel/locking/spinlock_rt.c:48
BUG: using smp_processor_id() in preemptible [00000000] code: sh/71
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 3-.... }
rcu: rcu_preempt kthread starved for 21003 jiffies! g1 f0x0
watchdog: BUG: soft lockup - CPU#2 stuck for 26s! [hackbench:88]
watchdog: Watchdog detected hard LOCKUP on cpu 2
INFO: task sh:71 blocked for more than 122 seconds.
sched: RT throttling activated
sched: DL replenish lagged too much
BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0 stuck for 31s!
list_add corruption. prev->next should be next
refcount_t: underflow; use-after-free.
clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable
NOHZ tick-stop error: local softirq work is pending, handler #80!!!
LINES

printf '%s\n[    1.0] sched: RT throttling activated\n' "$clean" >"$T/log"
printf '# because of this test\nRT throttling activated\n' >"$T/allowed"
run "$gate" -x "$T/allowed" "$T/log"
is "$RC" 0 'an exception excuses its line'
printf '# nothing but a comment\n' >"$T/allowed"
run "$gate" -x "$T/allowed" "$T/log"
is "$RC" 1 'an empty file of exceptions excuses nothing'

# fail-closed
run "$gate" "$T/none"
is "$RC" 1 'a missing log fails'
: >"$T/empty"
run "$gate" "$T/empty"
is "$RC" 1 'an empty log fails'
echo 'SeaBIOS' >"$T/noboot"
run "$gate" "$T/noboot"
is "$RC" 1 'a log in which no kernel has booted fails'
run "$gate" "$T/clean" "$T/noboot"
is "$RC" 1 'one good log does not excuse another'
SPLATS=$T/none run "$gate" "$T/clean"
is "$RC" 1 'a missing pattern file fails'
echo '# only a comment' >"$T/nopattern"
SPLATS=$T/nopattern run "$gate" "$T/clean"
is "$RC" 1 'a pattern file without patterns fails'
run "$gate" -x "$T/none" "$T/clean"
is "$RC" 1 'a missing file of exceptions fails'
printf 'x(\n' >"$T/broken"
SPLATS=$T/broken run "$gate" "$T/clean"
is "$RC" 1 'a pattern that is no regular expression fails'
run "$gate"
is "$RC" 2 'no log at all is wrong usage'
done_testing
