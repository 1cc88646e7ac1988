# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP for the tests that are shell scripts.  A test sources this, calls plan or,
# at its end, done_testing, and leaves its working folder $T to be removed.

set -uo pipefail
export LC_ALL=C

# shellcheck disable=SC2034 # the tests read it
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/rtmig-test.XXXXXX")
tap_count=0 tap_failed=0 tap_plan=''

tap_end()
{
	local rc=$?

	# RTMIG_KEEP=1 leaves the folder, to look at what a test has seen.
	if [ -n "${RTMIG_KEEP:-}" ]; then
		echo "# kept: $T"
	else
		rm -rf "$T"
	fi
	[ "$rc" -eq 0 ] || exit "$rc"
	if [ -n "$tap_plan" ] && [ "$tap_plan" != "$tap_count" ]; then
		echo "# planned $tap_plan tests, ran $tap_count"
		exit 1
	fi
	[ "$tap_failed" -eq 0 ] || exit 1
}
trap tap_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

plan()
{
	tap_plan=$1
	echo "1..$1"
}

done_testing()
{
	tap_plan=$tap_count
	echo "1..$tap_count"
}

bail_out()
{
	echo "Bail out!  $*"
	exit 1
}

# diag TEXT: as comments, line by line
diag()
{
	[ -z "$1" ] || printf '%s\n' "$1" | sed 's/^/# /'
}

# ok STATUS NAME [OUTPUT]: passes if STATUS is 0; OUTPUT is shown if it does not
ok()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $2"
	diag "${3:-}"
	return 1
}

# is GOT WANTED NAME
is()
{
	local rc=0

	[ "$1" = "$2" ] || rc=1
	ok "$rc" "$3" "$(printf 'got:\n%s\nwanted:\n%s' "$1" "$2")"
}

# like GOT REGEX NAME: extended regular expression
like()
{
	local rc=0

	[[ $1 =~ $2 ]] || rc=1
	ok "$rc" "$3" "$(printf 'got:\n%s\nwanted, as a regular expression:\n%s' "$1" "$2")"
}

# skip COUNT REASON
skip()
{
	local i

	for ((i = 0; i < $1; i++)); do
		tap_count=$((tap_count + 1))
		echo "ok $tap_count # SKIP $2"
	done
}

# run COMMAND...: sets RC, and OUT to what it printed on both streams
run()
{
	RC=0
	OUT=$("$@" 2>&1 </dev/null) || RC=$?
}

# refused NAME RC REGEX COMMAND...: the command exits with RC and says it in one
# line of ours that matches REGEX
refused()
{
	local name=$1 want=$2 re=$3 rc=0
	shift 3

	run "$@"
	[ "$RC" -eq "$want" ] || rc=1
	[ "$(grep -c '^rtmig: ' <<<"$OUT")" -eq 1 ] || rc=1
	# progress may come before, but nothing else: no tool's own complaints
	! grep -qvE '^(rtmig: |\[ *[0-9]+s\] )' <<<"$OUT" || rc=1
	grep -qE "^rtmig: .*$re" <<<"$OUT" || rc=1
	ok "$rc" "$name" "$(printf 'status %s, wanted %s; output:\n%s\nwanted one line, as a regular expression:\n%s' \
		"$RC" "$want" "$OUT" "$re")"
}
