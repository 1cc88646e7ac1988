# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The situations of rtmig_test.ko in ABBA order where the kernel has flags of
# the series, once where it has none; their results are for the host to judge.
. /lib/rtmig/guest-lib

check_rt
check_hres
quiet_machine
settle
load_module rtmig_test

n=1
for arm in ${PHASES:-off on on off}; do
	set_flags "$arm"
	# load averages of the last phase decay, or idle counts their decay too
	sleep 3
	for s in idle 'burst k=4 order=equal' 'burst k=7 order=equal' \
		'burst k=4 order=descending' 'burst k=7 order=descending' \
		'burst k=7 order=ascending' dl 'dl gap_us=0' fair; do
		[ "$s" != fair ] || fair_server 2 20000000 5000000
		echo "$s rounds=${ROUNDS:-40}" >"$DBG/rtmig_test/run" || fail "$s failed"
		fair_server 2 1000000000 0
		cp "$DBG/rtmig_test/result" "$OUT/p$n-$arm-$(echo "$s" | tr ' =' '-_')"
	done
	n=$((n + 1))
done
rmmod rtmig_test
