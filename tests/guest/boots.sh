# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The kernel boots, has its timers and its domains, and runs a few real-time
# tasks: what every patch alone has to leave intact.
. /lib/rtmig/guest-lib

check 'PREEMPT_RT' check_rt
check 'high-resolution timers on every CPU' check_hres
check "domains are $DOMAINS" check_domains "$DOMAINS"
check 'features can be read' grep -q RT_PUSH_IPI "$FEATURES"
quiet_machine
check 'cyclictest runs' sh -c 'cyclictest -q -m -p 90 -t -a -i 1000 -l 100 >/dev/null'
check 'rt-migrate-test runs' sh -c "rt-migrate-test -l 2 $((NCPUS + 1)) >/dev/null"
check 'hackbench runs' sh -c 'hackbench -p -g 1 -f 4 -l 100 >/dev/null'
checks_done
