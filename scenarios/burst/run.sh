# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # NCPUS is guest-lib's
#
# burst: see README.md.

prepare()
{
	load_module rtmig_test
}

round()
{
	# no push is possible only if k threads find k CPUs besides CPU 0
	for k in 2 4 7 15; do
		[ "$k" -lt "$NCPUS" ] || continue
		for o in equal descending ascending; do
			s=k=$k
			[ "$o" = equal ] || s=$s,$o
			situation "$s" "burst k=$k order=$o rounds=500"
			per_round "$s" pushes_per_burst pushes
		done
	done
}

finish()
{
	:
}
