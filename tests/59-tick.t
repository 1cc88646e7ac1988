#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TICK_GRAN on the lab kernel: who gets a shorter request, and who does not.
# Seen to fail: see tests/mutants.md.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
gcc -static -O1 -Wall -Wextra -Werror -o "$T/slice" "$TOP/tests/sched/slice.c"
ok $? 'slice is compiled'
guest lab "$T/lab" -f "$T/slice" "$TOP/tests/guest/tick.sh"
done_testing
