# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A kernel without SMP: the modules load and count what there is, nothing is
# routed, pushed or pulled, and the feature can be switched to no effect.
. /lib/rtmig/guest-lib

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }

check 'PREEMPT_RT' check_rt
check 'no SMP' sh -c 'zcat /proc/config.gz | grep "CONFIG_SMP is not set"'
check 'one CPU' is "$NCPUS" 1
check 'high-resolution timers' check_hres
quiet_machine
settle
load_module rtmig
load_module rtmig_test
check 'the module knows the series' grep -x 'series yes' "$DBG/rtmig/version"
check 'no tracepoint is missing' sh -c "! grep ^missing $DBG/rtmig/stats"
refused() { ! echo burst >"$DBG/rtmig_test/run"; }
check 'situations want a second CPU' refused
for arm in off on; do
	set_flags $arm
	echo 1 >"$DBG/rtmig/reset"
	check "$arm: cyclictest runs" sh -c \
		'cyclictest -q -m -p 90 -t 4 -i 1000 -l 100 >/dev/null'
	check "$arm: hackbench runs" sh -c 'hackbench -p -g 1 -f 4 -l 100 >/dev/null'
	check "$arm: wake-ups are counted" [ "$(counter rt_wakeups)" -ge 200 ]
	check "$arm: and their latency" [ "$(counter latency_count)" -ge 200 ]
	for key in rt_migrated_asleep rt_migrated_queued route_prev route_queued \
		rto_wakeup rto_pushed rto_pulled pull_walk push_ipis unknown; do
		check "$arm: no $key" is "$(counter $key)" 0
	done
done
rmmod rtmig_test
rmmod rtmig
checks_done
