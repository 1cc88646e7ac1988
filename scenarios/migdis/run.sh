# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# migdis: see README.md.

prepare()
{
	load_module rtmig_test
}

# migdis STEP KEYS
migdis()
{
	situation "$1" "migdis $2"
	value "stopper_wakeups[$1]" "$(result stoppers)"
	# a pristine kernel cannot tell
	if n=$(result push_tries); then value "push_tries[$1]" "$n"; fi
	value "ipis[$1]" "$(result ipis)"
	value "ipis_useful[$1]" "$(result useful)"
}

round()
{
	migdis pinned "ms=50"
	migdis migratable "ms=50 hi=migratable"
	migdis spare "ms=50 hi=migratable n=4 spare=3"
	migdis nospare "ms=50 hi=migratable n=4"
	migdis nospare,spread "ms=50 hi=migratable n=4 spread_us=80"
}

finish()
{
	:
}
