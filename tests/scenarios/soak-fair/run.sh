# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # NCPUS is guest-lib's
#
# soak-fair: see README.md.

prepare()
{
	load_module rtmig_test
}

# soak STEP KEYS [PERIOD]
soak()
{
	# All virtual CPUs share one clock: with 16 the timer's handler takes twice
	# as long as with 8, and must not take longer than its period.  Every 20 us
	# it did once in some seconds.
	situation "$1" "soak ms=200 period_us=$((${3:-30} * (NCPUS + 7) / 8)) seed=$soak_seed $2"
	value "loops${1:+[$1]}" "$(result loops)"
}

# fair_on, fair_off: a thread on every CPU but 0 that never sleeps, and a server that
# runs it for 0.2 ms in 2, whatever real-time work there is
fair_on()
{
	c=1
	while [ "$c" -lt "$NCPUS" ]; do
		beside taskset -c "$c" sh -c 'while :; do :; done'
		fair_server "$c" 2000000 200000
		c=$((c + 1))
	done
	# for the programs to start
	sleep 0.05
}

fair_off()
{
	c=1
	while [ "$c" -lt "$NCPUS" ]; do
		fair_server "$c" "$fair_period" 0
		c=$((c + 1))
	done
	end_started
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
	# 6.12 and later
	[ -e "$DBG/sched/fair_server/cpu1/period" ] || return 0
	fair_period=$(cat "$DBG/sched/fair_server/cpu1/period")
	fair_on
	# enough of them to leave the fair threads no time but the server's; and as no
	# CPU idles, a look takes several times as long
	many=$((NCPUS * 3))
	[ "$many" -le 64 ] || many=64
	soak fair "k=$many" 150
	soak fair,lock=own "lock=own k=$many" 150
	fair_off
}

finish()
{
	[ -z "$STARTED" ] || fair_off
}
