# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# storm: see README.md.

prepare()
{
	load_module rtmig_test
}

# storm STEP KEYS
storm()
{
	situation "$1" "storm $2"
	value "drops${1:+[$1]}" "$(result drops)"
	value "ipis_per_drop${1:+[$1]}" "$(awk '
		$1 == "drops" { d = $2 } $1 == "ipis" { n = $2 }
		END { if (!d) exit 1; printf "%.6g", n / d }' "$WORK/result")"
	value "ipis_useful${1:+[$1]}" "$(result useful)"
	# A round without an interrupt has no samples of them, and a metric of
	# samples needs some in each: values. There are no other samples.
	rm "$ROUND/samples"
	for n in mean max; do
		value "hardirq_$n${1:+[$1]}" "$(result "hardirq_${n}_ns" || echo 0)"
	done
}

round()
{
	storm "" ""
	storm own=10 "own=10"
	storm waiter=40 "waiter=40 spin_us=2000"
}

finish()
{
	:
}
