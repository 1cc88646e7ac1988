# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# bound: see README.md.

# The more CPUs, the less often each one asks: on the instruction clock they share
# one time, and would have none left for the sections.
PERIOD_US=$((25 * NCPUS))

prepare()
{
	load_module rtmig_test
}

# passed: walks that were passed on so far, as far as rtmig.ko tells
passed()
{
	[ ! -e "$STATS" ] || awk '$2 == "walk_passed" { n += $3; seen = 1 }
		END { if (seen) print n }' "$STATS"
}

# per METRIC STEP KEY BY: a count of the situation, for each BY
per()
{
	value "$1${2:+[$2]}" "$(awk -v k="$3" -v by="$4" '
		$1 == by { d = $2 } $1 == k { n = $2; seen = 1 }
		END { if (!d || !seen) exit 1; printf "%.6g", n / d }' "$WORK/result")"
}

# bound STEP KEYS
bound()
{
	before=$(passed)
	situation "$1" "bound $2"
	after=$(passed)
	per ipis_per_section "$1" hits section_count
	value "ipis_per_section_max${1:+[$1]}" "$(result hits_max)"
	per ipis_per_drop "$1" ipis drops
	value "ipis_useful${1:+[$1]}" "$(result useful)"
	value "drops${1:+[$1]}" "$(result drops)"
	value "sections${1:+[$1]}" "$(result section_count)"
	# A round without any interrupt is a good one; as samples they would be missing
	# there, and no round may have a set that another one has not.
	sed -i '/^hardirq/d' "$ROUND/samples"
	for n in max mean; do
		value "hardirq_$n${1:+[$1]}" "$(result "hardirq_${n}_ns" || echo 0)"
	done
	value "hardirq_row_max${1:+[$1]}" "$(result hardirq_row_max_ns)"
	[ -z "$after" ] || value "walks_passed${1:+[$1]}" $((after - before))
}

round()
{
	bound "" "k=2 period_us=$PERIOD_US"
	bound k=1 "k=1 period_us=$PERIOD_US"
	bound close "k=2 period_us=$((8 * NCPUS)) run_us=0 phase=close"
}

finish()
{
	:
}
