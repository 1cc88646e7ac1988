#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tree, refresh, export and lint's look at the series, on a small source tree:
# what is written comes back, and nobody's work is lost.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/small-tree.sh"
hermetic_git

small_source "$T/src"
tarball_from "$T/src" "$T/src.tar"
export BUILD=$T/build
L=$BUILD/$BASE/linux

tree()
{
	"$TOP/scripts/tree" -t "$T/src.tar" "$@"
}
refresh()
{
	"$TOP/scripts/refresh" "$@"
}

# dir_sum DIR: one checksum over names and contents
dir_sum()
{
	sums "$1" | sha256sum
}

# pass NAME COMMAND...: it exits with 0
pass()
{
	local name=$1
	shift
	run "$@"
	ok "$RC" "$name" "$OUT"
}

# --- the toy series is made by committing and refreshing

P=$T/patches
export RTMIG_PATCHES=$P
mkdir "$P"
: >"$P/series"
pass 'tree from a tarball and an empty series' tree
version=$(kernel_version "$L")
is "$(git -C "$L" log --format='%s %an %cn' base)" \
	"Linux $version $RTMIG_NAME $RTMIG_NAME" 'one commit, tagged base'
is "$(git -C "$L" symbolic-ref --short HEAD)" rtmig 'on the branch rtmig'
toy_edits "$L"

refused 'tree refuses commits that are in no patch file' 1 'sched/rt: Say toy .* in no patch file' tree
pass 'tree -k lets them be' tree -k
is "$(git -C "$L" rev-list --count base..HEAD)" 4 'and the commits are still there'

pass 'refresh with numbers for new commits' refresh "${toy_numbers[@]}"
is "$(cat "$P/series")" "$(grep -v '^#' <<<"$toy_series" | grep .)" \
	'the names follow the titles, and the flag stands behind its patch'
printf '%s\n' "$toy_series" >"$P/series"
last=$P/9999-sched-Add-localversion-rtmig.patch
is "$(cat "$last")" 'From: rtmig developers <developers@rtmig.invalid>
Date: Mon, 5 Jan 2026 03:04:05 +0000
Subject: [PATCH] sched: Add localversion-rtmig

So that uname -r shows it.

Signed-off-by: rtmig developers <developers@rtmig.invalid>
---
 localversion-rtmig | 1 +
 1 file changed, 1 insertion(+)
 create mode 100644 localversion-rtmig

diff --git a/localversion-rtmig b/localversion-rtmig
new file mode 100644
--- /dev/null
+++ b/localversion-rtmig
@@ -0,0 +1 @@
+-toy1' 'a patch is a mail without hashes'

before=$(dir_sum "$P")
pass 'refresh again' refresh
is "$(dir_sum "$P")" "$before" 'refresh twice changes nothing, comments of the series included'
pass 'tree again' tree
like "$OUT" 'up to date, 4 patches' 'tree has nothing to do'

# --- the same series, made in two ways, is the same everywhere

# both_ways PATCHES NAME: tree, refresh, git am and quilt
both_ways()
{
	local p=$1 name=$2 head want f mails

	export RTMIG_PATCHES=$p
	want=$(dir_sum "$p")
	rm -rf "$L"
	pass "$name: tree" tree
	head=$(git -C "$L" rev-parse HEAD)
	is "$(git -C "$L" status --porcelain)" '' "$name: the tree is clean"
	is "$(git -C "$L" log --format='%at %an %ae')" "$(git -C "$L" log --format='%ct %cn %ce')" \
		"$name: committer and author are the same, date too"
	pass "$name: refresh" refresh
	is "$(dir_sum "$p")" "$want" "$name: tree and refresh give back the same bytes"
	pass "$name: refresh again" refresh
	is "$(dir_sum "$p")" "$want" "$name: and once more"

	rm -rf "$T/am"
	git clone -q -b rtmig "$L" "$T/am"
	git -C "$T/am" reset -q --hard base
	RC=0
	OUT=$(SERIES=$p/series && series_files | sed "s,^,$p/," |
		xargs git -C "$T/am" am --committer-date-is-author-date 2>&1) || RC=$?
	ok "$RC" "$name: git am takes the series" "$OUT"
	is "$(git -C "$T/am" rev-parse HEAD)" "$head" "$name: and makes the same commits"

	rm -rf "$T/quilt"
	cp -r "$T/src" "$T/quilt"
	RC=0
	OUT=$(cd "$T/quilt" && QUILT_PATCHES=$p quilt --quiltrc - push -a --fuzz=0 2>&1) || RC=$?
	ok "$RC" "$name: quilt push -a --fuzz=0 takes the series" "$OUT"
	rm -rf "$T/quilt/.pc"
	is "$(diff -r -x .git "$T/quilt" "$L")" '' "$name: and makes the same files"

	pass "$name: lint series" "$TOP/scripts/lint" series
	pass "$name: export" "$TOP/scripts/export" "$T/export"
	rm -rf "$T/plain"
	cp -r "$T/src" "$T/plain"
	f=$(echo "$T/export"/*.patch)
	pass "$name: the squashed patch applies" patch -s -p1 --fuzz=0 -d "$T/plain" -i "$f"
	is "$(diff -r -x .git "$T/plain" "$L")" '' "$name: and makes the same files"
	is "$(diff -r -x '.refresh.*' -x base "$p" "$T/export/patches")" '' "$name: the exported quilt form is the series"
	git -C "$T/am" reset -q --hard base
	# all but the cover letter
	mails=("$T/export/mails"/*.patch)
	pass "$name: git am takes the exported mails" git -C "$T/am" am -q \
		--committer-date-is-author-date "${mails[@]:1}"
	is "$(git -C "$T/am" rev-parse HEAD)" "$head" "$name: and makes the same commits"
}

shopt -s nullglob
if [ -s "$REAL_PATCHES/series" ]; then
	# A copy: a failing test shall not write into the project.
	cp -r "$REAL_PATCHES" "$T/real"
	both_ways "$T/real" 'the series'
else
	skip 20 "no patches in $REAL_PATCHES"
fi
both_ways "$P" toys
shopt -u nullglob
is "$(cat "$T/export/mails/0000-cover-letter.patch")" "From: rtmig developers <developers@rtmig.invalid>
Date: Mon, 05 Jan 2026 03:04:05 +0000
Subject: [PATCH 00/4] sched: Lower RT wake-up and migration latency on $BASE_VERSION

These patches apply to Linux $BASE_VERSION.y (made on $version).  Every change of
behaviour has a scheduler feature flag, named in brackets, which can be
switched in sched/features of debugfs.

ground
  sched/rt: Say toy behind the timeslice

flags
  sched/features: Add a toy flag, \"RT_TOY\" & co. [RT_TOY]
  sched/rt: Comment find_lowest_rq()

last
  sched: Add localversion-rtmig

---
 kernel/sched/features.h | 2 ++
 kernel/sched/rt.c       | 3 ++-
 localversion-rtmig      | 1 +
 3 files changed, 5 insertions(+), 1 deletion(-)
 create mode 100644 localversion-rtmig" 'the cover letter is complete, without comments that are for the series file'
is "$(ls "$T/export")" "mails
patches
rtmig-$BASE-toy1.patch" 'the squashed patch is named after base and version'
run make -s -C "$TOP" export DIR="$T/export of mine"
is "$RC:$(ls "$T/export of mine" 2>&1)" "0:$(ls "$T/export")" 'make export DIR=, with blanks' || diag "$OUT"
mkdir "$T/other"
touch "$T/other/mine"
refused 'export does not empty a foreign folder' 1 'no earlier export' "$TOP/scripts/export" "$T/other"
is "$(ls "$T/other")" mine 'which keeps its files'

# --- working on the series

# rebase EDIT...: replay the toys on base; each EDIT is run after its commit:
# N:COMMAND, in $L
rebase()
{
	local list c e i=0

	mapfile -t list < <(git -C "$L" rev-list --reverse base..HEAD)
	git -C "$L" reset -q --hard base
	for c in "${list[@]}"; do
		i=$((i + 1))
		[ "$1" != "drop:$i" ] || continue
		git -C "$L" cherry-pick "$c" >/dev/null 2>&1 || bail_out "cherry-pick of $i"
		for e in "$@"; do
			[ "${e%%:*}" != "$i" ] || (cd "$L" && eval "${e#*:}") ||
				bail_out "edit: $e"
		done
	done
}

# fresh: the toys again, in the tree and in the patch files
fresh()
{
	rm -rf "$P"
	cp -r "$T/toys" "$P"
	git -C "$L" reset -q --hard "$(cat "$T/toys.head")"
	run tree
	[ "$RC" -eq 0 ] || bail_out "tree does not come back to the toys: $OUT"
}
cp -r "$P" "$T/toys"
git -C "$L" rev-parse HEAD >"$T/toys.head"

# changed: names of files that differ from the toys'
changed()
{
	diff -rq "$T/toys" "$P" | sed -e "s,^Files .*/\(.*\) differ\$,~\1," \
		-e "s,^Only in $P: ,+," -e "s,^Only in $T/toys: ,-," | sort
}

rebase "2:echo '/* more */' >>kernel/sched/features.h; git commit -q -a --amend --no-edit"
pass 'edit a commit, refresh' refresh
is "$(changed)" '~0201-sched-features-Add-a-toy-flag-RT_TOY-co.patch' 'only its file changes'
pass 'tree agrees' tree

fresh
rebase "2:echo '/* more */' >>kernel/sched/sched.h; git commit -q -a -s -m 'sched: Say more' -m 'Because.'"
pass 'a new commit, refresh' refresh
is "$(changed)" "+0202-sched-Say-more.patch
~series" 'it gets a number of its own, and no other patch is renamed' ||
	diag "$(cat "$P/series")"

fresh
rebase "1:echo '/* more */' >>kernel/sched/sched.h; git commit -q -a -s -m 'sched: Say more' -m 'Because.'"
pass 'a new commit at the end of a group, refresh' refresh
is "$(sed -n 4,7p "$P/series")" "0101-sched-rt-Say-toy-behind-the-timeslice.patch
0102-sched-Say-more.patch

# 0200 flags" 'stands before the banner of the next'
fresh
rebase "1:echo '/* more */' >>kernel/sched/sched.h; git commit -q -a -s -m 'sched: Say more' -m 'Because.'"
pass 'the same with a number of the next group' refresh --number more=0200
is "$(sed -n 6,8p "$P/series")" "# 0200 flags
0200-sched-Say-more.patch
0201-sched-features-Add-a-toy-flag-RT_TOY-co.patch # RT_TOY" 'stands behind the banner'

fresh
rebase "4:echo '/* more */' >>kernel/sched/sched.h; git commit -q -a -s -m 'sched: Say more' -m 'Because.'"
refused 'no number is free behind 9999' 1 'no free number .*Say more.*refresh --number' refresh
is "$(changed)" '' 'and nothing was written'

fresh
rebase drop:3
pass 'drop a commit, refresh' refresh
is "$(changed)" "-0205-sched-rt-Comment-find_lowest_rq.patch
~series" 'its file and its line go'
is "$(cat "$P/series")" "$(grep -v 0205 <<<"$toy_series")" 'the other lines stay'

fresh
rebase drop:2
pass 'drop the first of a group, refresh' refresh
is "$(cat "$P/series")" "$(grep -v 0201 <<<"$toy_series")" 'its banner stays'

fresh
rebase "2:git log -1 --format=%B | sed '1s/toy flag/better flag/' | git commit -q --amend -F -"
pass 'change a subject, refresh' refresh
is "$(cat "$P/series")" "${toy_series/Add-a-toy-flag/Add-a-better-flag}" \
	'the number and the flag stay, the name follows'

fresh
rebase "2:echo '/* more */' >>kernel/sched/features.h; git commit -q -a --amend -s -m 'sched: Something else' -m 'Why.'"
pass 'change subject and content, refresh' refresh
is "$(sed -n 7p "$P/series")" '0201-sched-Something-else.patch # RT_TOY' 'the place in the series tells the number'

fresh
rebase "4:echo -rtmig >localversion-rtmig; git commit -q -a --amend --no-edit"
pass 'a localversion without a version, refresh' refresh
pass 'export' "$TOP/scripts/export" "$T/export"
is "$(cd "$T/export" && echo *.patch)" "rtmig-$BASE.patch" 'the squashed patch has none in its name either'

# --- refused, with nothing written

# no_refresh NAME REGEX: refresh refuses, and the patch files are as they were
no_refresh()
{
	refused "refresh: $1" 1 "$2" refresh
	is "$(changed)" '' "refresh: $1: nothing was written"
}

fresh
echo >>"$L/kernel/sched/rt.c"
no_refresh 'uncommitted changes' 'uncommitted changes.*kernel/sched/rt.c'
before=$(sums "$L")
refused 'tree: uncommitted changes' 1 'uncommitted changes.*kernel/sched/rt.c' tree
is "$(sums "$L")" "$before" 'tree: uncommitted changes: the tree is as it was'
git -C "$L" checkout -q kernel/sched/rt.c
touch "$L/kernel/sched/new.c"
no_refresh 'a file that nobody added' 'uncommitted changes.*kernel/sched/new.c'
rm "$L/kernel/sched/new.c"
fresh
rebase "4:git commit -q --amend -m 'sched: Add localversion-rtmig' -m 'Unsigned.'"
no_refresh 'no sign-off' "localversion-rtmig' has no Signed-off-by"
fresh
rebase "4:git commit -q --amend --no-edit --author='A B <a@b.invalid>'"
no_refresh 'another author' 'by A B <a@b.invalid>'
fresh
rebase "4:printf -- '-t\303\266y\n' >localversion-rtmig; git commit -qa --amend --no-edit"
no_refresh 'beyond ASCII' "localversion-rtmig': line [0-9]+ of the patch is not ASCII"
fresh
rebase "4:git commit -q --amend -s -m 'sched: Add localversion-rtmig' -m 'One.' -m '---' -m 'Two.'"
no_refresh 'a changelog that git am cuts' 'does not survive git am'
fresh
rebase "4:git commit -q --amend -s -m '[RFC] sched: Add localversion-rtmig' -m 'One.'"
no_refresh 'a subject that git am cuts' 'does not survive git am'
fresh
refused 'refresh --number without a number' 2 '--number wants' refresh --number toy=1
refused 'refresh --number of no commit' 1 'no commit has' refresh --number nowhere=0300
# git's own switch for its tests: as if the tree were another user's
for s in tree refresh export; do
	GIT_TEST_ASSUME_DIFFERENT_OWNER=1 refused "$s: the tree of another user" 1 \
		"git refuses $L to user .*: run this as .*, or set BUILD to" "$TOP/scripts/$s"
done
refused 'refresh: unknown option' 2 'unknown option' refresh -x

# --- patch files that change under the tree

fresh
touch -d @1600000000 "$L"/kernel/sched/*.[ch] "$L/Makefile"
git -C "$L" update-index -q --refresh
sed -i 's,^+	/\* toy \*/,+	/* ball */,' "$P/0205-sched-rt-Comment-find_lowest_rq.patch"
pass 'a patch file has changed: tree' tree
is "$(find "$L" -newermt @1600000000 -path "$L/kernel/sched/*" -printf '%P\n')" kernel/sched/rt.c \
	'only the file that differs is written'
like "$(cat "$L/kernel/sched/rt.c")" 'ball' 'with the new content'
pass 'then refresh' refresh
is "$(changed)" '~0205-sched-rt-Comment-find_lowest_rq.patch' 'does not take it back'

sed -i '/0205/d' "$P/series"
pass 'a patch less in the series: tree' tree
is "$(git -C "$L" rev-list --count base..HEAD)" 3 'drops its commit'

fresh
head=$(git -C "$L" rev-parse HEAD)
sed -i 's/^ static int find_lowest_rq/ static long find_lowest_rq/' "$P"/0205-*
before=$(sums "$L")
refused 'a hunk that fails is named' 1 \
	'0205-sched-rt-Comment-find_lowest_rq.patch does not apply.*file kernel/sched/rt.c, hunk 1 at line [0-9]+' tree
is "$(sums "$L") $(git -C "$L" rev-parse HEAD)" "$before $head" 'and the tree is as it was'
mv "$L" "$T/aside"
refused 'the same in a new tree' 1 '0205-.*file kernel/sched/rt.c, hunk 1' tree
is "$(ls -A "$BUILD/$BASE")" '' 'which leaves nothing behind'
mv "$T/aside" "$L"

fresh
rm "$P"/0205-*
refused 'a patch file is missing' 1 'names 0205-.*not in' tree
fresh

# --- the base

sed -i 's/^SUBLEVEL = .*/SUBLEVEL = 999/' "$T/src/Makefile"
tarball_from "$T/src" "$T/newer.tar"
pass 'a newer tarball' "$TOP/scripts/tree" -t "$T/newer.tar"
like "$OUT" "$BASE_VERSION.999 is there.*rm -rf" 'is told of, with what to do'
mv "$L" "$T/aside"
pass 'a new tree takes any stable update of the base' "$TOP/scripts/tree" -t "$T/newer.tar"
rm -rf "$L"
sed -i 's/^PATCHLEVEL = .*/PATCHLEVEL = 1/' "$T/src/Makefile"
tarball_from "$T/src" "$T/old.tar"
refused 'a tarball of another base' 1 "version .*\.1\.999.*for $BASE_VERSION" "$TOP/scripts/tree" -t "$T/old.tar"
head -c 5000 "$T/src.tar" >"$T/cut.tar"
refused 'a tarball that is cut' 1 'cannot unpack' "$TOP/scripts/tree" -t "$T/cut.tar"
refused 'a tarball that is not there' 1 'no such tarball' "$TOP/scripts/tree" -t "$T/none.tar"
refused 'disk nearly full' 1 'disk nearly full: 10 MiB free' env RTMIG_FREE_MIB=10 "$TOP/scripts/tree" -t "$T/src.tar"
is "$(ls -A "$BUILD/$BASE")" '' 'none of them leaves anything'
refused 'refresh without a tree' 1 "run 'make tree'" refresh
refused 'unknown BASE' 2 "unknown BASE 'x'" env BASE=x "$TOP/scripts/tree"
mkdir "$L"
refused 'a folder that tree has not made' 1 "no commit tagged 'base'" tree
rmdir "$L"

# --- lint's look at the series

fresh_lint()
{
	rm -rf "$P"
	cp -r "$T/toys" "$P"
}
fresh_lint
mv "$P/9999-sched-Add-localversion-rtmig.patch" "$P/9999-sched-Add-local.patch"
sed -i 's/localversion-rtmig/local/' "$P/series"
run "$TOP/scripts/lint" series
is "$RC" 1 'lint: a name that does not follow the subject' || diag "$OUT"
fresh_lint
touch "$P/0500-stray.patch"
run "$TOP/scripts/lint" series
is "$RC" 1 'lint: a patch that is not in the series' || diag "$OUT"

# --- every script explains itself, even where nothing else would work

for s in "$TOP"/scripts/*; do
	if [ ! -f "$s" ] || [ ! -x "$s" ]; then continue; fi
	BASE='' BUILD=$T/none run "$s" --help
	ok "$((RC != 0 || $(grep -c '^usage: ' <<<"$OUT") != 1))" "${s##*/} --help" "$OUT"
done
run "$TOP/scripts/boot" -c 4 --help
like "$RC:$OUT" '^0:.*usage: boot' '--help behind another option'
done_testing
