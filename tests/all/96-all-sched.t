#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel with what else the scheduler can be configured with (UCLAMP_TASK and
# its groups, RT_GROUP_SCHED, SCHED_CORE): builds, does what the lab kernel does,
# and its features in use: groups and core scheduling on the lab's topology,
# capacities on a machine of big and little CPUs, which the guest becomes by
# rtmig_asym.ko.
#
# Seen to fail: without the bail-out where no CPU fits ("no big CPU to be had, off:
# 0 route_capacity_moved", "20 pushes"); with the queued priority not looked at
# ("burst in two groups, on: no push"); with limits of the groups that cannot be
# had ("groups are given time"); the console, without the exception below.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

v=all-sched
obj=$BDIR/linux/obj-$v
run "$TOP/scripts/kernel" -v $v
ok "$RC" "$v: builds" "$OUT" || bail_out "no $v kernel"
! grep 'warning:' "$BDIR/$v.log"
ok $? "$v: without a warning"
run "$TOP/scripts/module" -k "$obj" -o "$BDIR/module-$v"
ok "$RC" "$v: so do the modules" "$OUT"
run "$TOP/scripts/module" -k "$obj" -s "$TOP/tests/asym" -o "$BDIR/asym-$v"
ok "$RC" "$v: so does rtmig_asym.ko" "$OUT"
gcc -static -O1 -Wall -Wextra -Werror -o "$T/core-cookie" "$TOP/tests/sched/core-cookie.c"
ok $? 'core-cookie is compiled'

uclampset=$(command -v uclampset) ||
	bail_out 'no uclampset, which the Debian package util-linux has'
kernel=(-m "$BDIR/module-$v" -k "$obj/arch/x86/boot/bzImage")
guest 'as the lab kernel' "$T/functional" "${kernel[@]}" \
	-e 'DOMAINS=SMT MC NUMA' "$TOP/tests/guest/functional.sh"
# On PREEMPT_RT soft interrupts are for threads.  Those have no cookie, so a CPU
# that core scheduling forces to idle has to leave them pending, and the kernel
# says so when it stops the tick; with the features off, too.
echo 'NOHZ tick-stop error: local softirq work is pending, handler #' >"$T/allowed"
guest groups "$T/groups" "${kernel[@]}" -x "$T/allowed" -f "$T/core-cookie" \
	"$TOP/tests/guest/sched-groups.sh"
# Asymmetry is not for CPUs that are threads of one core.
guest uclamp "$T/uclamp" "${kernel[@]}" -T 2x4x1 -f "$BDIR/asym-$v/rtmig_asym.ko" \
	-f "$uclampset" "$TOP/tests/guest/uclamp.sh"
done_testing
