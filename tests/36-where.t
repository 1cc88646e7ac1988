#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/where sorts what was seen from outside into rounds and steps, and
# scripts/analyse takes the longest of each arm.
# Seen to fail: segments counted from 0 ("each line in its round"), the first
# stretch of a step kept instead of the longest ("the longest of a step").

. "$(dirname "$0")/tap.sh"

mkdir -p "$T/raw/01-off" "$T/raw/02-on"
cat >"$T/console" <<'END'
[    0.1] Linux version 6.12
[    1.0] rtmig-guest: start 6.12.117-rtmig
[    2.0] rtmig-guest: lab warm-up
[    2.5] rtmig-guest: lab 00-warm-up step k=2
[    3.0] rtmig-guest: lab 01-off of 2
[    3.1] rtmig-guest: lab 01-off step k=2
[    3.2] rtmig-guest: lab 01-off step -
[    3.3] rtmig-guest: lab 01-off step k=2
[    3.4] rtmig-guest: lab 01-off end
[    4.0] rtmig-guest: lab 02-on of 2
[    4.1] rtmig-guest: lab 02-on step k=2
[    4.2] rtmig-guest: lab 02-on end
[    4.3] rtmig-guest: lab 02-on step pipe
END
cat >"$T/seen" <<'END'
0 insns 1000
0 irqsoff 999999 0 boot boot boot:1
3 irqsoff 888888 0 warm up warm:1
4 insns 10
5 insns 100
5 irqsoff 50 1 cli_a sti_a f:30,g:20
5 writes 4 5
6 insns 20
7 insns 200
7 irqsoff 70 2 cli_b sti_b f:70
7 resched 33 3 spin resched_curr f:33
7 writes 6
8 irqsoff 777777 0 after end after:1
10 insns 300
10 irqsoff 40 1 cli_a sti_a f:40
12 insns 7
END
echo 'pushes 1' >"$T/raw/01-off/values"
echo 'pipe 5' >"$T/raw/02-on/values"
run "$TOP/scripts/where" "$T/console" "$T/seen" "$T/raw"
ok "$RC" 'sorted' "$OUT"
is "$(grep '^insns' "$T/raw/01-off/values" | sort)" "insns 20
insns[k=2] 300" 'each line in its round, instructions of a step are summed'
is "$(grep irqsoff "$T/raw/01-off/where")" 'irqsoff[k=2] 70 2 cli_b sti_b f:70' \
	'the longest of a step'
is "$(grep '_max' "$T/raw/01-off/values" | sort)" "irqsoff_max[k=2] 70
resched_to_switch_max[k=2] 33" 'and its length is a value'
is "$(grep -c 777777 "$T/raw/01-off/where" "$T/raw/02-on/where" | paste -sd' ')" \
	"$T/raw/01-off/where:0 $T/raw/02-on/where:0" 'what is between the steps is left out'
is "$(cat "$T/raw/01-off/samples")" 'global_writes[k=2] 4 5 6' 'stores of wake-ups'
is "$(head -n 1 "$T/raw/01-off/values")" 'pushes 1' "what the guest has measured stays"
is "$(cat "$T/raw/02-on/where")" 'irqsoff[k=2] 40 1 cli_a sti_a f:40' 'the other arm'
is "$(grep insns "$T/raw/02-on/values" | sort)" "insns[k=2] 300
pipe_insns 7" 'a step that is named like a value: its instructions are too'
ok "$([ ! -e "$T/raw/02-on/samples" ]; echo $?)" 'no file without a line'
echo '[    5.0] rtmig-guest: one more' >>"$T/console"
echo '[    5.0] rtmig-guest: and another' >>"$T/console"
run "$TOP/scripts/where" "$T/console" "$T/seen" "$T/raw"
is "$RC" 1 'more lines than segments are refused'
like "$OUT" '^rtmig: where: .*has 14 lines of the guest, .* 13 segments' 'in a line'
run "$TOP/scripts/where" "$T/console" "$T/none" "$T/raw"
is "$RC" 1 'a missing file is refused'
like "$OUT" '^rtmig: where: ' 'in a line'
done_testing
