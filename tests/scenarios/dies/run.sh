# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # at comes from lab.sh
#
# dies: not a scenario of the laboratory but its test.  The guest is gone in the
# third round; the two before it are to be kept.

prepare()
{
	load_module rtmig_test
}

round()
{
	[ "${at:-0}" -lt 3 ] || reboot -f
	situation "" "idle rounds=10"
}

finish()
{
	:
}
