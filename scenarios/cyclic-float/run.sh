# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# cyclic-float and, through a link, cyclic-pinned: see their README.md.
#
# variables: LOOPS (cyclictest's, a thread), SCENARIO (which of the two)
# shellcheck disable=SC2034 # LOOPS is cyclic's

prepare()
{
	# a minute a step where time is cheap
	[ "$ENVIRONMENT" = virtual ] && n=200 || n=60000
	LOOPS=${LOOPS:-$n}
}

measure()
{
	step "$1"
	s=$1
	shift
	cyclic "$ROUND/latency[$s].json" "${SCENARIO#cyclic-}" "$@" || fail "cyclictest $*"
	step ""
}

round()
{
	load_start
	fork_storm
	measure load
	measure load,default-system --default-system
	load_stop
}

finish()
{
	end_started
}
