# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For tests that boot guests; sourced after tap.sh.

BASE=${BASE:-6.12}
BUILD=${BUILD:-$TOP/build}
# shellcheck disable=SC2034 # the tests read it
BDIR=$BUILD/$BASE
export BASE BUILD

# need_kernel NAME FILE: without it the test is no test
need_kernel()
{
	[ -f "$2" ] || bail_out "no $1 kernel: run the tests through 'make test'"
}

# guest NAME OUT BOOT-OPTION...: boot, and take the guest's verdicts into ours.
# The boot itself, its exit status and its console, is one more test.
guest()
{
	local name=$1 out=$2 line='' ended=0 shown=''
	shift 2

	run "$TOP/scripts/boot" -o "$out" "$@"
	if [ -f "$out/guest/tap" ]; then
		while IFS= read -r line; do
			case $line in
			'ok '*) ok 0 "$name: ${line#ok }" ;;
			'not ok '*)
				# its lines of explanation follow
				ok 1 "$name: ${line#not ok }" ;;
			'#'*) echo "$line" ;;
			'done') ended=1 ;;
			esac
		done <"$out/guest/tap"
	fi
	[ "$ended" = 1 ] || shown='the scenario broke off; '
	[ "$RC" -eq 0 ] && [ "$ended" = 1 ]
	ok $? "$name: ended in order, consoles without a splat" "$shown$OUT"
}
