# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A kernel source small enough for tests: the files that the series touches and
# the ones that scripts look at.  Sourced after tap.sh.

# The scripts' library, for its names; its set -e is not for a test.
. "$TOP/scripts/lib.sh"
. "$TOP/scripts/lib-series.sh"
set +e
load_base
FULL_TREE=$LINUX FULL_BUILD=$BUILD
# shellcheck disable=SC2034 # the tests read it
REAL_PATCHES=$PATCHES

# small_source DIR: unpack it there, pristine
small_source()
{
	local want tarball

	mkdir -p "$1"
	# shellcheck disable=SC2046 # file names of ours
	mapfile -t want < <({
		(cd "$PATCHES" && patch_paths /dev/null $(series_files))
		printf '%s\n' Makefile kernel/Kconfig.preempt arch/Kconfig arch/x86/Kconfig \
			kernel/sched/{core,rt,deadline,fair}.c kernel/sched/{sched,features}.h \
			.gitignore .gitattributes
	} | sort -u)
	if git -C "$FULL_TREE" rev-parse -q --verify 'base^{commit}' >/dev/null 2>&1; then
		mapfile -t want < <(git -C "$FULL_TREE" ls-tree -r --name-only base -- "${want[@]}")
		git -C "$FULL_TREE" archive base -- "${want[@]}" | tar -x -C "$1"
	else
		tarball=$(BUILD=$FULL_BUILD "$TOP/scripts/fetch") ||
			bail_out "no kernel source: make tree has to work first"
		# Files that patches create are not in there: no error.
		tar -xf "$tarball" -C "$1" --strip-components=1 --no-same-owner \
			--no-wildcards "${want[@]/#/$BASE_PACKAGE/}" 2>/dev/null
	fi
	[ -f "$1/kernel/sched/rt.c" ] || bail_out "could not make a small kernel source"
}

# tarball_from DIR FILE: as Debian packs it, with a fixed date
tarball_from()
{
	tar -cf "$2" --mtime=@1700000000 --owner=0 --group=0 --sort=name \
		--transform "s,^\.,$BASE_PACKAGE," -C "$1" .
}

# sums DIR: every file's mode, path and content, git's folder aside
sums()
{
	(
		cd "$1" || exit
		find . -path ./.git -prune -o -type f -printf '%m %p ' -exec sha256sum {} \; | sort -k2
	)
}

# toy_commit TREE DATE TITLE BODY: commit everything as the series' author
toy_commit()
{
	git -C "$1" add -Af . &&
		GIT_AUTHOR_DATE=$2 GIT_COMMITTER_DATE=$2 git -C "$1" commit -q --no-verify \
			-m "$3" -m "$4" -m "Signed-off-by: $RTMIG_NAME <$RTMIG_MAIL>"
}

# toy_edits TREE: four small patches, as commits
toy_edits()
{
	local d=$1

	sed -i 's/^int sched_rr_timeslice = RR_TIMESLICE;/& \/* toy *\//' "$d/kernel/sched/rt.c"
	toy_commit "$d" '2026-01-02T03:04:05+0000' 'sched/rt: Say toy behind the timeslice' \
		"The timeslice has no toy.

Add one."
	sed -i '0,/^SCHED_FEAT(/s//SCHED_FEAT(RT_TOY, true)\n\n&/' "$d/kernel/sched/features.h"
	toy_commit "$d" '2026-01-03T03:04:05+0100' 'sched/features: Add a toy flag, "RT_TOY" & co.' \
		'A flag that does nothing.'
	sed -i '/^static int find_lowest_rq(.*)$/,/^{/s/^{/{\n\t\/* toy *\//' "$d/kernel/sched/rt.c"
	toy_commit "$d" '2026-01-04T03:04:05+0000' 'sched/rt: Comment find_lowest_rq()' 'A comment.'
	echo -toy1 >"$d/localversion-rtmig"
	toy_commit "$d" '2026-01-05T03:04:05+0000' 'sched: Add localversion-rtmig' \
		'So that uname -r shows it.'
}

# The names that the toys are given, and their series file
# shellcheck disable=SC2034 # the tests read them
toy_numbers=(--number 'Say toy=0101' --number 'toy flag=0201'
	--number=find_lowest=0205 --number localversion=9999)
# shellcheck disable=SC2034
toy_series='# toys for the tests

# 0100 ground
0101-sched-rt-Say-toy-behind-the-timeslice.patch

# 0200 flags
0201-sched-features-Add-a-toy-flag-RT_TOY-co.patch # RT_TOY
0205-sched-rt-Comment-find_lowest_rq.patch

# 9999 last
9999-sched-Add-localversion-rtmig.patch'
