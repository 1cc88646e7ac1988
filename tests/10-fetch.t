#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# fetch, with apt played by stand-ins: what it says when apt cannot, and that
# half a download is never taken for a whole one.

. "$(dirname "$0")/tap.sh"
. "$TOP/scripts/lib.sh"
set +e
load_base
export BUILD=$T/build
fetch=$TOP/scripts/fetch
mkdir "$T/bin" "$T/pkg" "$T/tmp"
export PATH=$T/bin:$PATH

# A package as Debian's, of a few bytes
mkdir -p "$T/pkg/DEBIAN" "$T/pkg/usr/src"
echo kernel >"$T/pkg/usr/src/$BASE_PACKAGE.tar.xz"
# make_deb VERSION
make_deb()
{
	printf '%s\n' "Package: $BASE_PACKAGE" "Version: $1" 'Architecture: all' \
		"Maintainer: $RTMIG_NAME <$RTMIG_MAIL>" 'Description: test' >"$T/pkg/DEBIAN/control"
	dpkg-deb -b "$T/pkg" "$T/${BASE_PACKAGE}_$1_all.deb" >/dev/null
}

# stub NAME: the rest of stdin is what the command does
stub()
{
	{ echo '#!/bin/sh'; echo "T='$T'"; cat; } >"$T/bin/$1"
	chmod +x "$T/bin/$1"
}
candidate()
{
	stub apt-cache <<-E
		echo '$BASE_PACKAGE:'
		echo '  Installed: (none)'
		echo '  Candidate: $1'
	E
}
# What apt-get writes, and its status 100, when ...
complains()
{
	stub apt-get <<-E
		echo asked >>"\$T/asked"
		echo '$1' >&2
		exit 100
	E
}

complains 'E: not to be called'
candidate '(none)'
refused 'not in the lists' 1 "no package $BASE_PACKAGE in apt's lists: run 'apt-get update'.*bookworm-security" "$fetch"
stub apt-cache </dev/null
refused 'not known at all' 1 "no package $BASE_PACKAGE" "$fetch"
is "$(cat "$T/asked" 2>/dev/null)" '' 'apt-get was not called'

v=$BASE_VERSION.7-1
candidate "$v"
complains "E: Failed to fetch pool/x.deb  Temporary failure resolving 'mirror.invalid'"
refused 'no network' 1 'no network' "$fetch"
complains 'E: Failed to fetch pool/x.deb  Could not connect to mirror.invalid:80, connection timed out'
refused 'no connection' 1 'no network' "$fetch"
complains 'E: Failed to fetch pool/x.deb  404  Not Found'
refused 'lists too old' 1 'apt-get update' "$fetch"
complains 'E: Something else'
refused 'any other complaint' 1 'failed: Something else' "$fetch"
refused 'disk nearly full' 1 'disk nearly full: 3 MiB' env RTMIG_FREE_MIB=3 "$fetch"
refused 'an argument' 2 'takes no argument' "$fetch" x
is "$(ls -A "$BUILD/dl")" '' 'nothing is left of all that'

# killed on the way, with half a file
make_deb "$v"
# shellcheck disable=SC2016 # for the stand-in
stub apt-get <<-'E'
	deb=$(basename "$T"/*_all.deb)
	head -c 100 "$T/$deb" >"$deb"
	echo $$ >"$T/half"
	exec sleep 60
E
"$fetch" >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do
	[ ! -s "$T/half" ] || break
	sleep 0.1
done
[ -s "$T/half" ] || bail_out 'the stand-in for apt-get was not called'
kill -9 "$pid" "$(cat "$T/half")"
wait "$pid" 2>/dev/null
is "$(cd "$BUILD/dl" && echo .fetch.*/*.deb)" \
	"$(cd "$BUILD/dl" && echo .fetch.??????)/${BASE_PACKAGE}_${v}_all.deb" \
	'killed while it downloads: half a package is there'

# shellcheck disable=SC2016 # for the stand-in
stub apt-get <<-'E'
	echo "$@" >"$T/args"
	echo got >>"$T/asked"
	cp "$T"/*_all.deb .
E
rm -f "$T/asked"
path=$("$fetch" 2>"$T/err")
is "$(cat "$path")" kernel 'the next run fetches it whole, and prints the path'
is "$(grep -c got "$T/asked")" 1 'by one download'
like "$(cat "$T/args")" "APT::Sandbox::User=root download $BASE_PACKAGE=$v" 'without the sandbox user, and by version'
is "$("$fetch" 2>&1)" "$path" 'it is not fetched twice'
is "$(grep -c got "$T/asked")" 1 'nor asked for'
rm -r "${path%/usr/src/*}"
is "$("$fetch" 2>/dev/null)" "$path" 'what was removed is unpacked again'

rm "$T"/*_all.deb
make_deb "$BASE_VERSION.10-1"
candidate "$BASE_VERSION.10-1"
is "$("$fetch" 2>&1)" "$path" 'an update does not come by itself'
new=$("$fetch" -u 2>/dev/null)
like "$new" "$BASE_VERSION.10-1" 'but with -u'
is "$("$fetch" 2>/dev/null)" "$new" 'and .10 is newer than .7'
like "$("$fetch" -u 2>&1)" 'newest that apt knows' '-u again says that there is none'

echo broken >"$BUILD/dl/${BASE_PACKAGE}_$BASE_VERSION.11-1_all.deb"
refused 'a broken package' 1 'cannot unpack .*11-1.*remove it' "$fetch"
done_testing
