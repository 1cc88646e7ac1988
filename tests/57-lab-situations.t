#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The situations of the laboratory and the checker of priorities, on the lab
# kernel and on the pristine one: they show the mechanism that they are made for.
# Seen to fail: with half of the delay ('delay: ...'); with a value left out of a
# line ('samples: as many ...'); with storm's waiters pinned ('storm: at least one
# interrupt a drop'); with migdis' holders without a lock ('migdis: upper
# threads that may move ...'); with a kernel whose rto_will_resched() asks whether
# need_resched is not set ('bound: all flags on, two wait: no hit', 419 hits); with
# a checker that overlooks wake-ups of kernel threads ('strand: the checker sees it
# ...').

. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/guest.sh"

need_kernel lab "$BDIR/linux/obj/arch/x86/boot/bzImage"
need_kernel pristine "$BDIR/at-base/linux/obj/arch/x86/boot/bzImage"
guest lab "$T/lab" -e SERIES=yes "$TOP/tests/guest/lab-situations.sh"
guest pristine "$T/pristine" -e SERIES=no -m "$BDIR/module-at-base" \
	-k "$BDIR/at-base/linux/obj/arch/x86/boot/bzImage" \
	"$TOP/tests/guest/lab-situations.sh"
done_testing
