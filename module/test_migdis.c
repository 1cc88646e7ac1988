// SPDX-License-Identifier: GPL-2.0-only
/*
 * migdis: on each of the CPUs 1 to n a FIFO 20 thread takes a spinlock_t of its
 * own, which on PREEMPT_RT disables its migration, runs for 300 us and sleeps
 * for 95; a FIFO 40 thread runs there every 500 us for 167.  A preempted lock
 * holder waits on an overloaded CPU, but cannot be pushed: whoever tries does so
 * in vain, or has the stopper move the upper thread away.  How long the lock is
 * held shows whether that helps.
 *
 * The threads may run on the CPUs 1 to n + spare; with hi=pinned the upper ones
 * stay where they are.  All times are by the clock, so that what a thread does
 * not run while it is preempted is not made up for: lock_section exceeds 300 us
 * only where the end of a section is preempted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "rtmig_test.h"

#if __has_include("linux/sched/rt_events.h")
# define MIGDIS_SERIES 1
#else
# define MIGDIS_SERIES 0
#endif

#define MIGDIS_HOLD_NS		(300 * NSEC_PER_USEC)
#define MIGDIS_REST_NS		(95 * NSEC_PER_USEC)
#define MIGDIS_HI_PERIOD_NS	(500 * NSEC_PER_USEC)
#define MIGDIS_HI_RUN_NS	(167 * NSEC_PER_USEC)
/* CPUs do not begin at the same instant */
#define MIGDIS_PHASE_NS		(53 * NSEC_PER_USEC)

struct migdis {
	struct hrtimer timer;
	struct test_thread *t;
	spinlock_t *locks;	/* one for each holder, for nothing else */
	int n;
	int seed;
	u32 spread_ns;
	u64 length_ns;
	u64 begin_ns;
	u64 end_ns;
	struct test_samples held;
};

static atomic_t migdis_stoppers;

static void probe_waking(void *data, struct task_struct *p)
{
	if ((p->flags & PF_KTHREAD) && strstarts(p->comm, "migration/") &&
	    test_walk_in_window(test_now()))
		atomic_inc(&migdis_stoppers);
}

#if MIGDIS_SERIES
static atomic_t migdis_tries;

static void probe_push(void *data, int cpu, int prio, int to, int cause,
		       int outcome)
{
	if (test_walk_in_window(test_now()))
		atomic_inc(&migdis_tries);
}
#endif

static struct test_probe migdis_probes[] = {
	{ "sched_waking", probe_waking },
#if MIGDIS_SERIES
	{ "sched_rt_push_tp", probe_push },
#endif
};

/* Never called: the types of all handlers, checked by the compiler. */
static void __maybe_unused migdis_check_types(void)
{
	check_trace_callback_type_sched_waking(probe_waking);
#if MIGDIS_SERIES
	check_trace_callback_type_sched_rt_push_tp(probe_push);
#endif
}

static void migdis_holder(struct test_thread *t)
{
	struct migdis *m = t->arg;
	int i = t - m->t;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, (u64)m->seed << 8 | i);
	test_sleep_until(m->begin_ns + i * MIGDIS_PHASE_NS);
	while (test_now() < m->end_ns) {
		u64 begin;

		spin_lock(&m->locks[i]);
		begin = test_now();
		test_spin(MIGDIS_HOLD_NS);
		test_samples_add(&m->held, test_now() - begin);
		spin_unlock(&m->locks[i]);
		test_sleep_until(test_now() + MIGDIS_REST_NS +
				 prandom_u32_state(&rnd) % (m->spread_ns + 1));
	}
}

static void migdis_hi(struct test_thread *t)
{
	struct migdis *m = t->arg;
	u64 next = m->begin_ns + (t - m->t - m->n) * MIGDIS_PHASE_NS;

	while (next < m->end_ns) {
		test_sleep_until(next);
		test_spin(MIGDIS_HI_RUN_NS);
		next += MIGDIS_HI_PERIOD_NS;
	}
}

static enum hrtimer_restart migdis_fire(struct hrtimer *timer)
{
	struct migdis *m = container_of(timer, struct migdis, timer);
	int i;

	m->begin_ns = test_now();
	m->end_ns = m->begin_ns + m->length_ns;
	test_walk_window(m->begin_ns, m->end_ns);
	for (i = 0; i < 2 * m->n; i++)
		test_wake(&m->t[i]);
	return HRTIMER_NORESTART;
}

/* Thread i holds a lock on CPU number i of those but 0, i + n is above it. */
static int migdis_place(struct migdis *m, const struct test_request *req,
			atomic_t *pending, struct completion *done)
{
	int i, n = 0, cpu, ret = 0;
	cpumask_var_t mask;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		if (!cpu)
			continue;
		cpumask_set_cpu(cpu, mask);
		if (++n == m->n + req->spare)
			break;
	}
	for (i = 0; i < 2 * m->n && !ret; i++) {
		struct test_thread *t = &m->t[i];
		bool hi = i >= m->n;

		if (!(i % m->n))
			cpu = 0;
		cpu = cpumask_next(cpu, mask);
		if (cpu >= nr_cpu_ids) {
			ret = -EAGAIN;
			break;
		}
		ret = test_set_fifo(t, hi ? 40 : 20) ?:
		      test_settle(t, 1, cpu, pending, done);
		if (!ret && (!hi || req->hi == TEST_MIGRATABLE))
			ret = set_cpus_allowed_ptr(t->task, mask);
		t->body = hi ? migdis_hi : migdis_holder;
		t->arg = m;
	}
	free_cpumask_var(mask);
	return ret;
}

/**
 * test_migdis - the situation; see the head of this file
 * @req: n (6, or all CPUs but 0), spare (0), hi (pinned) and ms (100) count
 *
 * Results: lock_section, how long a lock was held; stoppers, wake-ups of the
 * threads migration/N; push_tries, tries to push, where the kernel has the
 * series' tracepoint, otherwise "missing push_tries"; and what
 * test_walk_result() says.  All but lock_section of the ms in question.
 *
 * Return: 0 or a negative error, -EAGAIN when a CPU went away.
 */
int test_migdis(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int i, ret, cpus = num_online_cpus() - 1, ms = req->ms ?: 100;
	atomic_t pending = ATOMIC_INIT(0);
	struct migdis m = {
		.n = req->n ?: clamp(cpus, 1, 6),
		.seed = req->seed,
		.spread_ns = req->spread_us * NSEC_PER_USEC,
		.length_ns = ms * (u64)NSEC_PER_MSEC,
	};

	if (req->spare > cpus || m.n + req->spare > cpus) {
		pr_err("migdis: n=%d and spare=%d are more than the %d CPUs but 0\n",
		       m.n, req->spare, cpus);
		return -EINVAL;
	}
	m.t = kcalloc(2 * m.n, sizeof(*m.t), GFP_KERNEL);
	m.locks = kcalloc(m.n, sizeof(*m.locks), GFP_KERNEL);
	if (!m.t || !m.locks) {
		ret = -ENOMEM;
		goto out_free;
	}
	for (i = 0; i < m.n; i++)
		spin_lock_init(&m.locks[i]);
	/* Nobody holds a lock more often, however long sections are. */
	ret = test_samples_init(&m.held, m.n * (ms * 1000 / 300 + 2));
	if (ret)
		goto out_free;
	hrtimer_init_on_stack(&m.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	m.timer.function = migdis_fire;
	ret = test_threads_start(m.t, 2 * m.n, &pending, &done);
	if (ret)
		goto out_timer;
	ret = migdis_place(&m, req, &pending, &done);
	if (ret)
		goto out_stop;
	ret = test_walk_start();
	if (ret)
		goto out_stop;
	atomic_set(&migdis_stoppers, 0);
#if MIGDIS_SERIES
	atomic_set(&migdis_tries, 0);
#endif
	ret = test_probes_attach(migdis_probes, ARRAY_SIZE(migdis_probes));
	if (ret)
		goto out_walk;

	atomic_set(&pending, 2 * m.n);
	reinit_completion(&done);
	ret = test_timer_start(&m.timer, 0, NSEC_PER_MSEC);
	if (!ret)
		ret = test_wait(&done);
	hrtimer_cancel(&m.timer);

	test_probes_detach(migdis_probes, ARRAY_SIZE(migdis_probes));
out_walk:
	test_walk_stop();
	/* Samples are added until the threads are gone, even after an error. */
	test_threads_stop(m.t, 2 * m.n);
	if (!ret) {
		test_result("n %d\n", m.n);
		test_result("spare %d\n", req->spare);
		test_result("hi %s\n",
			    req->hi == TEST_PINNED ? "pinned" : "migratable");
		test_result("ms %d\n", ms);
		test_samples_result(&m.held, "lock_section");
		test_result("stoppers %d\n", atomic_read(&migdis_stoppers));
#if MIGDIS_SERIES
		test_result("push_tries %d\n", atomic_read(&migdis_tries));
#else
		test_result("missing push_tries\n");
#endif
		test_walk_result();
	}
	test_walk_free();
	goto out_timer;
out_stop:
	test_threads_stop(m.t, 2 * m.n);
out_timer:
	destroy_hrtimer_on_stack(&m.timer);
	test_samples_free(&m.held);
out_free:
	kfree(m.locks);
	kfree(m.t);
	return ret;
}
