#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The tree's own cpupri.c as a program, under sanitizers, against a reference and
# in all orders of small situations, and so each commit that changes it, from
# the pristine vectors on; then mutants, each of which has to be found.  README.md
# of tests/cpupri says what each program does.
#
# environment: RTMIG_TORTURE=1 for long, see make torture

. "$(dirname "$0")/tap.sh"

args=(-m)
[ -z "${RTMIG_TORTURE:-}" ] || args+=(-l)
"$TOP/tests/cpupri/run" "${args[@]}" "$T/cpupri"
