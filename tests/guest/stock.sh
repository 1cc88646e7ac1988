# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A kernel without the series: the module loads, shows what the stock
# tracepoints give, and says what is missing.
. /lib/rtmig/guest-lib

uname -r | grep -q rtmig && fail "this is a kernel of ours"
load_module rtmig
cat "$DBG/rtmig/version"
grep -qx 'series no' "$DBG/rtmig/version" || fail "version does not say 'series no'"
for tp in sched_rt_route_tp sched_rt_push_tp sched_rt_push_ipi_tp sched_rt_pull_tp sched_rt_walk_tp sched_rt_overload_tp \
	sched_cpupri_find_tp sched_cpupri_sweep_tp sched_fair_gran_tp; do
	grep -qx "missing $tp" "$DBG/rtmig/stats" || fail "stats do not say 'missing $tp'"
done
[ "$(grep -c ^missing "$DBG/rtmig/stats")" -eq 9 ] || fail "more is missing than the series"

cyclictest -q -m -p 90 -t -i 1000 -l 100
[ "$(counter rt_wakeups)" -ge 400 ] || fail "rt_wakeups did not count"
[ "$(counter latency_count)" -ge 400 ] || fail "latency_count did not count"
awk 'NR > 1 { n += $3 } END { exit !(n >= 400) }' "$DBG/rtmig/hist" || fail "hist is empty"

load_module rtmig_test
echo 'burst k=4 rounds=10' >"$DBG/rtmig_test/run"
cat "$DBG/rtmig_test/result"
rmmod rtmig_test
rmmod rtmig
checks_done
