// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are the priorities kept?  For any load, also of user space: a violation is a
 * real-time task that is runnable and waits while a CPU that it may use runs
 * something lower, be that a real-time task of a lower priority, a fair one or
 * the idle task.  What LTP's sched_football asks of a whole game, asked every few
 * microseconds of each task.
 *
 * Handlers keep who waits and what each CPU runs.  A hard timer on CPU 0 looks at
 * both and judges: a violation lasts from the first look that finds it to the
 * last, and as far beyond as the times of the switches tell; where they do not,
 * as after a change of an affinity, it is known to one period.  Shorter ones than
 * a period may go unseen.  With check-start and check-stop around it this judges
 * any load.
 *
 * What counts, and what does not:
 * - Priority, affinity and migrate_disable() of a waiter are read when it is
 *   judged, and so is the priority of what runs; the one inherited through a
 *   lock is the one that counts.  A migration-disabled waiter may use its own
 *   CPU only.
 * - Short waits are violations as well: an interrupt woke the task, and the CPU
 *   did not switch to it yet.  Judge the length.
 * - A fair task that the fair server runs is lower, but for soak, which asks whether
 *   push and pull do their work, and where it is what the scheduler takes it for: a
 *   deadline task.  Such is higher, and is not judged when it waits.
 * - Tasks that wait when the check begins, and those that become real-time
 *   while they wait other than by inheritance, count from when they next wait.
 * - CPUs that are not active, and those where nothing was switched since they
 *   came, are nobody's.  Isolation and cpusets count as far as they are in the
 *   task's mask; RT throttling is a violation.
 *
 * Handlers run with interrupts off, those that change the table of waiters under
 * the lock of the run queue that the task is on: a task's changes come one after
 * the other.  They take no lock.  Neither does the judge, and it takes no
 * reference on a task: one that is in the table has to run before it can die,
 * which takes it out; one that a CPU runs has to be switched away from.  The grace
 * period that is waited for before a task is freed begins after that, and
 * does not end while the judge has interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

#include <trace/events/sched.h>

#include "rtmig_test.h"

#define CHECK_BITS	9
#define CHECK_SLOTS	BIT(CHECK_BITS)
/* A task is in one of so many slots from that of its hash on. */
#define CHECK_WINDOW	16
#define CHECK_SAMPLES	65536

/**
 * struct check_wait - a task that waits, written by handlers
 * @task: the task; NULL while the slot is free
 * @since_ns: since when it waits; 0 while that is not valid
 * @left_ns: when the last one in this slot ran
 */
struct check_wait {
	struct task_struct *task;
	u64 since_ns;
	u64 left_ns;
};

/* Who, for the report */
struct check_who {
	char comm[TASK_COMM_LEN];
	int prio;
	int cpu;
};

/**
 * struct check_judged - what the judge knows of a slot
 * @since_ns: the wait that it has looked at last
 * @begin_ns: begin of the violation that goes on; 0 if none does
 * @cpu: the CPU that ran the lowest at the last look
 * @waiter: who waits
 * @holder: what that CPU ran at the first look
 */
struct check_judged {
	u64 since_ns;
	u64 begin_ns;
	int cpu;
	struct check_who waiter;
	struct check_who holder;
};

/* What a CPU runs: written by its handlers, and read by the judge */
struct check_cpu {
	struct task_struct *task;
	u64 since_ns;
};

static DEFINE_PER_CPU(struct check_cpu, check_cpus);

static struct check {
	struct hrtimer timer;
	u64 period_ns;
	bool servers;
	u64 last_ns;
	u64 gap_ns;
	u64 max_ns;
	u64 looks;
	atomic_t lost;
	struct check_who waiter;
	struct check_who holder;
	struct test_samples lengths;
	DECLARE_BITMAP(waiting, CHECK_SLOTS);
	DECLARE_BITMAP(violated, CHECK_SLOTS);
	struct check_wait waits[CHECK_SLOTS];
	struct check_judged judged[CHECK_SLOTS];
} *check;

/* The idle task's own priority is that of a fair one. */
static int check_prio(struct task_struct *p)
{
	return is_idle_task(p) ? MAX_PRIO : READ_ONCE(p->prio);
}

/* What @p, which runs, is for those that wait; -1 is above them all. */
static int check_curr_prio(struct task_struct *p)
{
	/* Linux 6.8 brought the member, and 6.12 the fair server. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	if (check->servers && READ_ONCE(p->dl_server))
		return -1;
#endif
	return check_prio(p);
}

static bool check_is_rt(struct task_struct *p)
{
	int prio = READ_ONCE(p->prio);

	return prio >= 0 && prio < MAX_RT_PRIO;
}

/* @p is what its CPU runs; the run queue is locked, or the answer may be old. */
static bool check_runs(struct task_struct *p)
{
#ifdef CONFIG_SMP
	return READ_ONCE(p->on_cpu);
#else
	return p == current;
#endif
}

/* The CPU that @p has to stay on by migrate_disable(), or -1 */
static int check_kept(struct task_struct *p)
{
#ifdef CONFIG_SMP
	if (READ_ONCE(p->migration_disabled))
		return task_cpu(p);
#endif
	return -1;
}

static unsigned int check_slot(struct task_struct *p, int i)
{
	return (hash_ptr(p, CHECK_BITS) + i) % CHECK_SLOTS;
}

/* @p waits; its run queue is locked. */
static void check_wait_begin(struct task_struct *p)
{
	unsigned int slot;
	int i;

	for (i = 0; i < CHECK_WINDOW; i++)
		if (READ_ONCE(check->waits[check_slot(p, i)].task) == p)
			return;
	for (i = 0; i < CHECK_WINDOW; i++) {
		slot = check_slot(p, i);
		if (cmpxchg(&check->waits[slot].task, NULL, p))
			continue;
		/*
		 * Pairs with the acquire in check_look(): not to happen is a
		 * valid time without the task that it belongs to.
		 */
		smp_store_release(&check->waits[slot].since_ns, test_now());
		set_bit(slot, check->waiting);
		return;
	}
	atomic_inc(&check->lost);
}

/* @p runs; its run queue is locked. */
static void check_wait_end(struct task_struct *p)
{
	struct check_wait *w;
	unsigned int slot;
	int i;

	for (i = 0; i < CHECK_WINDOW; i++) {
		slot = check_slot(p, i);
		w = &check->waits[slot];
		if (READ_ONCE(w->task) != p)
			continue;
		WRITE_ONCE(w->left_ns, test_now());
		WRITE_ONCE(w->since_ns, 0);
		clear_bit(slot, check->waiting);
		/*
		 * Pairs with the cmpxchg() of whoever takes the slot: not to
		 * happen is that this clears the time or bit of that one.
		 */
		smp_store_release(&w->task, NULL);
		return;
	}
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct check_cpu *c = this_cpu_ptr(&check_cpus);

	check_wait_end(next);
	WRITE_ONCE(c->since_ns, test_now());
	WRITE_ONCE(c->task, next);
	if (check_is_rt(prev) && READ_ONCE(prev->on_rq))
		check_wait_begin(prev);
}

static void probe_wakeup(void *data, struct task_struct *p)
{
	/* One that was woken before it came to sleep goes on. */
	if (check_is_rt(p) && !check_runs(p))
		check_wait_begin(p);
}

static void probe_boost(void *data, struct task_struct *p,
			struct task_struct *top)
{
	if (top && check_is_rt(top) && READ_ONCE(p->on_rq) && !check_runs(p))
		check_wait_begin(p);
}

/* The first one empties the table, and has to see every switch. */
static struct test_probe check_probes[] = {
	{ "sched_switch", probe_switch },
	{ "sched_wakeup", probe_wakeup },
	{ "sched_wakeup_new", probe_wakeup },
	{ "sched_pi_setprio", probe_boost },
};

/* Never called: the types of all handlers, checked by the compiler. */
static void __maybe_unused check_check_types(void)
{
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_wakeup(probe_wakeup);
	check_trace_callback_type_sched_wakeup_new(probe_wakeup);
	check_trace_callback_type_sched_pi_setprio(probe_boost);
}

static void check_note(struct check_who *who, struct task_struct *p, int cpu)
{
	strscpy(who->comm, p->comm, sizeof(who->comm));
	who->prio = check_prio(p);
	who->cpu = cpu;
}

/* The violation of a slot has ended. */
static void check_close(unsigned int slot, u64 end_ns)
{
	struct check_judged *j = &check->judged[slot];
	u64 ns = end_ns > j->begin_ns ? end_ns - j->begin_ns : 0;

	test_samples_add(&check->lengths, ns);
	if (ns > check->max_ns) {
		check->max_ns = ns;
		check->waiter = j->waiter;
		check->holder = j->holder;
	}
	j->begin_ns = 0;
	__clear_bit(slot, check->violated);
}

/*
 * Which of the CPUs that @p may use runs the lowest task below it, and since
 * when one of them runs something below it; -1 if none does.
 */
static int check_lowest(struct task_struct *p, int prio, u64 *since_ns)
{
	const struct cpumask *allowed = READ_ONCE(p->cpus_ptr);
	int cpu, lowest = -1, kept = check_kept(p), lowest_prio = prio;

	*since_ns = U64_MAX;
	for_each_cpu_and(cpu, allowed, cpu_active_mask) {
		struct check_cpu *c = per_cpu_ptr(&check_cpus, cpu);
		struct task_struct *curr = READ_ONCE(c->task);
		int curr_prio = curr ? check_curr_prio(curr) : -1;

		if (curr_prio <= prio || (kept >= 0 && cpu != kept))
			continue;
		*since_ns = min(*since_ns, READ_ONCE(c->since_ns));
		if (curr_prio > lowest_prio) {
			lowest_prio = curr_prio;
			lowest = cpu;
		}
	}
	return lowest;
}

/* Look at one slot, at the time @now_ns. */
static void check_look(unsigned int slot, u64 now_ns)
{
	struct check_wait *w = &check->waits[slot];
	struct check_judged *j = &check->judged[slot];
	/* Pairs with the release in check_wait_begin(). */
	u64 since_ns = smp_load_acquire(&w->since_ns), from_ns, end_ns;
	struct task_struct *p = READ_ONCE(w->task);
	int cpu = -1, prio;

	if (since_ns && p) {
		prio = READ_ONCE(p->prio);
		if (prio >= 0 && prio < MAX_RT_PRIO && READ_ONCE(p->on_rq) &&
		    !check_runs(p))
			cpu = check_lowest(p, prio, &from_ns);
		/* It ran meanwhile, or its slot is another one's. */
		if (READ_ONCE(w->since_ns) != since_ns)
			since_ns = 0;
	}

	if (j->begin_ns && j->since_ns != since_ns) {
		/* It has run, but not before the last look. */
		end_ns = READ_ONCE(w->left_ns);
		check_close(slot, clamp(end_ns, check->last_ns, now_ns));
	} else if (j->begin_ns && cpu < 0) {
		/* What held the CPU has left it, or the task's mask changed. */
		end_ns = READ_ONCE(per_cpu_ptr(&check_cpus, j->cpu)->since_ns);
		check_close(slot, clamp(end_ns, check->last_ns, now_ns));
	}
	if (since_ns && cpu >= 0) {
		if (!j->begin_ns) {
			from_ns = max(from_ns, since_ns);
			/* It was looked at, and in order. */
			if (j->since_ns == since_ns)
				from_ns = max(from_ns, check->last_ns);
			j->begin_ns = from_ns;
			check_note(&j->waiter, p, task_cpu(p));
			p = READ_ONCE(per_cpu_ptr(&check_cpus, cpu)->task);
			check_note(&j->holder, p, cpu);
			__set_bit(slot, check->violated);
		}
		j->cpu = cpu;
	}
	j->since_ns = since_ns;
}

static enum hrtimer_restart check_fire(struct hrtimer *timer)
{
	u64 now_ns = test_now(), next_ns = check->period_ns;
	unsigned int slot;

	for_each_or_bit(slot, check->waiting, check->violated, CHECK_SLOTS)
		check_look(slot, now_ns);
	if (check->looks++)
		check->gap_ns = max(check->gap_ns, now_ns - check->last_ns);
	check->last_ns = now_ns;
	/*
	 * From the end of this look on, and longer if it came late: on a
	 * machine that cannot keep pace the interrupt would not end.
	 */
	if (now_ns - ktime_to_ns(hrtimer_get_expires(timer)) > next_ns)
		next_ns *= 4;
	hrtimer_set_expires(timer, ktime_add_ns(hrtimer_cb_get_time(timer),
						next_ns));
	return HRTIMER_RESTART;
}

static void check_cpu_init(void *unused)
{
	struct check_cpu *c = this_cpu_ptr(&check_cpus);

	WRITE_ONCE(c->since_ns, test_now());
	WRITE_ONCE(c->task, current);
}

/**
 * test_check_start - begin to look for violations
 * @period_ns: from one look to the next
 * @servers: a fair task that the fair server runs is higher
 *
 * Context: process, under the mutex of run; sleeps.
 *
 * Return: 0, -EBUSY if a check is on, or another negative error; nothing is left
 * then.
 */
int test_check_start(u64 period_ns, bool servers)
{
	int cpu, ret;

	if (check) {
		pr_err("a check is on already\n");
		return -EBUSY;
	}
	check = kvzalloc(sizeof(*check), GFP_KERNEL);
	if (!check)
		return -ENOMEM;
	ret = test_samples_init(&check->lengths, CHECK_SAMPLES);
	if (ret)
		goto out_free;
	check->period_ns = period_ns;
	check->servers = servers;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&check_cpus, cpu), 0,
		       sizeof(struct check_cpu));
	hrtimer_init(&check->timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_PINNED_HARD);
	check->timer.function = check_fire;
	ret = test_probes_attach(check_probes, ARRAY_SIZE(check_probes));
	if (ret)
		goto out_free;
	/* On its CPU no handler comes between. */
	on_each_cpu(check_cpu_init, NULL, 1);
	ret = test_timer_start(&check->timer, 0, period_ns);
	if (!ret)
		return 0;
	test_probes_detach(check_probes, ARRAY_SIZE(check_probes));
out_free:
	test_samples_free(&check->lengths);
	kvfree(check);
	check = NULL;
	return ret;
}

static void check_end(void)
{
	unsigned int slot;

	hrtimer_cancel(&check->timer);
	test_probes_detach(check_probes, ARRAY_SIZE(check_probes));
	for_each_set_bit(slot, check->violated, CHECK_SLOTS)
		check_close(slot, check->last_ns);
}

static void check_free(void)
{
	test_samples_free(&check->lengths);
	kvfree(check);
	check = NULL;
}

/**
 * test_check_stop - end a check, if one is on, without a result
 *
 * Context: process, under the mutex of run, or when no file is left; sleeps.
 */
void test_check_stop(void)
{
	if (!check)
		return;
	check_end();
	check_free();
}

/**
 * test_check_result - end the check that is on, with its result
 * @name: what the violations are called; a constant
 *
 * Results: NAME, the length of each; NAME_max_ns, also if there were none; who
 * waited in the longest one and what ran instead, and where, by name and by the
 * kernel's priority (0 to 98 real-time, up to 139 fair, 140 idle); looks, the
 * number of them, and gap_max_ns, the longest time between two;
 * NAME_waiters_lost, for which the table had no room.
 *
 * Context: process, under the mutex of run; sleeps.
 */
void test_check_result(const char *name)
{
	bool none;

	check_end();
	none = !atomic_read(&check->lengths.count);
	test_samples_result(&check->lengths, name);
	if (none) {
		test_result("%s_max_ns 0\n", name);
	} else {
		test_result("%s_waiter %s\n", name, check->waiter.comm);
		test_result("%s_waiter_prio %d\n", name, check->waiter.prio);
		test_result("%s_waiter_cpu %d\n", name, check->waiter.cpu);
		test_result("%s_holder %s\n", name, check->holder.comm);
		test_result("%s_holder_prio %d\n", name, check->holder.prio);
		test_result("%s_holder_cpu %d\n", name, check->holder.cpu);
	}
	test_result("%s_waiters_lost %d\n", name, atomic_read(&check->lost));
	test_result("looks %llu\n", check->looks);
	test_result("gap_max_ns %llu\n", check->gap_ns);
	check_free();
}

/**
 * test_check_on - check-start: begin to look for violations
 * @req: period_us (20) counts
 *
 * Return: 0 or a negative error.
 */
int test_check_on(const struct test_request *req)
{
	return test_check_start((req->period_us ?: 20) * (u64)NSEC_PER_USEC,
				false);
}

/**
 * test_check_off - check-stop: what was found since check-start
 * @req: nothing counts
 *
 * Results: as test_check_result() says, under the name violation.
 *
 * Return: 0, or -EINVAL if no check is on.
 */
int test_check_off(const struct test_request *req)
{
	if (!check) {
		pr_err("no check is on\n");
		return -EINVAL;
	}
	test_check_result("violation");
	return 0;
}
