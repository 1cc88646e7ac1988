/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtmig.ko: what the scheduler decided for real-time tasks, in debugfs.
 *
 * probes.c attaches to tracepoints; its handlers count (counters.c) and
 * measure wake-up latency (latency.c).  main.c holds the module together and
 * makes the files.  Handlers run with preemption off, mostly with interrupts off
 * and often under a run queue lock: they take no lock, allocate nothing and
 * print nothing.
 */
#ifndef RTMIG_H
#define RTMIG_H

#include <linux/types.h>

struct seq_file;
struct task_struct;

/*
 * The numbers that the series' tracepoints report.  A kernel without the
 * series has no such header; the module then shows what is left.
 */
#if __has_include("linux/sched/rt_events.h")
# include <linux/sched/rt_events.h>
# define RTMIG_SERIES 1
#else
# define RTMIG_SERIES 0
#endif

/*
 * The format of stats, hist and version; changes when a key goes or means
 * something else, not with a new one.
 */
#define RTMIG_FORMAT	1

/**
 * enum rtmig_counter - the counters that every CPU has
 *
 * Each is an event on the CPU that it is counted on.  The order is that of
 * rtmig_counter_names[] and of the lines in stats.
 */
enum rtmig_counter {
	/* from stock tracepoints */
	RTMIG_RT_WAKEUPS,
	RTMIG_RT_SWITCHES,
	RTMIG_RT_MIGRATED_ASLEEP,
	RTMIG_RT_MIGRATED_QUEUED,
	RTMIG_LATENCY_COUNT,
	RTMIG_LATENCY_SUM_NS,
	RTMIG_LATENCY_LOST,
#if RTMIG_SERIES
	/* wake-ups by the reason of their route, and those that moved */
	RTMIG_ROUTE,
	RTMIG_ROUTE_MOVED = RTMIG_ROUTE + SCHED_RT_ROUTE_NR,
	/* tries to push by outcome, for each cause */
	RTMIG_PUSH = RTMIG_ROUTE_MOVED + SCHED_RT_ROUTE_NR,
	RTMIG_PULL = RTMIG_PUSH + SCHED_RT_PUSH_CAUSE_NR * SCHED_RT_PUSH_NR,
	RTMIG_PUSH_IPIS = RTMIG_PULL + SCHED_RT_PULL_NR,
	RTMIG_PUSH_IPIS_USEFUL,
	/* overloaded CPUs that a walk came to, by what it did about them */
	RTMIG_WALK,
	/* marks of overload, on whichever CPU holds the lock */
	RTMIG_OVERLOAD_SET = RTMIG_WALK + SCHED_RT_WALK_NR,
	RTMIG_OVERLOAD_CLEAR,
	RTMIG_CPUPRI,
	/* + enum sched_cpupri_find */
	RTMIG_CPUPRI_SCANS = RTMIG_CPUPRI + SCHED_CPUPRI_FIND_NR,
	RTMIG_CPUPRI_SWEEPS,
	RTMIG_CPUPRI_SWEPT,
	/* shortened requests of fair entities, those below groups also here */
	RTMIG_GRAN_SHORT,
	RTMIG_GRAN_SHORT_GROUP,
	/* those at the lower bound, and the sum of what was cut off */
	RTMIG_GRAN_MIN,
	RTMIG_GRAN_CUT_NS,
	/* the names of 2007 */
	RTMIG_RTO_PUSHED,
	RTMIG_RTO_WAKEUP,
	RTMIG_RTO_SCHEDULE_TAIL,
	RTMIG_RTO_PULLED,
	/* an argument that this module does not know or that is out of range */
	RTMIG_UNKNOWN,
#endif
	RTMIG_COUNTERS
};

int rtmig_counters_init(void);
void rtmig_counters_exit(void);
void rtmig_count(enum rtmig_counter c);
void rtmig_add(enum rtmig_counter c, u64 n);
void rtmig_counters_show(struct seq_file *m);
void rtmig_counters_reset(void);

int rtmig_latency_init(void);
void rtmig_latency_exit(void);
void rtmig_latency_waking(struct task_struct *p);
void rtmig_latency_switch_in(struct task_struct *p, bool rt);
void rtmig_latency_show_max(struct seq_file *m);
void rtmig_latency_show_hist(struct seq_file *m);
void rtmig_latency_reset(void);

int rtmig_probes_attach(void);
void rtmig_probes_detach(void);
void rtmig_probes_show_missing(struct seq_file *m);

#endif /* RTMIG_H */
