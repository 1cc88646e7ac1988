// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wake-up latency of real-time tasks: from sched_waking to the switch to the
 * task, in a log2 histogram of the CPU that it runs on.
 *
 * A waker leaves its time in a table indexed by pid.  Pid and time share one
 * 64-bit word, so that a slot is written, taken and compared in one step and
 * needs no order against anything else: a reader that finds another pid than
 * its own finds nothing.  Two tasks whose pids meet in one slot lose a sample,
 * which is counted.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include <asm/local64.h>

#include "rtmig.h"

/* 2^22 is the most that a pid can be; the rest of the word is 73 minutes. */
#define STAMP_PID_BITS	22
#define STAMP_NS_BITS	(64 - STAMP_PID_BITS)
#define STAMP_NS_MASK	GENMASK_ULL(STAMP_NS_BITS - 1, 0)

#define STAMP_SLOTS	4096

/* Bucket b holds 2^(b-1) to 2^b - 1 ns; the last one all that is longer. */
#define LATENCY_BUCKETS	34

struct rtmig_latency {
	local64_t bucket[LATENCY_BUCKETS];
	/* Written by handlers of this CPU only. */
	u64 max_ns;
	unsigned int max_epoch;
};

static atomic64_t *stamps;
static struct rtmig_latency __percpu *latency;

/* [cpu][bucket] at the last reset; under main.c's mutex */
static u64 (*latency_base)[LATENCY_BUCKETS];

/*
 * A maximum cannot be shown as a difference.  A reset starts a new epoch; a
 * handler that finds its maximum of an older one drops it, a reader ignores it.
 */
static unsigned int latency_epoch;

/**
 * rtmig_latency_waking - remember when a real-time task was woken
 * @p: the task
 *
 * A task that is still queued goes on, as a rule: no switch would end the
 * interval, and its next one would be measured far too long.  One that is about
 * to be dequeued is passed over with it, rarely.
 *
 * Context: preemption off.
 */
void rtmig_latency_waking(struct task_struct *p)
{
	u64 stamp, old;

	if (READ_ONCE(p->on_rq))
		return;

	stamp = (u64)p->pid << STAMP_NS_BITS |
		(ktime_get_mono_fast_ns() & STAMP_NS_MASK);
	old = atomic64_xchg(&stamps[p->pid % STAMP_SLOTS], stamp);
	if (old && old >> STAMP_NS_BITS != p->pid)
		rtmig_count(RTMIG_LATENCY_LOST);
}

/**
 * rtmig_latency_switch_in - a task starts to run
 * @p: the task
 * @rt: it is a real-time task; of another, which was boosted when it was woken,
 *	only the stamp is taken away, or a later boost would find it
 *
 * Context: the run queue lock of this CPU held, interrupts off.
 */
void rtmig_latency_switch_in(struct task_struct *p, bool rt)
{
	atomic64_t *slot = &stamps[p->pid % STAMP_SLOTS];
	struct rtmig_latency *l = this_cpu_ptr(latency);
	u64 stamp = atomic64_read(slot);
	unsigned int epoch;
	u64 ns;

	if (!stamp || stamp >> STAMP_NS_BITS != p->pid)
		return;
	/* A collision may have replaced it just now; that one is not ours. */
	if (atomic64_cmpxchg(slot, stamp, 0) != stamp || !rt)
		return;

	/* The fast clock may step back a little while it is adjusted. */
	ns = (ktime_get_mono_fast_ns() - stamp) & STAMP_NS_MASK;
	if (ns >> (STAMP_NS_BITS - 1))
		ns = 0;
	local64_inc(&l->bucket[min(fls64(ns), LATENCY_BUCKETS - 1)]);
	rtmig_count(RTMIG_LATENCY_COUNT);
	rtmig_add(RTMIG_LATENCY_SUM_NS, ns);

	epoch = READ_ONCE(latency_epoch);
	if (l->max_epoch != epoch || l->max_ns < ns) {
		WRITE_ONCE(l->max_ns, ns);
		/*
		 * Pairs with the acquire in rtmig_latency_show_max(): not to
		 * happen is the new epoch read with a maximum of the old one.
		 */
		smp_store_release(&l->max_epoch, epoch);
	}
}

/**
 * rtmig_latency_show_max - print the longest latency since the last reset
 * @m: where to, a line "cpuN latency_max_ns value" each
 *
 * Context: process, under the mutex that serialises it with a reset.
 */
void rtmig_latency_show_max(struct seq_file *m)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rtmig_latency *l = per_cpu_ptr(latency, cpu);
		u64 max = 0;

		/* Pairs with the release in rtmig_latency_switch_in(). */
		if (smp_load_acquire(&l->max_epoch) == latency_epoch)
			max = READ_ONCE(l->max_ns);
		seq_printf(m, "cpu%d latency_max_ns %llu\n", cpu, max);
	}
}

/**
 * rtmig_latency_show_hist - print the histograms since the last reset
 * @m: where to, a line "cpuN ns count" for each bucket that is not empty; ns
 *     is the least that falls into it
 *
 * Context: process, under the mutex that serialises it with a reset.
 */
void rtmig_latency_show_hist(struct seq_file *m)
{
	int cpu, b;

	for_each_possible_cpu(cpu) {
		struct rtmig_latency *l = per_cpu_ptr(latency, cpu);

		for (b = 0; b < LATENCY_BUCKETS; b++) {
			u64 n = local64_read(&l->bucket[b]) -
				latency_base[cpu][b];

			if (n)
				seq_printf(m, "cpu%d %llu %llu\n", cpu,
					   b ? BIT_ULL(b - 1) : 0ULL, n);
		}
	}
}

/**
 * rtmig_latency_reset - let histograms and maxima start from zero
 *
 * Context: process, under the mutex that serialises it with readers.
 */
void rtmig_latency_reset(void)
{
	int cpu, b;

	for_each_possible_cpu(cpu) {
		struct rtmig_latency *l = per_cpu_ptr(latency, cpu);

		for (b = 0; b < LATENCY_BUCKETS; b++)
			latency_base[cpu][b] = local64_read(&l->bucket[b]);
	}
	WRITE_ONCE(latency_epoch, latency_epoch + 1);
}

/**
 * rtmig_latency_init - allocate the table and the histograms
 *
 * Return: 0, or -ENOMEM.
 */
int rtmig_latency_init(void)
{
	stamps = vzalloc(array_size(STAMP_SLOTS, sizeof(*stamps)));
	latency = alloc_percpu(struct rtmig_latency);
	latency_base = kvcalloc(nr_cpu_ids, sizeof(*latency_base), GFP_KERNEL);
	if (!stamps || !latency || !latency_base) {
		rtmig_latency_exit();
		return -ENOMEM;
	}
	return 0;
}

/**
 * rtmig_latency_exit - free all of it, when no handler is left
 */
void rtmig_latency_exit(void)
{
	kvfree(latency_base);
	free_percpu(latency);
	vfree(stamps);
}
