#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Push and pull: each feature alone, and what needs none, acts and is counted; and
# what happens in which case, as docs/push-pull.md has it.

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
guest lab "$T/lab" "$TOP/tests/guest/push-pull.sh"
guest cases "$T/cases" "$TOP/tests/guest/push-pull-cases.sh"
done_testing
