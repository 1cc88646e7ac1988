// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm: every CPU but 0 and the low one is overloaded: a pinned FIFO 60 thread
 * spins there, and a FIFO thread of a lower priority that may run on every CPU
 * but 0 waits behind it.  The low CPU, the first one after 0, runs a pinned FIFO
 * thread of the priority own, or nothing, and a FIFO 70 thread that wakes every
 * 200 us for 66 us.  Whenever that one sleeps the CPU drops its priority, and
 * has all the others interrupted to push their waiter its way; as long as the
 * waiters do not outrank what it runs then, for nothing.
 *
 * Waiters run to the end, so one that finds a CPU keeps it; with spin_us=N each
 * runs for N us only, and then is gone: with waiter above own every waiter that
 * ends makes room for another one, which a walk has to move there.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>

#include "rtmig_test.h"

#define STORM_PERIOD_NS		(200 * NSEC_PER_USEC)
#define STORM_RUN_NS		(66 * NSEC_PER_USEC)
#define STORM_STEP_NS		NSEC_PER_MSEC
#define STORM_SPINNER		60
#define STORM_TOP		70

/* Which threads the timer wakes, in this order, a step after another */
enum { STORM_SPINNERS, STORM_WAITERS, STORM_TOPS };

struct storm {
	struct hrtimer timer;
	struct test_thread *t;
	/* of each thread, what it is */
	u8 *step;
	int n;
	int at;
	u64 spin_ns;
	u64 length_ns;
	u64 end_ns;
};

static void storm_spin(struct test_thread *t)
{
	struct storm *s = t->arg;
	u64 now = test_now();

	if (now < s->end_ns)
		test_spin(s->end_ns - now);
}

static void storm_wait(struct test_thread *t)
{
	struct storm *s = t->arg;

	if (s->spin_ns)
		test_spin(s->spin_ns);
	else
		storm_spin(t);
}

static void storm_top(struct test_thread *t)
{
	struct storm *s = t->arg;
	u64 next = test_now();

	while (test_now() < s->end_ns) {
		test_spin(STORM_RUN_NS);
		next += STORM_PERIOD_NS;
		test_sleep_until(next);
	}
}

static enum hrtimer_restart storm_fire(struct hrtimer *timer)
{
	struct storm *s = container_of(timer, struct storm, timer);
	u64 now = test_now();
	int i;

	if (s->at == STORM_SPINNERS)
		s->end_ns = now + s->length_ns + 4 * STORM_STEP_NS;
	/* Some time before the end, which lets everybody drop */
	if (s->at == STORM_TOPS)
		test_walk_window(now, now + s->length_ns);
	for (i = 0; i < s->n; i++)
		if (s->step[i] == s->at)
			test_wake(&s->t[i]);
	if (s->at++ == STORM_TOPS)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(STORM_STEP_NS));
	return HRTIMER_RESTART;
}

static void (* const storm_bodies[])(struct test_thread *t) = {
	[STORM_SPINNERS]	= storm_spin,
	[STORM_WAITERS]		= storm_wait,
	[STORM_TOPS]		= storm_top,
};

/* Thread i: its CPU, priority and step; waiters may move */
static int storm_place(struct storm *s, int i, int cpu, int prio, int step,
		       atomic_t *pending, struct completion *done)
{
	struct test_thread *t = &s->t[i];
	int ret;

	ret = test_set_fifo(t, prio) ?:
	      test_settle(t, 1, cpu, pending, done);
	if (!ret && step == STORM_WAITERS)
		ret = test_widen(t, 1);
	t->body = storm_bodies[step];
	t->arg = s;
	s->step[i] = step;
	return ret;
}

static int storm_place_all(struct storm *s, const struct test_request *req,
			   atomic_t *pending, struct completion *done)
{
	int cpu, ret, i = 0, low = cpumask_next(0, cpu_online_mask);

	ret = storm_place(s, i++, low, STORM_TOP, STORM_TOPS, pending, done);
	if (!ret && req->own)
		ret = storm_place(s, i++, low, req->own, STORM_SPINNERS,
				  pending, done);
	for_each_online_cpu(cpu) {
		if (ret)
			return ret;
		if (cpu <= low)
			continue;
		if (i + 2 > s->n)
			return -EAGAIN;
		ret = storm_place(s, i++, cpu, STORM_SPINNER, STORM_SPINNERS,
				  pending, done) ?:
		      storm_place(s, i++, cpu, req->waiter, STORM_WAITERS,
				  pending, done);
	}
	if (!ret && i < s->n)
		ret = -EAGAIN;
	return ret;
}

/**
 * test_storm - the situation; see the head of this file
 * @req: own (30, 0 for none), waiter (20), ms (40) and spin_us (none) count
 *
 * Results: cpus, the number of those that are overloaded, and what
 * test_walk_result() says of the ms in question.
 *
 * Return: 0 or a negative error, -EAGAIN when CPUs came or went.
 */
int test_storm(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int cpus = num_online_cpus() - 2, ms = req->ms ?: 40, ret;
	atomic_t pending = ATOMIC_INIT(0);
	struct storm s = {
		.n = 1 + !!req->own + 2 * cpus,
		.spin_ns = req->spin_us * (u64)NSEC_PER_USEC,
		.length_ns = ms * (u64)NSEC_PER_MSEC,
	};

	if (cpus < 1) {
		pr_err("storm needs three CPUs\n");
		return -EINVAL;
	}
	s.t = kcalloc(s.n, sizeof(*s.t), GFP_KERNEL);
	s.step = kcalloc(s.n, sizeof(*s.step), GFP_KERNEL);
	if (!s.t || !s.step) {
		ret = -ENOMEM;
		goto out_free;
	}
	hrtimer_init_on_stack(&s.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	s.timer.function = storm_fire;
	ret = test_threads_start(s.t, s.n, &pending, &done);
	if (ret)
		goto out_timer;
	ret = storm_place_all(&s, req, &pending, &done);
	if (ret)
		goto out_stop;
	ret = test_walk_start();
	if (ret)
		goto out_stop;

	atomic_set(&pending, s.n);
	reinit_completion(&done);
	ret = test_timer_start(&s.timer, 0, STORM_STEP_NS);
	if (!ret)
		ret = test_wait(&done);
	hrtimer_cancel(&s.timer);

	test_walk_stop();
	if (!ret) {
		test_result("cpus %d\n", cpus);
		test_result("own %d\n", req->own);
		test_result("waiter %d\n", req->waiter);
		test_result("ms %d\n", ms);
		test_walk_result();
	}
	test_walk_free();
out_stop:
	test_threads_stop(s.t, s.n);
out_timer:
	destroy_hrtimer_on_stack(&s.timer);
out_free:
	kfree(s.step);
	kfree(s.t);
	return ret;
}
