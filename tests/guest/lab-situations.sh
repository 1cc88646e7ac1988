# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The situations of the laboratory, and its checker of the priorities, show what
# they are made for; on a kernel with the series and on one without.
# from the host: SERIES (yes or no)
. /lib/rtmig/guest-lib

TEST=$DBG/rtmig_test

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
between() { echo "got $1, wanted $2 to $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
# near A B PERCENT: A is within PERCENT of B
near() { echo "got $1, wanted $2, $3 percent"; awk "BEGIN { exit !($1 >= $2 * (1 - $3 / 100) && $1 <= $2 * (1 + $3 / 100)) }"; }
situation() { echo "$1" >"$TEST/run"; }
result() { sed -n "s/^$1 //p" "$TEST/result"; }
run() { check "$1: runs" situation "$1"; }
# values NAME: count and mean of what samples has of it
values()
{
	awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) { n++; s += $i } }
		END { printf "%d %d\n", n, n ? int(s / n) : 0 }' "$TEST/samples"
}

check_rt
check_hres
quiet_machine
settle
load_module rtmig_test
set_flags off
mark 'samples and delays'

run 'burst k=4 rounds=20'
for name in wake_to_run waker_irq; do
	check "samples: as many of $name as the result counts, with its mean" is \
		"$(values $name)" "$(result ${name}_count) $(result ${name}_mean_ns)"
done
irq=$(result waker_irq_p50_ns)
stale()
{
	exec 3<"$TEST/samples"
	dd bs=8 count=1 <&3 >/dev/null 2>&1
	situation 'idle rounds=1' || return 1
	! cat <&3 >/dev/null
}
check 'samples: a reader of the run before is told' stale
run 'burst k=4 rounds=20 delay_insns=2000'
check 'delay: four of 2000 instructions in the waking interrupt of burst' \
	near $(($(result waker_irq_p50_ns) - irq)) 8000 2
run 'idle rounds=20'
call=$(result wake_call_p50_ns) to_run=$(result wake_to_run_p50_ns)
run 'idle rounds=20 delay_insns=2000'
check 'delay: 2000 instructions in the wake-up call of idle' \
	near $(($(result wake_call_p50_ns) - call)) 2000 2
check 'delay: and until the thread runs' \
	near $(($(result wake_to_run_p50_ns) - to_run)) 2000 2

mark storm
run storm
drops=$(result drops) ipis=$(result ipis)
check 'storm: a drop every 200 us' between "$drops" 190 210
check 'storm: at least one interrupt a drop' [ "$ipis" -ge "$drops" ]
[ "$SERIES" = yes ] || check 'storm: each of the six is interrupted twice a drop' \
	near "$ipis" $((12 * drops)) 4
check 'storm: none is useful' is "$(result useful)" 0
check 'storm: none is another function' is "$(result ipis_other)" 0
check 'storm: each was served by an interrupt' near "$(result hardirq_count)" "$ipis" 1
check 'storm: which took some time' between "$(result hardirq_mean_ns)" 100 10000
run 'storm waiter=40 spin_us=2000'
check 'storm: waiters above the low CPU are moved there' between "$(result useful)" 4 6

mark bound
# hits BOUND MAXIMUM: interrupts that hit sections, of all and of one
hits() { echo "$(result hits) in $(result section_count) sections, $(result hits_max) in one"; [ "$(result hits)" -le "$1" ] && [ "$(result hits_max)" -le "$2" ]; }
sections() { between "$(result section_count)" 20 40 && [ "$(result section_min_ns)" -ge 500000 ]; }
run 'bound ms=20'
check 'bound: sections of 500 us, on two CPUs in turns' sections
check 'bound: one thread waits for the end of each' \
	near "$(result wake_to_run_mean_ns)" "$(result section_mean_ns)" 5
check 'bound: interrupts hit them, ten a section and more' \
	[ "$(result hits)" -ge $((10 * $(result section_count))) ]
check 'bound: they are those of the walk, and useless' \
	is "$(result ipis_other) $(result useful)" '0 0'
check 'bound: none is served elsewhere' near "$(result hits)" "$(result ipis)" 10
check 'bound: what they take of a section is measured' \
	[ "$(result stolen_mean_ns)" -ge 5000 ]
if [ "$SERIES" = yes ]; then
	set_flags on
	# a task that waits alone does not even count as overload: see k=2
	run 'bound ms=20'
	check 'bound: all flags on, one waits: no hit' hits 1 1
	run 'bound ms=20 k=2'
	check 'bound: all flags on, two wait: no hit' hits 1 1
	check 'bound: as many sections' sections
	echo NO_RT_PUSH_BOUND >"$FEATURES"
	run 'bound ms=20 k=2'
	check 'bound: without RT_PUSH_BOUND alone they are hit' \
		[ "$(result hits)" -ge $((5 * $(result section_count))) ]
	set_flags off
fi

mark migdis
run 'migdis ms=40'
check 'migdis: no lock is held for less than 300 us' [ "$(result lock_section_min_ns)" -ge 300000 ]
check 'migdis: upper threads that are pinned need no stopper' is "$(result stoppers)" 0
# A holder that is about to take its lock can be moved.
check 'migdis: and hardly a task is moved' between "$(result useful)" 0 5
[ "$SERIES" = no ] || load_module rtmig
run 'migdis ms=40 hi=migratable'
check 'migdis: upper threads that may move are moved by the stopper' [ "$(result stoppers)" -gt 0 ]
if [ "$SERIES" = yes ]; then
	check 'migdis: somebody tries to push' [ "$(result push_tries)" -gt 0 ]
	check "migdis: the series' tracepoint counts as many interrupts" \
		near "$(result ipis)" "$(counter push_ipis)" 1
	rmmod rtmig
else
	check 'migdis: says that tries are not counted' is "$(result missing)" push_tries
fi

mark soak
run 'soak ms=50 period_us=30'
check 'soak: threads run' between "$(result loops)" 600 2000
check 'soak: no inversion above 500 us' between "$(result inversion_max_ns)" 1 500000
check 'soak: the looks are not far apart' [ "$(result gap_max_ns)" -le 200000 ]
run 'soak ms=20 lock=own period_us=30'
check 'soak with locks: threads run' between "$(result loops)" 200 1000
run 'soak ms=20 lock=shared period_us=30'
check 'soak with one lock: threads run, one after the other half of the time' \
	between "$(result loops)" 60 500

mark checker
run check-start
set_flags on
run 'burst k=4 rounds=10'
run check-stop
check 'clean: no violation above 60 us' between "$(result violation_max_ns)" 0 60000
set_flags off
run 'check-start period_us=10'
run 'strand rounds=3'
known=$(result widen_to_run_max_ns)
check 'strand: nobody moves the waiter' is "$(result moved)" 0
check 'strand: it waits for 2.5 ms' near "$known" 2500000 2
run check-stop
check 'strand: the checker sees it, and how long' near "$(result violation_max_ns)" "$known" 2
check 'strand: who waits' is \
	"$(result violation_waiter) $(result violation_waiter_prio)" 'rtmig_test/1 79'
check 'strand: and for what' is \
	"$(result violation_holder | sed 's,/.*,,') $(result violation_holder_prio)" 'swapper 140'

# Of user space: what a FIFO shell suffers from the fair server
run check-start
fair_server 2 20000000 5000000
taskset 4 sh -c 'while :; do :; done' &
fair=$!
taskset 4 chrt -f 30 sh -c 'while :; do :; done' &
fifo=$!
sleep 0.1
kill -9 "$fair" "$fifo"
fair_server 2 1000000000 0
run check-stop
check 'a shell: the fair server runs ahead of it' \
	between "$(result violation_max_ns)" 4900000 13000000
# or a thread of the kernel there (FIFO 1), which waits as well, and now and then longest
waits()
{
	echo "got '$1', $(result violation_waiter), wanted 69 or 98 on CPU 2"
	[ "$1" = '69 2' ] || [ "$1" = '98 2' ]
}
check 'a shell: it waits' waits "$(result violation_waiter_prio) $(result violation_waiter_cpu)"
check 'a shell: for a fair one on its CPU' is \
	"$(result violation_holder_prio) $(result violation_holder_cpu)" '120 2'
check 'no waiter was lost' is "$(result violation_waiters_lost)" 0

# bad requests: refused, with one line that says why
lines() { dmesg | grep -c 'rtmig_test: '; }
bad()
{
	before=$(lines)
	! situation "$1" || return 1
	dmesg | tail -n 1
	[ "$(lines)" -eq $((before + 1)) ]
}
for s in check-stop 'idle delay_insns=3' 'storm own=70' 'storm waiter=60' 'storm ms=0' \
	'storm ms=5001' "migdis n=$NCPUS" 'migdis spare=2147483647' 'migdis hi=low' \
	'bound targets=1' "bound targets=$((NCPUS - 1))" 'bound section_us=0' 'bound phase=both' 'bound k=0' \
	'soak lock=all' 'soak seed=-1' 'soak period_us=4' 'soak ms' 'soak ms='; do
	check "refused: $s" bad "$s"
done
run check-start
check 'refused: a second check' bad check-start
check 'refused: a soak within a check' bad 'soak ms=10'
check 'unloads while a check is on' rmmod rtmig_test
checks_done
