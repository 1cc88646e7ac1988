# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # WORK is that of lab.sh
#
# cpupri: see README.md.

prepare()
{
	load_module rtmig_test
}

round()
{
	situation "" cpupri
	while read -r name number; do
		case $name in
		find_* | foreign_* | set* | global_*) value "$name" "$number" ;;
		esac
	done <"$WORK/result"
}

finish()
{
	:
}
