/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpupri.c for one kind of machine: included by test_cpupri_small.c and _big.c,
 * which say what CONFIG_NR_CPUS is and what NAME() makes of a name.
 *
 * Structures that hold a cpumask differ from the kernel's in _big.c.  None of the
 * kernel's is used: the task below is never more than a priority, a mask and a
 * CPU, and the kernel's own masks are not asked.
 */

#define nr_cpu_ids		NAME(nr_cpu_ids)

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <trace/events/sched.h>
/* of the series */
#if __has_include("linux/sched/rt_events.h")
#include <linux/sched/rt_events.h>
#endif

#include "test_cpupri.h"

unsigned int NAME(nr_cpu_ids);

static struct cpumask possible;
static struct task_struct *task;
static struct cpumask *caches;
static int cache_size;
static unsigned long now;

static void *arena_alloc(size_t size)
{
	struct test_cpupri *t = &NAME(unit);
	void *p = t->arena + t->used;

	size = ALIGN(size, TEST_CPUPRI_LINE);
	if (t->used + size > TEST_CPUPRI_ARENA)
		return NULL;
	t->used += size;
	memset(p, 0, size);
	return p;
}

static inline void *arena_zalloc(size_t size, gfp_t gfp)
{
	return arena_alloc(size);
}

static inline void *arena_zalloc_node(size_t size, gfp_t gfp, int node)
{
	return arena_alloc(size);
}

static inline void *arena_calloc(size_t n, size_t size, gfp_t gfp)
{
	return arena_alloc(size_mul(n, size));
}

static inline void arena_free(const void *p)
{
}

static inline int unit_node(int cpu)
{
	return NUMA_NO_NODE;
}

static inline const struct cpumask *unit_cache(int cpu)
{
	return &caches[cpu / cache_size];
}

/* From here on the machine is ours. */
#undef cpu_active_mask
#define cpu_active_mask		((const struct cpumask *)&possible)
#undef cpu_possible_mask
#define cpu_possible_mask	((const struct cpumask *)&possible)
#undef cpu_possible
#define cpu_possible(cpu)	cpumask_test_cpu(cpu, &possible)
#undef cpu_coregroup_mask
#define cpu_coregroup_mask	unit_cache
#undef cpu_to_node
#define cpu_to_node		unit_node
#undef jiffies
#define jiffies			READ_ONCE(now)
#undef kzalloc
#define kzalloc			arena_zalloc
#undef kcalloc
#define kcalloc			arena_calloc
#undef kzalloc_node
#define kzalloc_node		arena_zalloc_node
#undef kfree
#define kfree			arena_free

#define cpupri_find		NAME(find)
#define cpupri_find_fitness	NAME(find_fitness)
#define cpupri_set		NAME(set)
#define cpupri_init		NAME(init)
#define cpupri_cleanup		NAME(cleanup)

#include <cpupri.h>
#include <cpupri.c>

#ifdef TEST_CPUPRI_WORD
static struct cpupri_cpus found;
#else
static struct cpumask found;
#endif

static struct cpupri *cp;

static int prio_of(int level)
{
	if (level == CPUPRI_INVALID)
		return CPUPRI_INVALID;
	return level == CPUPRI_HIGHER ? MAX_RT_PRIO : MAX_RT_PRIO - 1 - level;
}

static bool unit_start(int cpus, int cache, int level)
{
	int cpu;

	if (cpus > BITS_PER_TYPE(struct cpumask))
		return false;
	NAME(unit).used = 0;
	nr_cpu_ids = cpus;
	cache_size = cache;
	now = 1000;
	cp = arena_alloc(sizeof(*cp));
	task = arena_alloc(sizeof(*task));
	caches = arena_alloc(DIV_ROUND_UP(cpus, cache) * sizeof(*caches));
	if (!cp || !task || !caches)
		return false;
	cpumask_clear(&possible);
	for (cpu = 0; cpu < cpus; cpu++) {
		__cpumask_set_cpu(cpu, &possible);
		__cpumask_set_cpu(cpu, &caches[cpu / cache]);
	}
	cpumask_copy(&task->cpus_mask, &possible);
	task->cpus_ptr = &task->cpus_mask;
	task->prio = prio_of(99);
	if (cpupri_init(cp))
		return false;
	for (cpu = 0; cpu < cpus; cpu++)
		cpupri_set(cp, cpu, prio_of(level));
	return true;
}

static void unit_set(int cpu, int level)
{
	cpupri_set(cp, cpu, prio_of(level));
}

static void unit_allow(int cpu, bool allowed)
{
	__assign_bit(cpu, cpumask_bits(&task->cpus_mask), allowed);
}

static void unit_from(int cpu)
{
	WRITE_ONCE(task_thread_info(task)->cpu, cpu);
}

static u64 unit_find(void)
{
	/* out of line, as for the kernel's callers */
	typeof(cpupri_find) *find = cpupri_find;
	u64 begin;

	OPTIMIZER_HIDE_VAR(find);
	begin = test_now();
	find(cp, task, &found);
	return test_now() - begin;
}

static u64 unit_time_set(int cpu, int level)
{
	typeof(cpupri_set) *set = cpupri_set;
	int prio = prio_of(level);
	u64 begin;

	OPTIMIZER_HIDE_VAR(set);
	begin = test_now();
	set(cp, cpu, prio);
	return test_now() - begin;
}

static u64 unit_nothing(void)
{
	u64 begin = test_now();

	barrier();
	return test_now() - begin;
}

static void unit_tick(void)
{
	WRITE_ONCE(now, now + 1);
}

struct test_cpupri NAME(unit) = {
	.start		= unit_start,
	.set		= unit_set,
	.allow		= unit_allow,
	.from		= unit_from,
	.find		= unit_find,
	.time_set	= unit_time_set,
	.nothing	= unit_nothing,
	.tick		= unit_tick,
};
