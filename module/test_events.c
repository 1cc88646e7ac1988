// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the series' tracepoints say of a situation whose threads, priorities and
 * CPU are known: how many events carry exactly these in their arguments.  Two
 * arguments that change places are found so, which no type can tell apart.  On
 * a kernel without the series there is nothing to count.
 */
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "rtmig_test.h"

#if __has_include("linux/sched/rt_events.h")
#include <linux/sched/rt_events.h>

static struct tracepoint *route_tp, *push_tp;

/* Set while nothing is attached, read by the handlers. */
static int want_cpu, want_prio_low, want_prio_high;
static atomic_t routes, pushes;

static bool wanted(int cpu, int prio)
{
	return cpu == want_cpu && prio >= want_prio_low &&
	       prio <= want_prio_high;
}

static void probe_route(void *data, int prio, int from, int to, int reason)
{
	if (wanted(from, prio) && to >= 0 && to < nr_cpu_ids)
		atomic_inc(&routes);
}

static void probe_push(void *data, int cpu, int prio, int to, int cause,
		       int outcome)
{
	if (outcome == SCHED_RT_PUSH_PUSHED && wanted(cpu, prio) &&
	    to != cpu && to >= 0 && to < nr_cpu_ids)
		atomic_inc(&pushes);
}

static void find(struct tracepoint *tp, void *unused)
{
	/* Check the handlers' types at build time. */
	check_trace_callback_type_sched_rt_route_tp(probe_route);
	check_trace_callback_type_sched_rt_push_tp(probe_push);

	if (!strcmp(tp->name, "sched_rt_route_tp"))
		route_tp = tp;
	if (!strcmp(tp->name, "sched_rt_push_tp"))
		push_tp = tp;
}

/**
 * test_events_start - count the events of threads that wake up
 * @cpu: the CPU that they ran on last
 * @low: their lowest priority, 1 to 99 as user space counts
 * @high: their highest
 *
 * Return: 0, or a negative error; nothing is counted then.
 */
int test_events_start(int cpu, int low, int high)
{
	int ret;

	want_cpu = cpu;
	want_prio_low = MAX_RT_PRIO - 1 - high;
	want_prio_high = MAX_RT_PRIO - 1 - low;
	atomic_set(&routes, 0);
	atomic_set(&pushes, 0);

	for_each_kernel_tracepoint(find, NULL);
	if (!route_tp || !push_tp)
		return -ENOENT;
	ret = tracepoint_probe_register(route_tp, probe_route, NULL);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(push_tp, probe_push, NULL);
	if (ret)
		tracepoint_probe_unregister(route_tp, probe_route, NULL);
	return ret;
}

/**
 * test_events_stop - end what test_events_start() began, with the result
 *
 * Results: route_events and push_events, over all rounds.
 */
void test_events_stop(void)
{
	tracepoint_probe_unregister(push_tp, probe_push, NULL);
	tracepoint_probe_unregister(route_tp, probe_route, NULL);
	tracepoint_synchronize_unregister();
	test_result("route_events %d\n", atomic_read(&routes));
	test_result("push_events %d\n", atomic_read(&pushes));
}

#else

int test_events_start(int cpu, int low, int high)
{
	return 0;
}

void test_events_stop(void)
{
}

#endif
