// SPDX-License-Identifier: GPL-2.0-only
/* cpupri.c as this kernel has it: see test_cpupri.h */
#define NAME(name)	test_cpupri_small_##name
#include "test_cpupri_unit.h"
