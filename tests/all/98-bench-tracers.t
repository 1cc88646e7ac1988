#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/bench on a kernel with irqsoff, wakeup_rt, function and hwlat tracers: what
# 58-bench.t asks for, and it says where the time went, by function.
# The lengths mean nothing in a guest, where all CPUs pay for the tracing of each.
# Seen to fail: without the settings that tracers() remembers ("the machine is as it
# was"); with a title too long for the table ("its table has ...").

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../guest.sh"

v=tracers
obj=$BDIR/linux/obj-$v
run "$TOP/scripts/kernel" -v $v
ok "$RC" "$v: builds" "$OUT" || bail_out "no $v kernel"
run "$TOP/scripts/module" -k "$obj" -o "$BDIR/module-$v"
ok "$RC" "$v: so do the modules" "$OUT"

tar -czf "$T/project.tgz" -C "$TOP" patches scenarios scripts
guest bench "$T/bench" -m "$BDIR/module-$v" -k "$obj/arch/x86/boot/bzImage" \
	-f "$T/project.tgz" -e TRACERS=yes "$TOP/tests/guest/bench.sh"
run "$TOP/scripts/analyse" --no-plots -o "$T/results" "$T/bench/guest/raw"
ok "$RC" 'what it measured is a result' "$OUT"
for title in 'longest with interrupts off' 'longest from an RT wake-up to the switch'; do
	grep -A 2 -F "$title, in ns, the tracer's cost included" <<<"$OUT" |
		grep -qE '^  on +[0-9]+  [a-z_0-9.]+ \.\. |^  off +[0-9]+  [a-z_0-9.]+ \.\. '
	ok $? "its table has the $title" "$OUT"
done
done_testing
