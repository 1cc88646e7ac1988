# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# cost: see README.md.
#
# variables: WORK_X (times the work of a guest's round)

prepare()
{
	# what takes a second in a guest is too short to be timed elsewhere
	[ "$ENVIRONMENT" = virtual ] && n=1 || n=20
	WORK_X=${WORK_X:-$n}
	PERF=''
	if [ "$ENVIRONMENT" != virtual ] &&
	   perf stat -a -x , -e instructions true 2>&1 | grep -q '^[0-9]'; then
		PERF=1
	fi
}

now()
{
	sed -n 's/^now at \([0-9]*\) nsecs.*/\1/p; /^now/q' /proc/timer_list
}

switches()
{
	sed -n 's/^ctxt //p' /proc/stat
}

# part NAME COMMAND...: the time of a command, and the switches of the machine
# meanwhile, as values of this name; its instructions come from outside in a
# guest, by the name of the step, and from perf elsewhere
part()
{
	name=$1
	shift
	step "$name"
	if [ -n "$PERF" ]; then
		set -- perf stat -a -x , -o "$WORK/perf" -e instructions "$@"
	fi
	c0=$(switches) t0=$(now)
	in_front "$@" >"$WORK/output" 2>&1 || {
		cat "$WORK/output"
		fail "$name: '$*' failed"
	}
	t1=$(now) c1=$(switches)
	step ""
	if [ "$name" = switches ]; then
		value switches $((c1 - c0))
	else
		value "$name" $((t1 - t0))
		value "switches[$name]" $((c1 - c0))
	fi
	[ -z "$PERF" ] ||
		# a line for each kind of CPU
		value "${name}_insns" "$(awk -F, '/^[0-9]/ { s += $1 }
			END { printf "%.0f", s }' "$WORK/perf")"
}

# The programs of parts that are shell; each is started by a shell of its own.
# Two shells that hand a line to and fro, a byte: the reader of a line reads no
# further than its end.
# shellcheck disable=SC2016 # expanded by that shell
round_trips='
	rm -f "$2/there" "$2/back"
	mkfifo "$2/there" "$2/back"
	while read -r l; do echo; done <"$2/there" >"$2/back" &
	exec >"$2/there" <"$2/back"
	n=$1
	while [ "$n" -gt 0 ]; do
		echo
		read -r l
		n=$((n - 1))
	done
	exec >&-
	wait'
# A path, for true is a word of the shell.
# shellcheck disable=SC2016
forks='
	n=$1
	while [ "$n" -gt 0 ]; do
		/bin/true
		n=$((n - 1))
	done'
# All of it at once
# shellcheck disable=SC2016
mixture='
	hackbench -p -g 1 -f 4 -l "$1" &
	hackbench -p -T -g 1 -f 4 -l "$1" &
	sh -c "$4" sh $(($1 * 4)) "$2" &
	sh -c "$3" sh $(($1 / 5)) &
	wait'

round()
{
	part hackbench_pipe hackbench -p -P -g 1 -f 8 -l $((WORK_X * 300))
	part hackbench_thread hackbench -p -T -g 1 -f 8 -l $((WORK_X * 300))
	# socket pairs; a kernel without CONFIG_UNIX has none
	if [ -e /proc/net/unix ]; then
		part hackbench_socket hackbench -P -g 1 -f 8 -l $((WORK_X * 300))
		part hackbench_socket_thread hackbench -T -g 1 -f 8 -l $((WORK_X * 300))
	fi
	part pipe_roundtrip sh -c "$round_trips" sh $((WORK_X * 2000)) "$WORK"
	part fork_exec sh -c "$forks" sh $((WORK_X * 150))
	part switches sh -c "$mixture" sh $((WORK_X * 250)) "$WORK" "$forks" "$round_trips"
}

finish()
{
	end_started
}
