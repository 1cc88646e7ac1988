# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # DBG and WORK are those of guest-lib and lab.sh
#
# idle-wakeup: see README.md.

prepare()
{
	load_module rtmig_test
}

round()
{
	# Its handlers are in the path that is measured.
	if [ -d "$DBG/rtmig" ]; then
		rmmod rtmig
		# of its counters
		rm "$WORK/before"
	fi
	situation "" "idle rounds=40"
}

finish()
{
	:
}
