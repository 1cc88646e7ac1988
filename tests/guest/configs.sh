# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A kernel in which features are no static branches: RT_PREROUTE acts, and where
# there is a file of features it can be switched.
. /lib/rtmig/guest-lib

is() { echo "got '$1', wanted '$2'"; [ "$1" = "$2" ]; }
burst()
{
	echo 'burst k=4 rounds=20' >"$DBG/rtmig_test/run"
	sed -n 's/^pushes //p' "$DBG/rtmig_test/result"
}

check 'PREEMPT_RT' check_rt
check 'high-resolution timers on every CPU' check_hres
quiet_machine
settle
load_module rtmig_test
check 'RT_PREROUTE acts by default' is "$(burst)" 0
if [ -e "$FEATURES" ]; then
	set_flags off
	check 'RT_PREROUTE can be switched off' is "$(burst)" 60
	set_flags on
	check 'and on again' is "$(burst)" 0
fi
rmmod rtmig_test
checks_done
