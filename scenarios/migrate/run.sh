# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # NCPUS is guest-lib's
#
# migrate: see README.md.

prepare()
{
	load_module rtmig_test
}

# starts FILE: the latest start of the tasks 1 to N, in us; a failure unless every
# iteration has a figure of every task
starts()
{
	awk -v n="$NCPUS" '
		$1 == "Iter:" { head = NF - 1 }
		$1 ~ /^[0-9]+:$/ && head && !done {
			rows++
			if (NF - 1 != n + 1)
				bad = 1
			for (i = 3; i <= NF; i++)
				if ($i + 0 > max)
					max = $i + 0
		}
		$1 == "Parent" { done = 1 }
		END { if (head != n + 1 || !rows || !done || bad) exit 1; print max }' "$1"
}

round()
{
	step -
	echo check-start >"$TEST/run" || fail "rtmig_test refuses check-start"
	# 255 says that a task was late, which is what the figures say
	in_front rt-migrate-test -l 3 $((NCPUS + 1)) >"$WORK/migrate.txt" 2>&1 ||
		echo "rt-migrate-test: status $?"
	situation "" check-stop
	cp "$WORK/migrate.txt" "$ROUND/migrate.txt"
	us=$(starts "$WORK/migrate.txt") || fail "rt-migrate-test: no figures in its output"
	value latency_max $((us * 1000))
	value violations "$(result violation_count)"
}

finish()
{
	end_started
}
