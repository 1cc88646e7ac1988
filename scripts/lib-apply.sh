# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What apply and unapply share: the look at a user's tree.  Sourced after
# lib-series.sh.  All trials run on copies of the files that patches touch, so
# that the tree itself is read only until the outcome is known.

# find_target DIR: die unless DIR is a kernel tree of the base's series.  Sets
# TARGET, VERSION, IN_GIT and MARKER.
# shellcheck disable=SC2034 # read by the scripts that source this file
find_target()
{
	local prefix marker

	[ -e "$1" ] || die "no such directory: $1"
	[ -d "$1" ] || die "not a directory: $1"
	TARGET=$(cd "$1" 2>/dev/null && pwd) || die "cannot enter $1: permission denied"
	VERSION=$(kernel_version "$TARGET")
	if [ -z "$VERSION" ] || [ ! -d "$TARGET/kernel/sched" ]; then
		die "not a kernel tree: $TARGET (no VERSION in Makefile, or no kernel/sched): give the top folder of a Linux $BASE_VERSION source"
	fi
	case "$VERSION" in
	"$BASE_VERSION".*) ;;
	*) die "wrong version: $TARGET is Linux $VERSION, and this series is for $BASE_VERSION.y: take such a tree, or another BASE" ;;
	esac

	# The record of what was applied.  In git it must not show as a change,
	# and a tree that is a subfolder of a repository has one of its own.
	IN_GIT='' MARKER=$TARGET/.rtmig-applied
	if [ -e "$TARGET/.git" ] && command -v git >/dev/null; then
		! foreign "$TARGET" ||
			die "git refuses $TARGET to user $(id -un), since another user owns it: run this as $(stat -c %U "$TARGET"), or 'git config --global --add safe.directory $TARGET'"
		git -C "$TARGET" rev-parse --git-dir >/dev/null 2>"$SCRATCH/err" ||
			die "git cannot read $TARGET: $(head -n 1 "$SCRATCH/err")"
	fi
	if git -C "$TARGET" ls-files --error-unmatch Makefile >/dev/null 2>&1; then
		IN_GIT=1
		prefix=$(git -C "$TARGET" rev-parse --show-prefix)
		marker=$(git -C "$TARGET" rev-parse --git-path "rtmig-apply${prefix:+-${prefix//\//-}}")
		case "$marker" in
		/*) MARKER=$marker ;;
		*) MARKER=$TARGET/$marker ;;
		esac
	fi
}

# need_rt: die unless the tree knows PREEMPT_RT
need_rt()
{
	grep -qs '^config PREEMPT_RT$' "$TARGET/kernel/Kconfig.preempt" ||
		die "not a PREEMPT_RT tree: $TARGET has no 'config PREEMPT_RT' in kernel/Kconfig.preempt"
	grep -qsE '^[[:space:]]*select ARCH_SUPPORTS_RT([[:space:]]|$)' "$TARGET"/arch/*/Kconfig ||
		die "not a PREEMPT_RT tree: no arch/*/Kconfig in $TARGET selects ARCH_SUPPORTS_RT"
}

# need_writable PATH...: die unless all these can be written or created
need_writable()
{
	local p up

	for p in "$@" "${MARKER#"$TARGET/"}"; do
		case "$p" in
		/*) ;;
		*) p=$TARGET/$p ;;
		esac
		if [ -e "$p" ] && [ ! -w "$p" ]; then
			die "not writable: $p: run it as the owner of the tree"
		fi
		up=$(dirname "$p")
		while [ ! -e "$up" ]; do up=$(dirname "$up"); done
		[ -w "$up" ] || die "not writable: $up: run it as the owner of the tree"
	done
}

# copy_of NAME PATH...: $SCRATCH/NAME becomes a copy of the tree, these files only
copy_of()
{
	local to=$SCRATCH/$1 p
	shift

	rm -rf "$to"
	mkdir "$to"
	for p in "$@"; do
		[ -e "$TARGET/$p" ] || continue
		mkdir -p "$to/$(dirname "$p")"
		cp -p "$TARGET/$p" "$to/$p" 2>/dev/null || die "cannot read $TARGET/$p"
	done
}

# write_change DIFF REVERSE PATH...: change the tree by a diff that is known to
# apply, or not at all: the saved copies go back when it fails on the way.
write_change()
{
	local diff=$1 reverse=$2 p new=()
	shift 2

	copy_of saved "$@"
	# A signal now would leave half of it.
	trap '' INT TERM HUP
	if try_patch "$TARGET" "$diff" ${reverse:+-R}; then
		# Root works in other people's trees: a new file is the owner's.
		for p in "$@"; do
			if [ ! -e "$SCRATCH/saved/$p" ] && [ -e "$TARGET/$p" ]; then
				new+=("$TARGET/$p")
			fi
		done
		if [ "$(id -u)" -eq 0 ] && [ ${#new[@]} -gt 0 ]; then
			chown --reference="$TARGET" "${new[@]}" || :
		fi
		return 0
	fi
	for p in "$@"; do
		if [ ! -e "$SCRATCH/saved/$p" ]; then
			rm -f "${TARGET:?}/$p"
		elif ! cmp -s "$SCRATCH/saved/$p" "$TARGET/$p"; then
			cp -p "$SCRATCH/saved/$p" "$TARGET/$p"
		fi
	done
	return 1
}

# marker_diff: the change that the marker records, without the new files that
# somebody has removed since, of which there is nothing to take out
marker_diff()
{
	local p gone

	sed '1,/^$/d' "$MARKER" >"$SCRATCH/marked"
	gone=$(patch_paths -n "$SCRATCH/marked" |
		while read -r p; do [ -e "$TARGET/$p" ] || printf '%s ' "$p"; done)
	awk -v gone="$gone" '
		BEGIN { n = split(gone, g); for (i = 1; i <= n; i++) is_gone[g[i]] = 1 }
		/^diff --git / { skip = substr($4, 3) in is_gone }
		!skip
	' "$SCRATCH/marked"
}

# in_head DIFF: true if HEAD has the change, so that a commit has to take it out;
# COMMITTED says so.  New files may be in the working tree alone: Debian's
# .gitignore hides them from 'git add'.
# shellcheck disable=SC2034 # COMMITTED is read by the callers
in_head()
{
	local p first='' paths

	[ -n "$IN_GIT" ] || return 1
	mapfile -t paths < <(patch_paths "$1")
	copy_of head "${paths[@]}"
	for p in "${paths[@]}"; do
		git -C "$TARGET" cat-file -e "HEAD:./$p" 2>/dev/null || continue
		mkdir -p "$SCRATCH/head/$(dirname "$p")"
		git -C "$TARGET" cat-file blob "HEAD:./$p" >"$SCRATCH/head/$p"
		first=${first:-$p}
	done
	[ -n "$first" ] || return 1
	COMMITTED="the patches are committed in $TARGET: revert the commit, which 'git -C $(printf %q "$TARGET") log -- $first' shows"
	try_patch "$SCRATCH/head" "$1" -R
}

# refuse_leftovers DIFF...: die if new files are all that the tree has of these
# changes: 'git checkout' leaves them, and Debian's .gitignore hides them
refuse_leftovers()
{
	local d p paths new left=()

	mapfile -t paths < <(patch_paths "$@")
	mapfile -t new < <(patch_paths -n "$@")
	copy_of work "${paths[@]}"
	(cd "$SCRATCH/work" && rm -f "${new[@]}")
	for d in "$@"; do
		try_patch "$SCRATCH/work" "$d" || return 0
	done
	# Others of the same name are somebody's own.
	for p in "${new[@]}"; do
		! cmp -s "$SCRATCH/work/$p" "$TARGET/$p" || left+=("$TARGET/$p")
	done
	[ ${#left[@]} -eq 0 ] ||
		die "$TARGET is without the patches, but new files of theirs are left; remove them: rm$(printf ' %q' "${left[@]}")"
}
