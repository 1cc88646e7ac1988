#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make lint finds nothing in the project as it is, and does find what is put
# in: a style error in a patch, one in a module's source and header, a mistake in
# a shell script, one in python.
# Seen to fail: with the modules' sources left out of the list in scripts/lint
# ("names the module's source", "and its header"), with GLOBAL_INITIALISERS among
# the ignored types (the first of the two).

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

[ -f "$BDIR/linux/scripts/checkpatch.pl" ] || bail_out "no tree: run the tests through 'make test'"
mkdir "$T/repo"
(cd "$TOP" && git ls-files -z | cpio --null --quiet -pdm "$T/repo") ||
	bail_out 'the project cannot be copied'
cd "$T/repo" || bail_out 'no copy'
git init -q . && git add -A

# The findings are kept by checksum: the copy keeps its own.
lint=(env BUILD="$T/build" scripts/lint)
mkdir -p "$T/build/$BASE"
ln -s "$BDIR/linux" "$T/build/$BASE/linux"

run "${lint[@]}" series checkpatch shell python
is "$RC" 0 'nothing in the project as it is' || diag "$OUT"
like "$OUT" 'checkpatch: 0 findings' 'checkpatch has run'

patch=$(sed -n 's/^\(0201-[^ ]*\).*/\1/p' "patches/$BASE/series")
sed -i 's/^+SCHED_FEAT(RT_PREROUTE, true)$/+SCHED_FEAT( RT_PREROUTE,true)/' "patches/$BASE/$patch"
run "${lint[@]}" checkpatch
[ "$RC" -eq 1 ] && [[ $OUT == *"$patch"* ]]
ok $? 'checkpatch finds a style error, and names the patch' "$RC: $OUT"

# The patch is as it was, so what is found is the module's.
cp "$TOP/patches/$BASE/$patch" "patches/$BASE/$patch"
echo 'int rtmig_planted = 0;' >>module/main.c
echo 'int  rtmig_planted( void );' >>module/rtmig.h
run "${lint[@]}" checkpatch
[ "$RC" -eq 1 ] && [[ $OUT == *module/main.c:*GLOBAL_INITIALISERS* ]]
ok $? "checkpatch finds a style error, and names the module's source" "$RC: $OUT"
[ "$RC" -eq 1 ] && [[ $OUT == *module/rtmig.h:*SPACING* ]]
ok $? 'and its header' "$RC: $OUT"
[[ $OUT != *"$patch"* ]]
ok $? 'and nothing else' "$OUT"

# shellcheck disable=SC2016 # the mistake
echo 'rm -rf $1/*' >>scripts/stock
run "${lint[@]}" shell
[ "$RC" -eq 1 ] && [[ $OUT == *scripts/stock* ]]
ok $? 'shellcheck finds a mistake, and names the script' "$RC: $OUT"

echo 'def broken(:' >>scripts/report
run "${lint[@]}" python
[ "$RC" -eq 1 ] && [[ $OUT == *scripts/report* ]]
ok $? 'a syntax error in python is found' "$RC: $OUT"
done_testing
