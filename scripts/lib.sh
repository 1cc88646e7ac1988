# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Common ground of the scripts: where things are, how progress and errors are
# told, and which bases exist.  Sourced, never run.

set -euo pipefail

# The scripts parse what tools print, so tools speak one language.
export LC_ALL=C

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Not :- here: an empty BASE is a mistake, which load_base tells.
BASE=${BASE-6.12}
BUILD=${BUILD:-$TOP/build}
case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
JOBS=${JOBS:-$(nproc)}

# The identity of every patch: one, and fixed.
# shellcheck disable=SC2034 # read by the scripts that source this file
RTMIG_NAME='rtmig developers'
# shellcheck disable=SC2034
RTMIG_MAIL='developers@rtmig.invalid'

# say TEXT...: one line of progress, with the seconds since the script began.
say()
{
	printf '[%4ds] %s\n' "$SECONDS" "$*" >&2
}

# die TEXT...: one line that says what is wrong, where, and what to do.
die()
{
	printf 'rtmig: %s\n' "$*" >&2
	exit 1
}

# usage_die TEXT...: the call itself is wrong.
usage_die()
{
	printf 'rtmig: %s\n' "$*" >&2
	exit 2
}

# help_of FILE: the comment block at the head of a script is its --help.
help_of()
{
	sed -n '3,/^$/{/^#/!q;s/^# \{0,1\}//;p}' "$1"
}

# getopts knows no long options.  --help is answered here for every script, and
# before anything else can be wrong.
for arg in "$@"; do
	case $arg in
	--help) help_of "$0"; exit 0 ;;
	--) break ;;
	esac
done
unset arg

# need_cmd COMMAND PACKAGE: die unless COMMAND can be run.
need_cmd()
{
	command -v "$1" >/dev/null 2>&1 ||
		die "$1 not found: install the Debian package $2, or run 'make deps'"
}

# need_space DIR MIB: die if the file system of DIR has less than MIB free.
# RTMIG_FREE_MIB replaces the reading, for the test.
need_space()
{
	local dir=$1 want=$2 free

	while [ ! -d "$dir" ]; do dir=$(dirname "$dir"); done
	free=${RTMIG_FREE_MIB:-$(df -Pm "$dir" | awk 'NR == 2 { print $4 }')}
	[ "$free" -ge "$want" ] ||
		die "disk nearly full: $free MiB free under $dir, $want MiB needed; free some, or set BUILD to a folder elsewhere"
}

# logged LOG TEXT COMMAND...: run COMMAND with its output in LOG and a line of
# progress every 20 s; on failure show the end of the log and die.
logged()
{
	local log=$1 text=$2 pid rc=0 began=$SECONDS waited=0
	shift 2

	# Another user's log would pass for that of this command.
	{ mkdir -p "$(dirname "$log")" && : >"$log"; } 2>/dev/null ||
		die "$text: $log cannot be written by user $(id -un): run this as its owner, or set BUILD to a folder of your own"
	say "$text"
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		waited=$((waited + 1))
		[ $((waited % 100)) -ne 0 ] ||
			say "  ... $((SECONDS - began)) s, $(wc -l <"$log") lines of log"
	done
	wait "$pid" || rc=$?
	if [ "$rc" -ne 0 ]; then
		tail -n 25 "$log" >&2
		die "$text: failed with status $rc after $((SECONDS - began)) s; the whole log is $log"
	fi
}

# load_base: die unless patches/$BASE is a base; read its description and set
# the paths that depend on it.
# shellcheck disable=SC2034 # read by the scripts that source this file
load_base()
{
	local known

	known=$(cd "$TOP/patches" && printf '%s\n' */base | sed 's,/base$,,' | paste -sd' ')
	case "$BASE" in
	*/* | .* | '') usage_die "unknown BASE '$BASE': known are $known" ;;
	esac
	[ -f "$TOP/patches/$BASE/base" ] ||
		usage_die "unknown BASE '$BASE': known are $known"
	# shellcheck disable=SC1090
	. "$TOP/patches/$BASE/base"

	# another queue in place of the project's: for the tests
	PATCHES=${RTMIG_PATCHES:-$TOP/patches/$BASE}
	SERIES=$PATCHES/series
	BDIR=$BUILD/$BASE
	LINUX=$BDIR/linux
	OBJ=$LINUX/obj
}

# series_files: the names of the patches, in order, without comments.
series_files()
{
	sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$SERIES"
}

# pack_cpio DIR FILE: DIR as an initramfs, the same bytes for the same files.
pack_cpio()
{
	find "$1" -exec touch -h -d @1767225600 {} +
	(cd "$1" && find . -mindepth 1 -print0 | sort -z |
		cpio --null --quiet --reproducible -R 0:0 -H newc -o) >"$2"
}

# series_flags: the feature flags of the series, one a line, from the comment
# behind each patch in the series file.
series_flags()
{
	sed -n 's/^[^#]*\.patch[[:space:]]*#[[:space:]]*//p' "$SERIES" |
		tr -s ' ,' '\n' | grep -E '^[A-Z][A-Z0-9_]*$' | sort -u || :
}

# config_missing CONFIG FRAGMENT...: the lines of the fragments that CONFIG does
# not have; a later fragment overrides an earlier one.
config_missing()
{
	local config=$1
	shift

	sed -n 's/^\(CONFIG_[A-Z0-9_a-z]*\)=\(.*\)$/\1 \2/p' "$@" |
		awk -v config="$config" '
		{ want[$1] = substr($0, length($1) + 2) }
		END {
			while ((getline line < config) > 0)
				if (line ~ /^CONFIG_/) {
					i = index(line, "=")
					have[substr(line, 1, i - 1)] = substr(line, i + 1)
				}
			for (k in want) {
				if (want[k] == "n" && !(k in have))
					continue
				if (want[k] != have[k])
					print k "=" want[k]
			}
		}' | sort
}

# check_flags: die unless every word of $FLAGS is a flag of the series.
check_flags()
{
	local f known

	known=$(series_flags | paste -sd' ')
	for f in ${FLAGS:-}; do
		case " $known " in
		*" $f "*) ;;
		*) usage_die "unknown flag $f: the series has $known" ;;
		esac
	done
}

# foreign DIR: true if git refuses this repository because another user owns it
foreign()
{
	[[ $(git -C "$1" rev-parse --git-dir 2>&1) == *'dubious ownership'* ]]
}

# commit_of NUMBER: the commit of the patch with this number in the tree, or of
# the base; fails if there is none.
commit_of()
{
	local n

	if [ "$1" = base ]; then
		echo base
		return
	fi
	n=$(series_files | grep -n "^$1-" | cut -d: -f1)
	[ -n "$n" ] || return 1
	git -C "$LINUX" rev-list --reverse base..rtmig | sed -n "${n}p" | grep .
}

# lock_build: die if $BUILD cannot be used, or if somebody else works there; the
# scripts that this one calls are let through.
lock_build()
{
	case $BUILD in
	*[[:space:]:]*)
		die "BUILD='$BUILD': the kernel cannot be built in a folder with blanks or colons in its name; set BUILD to another" ;;
	esac
	[ "${RTMIG_LOCKED:-}" != "$BDIR" ] || return 0
	if ! mkdir -p "$BUILD" 2>/dev/null || [ ! -w "$BUILD" ]; then
		die "BUILD: $BUILD cannot be written by user $(id -un): set BUILD to a folder of your own"
	fi
	exec 8>"$BDIR.lock"
	flock -n 8 ||
		die "another make works in $BDIR: wait for its end, or set BUILD to another folder"
	export RTMIG_LOCKED=$BDIR
}
