#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/bench on a booted kernel: measures without a laboratory around it and
# leaves the machine as it was.  To bench the guest is a machine like any other.
# It is one on the instruction clock: with parallel CPUs, flags that flip may end
# in an oops of QEMU's making (see tests/all/97-debug-parallel.t).
# Seen to fail: restore_settings without its loop ("the machine is as it was");
# a second signal that is not ignored ("then, too"); without the defaults from the patches
# ("a flag that was left behind").

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"

tar -czf "$T/project.tgz" -C "$TOP" patches scenarios scripts
guest bench "$T/bench" -f "$T/project.tgz" "$TOP/tests/guest/bench.sh"

# On a machine with the topology of a virtual one, too, it has a name of its own.
run "$TOP/scripts/analyse" --no-plots -o "$T/results" "$T/bench/guest/raw"
is "$RC $(ls "$T/results")" '0 dl@hardware-8cpus
dl@hardware-8cpus.json' 'what it measured is a result of hardware' "$OUT"
done_testing
