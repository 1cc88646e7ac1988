#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bad input of everything but the patch tools (25-apply.t has those): one clear
# line, a status that is not zero, nothing left behind.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

cd "$TOP/scripts" || bail_out 'no scripts'
image=$BDIR/linux/obj/arch/x86/boot/bzImage
need_kernel lab "$image"
echo 'exit 0' >"$T/nothing.sh"

# stub NAME TEXT: a command of that name, first in PATH
mkdir "$T/bin"
stub()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$T/bin/$1"
	chmod +x "$T/bin/$1"
}

for script in deps tree kernel module boot run test refresh lint; do
	BASE=9.9 refused "$script: unknown BASE" 2 "unknown BASE '9.9': known are .*6\.12" ./$script
done
# A BUILD that no script can use, lest one that takes the BASE should get to work
: >"$T/file"
for script in deps tree kernel module boot run test refresh lint fetch export stock; do
	BASE='' BUILD=$T/file refused "$script: an empty BASE" 2 "unknown BASE '': known are .*6\.12" ./$script
done
run make -s -C "$TOP" run BASE= BUILD="$T/file"
like "$RC:$OUT" "^2:rtmig: unknown BASE ''" 'make run with an empty BASE'
BASE=../x refused 'a BASE that is a path' 2 "unknown BASE '../x'" ./tree
refused 'kernel: unknown variant' 2 "unknown variant 'fast'" ./kernel -v fast
BUILD=$T/empty refused 'kernel: no tree' 1 "no kernel tree .*make tree" ./kernel
BUILD=$T/empty refused 'boot: no kernel' 1 "no kernel .*make kernel" ./boot "$T/nothing.sh"
refused 'boot: no scenario' 2 'no scenario' ./boot "$T/none.sh"
refused 'boot: two scenarios' 2 'exactly one' ./boot a b
refused 'boot: topology' 2 "TOPOLOGY '2x2' is not" ./boot -T 2x2 "$T/nothing.sh"
refused 'boot: topology and CPUS disagree' 2 '2x2x2 has 8 CPUs' ./boot -c 9 "$T/nothing.sh"
refused 'boot: no modules' 1 'no modules in .*make module' ./boot -m "$T" "$T/nothing.sh"
LOOPS=many refused 'run: LOOPS' 2 'LOOPS=many' ./run
FLAGS=NO_SUCH refused 'run: unknown flag' 2 'unknown flag NO_SUCH: .*RT_PREROUTE' ./run
run make -s -C "$TOP" apply
like "$RC:$OUT" '^2:rtmig: say which kernel tree: make apply TREE=dir' 'make apply without TREE'

# BUILD
BUILD="$T/a b" refused 'run: BUILD with a blank' 1 'in a folder with blanks' ./run
BUILD=$T/file refused 'run: BUILD that is a file' 1 'cannot be written' ./run
mkdir "$T/locked"
flock "$T/locked/$BASE.lock" sleep 20 &
holder=$!
sleep 0.5
BUILD=$T/locked RTMIG_LOCKED='' refused 'run: BUILD that another make works in' 1 \
	'another make works in' ./run
kill "$holder"
OUT=$(cd "$T" && BUILD=rel "$TOP/scripts/kernel" 2>&1)
like "$OUT" "no kernel tree $T/rel/$BASE/linux" 'a relative BUILD counts from where one is'

# shellcheck disable=SC2016 # for that shell
refused 'a log that cannot be written' 1 "text: $T cannot be written by user" \
	bash -c '. ./lib.sh; logged "$1" text true' - "$T"

# packages
refused 'disk nearly full' 1 'disk nearly full: 10 MiB free' \
	env RTMIG_FREE_MIB=10 BUILD="$T/full" ./fetch
stub dpkg-query 'exit 1'
stub id 'echo 1000'
mkdir "$T/nosudo"
for c in bash sed awk grep dirname cat ls paste sort nproc printf env mkdir pwd; do
	ln -s "$(command -v $c)" "$T/nosudo/"
done
PATH=$T/bin:$T/nosudo refused 'deps: no root and no sudo' 1 \
	"not root and no sudo: as root, run 'apt-get install git" ./deps
rm "$T/bin/id"
stub apt-get 'echo "E: Temporary failure resolving" >&2; exit 100'
stub apt-cache 'exit 100'
stub df 'printf "x\nx x x 99999\n"'
BUILD=$T/b1 PATH=$T/bin:$PATH run ./deps
[ "$RC" -ne 0 ] && [[ $OUT == *'rtmig: package lists: failed'* ]]
ok $? 'deps: no network' "$RC: $OUT"
stub apt-get 'exit 0'
BUILD=$T/b1 PATH=$T/bin:$PATH refused 'deps: package missing' 1 \
	'apt knows no package .*git' ./deps
rm "$T"/bin/*

# QEMU
QEMU=$T/none refused 'QEMU missing' 1 'does not run as a QEMU' ./qemu
# A BUILD that cannot be used either: the QEMU is looked at before anything else.
BUILD=$T/file QEMU=$T/none refused 'test: QEMU missing' 1 'does not run as a QEMU' ./test
stub qemu-old 'echo "QEMU emulator version 7.2.9 (Debian)"'
QEMU=$T/bin/qemu-old refused 'QEMU too old' 1 'is 7.2.9, 8.1 or newer is needed' ./qemu
# shellcheck disable=SC2016 # for the stub
stub qemu-broken '[ "$1" != --version ] || { echo "QEMU emulator version 9.0"; exit; }
echo "qemu: cannot set up guest memory" >&2; exit 1'
QEMU=$T/bin/qemu-broken run ./boot -m - -o "$T/q" "$T/nothing.sh"
[ "$RC" -eq 1 ] && [[ $OUT == *'QEMU failed with status 1: qemu: cannot set up'* ]]
ok $? 'QEMU that fails: its own words' "$RC: $OUT"

# the laboratory
refused 'lab: no scenario' 2 'one SCENARIO expected; known are bound burst' ./lab
refused 'lab: unknown scenario' 2 "unknown scenario 'nonsense': known are bound burst" ./lab nonsense
FLAGS=NONSENSE refused 'lab: unknown flag' 2 'unknown flag NONSENSE' ./lab burst
TOPOLOGY=2x2 refused 'lab: unknown topology' 2 "unknown TOPOLOGY '2x2': known are" ./lab burst
CPUS=9 refused 'lab: no such preset' 2 'CPUS=9: presets are' ./lab burst
CPUS=9 TOPOLOGY=flat refused 'lab: CPUS and TOPOLOGY disagree' 2 'flat has 8|1x8x1 has 8' ./lab burst
ARMS='off of' refused 'lab: unknown arm' 2 "ARMS='off of': known are" ./lab burst
ARMS='on on' refused 'lab: an arm twice' 2 'each at most once' ./lab burst
mkdir -p "$T/scenarios/none" "$T/patches"
printf 'title = "x"\nflags = ["RT_NONE"]\n' >"$T/scenarios/none/scenario.toml"
RTMIG_SCENARIOS=$T/scenarios refused 'lab: a scenario of a flag that is none' 2 \
	'none is about the flag RT_NONE, which is none of the series: off and on would not differ' ./lab none
cp ../patches/6.12/* "$T/patches"
sed -i 's/^+SCHED_FEAT(\([A-Z_]*\), true)/+SCHED_FEAT(\1, false)/' "$T"/patches/*.patch
RTMIG_PATCHES=$T/patches refused 'lab: a flag that is off by default' 2 \
	"off and on would not differ: no flag of 'RT_PREROUTE' is on by default" ./lab burst
ROUNDS=0 refused 'lab: no rounds' 2 'ROUNDS=0: a number from 1 to 99' ./lab burst
SEED=x refused 'lab: a seed that is none' 2 'SEED=x: a number' ./lab burst
RTMIG_MEM_MIB=1000 refused 'lab: too little memory' 1 'too little memory: 1000 MiB free' ./lab burst
refused 'bench: unknown scenario' 2 "unknown scenario 'nonsense'" ./bench nonsense
refused 'bench: no scenario' 2 'one SCENARIO expected' ./bench
refused 'bench: rounds that are none' 2 "'x' is no number" ./bench -r x burst
refused 'bench: unknown base' 2 "unknown BASE '9.9'" ./bench -b 9.9 burst

# guests that end badly: one word on what happened, and the console's tail
printf 'while :; do :; done\n' >"$T/hang.sh"
run ./boot -m - -t 45 -o "$T/hang" "$T/hang.sh"
[ "$RC" -eq 1 ] && [[ $OUT == *'end of '*'console.log'* ]] &&
	[[ $OUT == *'rtmig: hang.sh: the guest hung: no end after 45 s'* ]]
ok $? 'a guest that hangs' "$RC: $OUT"
ok "$(pgrep -fc "$T/hang" || :)" 'and no QEMU is left'
run ./boot -m - -a 'rdinit=/nonexistent init=/nonexistent' -o "$T/panic" "$T/nothing.sh"
[ "$RC" -eq 1 ] && [[ $OUT == *'Kernel panic'* ]] &&
	[[ $OUT == *'ended without a status (panic or power-off)'* ]]
ok $? 'a guest that panics' "$RC: $OUT"
printf 'echo "rtmig-guest: scenario status 0" >/dev/kmsg; exit 3\n' >"$T/three.sh"
run ./boot -m - -o "$T/three" "$T/three.sh"
[ "$RC" -eq 1 ] && [[ $OUT == *'the scenario failed with status 3'* ]]
ok $? 'a scenario that fails, whatever it writes on the console' "$RC: $OUT"
printf 'echo "BUG: this is a test" >/dev/kmsg; exit 0\n' >"$T/splat.sh"
run ./boot -m - -o "$T/splat" "$T/splat.sh"
[ "$RC" -eq 1 ] && [[ $OUT == *'the console shows a splat'* ]]
ok $? 'a scenario that passes on a console with a splat' "$RC: $OUT"
printf '. /lib/rtmig/guest-lib\nuname() { echo "#1 SMP PREEMPT_DYNAMIC"; }\ncheck_rt\n' >"$T/nort.sh"
run ./boot -m - -o "$T/nort" "$T/nort.sh"
[ "$RC" -eq 1 ] && [[ $OUT == *'not a PREEMPT_RT kernel'* ]]
ok $? 'a kernel without PREEMPT_RT' "$RC: $OUT"
done_testing
