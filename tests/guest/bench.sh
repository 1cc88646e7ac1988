# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# scripts/bench on a booted kernel, which this guest is to it: it measures, and it
# restores every setting, also when interrupted.

. /lib/rtmig/guest-lib

mkdir /tmp/rtmig
tar -xzf /lib/rtmig/project.tgz -C /tmp/rtmig
cd /tmp/rtmig || exit 1

# all that bench may change
settings()
{
	cat /proc/sys/kernel/sched_rt_runtime_us "$FEATURES"
	cat "$DBG"/sched/fair_server/cpu*/runtime
	for f in current_tracer tracing_on tracing_thresh tracing_max_latency; do
		[ ! -e "/sys/kernel/tracing/$f" ] || cat "/sys/kernel/tracing/$f"
	done
	cut -d' ' -f1 /proc/modules
	find /tmp -name 'rtmig-bench*'
	grep -l 'lab[.]sh' /proc/[0-9]*/cmdline 2>/dev/null || :
}

bench()
{
	scripts/bench -m /lib/rtmig "$@"
}

# check switches set -e off: every line says for itself that it failed
whole()
{
	bench -r 1 -o /tmp/whole dl || return 1
	for line in 'environment hardware' 'unit ns' 'arms off on'; do
		grep -qx "$line" /tmp/whole/raw/meta || return 1
	done
	grep -q '^command scripts/bench' /tmp/whole/raw/meta || return 1
	[ "$(cat /tmp/whole/raw/rounds)" = "1 off
2 on" ] || return 1
	grep -q '^wake_to_run' /tmp/whole/raw/01-off/samples || return 1
	grep -q '^pushes' /tmp/whole/raw/02-on/values || return 1
	cp -r /tmp/whole/raw "$OUT/raw"
}

# from the host: TRACERS=yes, the kernel has them
traced()
{
	meta=/tmp/whole/raw/meta
	cat "$meta"
	if [ "${TRACERS:-no}" = no ]; then
		grep -qx 'tracers none; the kernel lacks IRQSOFF_TRACER SCHED_TRACER FUNCTION_TRACER' \
			"$meta" || return 1
		grep -qx 'hwlatdetect not measured: the kernel lacks HWLAT_TRACER' "$meta" || return 1
		! ls -d /tmp/whole/raw/traced-*
		return
	fi
	grep -qx 'tracers irqsoff wakeup_rt' "$meta" || return 1
	grep -qE '^hwlatdetect (longest [0-9]+|none above 10) us in 10 s$' "$meta" || return 1
	for a in off on; do
		cat "/tmp/whole/raw/traced-$a/where"
		for t in irqsoff wakeup_rt; do
			grep -qE "^$t(\[same_irq\])? [1-9][0-9]* [0-7] [a-z_0-9.]+ [a-z_0-9.]+ [a-z_0-9.]+:[1-9]" \
				"/tmp/whole/raw/traced-$a/where" || return 1
		done
	done
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
	[ "$(cat /proc/sys/kernel/sched_rt_runtime_us)" = -1 ] || return 1
	# an impatient user; a shell in the background does not hear INT
	kill -TERM "$pid"
	kill -TERM "$pid"
	sleep 0.1
	kill -HUP "$pid" 2>/dev/null
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
	bench -r 1 -o /tmp/left dl >/tmp/left.log 2>&1 || return 1
	grep -q 'flag RT_PREROUTE was not at its default' /tmp/left.log || return 1
	grep -q '^warning flag RT_PREROUTE' /tmp/left/raw/meta || return 1
	tr ' ' '\n' <"$FEATURES" | grep -qx NO_RT_PREROUTE || return 1
	echo RT_PREROUTE >"$FEATURES"
}

# no TEXT OPTION...: refused in one line
no()
{
	text=$1
	shift
	bench "$@" >/tmp/line 2>&1 && return 1
	[ "$(wc -l </tmp/line)" = 1 ] && grep -q "^rtmig: $text" /tmp/line
}

refuses()
{
	no "unknown scenario 'nonsense': known are " nonsense || return 1
	no 'unknown flag NONSENSE' -f NONSENSE dl || return 1
	no 'bench: no rtmig.ko in /tmp: ' -m /tmp dl || return 1
	no 'bench: .* has the series' -a 'pristine off' dl
}

settings >/tmp/before
check 'a scenario is measured' whole
check 'the machine is as it was' same
check 'the tracers say where the time went, or it says which are missing' traced
check 'it can be interrupted, and keeps what it has' interrupted
check 'the machine is as it was then, too' same
check 'a flag that was left behind is told, and put back' left_behind
check 'the machine is as it was in the end' same
check 'bad input is refused in one line' refuses
checks_done
