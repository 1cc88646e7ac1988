// SPDX-License-Identifier: GPL-2.0-only
/* cpupri.c as of a kernel for 4096 CPUs: see test_cpupri.h */
#undef CONFIG_NR_CPUS
#define CONFIG_NR_CPUS	4096
#define NAME(name)	test_cpupri_big_##name
#include "test_cpupri_unit.h"
