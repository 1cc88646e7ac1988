# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # arm is lab.sh's
#
# Where the time went, on a real machine: by the kernel's own tracers, as far as it
# has them.  scripts/bench puts this behind its copy of guest-lib; the guest is seen
# from outside and has none of it.
#
# The tracers cost, function tracing most of all.  They are on in rounds of their
# own after the last one that counts: $OUT/traced-ARM/where has the longest stretch
# of each step, with the functions and nanoseconds that the tracer saw, as the
# file where of a round has.

TRACING=/sys/kernel/tracing
[ -e "$TRACING/current_tracer" ] || TRACING=$DBG/tracing
# the one of the round
TRACER=''

has_tracer()
{
	{ tr ' ' '\n' <"$TRACING/available_tracers"; } 2>/dev/null | grep -qx "$1"
}

note()
{
	echo "$1 $2" >>"$RTMIG_LIB/meta"
}

# tracers: which of them there are and can be used, noted with the result; and what
# will have to be restored
tracers()
{
	TRACERS=''
	if ! [ -e "$TRACING/current_tracer" ]; then
		note tracers "none: the kernel has no tracefs, or it is not mounted"
		return
	fi
	if [ "$(cat "$TRACING/current_tracer")" != nop ]; then
		note tracers "none: $(cat "$TRACING/current_tracer") is in use"
		return
	fi
	for t in irqsoff preemptirqsoff; do
		if [ -z "$TRACERS" ] && has_tracer $t; then TRACERS=$t; fi
	done
	lacking=''
	[ -n "$TRACERS" ] || lacking=' IRQSOFF_TRACER'
	if has_tracer wakeup_rt; then
		TRACERS="$TRACERS wakeup_rt"
	else
		lacking="$lacking SCHED_TRACER"
	fi
	has_tracer function || lacking="$lacking FUNCTION_TRACER"
	note tracers "${TRACERS:-none}${lacking:+; the kernel lacks$lacking}"
	# restored in the opposite order, the tracer first
	for f in tracing_on tracing_thresh tracing_max_latency current_tracer; do
		[ ! -e "$TRACING/$f" ] || setting "$TRACING/$f" "$(cat "$TRACING/$f")"
	done
}

# hwlat_baseline: how long the machine itself, its firmware, holds up a CPU that has
# interrupts off: what hwlatdetect does, without python
hwlat_baseline()
{
	if ! has_tracer hwlat; then
		note hwlatdetect "not measured: the kernel lacks HWLAT_TRACER"
		return
	fi
	if [ "$(cat "$TRACING/current_tracer")" != nop ]; then
		note hwlatdetect "not measured: another tracer is in use"
		return
	fi
	mark "hwlat: what the machine itself holds up, ${HWLAT_SECONDS:=10} s"
	echo 10 >"$TRACING/tracing_thresh"
	echo 1 >"$TRACING/tracing_on"
	echo hwlat >"$TRACING/current_tracer"
	sleep "$HWLAT_SECONDS"
	# tracing_max_latency divides what is microseconds already
	longest=$(awk 'match($0, /\(us\): *[0-9]+\/ *[0-9]+/) {
			split(substr($0, RSTART + 5, RLENGTH - 5), us, "/")
			for (i in us)
				if (us[i] + 0 > max)
					max = us[i] + 0
		} END { print max + 0 }' "$TRACING/trace")
	echo nop >"$TRACING/current_tracer"
	echo 0 >"$TRACING/tracing_thresh"
	case $longest in
	0) longest='none above 10' ;;
	*) longest="longest $longest" ;;
	esac
	note hwlatdetect "$longest us in $HWLAT_SECONDS s"
}

# trace_begin STEP, trace_end: around each step of a traced round
trace_begin()
{
	trace_step=$1
	echo 0 >"$TRACING/tracing_max_latency"
	echo 1 >"$TRACING/tracing_on"
}

trace_end()
{
	echo 0 >"$TRACING/tracing_on"
	[ "$(cat "$TRACING/tracing_max_latency")" != 0 ] || return 0
	trace_key=$TRACER
	[ "$trace_step" = - ] || trace_key="${TRACER}[$trace_step]"
	# "TIMEus : FUNCTION <-CALLER": the time to the next line is the function's
	awk -v key="$trace_key" -v tracer="$TRACER" '
		/^# latency: / {
			us = $3
			match($0, /CPU#[0-9]+/)
			cpu = substr($0, RSTART + 4, RLENGTH - 4)
		}
		/^#  => started at: / { from = $5 }
		/^#  => ended at: / { to = $5 }
		!/^#/ && match($0, /[0-9]+us[^:]*: +/) {
			now = substr($0, RSTART) + 0
			if (function_before != "" && now > before)
				spent[function_before] += now - before
			n = split(substr($0, RSTART + RLENGTH), w, " ")
			before = now
			if (w[2] ~ /^<-/ || w[3] ~ /^<-/)
				function_before = w[1]
		}
		END {
			# from the tracepoint of the wake-up to that of the switch
			if (tracer == "wakeup_rt") {
				from = "try_to_wake_up"
				to = "__schedule"
			}
			if (us == "" || from == "" || to == "")
				exit
			list = ""
			for (i = 0; i < 8; i++) {
				most = ""
				for (f in spent)
					if (most == "" || spent[f] > spent[most])
						most = f
				if (most == "")
					break
				list = list (list == "" ? "" : ",") most ":" spent[most] * 1000
				delete spent[most]
			}
			print key, us * 1000, cpu, from, to, list == "" ? "-" : list
		}' "$TRACING/trace" >>"$OUT/traced-$arm/where"
}

# trace_arms: lab.sh calls it after the last round
trace_arms()
{
	for arm in $ARMS; do
		[ -n "$TRACERS" ] || break
		[ "$arm" = pristine ] || set_flags "$arm"
		mkdir -p "$OUT/traced-$arm"
		for TRACER in $TRACERS; do
			mark "where the time went, $arm: $TRACER"
			ROUND=$WORK/traced-$arm
			rm -rf "$ROUND"
			echo 0 >"$TRACING/tracing_on"
			echo "$TRACER" >"$TRACING/current_tracer"
			one_round
			echo nop >"$TRACING/current_tracer"
		done
		TRACER=''
	done
}

# bench's: progress goes to the terminal, and a machine is taken as it is
mark()
{
	case $1 in
	*' step ') [ -z "$TRACER" ] || trace_end ;;
	*' step '*) [ -z "$TRACER" ] || trace_begin "${1##* step }" ;;
	*) printf '[%4ds] %s\n' $(($(date +%s) - BEGAN)) "$*" >&2 ;;
	esac
}

settle()
{
	tracers
	hwlat_baseline
}

# the data is where it belongs
ship()
{
	:
}
