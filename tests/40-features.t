#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The scheduler features word: in each combination of SCHED_DEBUG and JUMP_LABEL
# every flag acts and is shown, those of the series and those with an index of
# 32 to 63 included.
#
# No kernel is built.  The tree's own kernel/sched is copied, features.h filled up
# to 64 flags, and one unit of it compiled by the command that built the lab
# kernel's core.o, with the two options undefined as needed.  The object is
# then linked into a program, which flips every flag as debugfs would.
#
# Last come mutants, to see that the test can fail.
#
# environment: BASE, BUILD, JOBS; RTMIG_SCHED=DIR (another kernel/sched in place
# of the tree's); the copies stay in $BUILD/$BASE/test/feat.

. "$(dirname "$0")/tap.sh"
# shellcheck source=../scripts/lib.sh
. "$TOP/scripts/lib.sh"
# The library's set -e is not for a test.
set +e
load_base

FEAT=$TOP/tests/feat
SCHED=${RTMIG_SCHED:-$LINUX/kernel/sched}
CMD=$OBJ/kernel/sched/.core.o.cmd

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip_all "patches x86 branches in place, this is $(uname -m)"
for f in "$OBJ/vmlinux" "$CMD" "$OBJ/include/generated/autoconf.h"; do
	[ -f "$f" ] || skip_all "no built lab kernel: no ${f#"$LINUX/"}; run make kernel"
done
W=$(mkdir -p "$BDIR/test" && cd "$BDIR/test" && pwd)/feat
SCHED=$(cd "$SCHED" && pwd) || bail_out "no $SCHED"
rm -rf "$W"
mkdir "$W"

# The command of core.o, as words, without its input, its output, and what the
# command line wants beside the object.  Code that calls into the kernel
# at every function or return cannot run in a program.
words=() kept=()
line=$(sed -n '1s/^savedcmd_[^ ]* := //p' "$CMD")
# The line is shell text that kbuild has quoted for the shell.
eval "words=(${line%% ; *})"
for ((i = 0; i < ${#words[@]}; i++)); do
	case "${words[i]}" in
	-Wp,-MMD,* | -c | */core.c) ;;
	-o) i=$((i + 1)) ;;
	-pg | -mfentry | -mrecord-mcount | -mnop-mcount) ;;
	-fpatchable-function-entry* | -fstack-protector* | -fsanitize*) ;;
	-mindirect-branch* | -mfunction-return* | -fcf-protection=*) ;;
	*) kept+=("${words[i]}") ;;
	esac
done

# compile DIR OPTIONS...: kernel text in the variant's folder.  Its own headers
# come before the tree's, its options right behind the configuration.
compile()
{
	local dir=$1 w args=() own=("-I$1/sched")
	shift

	for w in "${kept[@]}"; do
		args+=("$w")
		case "$w" in
		ccache | */ccache) ;;
		*/kconfig.h) args+=(-include "$dir/config.h") ;;
		*)
			# the first word that is not ccache is the compiler
			args+=("${own[@]}")
			own=() ;;
		esac
	done
	(cd "$OBJ" && "${args[@]}" "$@")
}

# copy_sched DIR: what the unit is made of, from the tree
copy_sched()
{
	local to=$1/sched

	mkdir -p "$to" &&
		cp "$SCHED"/*.h "$SCHED/debug.c" "$to/" &&
		sed '/^#include "autogroup.h"/q' "$SCHED/build_utility.c" >"$to/unit-includes.h" &&
		sed -n '/^#define SCHED_FEAT(/,/^#undef SCHED_FEAT/{p;/^#undef/q}' \
			"$SCHED/core.c" >"$to/core-word.h" || return
	grep -q '^#include "sched.h"' "$to/unit-includes.h" &&
		grep -q 'sysctl_sched_features' "$to/core-word.h" && return
	echo "core.c or build_utility.c no longer look as this test expects"
	return 1
}

# config DIR DEBUG LABEL LONG: what is undefined there
config()
{
	{
		echo '/* behind kconfig.h, before any other header */'
		[ "$2" = y ] || echo '#undef CONFIG_SCHED_DEBUG'
		[ "$3" = y ] || echo '#undef CONFIG_JUMP_LABEL'
		[ "$4" = 64 ] || echo '#define RTMIG_BIT32(nr) (1U << (nr))'
	} >"$1/config.h"
}

# count DEBUG LABEL: how many flags the tree has there, into $W/count-DEBUG-LABEL/
# count.  It depends on the configuration, so the compiler is asked.
count()
{
	local dir=$W/count-$1-$2

	mkdir -p "$dir"
	config "$dir" "$1" "$2" 64
	cat >"$dir/count.c" <<-'END'
		#include "unit-includes.h"
		#define SCHED_FEAT(name, enabled) rtmig_count name
		#include "features.h"
	END
	copy_sched "$dir" &&
		compile "$dir" -E -P -o "$dir/count.i" "$dir/count.c" &&
		grep -o 'rtmig_count' "$dir/count.i" | wc -l >"$dir/count"
	rm -f "$dir/count.i"
}

# fill FEATURES.H HAVE COUNT: add flags, odd ones on, until there are COUNT
fill()
{
	local i

	echo "$2 flags of the tree's own"
	[ "$2" -gt 0 ] && [ "$2" -le "$3" ] || return
	for ((i = $2; i < $3; i++)); do
		if [ $((i % 2)) -eq 1 ]; then
			echo "SCHED_FEAT(PAD_$i, true)"
		else
			echo "SCHED_FEAT(PAD_$i, false)"
		fi
	done >>"$1"
}

# mutate DIR [FILE SED]...: a sed script that finds nothing is an error
mutate()
{
	local dir=$1/sched
	shift

	while [ $# -gt 0 ]; do
		cp "$dir/$1" "$dir/before"
		sed -i "$2" "$dir/$1" || return
		if cmp -s "$dir/before" "$dir/$1"; then
			echo "nothing in $1 for: $2"
			return 1
		fi
		shift 2
	done
}

# variant NAME DEBUG LABEL LONG COUNT [FILE SED]...: copy, fill, mutate, build; all
# that is said goes to $W/NAME/log, and "prepared" and "built" tell how far it came
variant()
{
	local dir=$W/$1 have=$W/count-$2-$3 long=$4 count=$5
	local object=(-c -o "$W/$1/unit.o")

	mkdir -p "$dir"
	config "$dir" "$2" "$3" "$long"
	# No object where none should come: the errors of the front end are meant.
	case "$1" in
	*-65 | narrow) object=(-fsyntax-only) ;;
	esac
	shift 5
	{
		if [ ! -s "$have/count" ]; then
			cat "$have/log"
			return
		fi
		copy_sched "$dir" && mutate "$dir" "$@" &&
			fill "$dir/sched/features.h" "$(cat "$have/count")" "$count" || return
		# What has the size of a long has 32 bits on a 32-bit machine.
		[ "$long" = 64 ] ||
			sed -i 's/\<1UL\>/1U/g; s/\<BIT(/RTMIG_BIT32(/g' \
				"$dir"/sched/{sched.h,debug.c,core-word.h} || return
		: >"$dir/prepared"
		# Sections of their own, so that the linker can leave out all that
		# the features do not need.
		compile "$dir" -ffunction-sections -fdata-sections \
			"${object[@]}" "$FEAT/unit.c" || return
		if [ "${object[0]}" != -c ]; then
			: >"$dir/built"
			return
		fi
		# What is left out may name what only a kernel has.  The kernel's
		# code model wants addresses below 2 GiB.
		gcc -static -no-pie -Wl,--gc-sections \
			-Wl,--unresolved-symbols=ignore-all -Wl,-z,noexecstack \
			-o "$dir/run" "$dir/unit.o" "$W/main.o" || return
		: >"$dir/built"
	} >"$dir/log" 2>&1 </dev/null
}

# What is built: NAME DEBUG LABEL LONG COUNT [FILE SED]...  Fields end with a tab.
variants=()
add()
{
	local IFS=$'\t'

	variants+=("$*")
}

for c in y-y y-n n-y n-n; do
	add "$c" "${c%-*}" "${c#*-}" 64 64
done
# As where long has 32 bits.  There the masks matter wherever the word decides.
add y-n-long y n 32 64
add n-n-long n n 32 64

# One flag more than the word has bits
add y-n-65 y n 64 65
add n-n-65 n n 64 65

# Mutants.  A word of 32 bits, as it was; then without the assertion as well.
u32='s/^\(.*const_debug.*\)\<u64\( sysctl_sched_features\)/\1unsigned int\2/'
blind='/^static_assert(BITS_PER_TYPE(sysctl_sched_features)/d'
add narrow y n 64 64 sched.h "$u32" core-word.h "$u32"
add narrow-y-y y y 64 64 sched.h "$u32; $blind" core-word.h "$u32"
add narrow-y-n y n 64 64 sched.h "$u32; $blind" core-word.h "$u32"
add narrow-n-n n n 64 64 sched.h "$u32; $blind"
# an int of the masked word, no longer 0 or 1
add unnormal y n 64 64 sched.h 's/^#define sched_feat(x) (!!(\(.*\)))$/#define sched_feat(x) (\1)/'
# masks of a long, which has 32 bits elsewhere
add long-mask y n 32 64 debug.c 's/BIT_ULL(i)/BIT(i)/'
# masks of an int where a word is changed, and where it is shown
add set-mask y y 64 64 debug.c '/^static int sched_feat_set/,/^}/s/BIT_ULL(i)/(1U << i)/'
add show-mask y y 64 64 debug.c '/^static int sched_feat_show/,/^}/s/BIT_ULL(i)/(1U << i)/'
# the key of the neighbour
add key y y 64 64 debug.c '/^static void sched_feat_enable/,/^}/s/sched_feat_keys\[i\]/sched_feat_keys[i ^ 1]/'

gcc -O1 -Wall -Wextra -c -o "$W/main.o" "$FEAT/main.c" ||
	bail_out "cannot compile $FEAT/main.c"
for c in y-y y-n n-y n-n; do
	mkdir -p "$W/count-$c"
	count "${c%-*}" "${c#*-}" >"$W/count-$c/log" 2>&1 &
done
wait
running=0
for v in "${variants[@]}"; do
	IFS=$'\t' read -ra fields <<<"$v"
	variant "${fields[@]}" &
	running=$((running + 1))
	if [ "$running" -ge "$JOBS" ]; then
		wait -n
		running=$((running - 1))
	fi
done
wait

# why VARIANT: what went wrong in its build
why()
{
	grep -m 5 -A 3 'error: ' "$W/$1/log" || tail -n 10 "$W/$1/log"
}

# judge VARIANT MODE NAME: the program's word
judge()
{
	if [ ! -f "$W/$1/built" ]; then
		ok 1 "$3" "not built"
		return
	fi
	run timeout 20 "$W/$1/run" "$2"
	ok "$RC" "$3" "$OUT"
}

flags=$(series_flags)
series_words=$(paste -sd' ' <<<"$flags")

# checks VARIANT TEXT WANTED-CONFIG: all that is asked of one configuration
checks()
{
	local v=$1 text=$2 built=1 missing

	[ ! -f "$W/$v/built" ] || built=0
	ok "$built" "$text: builds" "$(why "$v")"
	run timeout 20 "$W/$v/run" config
	is "$OUT" "$3 features=64" "$text: is that configuration, with 64 flags"
	run timeout 20 "$W/$v/run" list
	missing=$(comm -23 <(echo "$flags" | sort) <(awk '{ print $2 }' <<<"$OUT" | sort))
	[ -n "$flags" ] || missing="the series has no flag at all: no comment behind a patch in $SERIES"
	is "$missing" '' "$text: the flags of the series are among them ($series_words)"
	case "$3" in
	*DEBUG=n*)
		judge "$v" start "$text: every flag is a constant, its default (no debugfs file, nothing to show)"
		return ;;
	esac
	judge "$v" start "$text: every flag starts as its default and is shown so"
	judge "$v" acts "$text: every flag acts when it is set, and no other does"
	judge "$v" shown "$text: every flag is shown as it is set"
	case "$3" in
	*LABEL=y*) judge "$v" keys "$text: every flag turns its own static key" ;;
	esac
}

for c in y-y y-n n-y n-n; do
	config="SCHED_DEBUG=${c%-*} JUMP_LABEL=${c#*-}"
	checks "$c" "$config" "$config"
done
checks y-n-long 'SCHED_DEBUG=y JUMP_LABEL=n, long of 32 bits' 'SCHED_DEBUG=y JUMP_LABEL=n'
checks n-n-long 'SCHED_DEBUG=n JUMP_LABEL=n, long of 32 bits' 'SCHED_DEBUG=n JUMP_LABEL=n'

# asserted VARIANT NAME: the build was stopped by sched.h's assertion and by
# nothing else
asserted()
{
	local rc=0 errors

	[ -f "$W/$1/prepared" ] && [ ! -f "$W/$1/built" ] || rc=1
	errors=$(grep 'error: ' "$W/$1/log")
	[[ $errors == *'static assertion failed'*sysctl_sched_features* ]] || rc=1
	[ "$(wc -l <<<"$errors")" -eq 1 ] || rc=1
	ok "$rc" "$2" "$(printf '%s\nerrors:\n%s' \
		"$(ls "$W/$1/prepared" "$W/$1/built" 2>&1)" "$(why "$1")")"
}

asserted y-n-65 'SCHED_DEBUG=y: a 65th flag fails the build'
asserted n-n-65 'SCHED_DEBUG=n: a 65th flag fails the build'
asserted narrow 'mutant, word of 32 bits: fails the build'

# caught VARIANT MODE REGEX NAME: the program runs and says no, for this reason
caught()
{
	local rc=0

	OUT='' RC=none
	[ -f "$W/$1/built" ] && run timeout 20 "$W/$1/run" "$2"
	[ "$RC" = 1 ] && [[ $OUT =~ $3 ]] || rc=1
	ok "$rc" "$4" "$(printf 'status %s; output:\n%s\nwanted status 1 and, as a regular expression:\n%s\nbuild:\n%s' \
		"$RC" "$OUT" "$3" "$(why "$1")")"
}

high='(3[2-9]|[45][0-9]|6[0-3])'
caught narrow-y-y shown "index $high: shown 'NO_" \
	'mutant, word of 32 bits without the assertion: SCHED_DEBUG=y JUMP_LABEL=y shows wrong'
caught narrow-y-n acts "index $high, [A-Z0-9_]+: branches as 0, wanted 1" \
	'mutant, word of 32 bits without the assertion: SCHED_DEBUG=y JUMP_LABEL=n acts wrong'
caught narrow-n-n start "index $high, [A-Z0-9_]+: branches as 0, wanted 1" \
	'mutant, word of 32 bits without the assertion: SCHED_DEBUG=n acts wrong'
caught unnormal acts 'index [0-9]+, [A-Z0-9_]+: as an int [02-9-][0-9]*, wanted 1' \
	'mutant, sched_feat() without !!: an int takes the wrong value'
caught long-mask acts "index $high, " \
	'mutant, debug.c masks with a long, which has 32 bits: acts wrong'
caught set-mask shown 'index [0-9]+: shown' \
	'mutant, sched_feat_set() masks with an int: shows wrong'
caught show-mask shown 'index [0-9]+: shown' \
	'mutant, sched_feat_show() masks with an int: shows wrong'
caught key keys 'static key' \
	"mutant, the neighbour's static key: keys wrong"

done_testing
