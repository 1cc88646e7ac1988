# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# dl: see README.md.

prepare()
{
	load_module rtmig_test
}

round()
{
	situation "" "dl rounds=40"
	per_round "" pushes pushes
	situation same_irq "dl rounds=40 gap_us=0"
	per_round same_irq pushes pushes
}

finish()
{
	:
}
