/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own cpupri.c, compiled once more into this module, since none of it
 * is exported: test_cpupri_small.c as the kernel has it, test_cpupri_big.c for up
 * to 4096 CPUs.  Its CPUs, caches, memory and time are those of a machine that
 * exists only here.
 */
#ifndef TEST_CPUPRI_H
#define TEST_CPUPRI_H

#include <linux/types.h>

/* The memory of one machine, and the lines of it that can be seen to change */
#define TEST_CPUPRI_ARENA	(2 << 20)
#define TEST_CPUPRI_LINE	64

/**
 * struct test_cpupri - a machine with priorities of its CPUs
 * @start: make one of @cpus CPUs, with caches of @cache CPUs; all are at @level,
 *	all are allowed.  False if there is no memory
 * @set: let a CPU change its level: -1 INVALID, 0 NORMAL, to 100 HIGHER
 * @allow: whether the task may use a CPU
 * @from: the task ran on this CPU
 * @find: search for a task of level 99, return the length in nanoseconds
 * @time_set: as @set, likewise
 * @nothing: what an empty operation takes
 * @tick: let a tick go by
 * @arena: the memory, NULL until somebody gives it
 * @used: how much of it is in use
 *
 * Nothing here is reentrant, and times are told apart from interrupts by whoever
 * calls with these off.
 */
struct test_cpupri {
	bool (*start)(int cpus, int cache, int level);
	void (*set)(int cpu, int level);
	void (*allow)(int cpu, bool allowed);
	void (*from)(int cpu);
	u64 (*find)(void);
	u64 (*time_set)(int cpu, int level);
	u64 (*nothing)(void);
	void (*tick)(void);
	u8 *arena;
	size_t used;
};

extern struct test_cpupri test_cpupri_small_unit;
extern struct test_cpupri test_cpupri_big_unit;

u64 test_now(void);

#endif /* TEST_CPUPRI_H */
