#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TICK_GRAN on the lab kernel: who asks for less as it joins, and who does not.
# Seen to fail: see tests/mutants.md.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
for f in slice waker; do
	gcc -static -O1 -Wall -Wextra -Werror -o "$T/$f" "$TOP/tests/sched/$f.c"
	ok $? "$f is compiled"
done
guest lab "$T/lab" -f "$T/slice" -f "$T/waker" "$TOP/tests/guest/tick.sh"
done_testing
