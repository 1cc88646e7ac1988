# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The search for the lowest CPUs: which cache it finds them in, also behind CPU
# hotplug and in partitions, and that levels once used are swept.  CPUs 0 to 3
# share a cache, and 4 to 7.  CPU 0 is never a target.
. /lib/rtmig/guest-lib

STATS=$DBG/rtmig/stats
TEST=$DBG/rtmig_test
CG=/tmp/cg

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
situation() { echo 1 >"$DBG/rtmig/reset"; echo "$1" >"$TEST/run"; }
run() { check "$1: runs" situation "$1"; }
online() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }
# found TEXT NEAR FAR: what the searches of the last situation found.  A kernel
# thread may be in the way of a few.
found() {
	near=$(counter cpupri_near) far=$(counter cpupri_far)
	check "$1: near" between "$near" $(($2 - 2)) $(($2 + 2))
	check "$1: far" between "$far" $(($3 - 2)) $(($3 + 2))
	check "$1: that many" between $((near + far + $(counter cpupri_rt) + $(counter cpupri_none))) \
		$(($2 + $3 - 2)) $(($2 + $3 + 2))
}

check_rt
check_hres
quiet_machine
settle
load_module rtmig_test
load_module rtmig
check 'no tracepoint is missing' sh -c "! grep ^missing $STATS"

# k threads that ran last on CPU 2: one stays, one goes to 1, one to 3
near_then_far() {
	run 'burst k=3 rounds=20'
	found "$1: three threads stay in their cache" 40 0
	run 'burst k=7 rounds=20'
	found "$1: of seven, those that it has no CPU for leave it" 40 80
	run 'burst k=4 rounds=20 cpu=5'
	found "$1: four threads of the other cache stay there" 60 0
}
near_then_far 'booted'

check 'CPU 3 goes' online 3 0
run 'burst k=3 rounds=20'
found 'without CPU 3, the third thread leaves the cache' 20 20
check 'CPU 3 comes back' online 3 1
near_then_far 'CPU 3 is back'

# all of a cache but one, the last one first
for cpu in 7 6 5; do check "CPU $cpu goes" online $cpu 0; done
run 'burst k=4 rounds=20'
found 'CPU 4 is alone in its cache' 40 20
for cpu in 5 6 7; do check "CPU $cpu comes back" online $cpu 1; done
near_then_far 'all are back'

run 'dl rounds=10 queued=1 gap_us=20'
check 'a CPU with a deadline task is no target for what outranks its queue' \
	is "pushes $(sed -n 's/^pushes //p' "$TEST/result") moved $(counter route_dl_moved)" 'pushes 0 moved 10'
sed -n 's/^wake_to_run_mean_ns \(.*\)/# dl queued: woken to run \1 ns, virtual/p' "$TEST/result" >>"$OUT/tap"

mkdir "$CG" && mount -t cgroup2 none "$CG"
echo +cpuset >"$CG/cgroup.subtree_control"
mkdir "$CG/p"
echo 2-5 >"$CG/p/cpuset.cpus"
partition() { echo "$1" >"$CG/p/cpuset.cpus.partition"; is "$(cat "$CG/p/cpuset.cpus.partition")" "$1"; }
check 'CPUs 2 to 5 become a partition' partition root
run 'burst k=4 rounds=20'
found 'in a partition of two halves of caches' 20 40
check 'the partition ends' partition member
near_then_far 'no partition'

# What a level was once used for must not stay: searches for a FIFO 20 thread
# find nothing below, and sweep what they meet.
levels() {
	for p in $(seq 1 19); do
		for cpu in 1 2 3 4 5 6 7; do
			taskset -c $cpu chrt -f "$p" true || return 1
		done
	done
}
check 'every level below 20 is used once' levels
swept=0 scans=0 sweeps=0
for _ in 1 2 3; do
	run 'storm'
	swept=$((swept + $(counter cpupri_swept)))
	sweeps=$((sweeps + $(counter cpupri_sweeps)))
	scans=$((scans + $(counter cpupri_scans)))
done
# Two in each cache may stay: that many are no reason to sweep.
check 'levels without a CPU are swept' between $swept 34 60
check 'while there are many, all levels are read' [ $scans -ge 2 ]
check 'a sweep takes 16 at most' [ $swept -le $((16 * sweeps)) ]
run 'storm'
check 'nothing is left to sweep, or to read in full' \
	is "swept $(counter cpupri_swept) scans $(counter cpupri_scans)" 'swept 0 scans 0'
check 'searches found nothing, as all others run something higher' \
	[ "$(counter cpupri_none)" -gt 0 ]

check 'the module knows every event' is "$(counter unknown)" 0
checks_done
