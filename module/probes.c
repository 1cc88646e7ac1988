// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers, and the tracepoints that they are attached to.
 *
 * Not every tracepoint of the scheduler is exported, so all are found by name.
 * tracepoint_probe_register() takes a void pointer and checks no types; the
 * inline function that each tracepoint declares for it does, at build time:
 * a kernel whose tracepoint has other arguments fails to build this file.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "rtmig.h"

static bool rtmig_is_rt(struct task_struct *p)
{
	/* rt_task() took deadline tasks for real-time ones before 6.12. */
	return p->prio >= 0 && p->prio < MAX_RT_PRIO;
}

static void probe_waking(void *data, struct task_struct *p)
{
	if (!rtmig_is_rt(p))
		return;
	rtmig_count(RTMIG_RT_WAKEUPS);
	rtmig_latency_waking(p);
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	bool rt = rtmig_is_rt(next);

	if (rt)
		rtmig_count(RTMIG_RT_SWITCHES);
	rtmig_latency_switch_in(next, rt);
}

static void probe_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	if (!rtmig_is_rt(p))
		return;
	rtmig_count(READ_ONCE(p->on_rq) ? RTMIG_RT_MIGRATED_QUEUED :
					  RTMIG_RT_MIGRATED_ASLEEP);
}

#if RTMIG_SERIES
/*
 * Is @value one of 0 to @nr - 1?  If not, the series is newer than this module,
 * or a tracepoint's arguments are in another order.
 */
static bool rtmig_known(int value, int nr)
{
	if (value >= 0 && value < nr)
		return true;
	rtmig_count(RTMIG_UNKNOWN);
	return false;
}

static void probe_route(void *data, int prio, int from, int to, int reason)
{
	if (!rtmig_known(prio, MAX_RT_PRIO) || !rtmig_known(from, nr_cpu_ids) ||
	    !rtmig_known(to, nr_cpu_ids) ||
	    !rtmig_known(reason, SCHED_RT_ROUTE_NR))
		return;
	rtmig_count(RTMIG_ROUTE + reason);
	if (from != to)
		rtmig_count(RTMIG_ROUTE_MOVED + reason);
}

static void probe_push(void *data, int cpu, int prio, int to, int cause,
		       int outcome)
{
	/* A task that has gone may be of any priority. */
	if (!rtmig_known(cpu, nr_cpu_ids) ||
	    !rtmig_known(to + 1, nr_cpu_ids + 1) ||
	    !rtmig_known(cause, SCHED_RT_PUSH_CAUSE_NR) ||
	    !rtmig_known(outcome, SCHED_RT_PUSH_NR) ||
	    (outcome != SCHED_RT_PUSH_GONE && !rtmig_known(prio, MAX_RT_PRIO)))
		return;
	rtmig_count(RTMIG_PUSH + cause * SCHED_RT_PUSH_NR + outcome);
	if (cause == SCHED_RT_PUSH_WAKEUP)
		rtmig_count(RTMIG_RTO_WAKEUP);
	if (cause == SCHED_RT_PUSH_SCHEDULE)
		rtmig_count(RTMIG_RTO_SCHEDULE_TAIL);
	if (outcome == SCHED_RT_PUSH_PUSHED)
		rtmig_count(RTMIG_RTO_PUSHED);
}

static void probe_push_ipi(void *data, int cpu, int pushed)
{
	if (cpu != smp_processor_id()) {
		rtmig_count(RTMIG_UNKNOWN);
		return;
	}
	rtmig_count(RTMIG_PUSH_IPIS);
	if (pushed)
		rtmig_count(RTMIG_PUSH_IPIS_USEFUL);
}

static void probe_pull(void *data, int cpu, int prio, int from, int outcome)
{
	if (!rtmig_known(cpu, nr_cpu_ids) || !rtmig_known(prio, MAX_RT_PRIO) ||
	    !rtmig_known(from + 1, nr_cpu_ids + 1) ||
	    !rtmig_known(outcome, SCHED_RT_PULL_NR))
		return;
	rtmig_count(RTMIG_PULL + outcome);
	if (outcome == SCHED_RT_PULL_PULLED)
		rtmig_count(RTMIG_RTO_PULLED);
}

static void probe_walk(void *data, int cpu, int prio, int outcome)
{
	if (!rtmig_known(cpu, nr_cpu_ids) || !rtmig_known(prio, MAX_RT_PRIO) ||
	    !rtmig_known(outcome, SCHED_RT_WALK_NR))
		return;
	rtmig_count(RTMIG_WALK + outcome);
}

static void probe_overload(void *data, int cpu, int overloaded)
{
	if (!rtmig_known(cpu, nr_cpu_ids))
		return;
	rtmig_count(overloaded ? RTMIG_OVERLOAD_SET : RTMIG_OVERLOAD_CLEAR);
}

static void probe_cpupri_find(void *data, int cpu, int prio, int outcome,
			      int scans)
{
	if (!rtmig_known(cpu, nr_cpu_ids) || !rtmig_known(prio, MAX_RT_PRIO) ||
	    !rtmig_known(outcome, SCHED_CPUPRI_FIND_NR))
		return;
	rtmig_count(RTMIG_CPUPRI + outcome);
	rtmig_add(RTMIG_CPUPRI_SCANS, scans);
}

static void probe_cpupri_sweep(void *data, int cpu, int levels)
{
	if (!rtmig_known(cpu, nr_cpu_ids) || !rtmig_known(levels, MAX_RT_PRIO))
		return;
	rtmig_count(RTMIG_CPUPRI_SWEEPS);
	rtmig_add(RTMIG_CPUPRI_SWEPT, levels);
}

static void probe_gran(void *data, int cpu, int level, int nr, u64 slice_ns,
		       u64 gran_ns)
{
	/* three and more compete, and something is cut off */
	if (!rtmig_known(cpu, nr_cpu_ids) || !rtmig_known(nr - 3, INT_MAX) ||
	    !rtmig_known(gran_ns < slice_ns ? 0 : -1, 1))
		return;
	rtmig_count(RTMIG_GRAN_SHORT);
	if (level)
		rtmig_count(RTMIG_GRAN_SHORT_GROUP);
	if (gran_ns <= slice_ns / 4)
		rtmig_count(RTMIG_GRAN_MIN);
	rtmig_add(RTMIG_GRAN_CUT_NS, slice_ns - gran_ns);
}
#endif /* RTMIG_SERIES */

struct rtmig_probe {
	const char *name;
	void *handler;
	struct tracepoint *tp;
	bool attached;
};

#define PROBE(_name, _handler)	{ .name = #_name, .handler = _handler }

static struct rtmig_probe rtmig_probes[] = {
	PROBE(sched_waking, probe_waking),
	PROBE(sched_switch, probe_switch),
	PROBE(sched_migrate_task, probe_migrate),
#if RTMIG_SERIES
	PROBE(sched_rt_route_tp, probe_route),
	PROBE(sched_rt_push_tp, probe_push),
	PROBE(sched_rt_push_ipi_tp, probe_push_ipi),
	PROBE(sched_rt_pull_tp, probe_pull),
	PROBE(sched_rt_walk_tp, probe_walk),
	PROBE(sched_rt_overload_tp, probe_overload),
	PROBE(sched_cpupri_find_tp, probe_cpupri_find),
	PROBE(sched_cpupri_sweep_tp, probe_cpupri_sweep),
	PROBE(sched_fair_gran_tp, probe_gran),
#else
	PROBE(sched_rt_route_tp, NULL),
	PROBE(sched_rt_push_tp, NULL),
	PROBE(sched_rt_push_ipi_tp, NULL),
	PROBE(sched_rt_pull_tp, NULL),
	PROBE(sched_rt_walk_tp, NULL),
	PROBE(sched_rt_overload_tp, NULL),
	PROBE(sched_cpupri_find_tp, NULL),
	PROBE(sched_cpupri_sweep_tp, NULL),
	PROBE(sched_fair_gran_tp, NULL),
#endif
};

/* Never called: the types of all handlers, checked by the compiler. */
static void __maybe_unused rtmig_check_types(void)
{
	check_trace_callback_type_sched_waking(probe_waking);
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_migrate_task(probe_migrate);
#if RTMIG_SERIES
	check_trace_callback_type_sched_rt_route_tp(probe_route);
	check_trace_callback_type_sched_rt_push_tp(probe_push);
	check_trace_callback_type_sched_rt_push_ipi_tp(probe_push_ipi);
	check_trace_callback_type_sched_rt_pull_tp(probe_pull);
	check_trace_callback_type_sched_rt_walk_tp(probe_walk);
	check_trace_callback_type_sched_rt_overload_tp(probe_overload);
	check_trace_callback_type_sched_cpupri_find_tp(probe_cpupri_find);
	check_trace_callback_type_sched_cpupri_sweep_tp(probe_cpupri_sweep);
	check_trace_callback_type_sched_fair_gran_tp(probe_gran);
#endif
}

static void rtmig_find(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rtmig_probes); i++)
		if (!strcmp(tp->name, rtmig_probes[i].name))
			rtmig_probes[i].tp = tp;
}

/**
 * rtmig_probes_attach - attach every handler whose tracepoint exists
 *
 * A tracepoint that this kernel lacks is no error; see
 * rtmig_probes_show_missing().
 *
 * Return: 0, or the error of an attachment; nothing is attached then.
 */
int rtmig_probes_attach(void)
{
	int i, ret;

	for_each_kernel_tracepoint(rtmig_find, NULL);

	for (i = 0; i < ARRAY_SIZE(rtmig_probes); i++) {
		struct rtmig_probe *p = &rtmig_probes[i];

		if (!p->tp || !p->handler)
			continue;
		ret = tracepoint_probe_register(p->tp, p->handler, NULL);
		if (ret) {
			pr_err("cannot attach to %s: %d\n", p->name, ret);
			rtmig_probes_detach();
			return ret;
		}
		p->attached = true;
	}
	return 0;
}

/**
 * rtmig_probes_detach - detach all handlers and wait for those that run
 *
 * Context: process; sleeps.
 */
void rtmig_probes_detach(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rtmig_probes); i++) {
		struct rtmig_probe *p = &rtmig_probes[i];

		if (p->attached)
			tracepoint_probe_unregister(p->tp, p->handler, NULL);
		p->attached = false;
	}
	tracepoint_synchronize_unregister();
}

/**
 * rtmig_probes_show_missing - name the tracepoints that are not attached
 * @m: where to, a line "missing NAME" each
 */
void rtmig_probes_show_missing(struct seq_file *m)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rtmig_probes); i++)
		if (!rtmig_probes[i].attached)
			seq_printf(m, "missing %s\n", rtmig_probes[i].name);
}
