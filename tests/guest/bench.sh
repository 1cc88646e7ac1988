# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# scripts/bench on a booted kernel, which this guest with parallel CPUs stands
# for: it measures, and it restores every setting, also when interrupted.

. /lib/rtmig/guest-lib

mkdir /tmp/rtmig
tar -xzf /lib/rtmig/project.tgz -C /tmp/rtmig
cd /tmp/rtmig || exit 1

# all that bench may change
settings()
{
	cat /proc/sys/kernel/sched_rt_runtime_us "$FEATURES"
	cat "$DBG"/sched/fair_server/cpu*/runtime
	cut -d' ' -f1 /proc/modules
}

bench()
{
	scripts/bench -m /lib/rtmig "$@"
}

whole()
{
	bench -r 1 -o /tmp/whole dl
	grep -q '^environment hardware$' /tmp/whole/raw/meta
	grep -q '^unit ns$' /tmp/whole/raw/meta
	grep -q '^command scripts/bench' /tmp/whole/raw/meta
	[ "$(cat /tmp/whole/raw/rounds)" = "1 off
2 on" ]
	grep -q '^wake_to_run' /tmp/whole/raw/01-off/samples
	grep -q '^pushes' /tmp/whole/raw/02-on/values
}

# Ctrl-C in the middle; what was measured stays
interrupted()
{
	scripts/bench -m /lib/rtmig -r 50 -o /tmp/cut burst >/tmp/cut.log 2>&1 &
	pid=$!
	i=0
	until [ -s /tmp/cut/raw/rounds ]; do
		i=$((i + 1))
		[ "$i" -le 600 ] || { cat /tmp/cut.log; return 1; }
		sleep 0.1
	done
	[ "$(cat /proc/sys/kernel/sched_rt_runtime_us)" = -1 ]
	kill -TERM "$pid"
	wait "$pid" && return 1
	[ -s /tmp/cut/raw/rounds ]
}

same()
{
	settings | diff /tmp/before -
}

left_behind()
{
	echo NO_RT_PREROUTE >"$FEATURES"
	bench -r 1 -o /tmp/left dl 2>&1 | grep 'flag RT_PREROUTE was not at its default'
	grep -q '^warning flag RT_PREROUTE' /tmp/left/raw/meta
	tr ' ' '\n' <"$FEATURES" | grep -qx NO_RT_PREROUTE
	echo RT_PREROUTE >"$FEATURES"
}

refuses()
{
	! bench nonsense 2>/tmp/line
	grep -q "^rtmig: unknown scenario 'nonsense': known are " /tmp/line
	! bench -f NONSENSE dl 2>/tmp/line
	grep -q '^rtmig: unknown flag NONSENSE' /tmp/line
	! bench -m /tmp dl 2>/tmp/line
	grep -q '^rtmig: bench: no rtmig.ko in /tmp: ' /tmp/line
}

settings >/tmp/before
check 'a scenario is measured' whole
check 'the machine is as it was' same
check 'it can be interrupted, and keeps what it has' interrupted
check 'the machine is as it was then, too' same
check 'a flag that was left behind is told, and put back' left_behind
check 'the machine is as it was in the end' same
check 'bad input is refused in one line' refuses
checks_done
