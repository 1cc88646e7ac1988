// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU counters.  Only handlers change them, each those of the CPU that it
 * runs on, with preemption off.  A reset changes none: it remembers where they
 * stood, and readers show the difference, so that no event is lost or counted
 * twice.
 */
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <asm/local64.h>

#include "rtmig.h"

struct rtmig_counters {
	local64_t value[RTMIG_COUNTERS];
};

static struct rtmig_counters __percpu *counters;

/* [cpu][counter] at the last reset; under main.c's mutex */
static u64 (*counters_base)[RTMIG_COUNTERS];

static const char * const rtmig_counter_names[RTMIG_COUNTERS] = {
	[RTMIG_RT_WAKEUPS]		= "rt_wakeups",
	[RTMIG_RT_SWITCHES]		= "rt_switches",
	[RTMIG_RT_MIGRATED_ASLEEP]	= "rt_migrated_asleep",
	[RTMIG_RT_MIGRATED_QUEUED]	= "rt_migrated_queued",
	[RTMIG_LATENCY_COUNT]		= "latency_count",
	[RTMIG_LATENCY_SUM_NS]		= "latency_sum_ns",
	[RTMIG_LATENCY_LOST]		= "latency_lost",
#if RTMIG_SERIES
#define ROUTE(id, name)						\
	[RTMIG_ROUTE + SCHED_RT_ROUTE_##id] = "route_" name,	\
	[RTMIG_ROUTE_MOVED + SCHED_RT_ROUTE_##id] = "route_" name "_moved"
	ROUTE(PREV, "prev"),
	ROUTE(CURR, "curr"),
	ROUTE(CAPACITY, "capacity"),
	ROUTE(QUEUED, "queued"),
	ROUTE(DL, "dl"),
	ROUTE(PINNED, "pinned"),
#define PUSH(cause, id, name)						\
	[RTMIG_PUSH + SCHED_RT_PUSH_##cause * SCHED_RT_PUSH_NR +	\
	 SCHED_RT_PUSH_##id] = "push_" name
#define PUSHES(cause, name)				\
	PUSH(cause, PUSHED, name "_pushed"),		\
	PUSH(cause, NO_CPU, name "_no_cpu"),		\
	PUSH(cause, GONE, name "_gone"),		\
	PUSH(cause, RESCHED, name "_resched"),		\
	PUSH(cause, PINNED, name "_pinned"),		\
	PUSH(cause, STOPPER, name "_stopper")
	PUSHES(WAKEUP, "wakeup"),
	PUSHES(SCHEDULE, "schedule"),
	PUSHES(IPI, "ipi"),
#define PULL(id, name)	\
	[RTMIG_PULL + SCHED_RT_PULL_##id] = "pull_" name
	PULL(PULLED, "pulled"),
	PULL(LOWER, "lower"),
	PULL(NOTHING, "nothing"),
	PULL(STOPPER, "stopper"),
	PULL(WALK, "walk"),
	PULL(NO_WALK, "no_walk"),
	[RTMIG_PUSH_IPIS]		= "push_ipis",
	[RTMIG_PUSH_IPIS_USEFUL]	= "push_ipis_useful",
#define WALK(id, name)	\
	[RTMIG_WALK + SCHED_RT_WALK_##id] = "walk_" name
	WALK(ASKED, "asked"),
	WALK(LOWER, "lower"),
	WALK(RESCHED, "resched"),
	WALK(PASSED, "passed"),
	WALK(PINNED, "pinned"),
	[RTMIG_OVERLOAD_SET]		= "overload_set",
	[RTMIG_OVERLOAD_CLEAR]		= "overload_clear",
#define CPUPRI(id, name)	\
	[RTMIG_CPUPRI + SCHED_CPUPRI_##id] = "cpupri_" name
	CPUPRI(NEAR, "near"),
	CPUPRI(FAR, "far"),
	CPUPRI(RT, "rt"),
	CPUPRI(NONE, "none"),
	[RTMIG_CPUPRI_SCANS]		= "cpupri_scans",
	[RTMIG_CPUPRI_SWEEPS]		= "cpupri_sweeps",
	[RTMIG_CPUPRI_SWEPT]		= "cpupri_swept",
	[RTMIG_GRAN_SHORT]		= "gran_short",
	[RTMIG_GRAN_SHORT_GROUP]	= "gran_short_group",
	[RTMIG_GRAN_MIN]		= "gran_min",
	[RTMIG_GRAN_CUT_NS]		= "gran_cut_ns",
	[RTMIG_RTO_PUSHED]		= "rto_pushed",
	[RTMIG_RTO_WAKEUP]		= "rto_wakeup",
	[RTMIG_RTO_SCHEDULE_TAIL]	= "rto_schedule_tail",
	[RTMIG_RTO_PULLED]		= "rto_pulled",
	[RTMIG_UNKNOWN]			= "unknown",
#endif
};

/**
 * rtmig_count - count one event on this CPU
 * @c: which
 *
 * Context: preemption off; any, NMI excepted.
 */
void rtmig_count(enum rtmig_counter c)
{
	local64_inc(&this_cpu_ptr(counters)->value[c]);
}

/**
 * rtmig_add - add to a counter of this CPU
 * @c: which
 * @n: how much, in the counter's unit
 *
 * Context: preemption off; any, NMI excepted.
 */
void rtmig_add(enum rtmig_counter c, u64 n)
{
	local64_add(n, &this_cpu_ptr(counters)->value[c]);
}

static u64 rtmig_value(int cpu, int c)
{
	return local64_read(&per_cpu_ptr(counters, cpu)->value[c]);
}

/**
 * rtmig_counters_show - print every counter since the last reset
 * @m: where to, a line "cpuN key value" each
 *
 * Context: process, under the mutex that serialises it with a reset.
 */
void rtmig_counters_show(struct seq_file *m)
{
	int cpu, c;

	for_each_possible_cpu(cpu)
		for (c = 0; c < RTMIG_COUNTERS; c++)
			seq_printf(m, "cpu%d %s %llu\n", cpu,
				   rtmig_counter_names[c],
				   rtmig_value(cpu, c) - counters_base[cpu][c]);
}

/**
 * rtmig_counters_reset - let every counter show zero
 *
 * Context: process, under the mutex that serialises it with readers.
 */
void rtmig_counters_reset(void)
{
	int cpu, c;

	for_each_possible_cpu(cpu)
		for (c = 0; c < RTMIG_COUNTERS; c++)
			counters_base[cpu][c] = rtmig_value(cpu, c);
}

/**
 * rtmig_counters_init - allocate the counters
 *
 * Return: 0, or -ENOMEM.
 */
int rtmig_counters_init(void)
{
	counters = alloc_percpu(struct rtmig_counters);
	if (!counters)
		return -ENOMEM;
	counters_base = kvcalloc(nr_cpu_ids, sizeof(*counters_base),
				 GFP_KERNEL);
	if (!counters_base) {
		free_percpu(counters);
		return -ENOMEM;
	}
	return 0;
}

/**
 * rtmig_counters_exit - free the counters, when no handler is left
 */
void rtmig_counters_exit(void)
{
	kvfree(counters_base);
	free_percpu(counters);
}
