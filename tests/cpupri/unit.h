/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree's own cpupri.c, in a program; -I names the folder that has it.  What
 * the programs share: machines, searches, and what a search has to find.
 */
#ifndef CPUPRI_UNIT_H
#define CPUPRI_UNIT_H

#include "shim/shim.h"

#include <cpupri.h>
#include <cpupri.c>

static const char *unit_program __maybe_unused;

/* ------------------------------------------------------------- machines */

enum shape {
	SHAPE_NONE,	/* no cache is known yet */
	SHAPE_SINGLE,	/* no two CPUs share one */
	SHAPE_4,	/* caches of 4, 8, 64, 96 neighbours */
	SHAPE_8,
	SHAPE_64,
	SHAPE_96,
	SHAPE_ODD,	/* of 5 caches, each has every fifth CPU */
	SHAPE_HALVES,	/* threads: n and n + half are siblings; caches of 8 */
	SHAPE_ALL,	/* one cache */
	SHAPES
};

static const char * const shape_names[SHAPES] __maybe_unused = {
	"unknown", "single", "4", "8", "64", "96", "odd", "halves", "all"
};

static int shape_cache(enum shape shape, int cpu, int cpus)
{
	int half = DIV_ROUND_UP(cpus, 2);

	switch (shape) {
	case SHAPE_NONE:
	case SHAPE_SINGLE:
		return cpu;
	case SHAPE_4:
		return cpu / 4;
	case SHAPE_8:
		return cpu / 8;
	case SHAPE_64:
		return cpu / 64;
	case SHAPE_96:
		return cpu / 96;
	case SHAPE_ODD:
		return cpu % 5;
	case SHAPE_HALVES:
		return cpu % half / 4;
	default:
		return 0;
	}
}

/* What follows has this many CPUs, all of them active, and these caches. */
static __maybe_unused void machine(int cpus, enum shape shape)
{
	int cpu;

	nr_cpu_ids = cpus;
	system_state = shape == SHAPE_NONE ? SYSTEM_BOOTING : SYSTEM_RUNNING;
	if (!shim_cache)
		shim_cache = malloc(sizeof(*shim_cache) * NR_CPUS);
	if (!shim_cache)
		exit(2);
	memset(shim_cache, 0, sizeof(*shim_cache) * cpus);
	memset(&shim_possible, 0, sizeof(shim_possible));
	for (cpu = 0; cpu < cpus; cpu++) {
		__set_bit(cpu, shim_possible.bits);
		shim_cache_of[cpu] = shape_cache(shape, cpu, cpus);
		__set_bit(cpu, shim_cache[shim_cache_of[cpu]].bits);
	}
	shim_active = shim_possible;
}

static __maybe_unused int prio_of(int level)
{
	if (level == CPUPRI_INVALID)
		return CPUPRI_INVALID;
	if (level == CPUPRI_HIGHER)
		return MAX_RT_PRIO;
	return MAX_RT_PRIO - 1 - level;
}

/* -------------------------------------------------------------- random */

static __maybe_unused u64 rnd(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 16;
}

/* ------------------------------------------------------------ searches */

/*
 * A search, of either kind; the mask is empty where nothing was found.  Later
 * patches return one word in place of a mask: CPUPRI_WORD.
 */
static __maybe_unused bool search(struct cpupri *cp, struct task_struct *p,
				  struct cpumask *mask,
				  bool (*fits)(struct task_struct *p, int cpu))
{
	bool found;
#ifdef CPUPRI_WORD
	struct cpupri_cpus cpus = { 0 };

	memset(mask->bits, 0, shim_words() * sizeof(long));
	found = fits ? cpupri_find_fitness(cp, p, &cpus, fits) :
		       cpupri_find(cp, p, &cpus);
	if (found)
		mask->bits[BIT_WORD(cpus.first)] = cpus.bits;
#else
	memset(mask->bits, 0, shim_words() * sizeof(long));
	found = fits ? cpupri_find_fitness(cp, p, mask, fits) :
		       cpupri_find(cp, p, mask);
	if (!found)
		memset(mask->bits, 0, shim_words() * sizeof(long));
#endif
	return found;
}

#endif /* CPUPRI_UNIT_H */
