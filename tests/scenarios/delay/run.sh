# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # arm comes from lab.sh
#
# delay: not a scenario of the laboratory but its test.  In arm on the wake-up
# call is longer by a busy loop of 20000 instructions, which has to be found back.

prepare()
{
	load_module rtmig_test
}

round()
{
	n=0
	[ "$arm" = off ] || n=20000
	situation "" "idle rounds=40 delay_insns=$n"
}

finish()
{
	:
}
