#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The models of the push walk, of the barriers of push and pull, and of cpupri:
# exhaustive searches that find nothing, and mutants, the pristine kernel among them, that
# must be found. tests/models/README.md says what each stands for, and each of
# its mutants is this test seen to fail.
#
# environment: RTMIG_TORTURE=1 for the long rows of cpupri, see make torture

. "$(dirname "$0")/tap.sh"

args=()
[ -z "${RTMIG_TORTURE:-}" ] || args+=(-l)
"$TOP/tests/models/run" "${args[@]}" "$T/models"
