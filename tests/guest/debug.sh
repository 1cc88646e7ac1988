# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The debug kernel (lockdep and friends) under everything at once: cyclictest,
# hackbench, CPU hotplug, partitions that come and go, flags that flip, the
# module's handlers, situations.
# What it looks for is a splat on the console; the host judges that.
# from the host: FLIP=no leaves the flags alone
. /lib/rtmig/guest-lib

quiet_machine
check 'lockdep is on' grep -q . /proc/lockdep_stats
load_module rtmig
load_module rtmig_test

mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg
echo +cpuset >/tmp/cg/cgroup.subtree_control
mkdir /tmp/cg/p
echo 2-5 >/tmp/cg/p/cpuset.cpus

# Each CPU, and each partition, changes the root domains under the load.
plug()
{
	i=0
	while [ "$i" -lt 10 ]; do
		for cpu in 3 6 7; do
			echo root >/tmp/cg/p/cpuset.cpus.partition || return 1
			[ "$cpu" != 6 ] || echo member >/tmp/cg/p/cpuset.cpus.partition || return 1
			echo 0 >"/sys/devices/system/cpu/cpu$cpu/online" || return 1
			echo 1 >"/sys/devices/system/cpu/cpu$cpu/online" || return 1
		done
		i=$((i + 1))
	done
}

flipper=
if [ "${FLIP:-yes}" = yes ]; then
	flip_flags &
	flipper=$!
fi
cyclictest -q -m -p 90 -t -i 2000 -l 100000 >/dev/null &
hackbench -p -g 1 -f 4 -l 1000000 >/dev/null &
mark 'CPU hotplug under load, flags flipping'
check '30 times a CPU goes and comes back, and a partition 20 times' plug
echo member >/tmp/cg/p/cpuset.cpus.partition
check 'all CPUs are back' [ "$(nproc)" -eq "$NCPUS" ]
killall -9 hackbench
mark 'situations, flags flipping'
for s in 'burst k=7 rounds=20' 'burst k=7 rounds=20 order=descending' \
	'burst k=7 rounds=20 order=ascending' 'burst k=7 rounds=20 events=1' \
	'dl rounds=20' 'dl rounds=20 gap_us=0' 'dl rounds=5 queued=1 gap_us=20' 'idle rounds=20' \
	'storm ms=10' 'storm waiter=40 spin_us=2000 ms=10' \
	'migdis ms=20 hi=migratable' 'strand rounds=2' \
	'soak ms=20 lock=own period_us=500' \
	'soak ms=20 lock=shared period_us=500' 'check-start period_us=500'; do
	check "situation $s" sh -c "echo '$s' >$DBG/rtmig_test/run"
	check "samples of $s" sh -c "cat $DBG/rtmig_test/samples >/dev/null"
done
mark 'rt-migrate-test'
check 'rt-migrate-test runs' sh -c \
	"rt-migrate-test -l 2 $((NCPUS + 1)) >/dev/null"
check 'situation check-stop' sh -c "echo check-stop >$DBG/rtmig_test/run"
check 'it looked' grep -q '^looks [1-9]' "$DBG/rtmig_test/result"
killall cyclictest
[ -z "$flipper" ] || kill "$flipper"
check 'lockdep is still on' grep -q 'debug_locks: *1' /proc/lockdep_stats
check 'the module counted' [ "$(counter rt_wakeups)" -gt 1000 ]
echo 'check-start period_us=500' >"$DBG/rtmig_test/run"
check 'unloads while a check is on' rmmod rtmig_test
rmmod rtmig
checks_done
