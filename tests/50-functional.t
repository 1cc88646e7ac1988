#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The lab kernel in a guest: domains, flags, counters that move for the right
# reason, rt-migrate-test.  The checks are those of tests/guest/functional.sh.
# Seen to fail: with the pre-route condition inverted ('burst, on: no push'),
# with two arguments of a tracepoint swapped (see docs/lab.md).

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
guest functional "$T/functional" -a kunit.enable=1 -e 'DOMAINS=SMT MC NUMA' \
	"$TOP/tests/guest/functional.sh"
done_testing
