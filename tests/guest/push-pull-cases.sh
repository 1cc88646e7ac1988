# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The table of docs/push-pull.md, "What happens in which case": the rows that no
# other test plays.
. /lib/rtmig/guest-lib

TEST=$DBG/rtmig_test

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
result() { sed -n "s/^$1 //p" "$TEST/result"; }
situation() { echo 1 >"$DBG/rtmig/reset"; echo "$1" >"$TEST/run"; }
run() { check "$1: runs" situation "$1"; }

# hog CPUMASK COMMAND...: a shell that spins on one CPU until hog_end
hog()
{
	hog_mask=$1
	shift
	taskset "$hog_mask" "$@" sh -c 'while :; do :; done' &
	hog_pid=$!
	sleep 0.02
}
hog_end()
{
	kill -9 "$hog_pid"
	wait "$hog_pid" || :
	sleep 0.01
}

# what spins below must not keep this shell from its CPU
taskset -p 1 $$ >/dev/null
check_rt
check_hres
quiet_machine
settle
load_module rtmig
load_module rtmig_test

# Its CPU runs fair work: it stays.
hog 4
for arm in off on; do
	set_flags $arm
	run 'burst k=1 rounds=5'
	check "fair work, $arm: it stays" is "$(result stayed)" 5
	check "fair work, $arm: and preempts at once" \
		between "$(result wake_to_run_p50_ns)" 500 30000
done
hog_end

# Its CPU runs a real-time task that is less urgent, and has no other CPU.
hog 4 chrt -f 10
for arm in off on; do
	set_flags $arm
	run 'burst k=1 rounds=5'
	check "pinned task, $arm: it goes elsewhere" is "$(result stayed)" 0
	check "pinned task, $arm: routed because of the running task" \
		is "$(counter route_curr_moved)" 5
	check "pinned task, $arm: no push" is "$(result pushes)" 0
done
hog_end

# Its CPU runs a real-time task that is less urgent and can move: a shell that slept
# on CPU 2 says where it goes on.
mkfifo /tmp/fifo
cat >/tmp/last <<'END'
echo $$ >/tmp/pid
read -r x </tmp/fifo
read -r stat </proc/self/stat
set -- $stat
echo "${39}" >/tmp/where
END
for arm in off on; do
	set_flags $arm
	rm -f /tmp/where
	taskset 4 chrt -f 30 sh /tmp/last &
	shell=$!
	sleep 0.1
	taskset -p fe "$(cat /tmp/pid)" >/dev/null
	hog 4 chrt -f 10
	taskset -p fe "$hog_pid" >/dev/null
	echo 1 >"$DBG/rtmig/reset"
	echo go >/tmp/fifo
	wait "$shell"
	check "less urgent task, $arm: it stays" is "$(cat /tmp/where)" 2
	check "less urgent task, $arm: nobody is routed away" is "$(counter route_curr)" 0
	check "less urgent task, $arm: that one is pushed" [ "$(counter rto_pushed)" -ge 1 ]
	hog_end
done

# Two interrupts on two CPUs at the same instant: who chooses first is seen by the
# other.  Who waits for another's 50 us is above 50 us.  By the mean, since at times
# a whole round is late: another virtual CPU had a long turn.
for arm in off on; do
	set_flags $arm
	run 'burst k=4 rounds=10 wakers=2'
	check "two interrupts, $arm: they do not wait for each other" \
		between "$(result wake_to_run_mean_ns)" 500 30000
done
check 'two interrupts, on: hardly a push' between "$(result pushes)" 0 5

# With TTWU_QUEUE, which PREEMPT_RT has off, a wake-up only asks the target to
# enqueue: the next ones do not see it, and choose the same one.  That is what two
# CPUs at the same instant may do as well.  The target pushes all but the first.
echo TTWU_QUEUE >"$FEATURES"
for arm in off on; do
	set_flags $arm
	run 'burst k=4 rounds=10'
	check "same target, $arm: they do not wait for each other" \
		between "$(result wake_to_run_mean_ns)" 500 30000
	[ $arm = on ] || continue
	check 'same target, on: they were routed' is "$(counter route_queued_moved)" 30
	check 'same target, on: and pushed from there' \
		between "$(counter push_schedule_pushed)" 10 30
	run 'burst k=4 rounds=10 wakers=2'
	check 'same target, two interrupts: they do not wait for each other' \
		between "$(result wake_to_run_mean_ns)" 500 30000
	check 'same target, two interrupts: some are pushed from there' \
		between "$(result pushes)" 10 40
done
echo NO_TTWU_QUEUE >"$FEATURES"

# Who cannot leave its CPU stays there, whatever is queued.
for arm in off on; do
	set_flags $arm
	for keep in cpu disabled; do
		run "burst k=3 rounds=5 keep=$keep"
		check "keep=$keep, $arm: all stay" is "$(result stayed)" 15
		check "keep=$keep, $arm: they wait for each other" \
			between "$(result wake_to_run_mean_ns)" 50000 80000
		check "keep=$keep, $arm: none is pushed" \
			is "$(counter push_schedule_pushed) $(result pushes)" '0 0'
	done
done

# Forks.  A real-time shell leaves its CPU to nobody as urgent: its children start
# elsewhere, at once.  One CPU for all: they wait for it.
cat >/tmp/forker <<'END'
cpu() { read -r stat </proc/self/stat; set -- $stat; echo "${39}" >>"/tmp/$who"; }
who=parent; cpu
for i in 1 2 3 4 5; do (who=children; cpu) & done
cpu; wait
END
forks()
{
	rm -f /tmp/parent /tmp/children
	echo 1 >"$DBG/rtmig/reset"
	taskset "$1" chrt -f 30 sh /tmp/forker
}
on_parents()
{
	sort -u /tmp/parent | grep -cxf - /tmp/children
}
for arm in off on; do
	set_flags $arm
	forks 7e
	check "forks, $arm: five children" is "$(grep -c . /tmp/children)" 5
	check "forks, $arm: none on the CPU of the parent" is "$(on_parents)" 0
	check "forks, $arm: routed because of the running task" \
		[ "$(counter route_curr_moved)" -ge 5 ]
	forks 8
	check "forks, one CPU, $arm: five children" is "$(grep -c . /tmp/children)" 5
	check "forks, one CPU, $arm: all there" is "$(sort -u /tmp/children)" 3
	check "forks, one CPU, $arm: no wake-up is routed" is "$(counter route_curr)" 0
done

# Cpusets
mkdir /tmp/cg
mount -t cgroup2 none /tmp/cg
echo +cpuset >/tmp/cg/cgroup.subtree_control
mkdir /tmp/cg/one /tmp/cg/iso /tmp/cg/part

# Of one CPU: it waits there behind what is more urgent, and goes on elsewhere when
# the set grows.
echo 3 >/tmp/cg/one/cpuset.cpus
cat >/tmp/sleeper <<'END'
echo $$ >/tmp/cg/one/cgroup.procs
read -r x </tmp/fifo
read -r stat </proc/self/stat
set -- $stat
echo "${39}" >/tmp/where
END
for arm in off on; do
	set_flags $arm
	rm -f /tmp/where
	taskset fe chrt -f 30 sh /tmp/sleeper &
	shell=$!
	sleep 0.1
	hog 8 chrt -f 40
	echo go >/tmp/fifo
	sleep 0.05
	check "cpuset of one CPU, $arm: it waits there" [ ! -e /tmp/where ]
	echo 3-4 >/tmp/cg/one/cpuset.cpus
	sleep 0.05
	if [ $arm = on ]; then
		check 'the set grows, on: it goes on' is "$(cat /tmp/where)" 4
	else
		check 'the set grows, off: it still waits' [ ! -e /tmp/where ]
	fi
	hog_end
	wait "$shell"
	echo 3 >/tmp/cg/one/cpuset.cpus
done

# one's CPU has to be in no other set
rmdir /tmp/cg/one

# Isolated CPUs, and a partition of CPUs that are not: nobody is routed or pushed
# over the edge, whatever its mask says (1-7).
echo 5-7 >/tmp/cg/iso/cpuset.cpus
echo isolated >/tmp/cg/iso/cpuset.cpus.partition
check 'CPUs 5 to 7 are isolated' is "$(cat /tmp/cg/iso/cpuset.cpus.partition)" isolated
echo 3-4 >/tmp/cg/part/cpuset.cpus
echo root >/tmp/cg/part/cpuset.cpus.partition
check 'CPUs 3 and 4 are a partition' is "$(cat /tmp/cg/part/cpuset.cpus.partition)" root
for arm in off on; do
	set_flags $arm
	run 'burst k=6 rounds=5 cpu=2'
	check "from CPU 2, $arm: CPUs 1 and 2 are used" is "$(result ran_on)" 1-2
	run 'burst k=6 rounds=5 cpu=3'
	check "from CPU 3, $arm: those of the partition are used" is "$(result ran_on)" 3-4
	run 'burst k=6 rounds=5 cpu=7'
	check "from CPU 7, $arm: isolated ones are used" is "$(result ran_on)" 5-7
done
check 'no argument of a tracepoint is unknown or out of range' is "$(counter unknown)" 0
checks_done
