# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A kernel with RT_GROUP_SCHED and SCHED_CORE, both in use: real-time tasks in
# groups of their own, and in cores that they share with nobody.
# Needs core-cookie as a file.
. /lib/rtmig/guest-lib

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }

# migrate NAME COMMAND...: rt-migrate-test with COMMAND before it.  Tasks 1 to N
# of N + 1 start within N ms, as in functional.sh.
migrate()
{
	file=$OUT/migrate-$1.txt
	shift
	"$@" rt-migrate-test -l 3 $((NCPUS + 1)) >"$file" || return 1
	awk '/^ Task/ { t = $2 } /Max:/ && t > 0 { n++; print t, $2; if ($2 > 1000 * '"$NCPUS"') bad = 1 }
		END { exit bad || n != '"$NCPUS"' }' "$file"
}

burst()
{
	echo 'burst k=4 rounds=20' >"$DBG/rtmig_test/run"
	sed -n 's/^pushes //p' "$DBG/rtmig_test/result"
}

check 'PREEMPT_RT' check_rt
quiet_machine
settle
load_module rtmig
load_module rtmig_test

# Groups: their own run queues, whose priorities have to be seen in the CPU's
mkdir /tmp/cpu
mount -t cgroup -o cpu cpu /tmp/cpu
mkdir /tmp/cpu/a /tmp/cpu/b
# Shares of the root's time; none is throttled, since quiet_machine switched
# that off.
check 'groups are given time' sh -c 'echo -1 >/tmp/cpu/cpu.rt_runtime_us &&
	echo 400000 >/tmp/cpu/a/cpu.rt_runtime_us &&
	echo 400000 >/tmp/cpu/b/cpu.rt_runtime_us'
# in_group NAME COMMAND...
in_group()
{
	g=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'echo $$ >"/tmp/cpu/$0/tasks" && exec "$@"' "$g" "$@"
}

for arm in off on; do
	set_flags $arm
	echo 1 >"$DBG/rtmig/reset"
	check "in a group, $arm: rt-migrate-test" migrate group-$arm in_group a
	[ $arm = off ] && key=route_curr_moved || key=route_queued_moved
	check "in a group, $arm: $key is counted" [ "$(counter "$key")" -gt 0 ]
done

# A burst whose threads are in two groups: what is queued there is seen in the
# CPU's highest priority, or the second one would be pushed.
# to_group NAME PATTERN: all threads whose names match
to_group()
{
	grep -l "$2" /proc/[0-9]*/comm | cut -d/ -f3 |
		while read -r pid; do echo "$pid" >"/tmp/cpu/$1/tasks" || return 1; done
}

grouped_burst()
{
	echo 'burst k=4 rounds=300' >"$DBG/rtmig_test/run" &
	sleep 0.1
	to_group a '^rtmig_test/[01]'
	to_group b '^rtmig_test/[23]'
	[ "$(wc -l </tmp/cpu/a/tasks) $(wc -l </tmp/cpu/b/tasks)" = '2 2' ] || return 1
	echo 1 >"$DBG/rtmig/reset"
	wait $!
	grep -E 'pushed|route' "$DBG/rtmig/stats" | grep -v ' 0$'
}
set_flags off
check 'burst in two groups, off: runs' grouped_burst
check 'burst in two groups, off: pushed' [ "$(counter rto_pushed)" -ge 300 ]
check 'burst in two groups, off: none routed by queued priority' \
	is "$(counter route_queued)" 0
set_flags on
check 'burst in two groups, on: runs' grouped_burst
check 'burst in two groups, on: no push' is "$(counter rto_pushed)" 0
check 'burst in two groups, on: routed by queued priority' \
	[ "$(counter route_queued_moved)" -ge 300 ]

# A FIFO shell in a group sleeps, on CPU 2; one of a higher priority, from
# another group, has the CPU when it wakes up.
mkfifo /tmp/fifo
for arm in off on; do
	set_flags $arm
	# shellcheck disable=SC2016 # the inner shell's
	in_group b taskset 4 chrt -f 30 sh -c '
		echo $$ >/tmp/pid; read -r x </tmp/fifo
		awk "{ print \$39 }" /proc/$$/stat >/tmp/where' &
	shell=$!
	sleep 0.1
	in_group a taskset 4 chrt -f 60 sh -c 'echo $$ >/tmp/hog; while :; do :; done' &
	sleep 0.1
	taskset -p fe "$(cat /tmp/pid)" >/dev/null
	echo go >/tmp/fifo
	wait $shell
	kill "$(cat /tmp/hog)"
	check "two groups, $arm: CPU 2 is left to the higher priority" \
		[ "$(cat /tmp/where)" -ne 2 ]
done
check 'groups: kernel threads are routed as before' is "$(burst)" 0

# Core scheduling: two cookies, and those without one
cp /lib/rtmig/core-cookie /tmp/core-cookie
chmod 755 /tmp/core-cookie
set_flags on
echo 1 >/proc/sys/kernel/sched_schedstats
check 'a cookie can be had' /tmp/core-cookie true
/tmp/core-cookie hackbench -p -g 1 -f 4 -l 1000000 >/dev/null 2>&1 &
for arm in off on; do
	mark "core scheduling, $arm"
	set_flags $arm
	check "core scheduling, $arm: rt-migrate-test with a cookie" \
		sh -c "/tmp/core-cookie rt-migrate-test -l 3 $((NCPUS + 1)) >/dev/null"
	check "core scheduling, $arm: cyclictest with a cookie" \
		sh -c '/tmp/core-cookie cyclictest -q -m -p 80 -t 8 -i 1000 -l 200 >/dev/null'
	check "core scheduling, $arm: burst" [ -n "$(burst)" ]
done
# shellcheck disable=SC2016 # awk's own
check 'core scheduling: siblings were forced to idle' sh -c \
	'cat /proc/[0-9]*/task/*/sched | awk '"'"'$1 == "core_forceidle_sum" { s += $3 }
		END { print s; exit !(s > 0) }'"'"
killall -9 hackbench || : # one may be gone already
check 'no argument of a tracepoint is unknown or out of range' is "$(counter unknown)" 0
rmmod rtmig_test
rmmod rtmig
checks_done
