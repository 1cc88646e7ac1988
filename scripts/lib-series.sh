# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts that handle patches share: reading patch files, trying them,
# and the form in which a commit is written as a mail.  Sourced after lib.sh.

# Nothing of a user's git configuration may show in a commit or in a patch:
# the same series gives the same hashes, and the same files, everywhere.
# (scripts/apply works in a user's own tree, and does not call this.)
hermetic_git()
{
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
	export GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat
	unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_DIFF_OPTS \
		GIT_EXTERNAL_DIFF GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	export GIT_AUTHOR_NAME=$RTMIG_NAME GIT_AUTHOR_EMAIL=$RTMIG_MAIL
	export GIT_COMMITTER_NAME=$RTMIG_NAME GIT_COMMITTER_EMAIL=$RTMIG_MAIL
}

# lgit ARGS...: git in the series' tree
lgit()
{
	git -C "$LINUX" "$@"
}

# scratch_dir: make $SCRATCH, a folder that goes when the script ends.
scratch_dir()
{
	SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/rtmig.XXXXXX")
	trap 'rm -rf "$SCRATCH"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# need_series: die unless the series file is there and all its files are.
need_series()
{
	local f

	[ -f "$SERIES" ] || die "no series file: $SERIES"
	[ -z "$(series_files | sort | uniq -d)" ] ||
		die "$SERIES names a patch twice: $(series_files | sort | uniq -d | sed -n 1p)"
	while read -r f; do
		[ -f "$PATCHES/$f" ] || die "$SERIES names $f, which is not in $PATCHES"
	done < <(series_files)
}

# series_sum: one checksum over the order of the patches and all their bytes
series_sum()
{
	local f

	while read -r f; do
		printf '%s ' "$f"
		sha256sum <"$PATCHES/$f"
	done < <(series_files) | sha256sum | cut -d' ' -f1
}

# patch_title FILE: the subject of a patch without its [PATCH] prefix
patch_title()
{
	sed -n '/^$/q;s/^Subject: *\(\[[^]]*\] *\)*//p' "$1"
}

# title_name TITLE: what a title becomes in a file name
title_name()
{
	printf '%s\n' "$1" |
		sed -e 's/[^A-Za-z0-9._]\{1,\}/-/g' -e 's/\.\.\{1,\}/./g' \
			-e 's/^[-.]*//' -e 's/[-.]*$//'
}

# patch_paths [-n] FILE...: the paths that patches touch, once each; -n: only
# those that they create
patch_paths()
{
	local created=''

	if [ "${1-}" = -n ]; then
		created=1
		shift
	fi
	awk -v created="$created" '
		# Hunks are skipped by their line counts: a removed SQL or lua
		# comment looks like a "--- " header.
		old > 0 || new > 0 {
			c = substr($0, 1, 1)
			if (c == "-") old--
			else if (c == "+") new--
			else if (c != "\\") { old--; new-- }
			next
		}
		/^@@ -/ {
			split($2, o, ","); split($3, n, ",")
			old = $2 ~ /,/ ? o[2] : 1
			new = $3 ~ /,/ ? n[2] : 1
			next
		}
		/^--- [^ ]/ { creates = $2 == "/dev/null" }
		/^(---|\+\+\+) [^ ]/ && $2 != "/dev/null" && (creates || !created) {
			sub(/^[^\/]*\//, "", $2); print $2
		}
	' "$@" | sort -u
}

# kernel_version DIR: VERSION.PATCHLEVEL.SUBLEVEL, or nothing
kernel_version()
{
	awk -F' *= *' '
		$1 == "VERSION" && !v { v = $2 }
		$1 == "PATCHLEVEL" && !p { p = $2 }
		$1 == "SUBLEVEL" && !s { s = $2 }
		END { if (v != "" && p != "") print v "." p "." (s == "" ? 0 : s) }
	' "$1/Makefile" 2>/dev/null || :
}

# newer A B: true if version A is newer than version B
newer()
{
	[ "$1" != "$2" ] &&
		[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$1" ]
}

# try_patch DIR FILE [OPTION...]: apply a patch in DIR without fuzz.  On failure
# WHY says which file and hunk, and nothing is printed.
# shellcheck disable=SC2034 # WHY is read by the callers
try_patch()
{
	local dir=$1 file=$2 out path='' line
	shift 2

	if out=$(patch -d "$dir" -p1 --fuzz=0 -f -r - --no-backup-if-mismatch "$@" \
			<"$file" 2>&1); then
		return 0
	fi
	WHY="patch says: $(tail -n 1 <<<"$out")"
	while IFS= read -r line; do
		case "$line" in
		'The next patch would create the file '*,)
			path=${line#The next patch would create the file }
			path=${path%,}
			;;
		'patching file '* | 'checking file '*)
			path=${line#* file }
			;;
		"can't find file to patch at input line "*)
			path=missing
			;;
		'|diff --git a/'* | '|+++ b/'*)
			[ "$path" != missing ] || {
				path=${line##* b/}
				path=${path##|+++ b/}
				WHY="file $path is not there"
				return 1
			}
			;;
		'which already exists!'*)
			WHY="file $path, which the patch creates, is there already"
			return 1
			;;
		'Hunk #'*' FAILED at '*)
			line=${line#Hunk #}
			WHY="file $path, hunk ${line%% *} at line ${line##* }"
			WHY=${WHY%.}
			return 1
			;;
		esac
	done <<<"$out"
	return 1
}

# commit_diff COMMIT: diffstat and diff as a patch has them.  No "index" line:
# it would change with every edit of a patch further up.
commit_diff()
{
	lgit -c core.quotePath=true diff-tree --no-commit-id --root -r -p --stat=72 \
		--summary -U3 --no-renames --no-ext-diff --no-textconv --no-color \
		--diff-algorithm=myers --indent-heuristic \
		--src-prefix=a/ --dst-prefix=b/ "$1" |
		sed '/^index [0-9a-f]\{7,\}\.\.[0-9a-f]\{7,\}/d'
}

# commit_mail COMMIT: the commit as a patch file
commit_mail()
{
	lgit log -1 --no-color --no-show-signature --no-decorate \
		--format='From: %an <%ae>%nDate: %aD%nSubject: [PATCH] %s%n%n%b' "$1" |
		sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
	printf -- '---\n'
	commit_diff "$1"
}

# mail_commit FILE PARENT: git am's result for a patch on PARENT, without a
# working tree: prints the commit.  False if the patch does not apply.
mail_commit()
{
	local file=$1 parent=$2 info=$SCRATCH/info msg=$SCRATCH/msg diff=$SCRATCH/diff
	local tree name mail date title

	git mailinfo "$msg" "$diff" <"$file" >"$info" 2>/dev/null || return 1
	name=$(sed -n 's/^Author: //p' "$info")
	mail=$(sed -n 's/^Email: //p' "$info")
	date=$(sed -n 's/^Date: //p' "$info")
	title=$(sed -n 's/^Subject: //p' "$info")
	lgit apply --cached --whitespace=nowarn "$diff" 2>"$SCRATCH/apply.err" ||
		return 1
	tree=$(lgit write-tree)
	{
		printf '%s\n\n' "$title"
		cat "$msg"
	} | git stripspace |
		GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$mail GIT_AUTHOR_DATE=$date \
		GIT_COMMITTER_DATE=$date lgit commit-tree -p "$parent" "$tree"
}

# tree_busy: if work is under way in the tree, say what (and be true)
tree_busy()
{
	local gitdir=$LINUX/.git changed

	if [ -d "$gitdir/rebase-merge" ] || [ -d "$gitdir/rebase-apply" ]; then
		echo "a rebase or git am is under way"
	elif [ -f "$gitdir/MERGE_HEAD" ] || [ -f "$gitdir/CHERRY_PICK_HEAD" ]; then
		echo "a merge or cherry-pick is under way"
	else
		changed=$(lgit --no-optional-locks status --porcelain -uno | sed -n 1p)
		if [ -n "$changed" ]; then
			echo "uncommitted changes, the first: ${changed:3}"
			return 0
		fi
		# Debian's .gitignore hides every new file.  Kernels are built
		# in obj*/, so what is new elsewhere is somebody's, or litter.
		changed=$(lgit ls-files --others --exclude='.*' --exclude='*~' \
			--exclude='*.orig' --exclude='*.rej' --exclude='*.pyc' \
			--exclude='*.o' --exclude=tags --exclude=TAGS \
			--exclude='cscope.*' --exclude=/obj --exclude='/obj-*' | sed -n 1p)
		[ -n "$changed" ] || return 1
		echo "uncommitted changes: $changed is in no commit ('git add -f' it, since Debian's .gitignore hides it, or remove it)"
	fi
}

# need_own_tree: die unless $LINUX is a tree that scripts/tree has made
need_own_tree()
{
	[ -d "$LINUX" ] || die "no kernel tree at $LINUX: run 'make tree'"
	# No safe.directory helps: hermetic_git leaves a user's configuration out.
	! foreign "$LINUX" ||
		die "git refuses $LINUX to user $(id -un), since another user owns it: run this as $(stat -c %U "$LINUX"), or set BUILD to a folder of your own"
	if [ ! -d "$LINUX/.git" ] ||
	    ! lgit rev-parse -q --verify 'base^{commit}' >/dev/null; then
		die "$LINUX has no commit tagged 'base', so scripts/tree did not make it: move it away and run 'make tree'"
	fi
	lgit merge-base --is-ancestor base HEAD ||
		die "$LINUX: HEAD does not descend from the tag 'base': check out the branch rtmig"
	[ -z "$(lgit rev-list --merges base..HEAD)" ] ||
		die "$LINUX: there is a merge in base..HEAD: a series is a straight line, rebase it"
}

# The tree's note of the last series that it had in common with the patch files
applied_note()
{
	printf 'checksum %s\nhead %s\n' "$1" "$2" >"$LINUX/.git/rtmig-applied.new"
	mv "$LINUX/.git/rtmig-applied.new" "$LINUX/.git/rtmig-applied"
}

# applied_field checksum|head
applied_field()
{
	sed -n "s/^$1 //p" "$LINUX/.git/rtmig-applied" 2>/dev/null || :
}
