# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # NCPUS is guest-lib's
#
# soak: see README.md.

prepare()
{
	load_module rtmig_test
}

# soak STEP KEYS
soak()
{
	# All virtual CPUs share one clock: with 16 the timer's handler takes twice
	# as long as with 8, and must not take longer than its period.  Every 20 us
	# it did once in some seconds.
	situation "$1" "soak ms=200 period_us=$((30 * (NCPUS + 7) / 8)) seed=$soak_seed $2"
	value "loops${1:+[$1]}" "$(result loops)"
}

# The maximum depends on the seed more than on anything else: each round has its
# own, and the n-th rounds of all arms have the same.
seed_of_round()
{
	basename "$ROUND" | awk -v arms="$ARMS" -v seed="$SEED" '{
		n = split(arms, a, " ")
		# busybox takes 010 for 8, and 08 for nothing
		sub(/^0+/, "")
		print seed * 1000 + int(($1 + n - 1) / n)
	}'
}

round()
{
	soak_seed=$(seed_of_round)
	# three threads for two CPUs, and one for each; rtmig_test takes 64
	many=$((NCPUS * 3 / 2)) each=$((NCPUS - 1))
	[ "$many" -le 64 ] || many=64
	[ "$each" -le 64 ] || each=64
	soak "" "k=$many"
	soak lock=own "lock=own k=$many"
	soak lock=shared "lock=shared k=$many"
	soak k=cpus-1 "k=$each"
}

finish()
{
	:
}
