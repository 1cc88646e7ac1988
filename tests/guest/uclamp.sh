# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A kernel with UCLAMP_TASK on a machine of little CPUs (0 to 3) and big ones (4
# to 7): wake-ups are routed by capacity where the CPU is free, by the queued
# priority where it is not, and stay where they are if no CPU of the wanted
# capacity can be had.
# Needs rtmig_asym.ko, and uclampset as a file.
. /lib/rtmig/guest-lib

TEST=$DBG/rtmig_test
MIN_RT=/proc/sys/kernel/sched_util_clamp_min_rt_default

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
result() { sed -n "s/^$1 //p" "$TEST/result"; }
situation() { echo 1 >"$DBG/rtmig/reset"; echo "$1" >"$TEST/run"; }

# burst NAME REQUEST KEY=N...: the counters, or results, that it has to leave.
burst()
{
	what=$1
	check "$what: runs" situation "$2"
	shift 2
	for pair; do
		key=${pair%%=*}
		case $key in
		pushes) got=$(result pushes) ;;
		*) got=$(counter "$key") ;;
		esac
		check "$what: ${pair#*=} $key" is "$got" "${pair#*=}"
	done
}

check 'PREEMPT_RT' check_rt
check 'high-resolution timers on every CPU' check_hres
quiet_machine
settle
load_module rtmig
load_module rtmig_test

# All CPUs alike: uclamp has no say, whatever is asked for
check 'real-time tasks ask for all by default' is "$(cat $MIN_RT)" 1024
set_flags on
burst 'alike, on' 'burst k=4 rounds=20' \
	route_capacity=0 route_queued_moved=60 pushes=0

load_module rtmig_asym little=4
check 'the domains know of it' \
	grep -q SD_ASYM_CPUCAPACITY "$DBG/sched/domains/cpu2/domain1/flags"

# The CPU is idle and too little: away from it, whatever the flags say, and the
# second one finds the CPU as idle as the first did.
for arm in off on; do
	set_flags $arm
	burst "little CPU, $arm" 'burst k=4 rounds=20 cpu=2' \
		route_capacity_moved=80 route_queued=0 pushes=0
done

# A big CPU fits: all as on a machine of CPUs alike, but for where they go to
set_flags off
burst 'big CPU, off' 'burst k=4 rounds=20 cpu=5' \
	route_capacity=0 route_queued=0 pushes=60
set_flags on
burst 'big CPU, on' 'burst k=4 rounds=20 cpu=5' \
	route_capacity=0 route_queued_moved=60 pushes=0

# Nobody asks for capacity
echo 0 >$MIN_RT
burst 'little CPU, none asked for, on' 'burst k=4 rounds=20 cpu=2' \
	route_capacity=0 route_queued_moved=60 pushes=0
echo 1024 >$MIN_RT

# All big CPUs are taken by others of higher priority, and three little ones are
# left.  The first thread finds none that fits, and stays; with the flag the next
# ones leave the CPU because it is queued there, to little CPUs, for to wait
# would be worse.  Without it every one bails out, and they are pushed.  Other
# real-time tasks bail out meanwhile, too, a few.
hogs=''
for mask in 10 20 40 80; do
	taskset $mask chrt -f 90 sh -c 'while :; do :; done' &
	hogs="$hogs $!"
done
sleep 0.2
set_flags off
burst 'no big CPU to be had, off' 'burst k=3 rounds=10 cpu=2' \
	route_capacity_moved=0 route_queued=0 pushes=20
check 'no big CPU to be had, off: all bail out' \
	between "$(counter route_capacity)" 30 40
set_flags on
burst 'no big CPU to be had, on' 'burst k=3 rounds=10 cpu=2' \
	route_capacity_moved=0 route_queued_moved=20 pushes=0
check 'no big CPU to be had, on: the first ones bail out' \
	between "$(counter route_capacity)" 10 20
# shellcheck disable=SC2086 # a list
kill $hogs

# From user space: a FIFO shell sleeps on CPU 1, may run everywhere when it is
# woken, and says where it did
cp /lib/rtmig/uclampset /tmp/uclampset
chmod 755 /tmp/uclampset
mkfifo /tmp/fifo
cat >/tmp/sleeper <<'END'
echo $$ >/tmp/pid
read -r x </tmp/fifo
awk '{ print $39 }' /proc/$$/stat >/tmp/where
END
sleeper()
{
	taskset 2 "$@" chrt -f 30 sh /tmp/sleeper &
	shell=$!
	sleep 0.1
	taskset -p ff "$(cat /tmp/pid)" >/dev/null
	echo 1 >"$DBG/rtmig/reset"
	echo go >/tmp/fifo
	wait $shell
	cpu=$(cat /tmp/where)
}

echo 0 >$MIN_RT
for arm in off on; do
	set_flags $arm
	sleeper
	check "shell, $arm: no capacity asked for, and none looked for" \
		is "$(counter route_capacity)" 0
	check "shell, $arm: stays on a little CPU" between "$cpu" 0 3
	sleeper /tmp/uclampset -m 800
	check "shell, uclampset -m 800, $arm: routed by capacity" \
		[ "$(counter route_capacity_moved)" -gt 0 ]
	check "shell, uclampset -m 800, $arm: ends on a big CPU" between "$cpu" 4 7
	sleeper /tmp/uclampset -m 400
	check "shell, uclampset -m 400, $arm: little CPUs are enough" between "$cpu" 0 3
done
echo 1024 >$MIN_RT

# Everything at once, with the flags flipping: what it looks for is a splat
flip_flags &
flipper=$!
check 'rt-migrate-test runs, flags flipping' sh -c \
	"rt-migrate-test -l 3 $((NCPUS + 1)) >/dev/null"
check 'cyclictest runs, flags flipping' sh -c \
	'/tmp/uclampset -m 600 cyclictest -q -m -p 80 -t 12 -i 1000 -l 200 >/dev/null'
kill $flipper
check 'no argument of a tracepoint is unknown or out of range' is "$(counter unknown)" 0
rmmod rtmig_test
rmmod rtmig
checks_done
