#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The search for the lowest CPUs in a guest with two caches, see
# tests/guest/cpupri.sh.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
guest cpupri "$T/cpupri" "$TOP/tests/guest/cpupri.sh"
done_testing
