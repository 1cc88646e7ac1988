# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# rtmig.ko comes and goes while the scheduler is busy: 200 loads and unloads
# under hackbench and cyclictest, with readers and resets in between.
. /lib/rtmig/guest-lib

quiet_machine
hackbench -p -g 1 -f 4 -l 1000000 >/dev/null &
cyclictest -q -m -p 90 -t -i 1000 >/dev/null &

# Readers that hold files open across unloads; the directory comes and goes.
while :; do
	cat "$DBG/rtmig/stats" "$DBG/rtmig/hist" >/dev/null 2>&1
	echo 1 2>/dev/null >"$DBG/rtmig/reset"
done &

churn()
{
	i=0
	while [ "$i" -lt 200 ]; do
		insmod /lib/rtmig/rtmig.ko || return 1
		[ -e "$DBG/rtmig/stats" ] || return 1
		until rmmod rtmig 2>/dev/null; do :; done
		[ ! -e "$DBG/rtmig/stats" ] || return 1
		i=$((i + 1))
		[ $((i % 50)) -ne 0 ] || mark "$i loads and unloads"
	done
}
check '200 loads and unloads under hackbench, cyclictest, readers and resets' churn

# The last one stays, and must have counted what happened meanwhile.
load_module rtmig
sleep 1
cat "$DBG/rtmig/stats" >/tmp/stats
# shellcheck disable=SC2016 # awk's own
check 'it counts under load' awk '$2 == "latency_count" { n += $3 }
	END { print n; exit n < 100 }' /tmp/stats

# Reset under load: no counter may be far from zero, or wrap below it.
resets()
{
	i=0
	while [ "$i" -lt 50 ]; do
		echo 1 >"$DBG/rtmig/reset"
		awk 'NF == 3 && $2 != "latency_sum_ns" && $2 != "latency_max_ns" &&
			$3 > 1000000 { print; bad = 1 } END { exit bad }' \
			"$DBG/rtmig/stats" || return 1
		i=$((i + 1))
	done
}
check '50 resets under load leave no counter far from zero' resets
check 'a second load is refused' sh -c '! insmod /lib/rtmig/rtmig.ko 2>/dev/null'
killall -9 hackbench cyclictest
checks_done
