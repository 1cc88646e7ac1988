# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # NCPUS is guest-lib's
#
# soak-fair: see README.md.

prepare()
{
	load_module rtmig_test
	[ -e "$DBG/sched/fair_server/cpu1/period" ] || fail "this kernel has no fair server"
}

# server PERIOD RUNTIME: in ns, on every CPU but 0
server()
{
	c=1
	while [ "$c" -lt "$NCPUS" ]; do
		# a runtime longer than the period is refused
		fair_server "$c" "$(cat "$DBG/sched/fair_server/cpu$c/period")" 0
		fair_server "$c" "$1" "$2"
		c=$((c + 1))
	done
}

# soak STEP KEYS
soak()
{
	# No CPU idles, and all virtual CPUs share one clock: a look takes several
	# times as long as in soak, and twice as long with 16 CPUs.
	situation "$1" "soak ms=200 period_us=$((150 * (NCPUS + 7) / 8)) seed=$soak_seed k=$many $2"
	value "loops[$1]" "$(result loops)"
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
	# enough of them to leave the fair threads no time but the server's;
	# rtmig_test takes 64
	many=$((NCPUS * 3))
	[ "$many" -le 64 ] || many=64
	fair_period=$(cat "$DBG/sched/fair_server/cpu1/period")
	c=1
	while [ "$c" -lt "$NCPUS" ]; do
		beside taskset -c "$c" sh -c 'while :; do :; done'
		c=$((c + 1))
	done
	# for the programs to start
	sleep 0.05
	server 40000000 4000000
	soak "server=4ms" ""
	soak "server=4ms,lock=own" lock=own
	server 2000000 200000
	soak "server=200us,lock=own" lock=own
	server "$fair_period" 0
	end_started
}

finish()
{
	[ -z "$STARTED" ] || server "$fair_period" 0
}
