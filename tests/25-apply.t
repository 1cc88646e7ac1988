#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# apply and unapply on a user's tree, in git or not: what goes in comes out, and
# whatever is refused is refused in one line and leaves the tree as it was.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/small-tree.sh"

# Scripts under test keep their scratch folders here, and leave none.
mkdir -m 1777 "$T/tmp"
export TMPDIR=$T/tmp

S=$T/src
small_source "$S"
export BUILD=$T/build
P=$T/patches
apply=$TOP/scripts/apply unapply=$TOP/scripts/unapply

# The toy patches, and a tree that has them, by the way that 20-tree.t tests
mkdir "$P"
: >"$P/series"
export RTMIG_PATCHES=$P
(
	hermetic_git
	tarball_from "$S" "$T/src.tar"
	"$TOP/scripts/tree" -t "$T/src.tar" &&
		toy_edits "$BUILD/$BASE/linux" &&
		"$TOP/scripts/refresh" "${toy_numbers[@]}"
) >"$T/setup" 2>&1 || bail_out "no toy patches: $(tail -n 1 "$T/setup")"
# An odd mode, which has to stay
chmod 755 "$S/kernel/sched/deadline.c"
mapfile -t toys < <(cd "$P" && ls 0* 9*)

# user_tree [git]: a fresh tree of a user in $U
U=$T/user
user_tree()
{
	rm -rf "$U"
	cp -rp "$S" "$U"
	if [ "${1:-}" = git ]; then
		git init -q "$U"
		git -C "$U" add -Af .
		git -C "$U" -c user.name=u -c user.email=u@u.invalid commit -q -m user
	fi
	touch -d @1600000000 "$U"/kernel/sched/*
}

# state DIR: files, modes, time stamps, and what git thinks
state()
{
	sums "$1"
	(cd "$1" && find . -path ./.git -prune -o -type f -printf '%p %T@ %U:%G\n' | sort)
	[ ! -d "$1/.git" ] || git -C "$1" status --porcelain --ignored
}

# no_change NAME REGEX COMMAND...: refused with status 1, tree as it was
no_change()
{
	local name=$1 re=$2 before
	shift 2

	before=$(state "$U")
	refused "$name" 1 "$re" "$@"
	is "$(state "$U")" "$before" "$name: the tree is as it was"
}

pass()
{
	local name=$1
	shift
	run "$@"
	ok "$RC" "$name" "$OUT"
}

# there_and_back KIND NAME: apply, compare with the patches put in by hand, unapply
there_and_back()
{
	local before git_before f

	user_tree "$1"
	before=$(sums "$U")
	git_before=$(git -C "$U" status --porcelain --ignored 2>/dev/null)
	pass "$2: apply" "$apply" "$U"
	rm -rf "$T/hand"
	cp -rp "$S" "$T/hand"
	(cd "$RTMIG_PATCHES" && SERIES=series && series_files) | while read -r f; do
		patch -s -p1 -f --fuzz=0 --no-backup-if-mismatch -d "$T/hand" -i "$RTMIG_PATCHES/$f"
	done
	is "$(diff -r -x .git -x .rtmig-applied "$T/hand" "$U")" '' "$2: all patches are in, and nothing else"
	no_change "$2: apply again" 'already applied' "$apply" "$U"
	pass "$2: unapply" "$unapply" "$U"
	is "$(sums "$U")" "$before" "$2: unapply gives back the tree"
	is "$(git -C "$U" status --porcelain --ignored 2>/dev/null)" "$git_before" "$2: and git sees no change"
	no_change "$2: unapply again" 'not applied' "$unapply" "$U"
}

there_and_back '' 'plain, toys'
there_and_back git 'git, toys'
if [ -s "$REAL_PATCHES/series" ]; then
	export RTMIG_PATCHES=$REAL_PATCHES
	there_and_back git 'git, the series'
	export RTMIG_PATCHES=$P
else
	skip 9 "no patches in $REAL_PATCHES"
fi

# --- what a success looks like

user_tree git
chmod 600 "$U/kernel/sched/rt.c"
run "$apply" "$U"
like "$OUT" 'applied: 4 patches' 'apply says how many'
is "$(git -C "$U" status --porcelain -uno)" ' M kernel/sched/features.h
 M kernel/sched/rt.c' 'in git: a change of the working tree'
is "$(git -C "$U" ls-files --others)" localversion-rtmig 'in git: no marker beside the new file'
is "$(find "$U/kernel/sched" -newermt @1600000000 -type f -printf '%f\n' | sort)" 'features.h
rt.c' 'time stamps of other files stay'
is "$(stat -c %a "$U/kernel/sched/rt.c" "$U/kernel/sched/deadline.c")" '600
755' 'modes stay'

# By name, from elsewhere, relative, and through a link
user_tree
ln -s user "$T/link"
pass 'a relative path, through a link' env -C "$T" "$apply" link
pass 'and out by the other name' "$unapply" "$U"

# A later state of the series does not disturb unapply.
user_tree
before=$(sums "$U")
run "$apply" "$U"
cp -r "$P" "$T/later"
sed -i '$d' "$T/later/series"
no_change 'apply of a later series' 'already applied.*older state' env RTMIG_PATCHES="$T/later" "$apply" "$U"
pass 'unapply with a later series' env RTMIG_PATCHES="$T/later" "$unapply" "$U"
is "$(sums "$U")" "$before" 'takes out what was put in'

# Own changes elsewhere in the same file stay.
user_tree
run "$apply" "$U"
echo '/* mine */' >>"$U/kernel/sched/rt.c"
pass 'unapply beside changes of the user' "$unapply" "$U"
echo '/* mine */' >>"$T/src/kernel/sched/rt.c"
is "$(diff -r "$S" "$U")" '' 'keeps them'
sed -i '$d' "$S/kernel/sched/rt.c"

# Offsets are fine.
user_tree
sed -i '1i /* a */\n/* b */' "$U/kernel/sched/rt.c"
before=$(sums "$U")
pass 'apply with offsets' "$apply" "$U"
pass 'unapply with offsets' "$unapply" "$U"
is "$(sums "$U")" "$before" 'gives back the tree'

# git threw the change away: the record is stale.
user_tree git
run "$apply" "$U"
git -C "$U" checkout -q .
rm "$U/localversion-rtmig"
no_change 'unapply after git checkout' 'not applied.*somebody has taken them out' "$unapply" "$U"
pass 'apply after git checkout' "$apply" "$U"

# commit_all [OPTION]: as a user would, of what git add takes
commit_all()
{
	git -C "$U" add "$@" . &&
		git -C "$U" -c user.name=u -c user.email=u@u.invalid commit -q -m rtmig
}

# git checkout leaves new files, and Debian's .gitignore hides them.
for kind in git ''; do
	user_tree "$kind"
	run "$apply" "$U"
	(cd "$S" && find . -type f -exec cp -p --parents {} "$U" \;)
	touch -d @1600000000 "$U"/kernel/sched/*
	[ "$kind" != git ] || git -C "$U" checkout -q .
	no_change "${kind:-plain}: apply, new files are left" "without the patches.*new files.*: rm $U/localversion-rtmig$" "$apply" "$U"
	no_change "${kind:-plain}: unapply, new files are left" "without the patches.*new files.*: rm $U/localversion-rtmig$" "$unapply" "$U"
	# What else it says is no command to run.
	cmd=${OUT##*: }
	[[ $cmd != "rm $U/"* ]] || run bash -c "$cmd"
	is "$(diff -rq -x .git -x .rtmig-applied "$S" "$U")" '' "${kind:-plain}: the command it names takes them away"
	pass "${kind:-plain}: apply after it" "$apply" "$U"
	pass "${kind:-plain}: unapply after it" "$unapply" "$U"
done
user_tree
echo -toy1 >"$U/localversion-rtmig"
no_change 'new files are left, and no record' "new files.*: rm $U/localversion-rtmig$" "$apply" "$U"
if [ -s "$REAL_PATCHES/series" ]; then
	export RTMIG_PATCHES=$REAL_PATCHES
	user_tree git
	run "$apply" "$U"
	git -C "$U" checkout -q .
	mapfile -t left < <(git -C "$U" ls-files --others)
	no_change 'the series: new files are left' "new files.*: rm ${left[*]/#/$U/}$" "$apply" "$U"
	export RTMIG_PATCHES=$P
else
	skip 2 "no patches in $REAL_PATCHES"
fi

# Somebody has removed a new file, to keep the name of the kernel.
user_tree git
run "$apply" "$U"
rm "$U/localversion-rtmig"
no_change 'apply, a new file is removed' 'already applied.*make unapply' "$apply" "$U"
pass 'unapply, a new file is removed' "$unapply" "$U"
is "$(git -C "$U" status --porcelain --ignored)" '' 'and git sees no change'

# The change has become a commit, with its new files or without.
for opt in -Af -u; do
	user_tree git
	run "$apply" "$U"
	commit_all "$opt"
	no_change "add $opt, commit: unapply" "committed in $U: revert the commit.*git -C $U log -- kernel/sched/features.h" "$unapply" "$U"
	no_change "add $opt, commit: apply" 'already applied.*committed in .*revert the commit' "$apply" "$U"
	echo '/* mine */' >>"$U/kernel/sched/rt.c"
	no_change "add $opt, commit, a change: unapply" 'committed in .*revert the commit' "$unapply" "$U"
	git -C "$U" checkout -q .
	git -C "$U" -c user.name=u -c user.email=u@u.invalid revert -n HEAD
	git -C "$U" -c user.name=u -c user.email=u@u.invalid commit -q -m revert
	rm -f "$U/localversion-rtmig"
	no_change "add $opt, commit, revert: unapply" 'not applied' "$unapply" "$U"
	pass "add $opt, commit, revert: apply" "$apply" "$U"
	pass "add $opt, commit, revert: and out" "$unapply" "$U"
done

# --- refused

# git's own switch for its tests: as if the tree were another user's
user_tree git
for s in "$apply" "$unapply"; do
	no_change "${s##*/}: the git tree of another user" \
		"git refuses $U to user .*: run this as .*, or 'git config --global --add safe.directory $U'" \
		env GIT_CONFIG_GLOBAL=/dev/null GIT_TEST_ASSUME_DIFFERENT_OWNER=1 "$s" "$U"
done
refused 'no argument' 2 'which tree' "$apply"
refused 'unapply: no argument' 2 'which tree' "$unapply"
refused 'an option' 2 'unknown option' "$apply" -f "$U"
refused 'unknown BASE' 2 "unknown BASE '9.9'" env BASE=9.9 "$apply" "$U"
refused 'no such directory' 1 "no such directory: $T/none" "$apply" "$T/none"
refused 'a file' 1 'not a directory' "$apply" "$T/src.tar"
refused 'unapply: no such directory' 1 "no such directory: $T/none" "$unapply" "$T/none"

user_tree
rm -r "$U/kernel/sched"
no_change 'not a kernel tree (no kernel/sched)' 'not a kernel tree' "$apply" "$U"
user_tree
echo all: >"$U/Makefile"
no_change 'not a kernel tree (Makefile)' 'not a kernel tree' "$apply" "$U"
no_change 'unapply: not a kernel tree' 'not a kernel tree' "$unapply" "$U"
for v in 6.11 7.3; do
	[ "$v" != "$BASE_VERSION" ] || v=5.10
	user_tree
	sed -i -e "s/^VERSION = .*/VERSION = ${v%.*}/" -e "s/^PATCHLEVEL = .*/PATCHLEVEL = ${v#*.}/" \
		-e 's/^SUBLEVEL = .*/SUBLEVEL = 3/' "$U/Makefile"
	no_change "version $v" "wrong version: .* is Linux $v.3, .* for $BASE_VERSION.y" "$apply" "$U"
done
user_tree
sed -i 's/^config PREEMPT_RT$/config PREEMPT_XX/' "$U/kernel/Kconfig.preempt"
no_change 'no PREEMPT_RT' 'not a PREEMPT_RT tree' "$apply" "$U"
user_tree
sed -i '/select ARCH_SUPPORTS_RT/d' "$U/arch/x86/Kconfig"
no_change 'no architecture with PREEMPT_RT' 'not a PREEMPT_RT tree.*ARCH_SUPPORTS_RT' "$apply" "$U"

user_tree git
echo >>"$U/kernel/sched/core.c"
no_change 'a dirty git tree' 'uncommitted changes.*kernel/sched/core.c' "$apply" "$U"
user_tree git
echo >>"$U/kernel/sched/core.c"
git -C "$U" add -f kernel/sched/core.c
no_change 'a dirty index' 'uncommitted changes.*kernel/sched/core.c' "$apply" "$U"
user_tree git
rm "$U/.git/HEAD"
refused 'a broken repository' 1 'git cannot read' "$apply" "$U"

# by_hand N...: patches that somebody has put in with patch
by_hand()
{
	local i
	for i in "$@"; do
		patch -s -p1 -d "$U" -i "$P/${toys[i - 1]}" || bail_out "patch $i"
	done
	touch -d @1600000000 "$U"/kernel/sched/*
}
user_tree
by_hand 1 2 3 4
no_change 'all in by hand' 'already applied.*all 4 patches' "$apply" "$U"
no_change 'unapply: in by hand' 'not applied.*no record' "$unapply" "$U"
user_tree
by_hand 1 2
no_change 'the first two in' "partly applied.*first 2 of 4 .*${toys[1]}.*missing from ${toys[2]}" "$apply" "$U"
user_tree git
by_hand 1
no_change 'the first in, uncommitted' 'partly applied.*first 1 of 4' "$apply" "$U"
user_tree
by_hand 2 4
no_change 'the second and the last in' "partly applied.*2 of 4 patches \\(${toys[1]} ${toys[3]}\\)" "$apply" "$U"
user_tree
(cd "$U" && QUILT_PATCHES=$P quilt --quiltrc - push -q 2) >"$T/quilt" 2>&1 || bail_out "$(cat "$T/quilt")"
no_change 'quilt has pushed two' 'partly applied.*first 2 of 4' "$apply" "$U"
run env -C "$U" QUILT_PATCHES="$P" quilt --quiltrc - pop -q -a
pass 'a tree that quilt manages' "$apply" "$U"

user_tree
sed -i 's/^static int find_lowest_rq(/static long find_lowest_rq(/' "$U/kernel/sched/rt.c"
no_change 'a hunk fails' "patch ${toys[2]} does not apply.*file kernel/sched/rt.c, hunk 1 at line [0-9]+; nothing was changed" "$apply" "$U"
user_tree
sed -i '/^static int find_lowest_rq(/i /* new here */' "$U/kernel/sched/rt.c"
no_change 'a hunk that needs fuzz fails' "hunk 1 at line [0-9]+; nothing" "$apply" "$U"
user_tree
rm "$U/kernel/sched/features.h"
no_change 'a file is missing' "patch ${toys[1]} .*file kernel/sched/features.h is not there" "$apply" "$U"
user_tree
echo other >"$U/localversion-rtmig"
no_change 'a file is in the way' "patch ${toys[3]} .*file localversion-rtmig, which the patch creates, is there already" "$apply" "$U"

user_tree
run "$apply" "$U"
sed -i 's/RT_TOY, true/RT_TOY, false/' "$U/kernel/sched/features.h"
no_change 'unapply: our lines were changed' 'changed after .make apply.*file kernel/sched/features.h, hunk 1' "$unapply" "$U"

# Root may write everywhere, so this needs another user.
user_tree
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" -eq 0 ] && "${nobody[@]}" true 2>/dev/null &&
   chmod 755 "$T" && "${nobody[@]}" test -r "$apply"; then
	chmod -R go+rX "$T"
	no_change 'not writable' 'not writable' "${nobody[@]}" "$apply" "$U"
	chown -R 65534 "$U"
	pass 'root in the tree of another user' "$apply" "$U"
	is "$(find "$U" ! -uid 65534)" '' 'leaves it nothing of root'
elif [ "$(id -u)" -ne 0 ]; then
	chmod -R a-w "$U"
	no_change 'not writable' 'not writable' "$apply" "$U"
	chmod -R u+w "$U"
	skip 2 'needs root'
else
	skip 4 'no setpriv, or the project is not readable for others'
fi
user_tree
no_change 'disk nearly full' 'disk nearly full' env RTMIG_FREE_MIB=1 "$apply" "$U"
is "$(ls -A "$T/tmp")" '' 'no scratch folder is left'
done_testing
