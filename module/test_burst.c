// SPDX-License-Identifier: GPL-2.0-only
/*
 * burst: one hard interrupt wakes k real-time threads that all ran last on its
 * CPU and may run on every CPU but 0.  Routed by the running task alone they
 * pile up there, for only the first one finds the CPU idle, and are pushed
 * away one by one; routed by the queued priority each goes to a free CPU.
 *
 * With wakers=2 every second thread ran last on the next CPU, and is woken by an
 * interrupt there at the same instant.  With keep=cpu the threads may run on the
 * CPU only that they ran on last, with keep=disabled their migration is disabled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "rtmig_test.h"

/* One interrupt, and those that it wakes: @t, and each @step-th from there on */
struct burst {
	struct hrtimer timer;
	struct test_thread *t;
	int k;
	int step;
	u64 irq_ns;
};

/* Where a thread ran last */
struct burst_ran {
	int cpu;
};

static enum hrtimer_restart burst_fire(struct hrtimer *timer)
{
	struct burst *b = container_of(timer, struct burst, timer);
	u64 begin = test_now();
	int i;

	for (i = 0; i < b->k; i += b->step)
		test_wake(&b->t[i]);
	b->irq_ns = test_now() - begin;
	return HRTIMER_NORESTART;
}

static int burst_prio(const struct test_request *req, int i)
{
	switch (req->order) {
	case TEST_DESCENDING:
		return 20 + req->k - i;
	case TEST_ASCENDING:
		return 20 + i;
	default:
		return 20;
	}
}

static void burst_run(struct test_thread *t)
{
	struct burst_ran *ran = t->arg;

	ran->cpu = raw_smp_processor_id();
	test_spin(t->spin_ns);
}

static void burst_disable(struct test_thread *t)
{
	migrate_disable();
}

static void burst_enable(struct test_thread *t)
{
	migrate_enable();
}

/* Each thread runs @body, one after the other. */
static int burst_each(struct test_thread *t, int k,
		      void (*body)(struct test_thread *t), atomic_t *pending,
		      struct completion *done)
{
	int i, ret = 0;

	for (i = 0; i < k && !ret; i++) {
		t[i].body = body;
		atomic_set(pending, 1);
		reinit_completion(done);
		test_wake(&t[i]);
		ret = test_wait(done);
	}
	/* The last one completes before it sleeps. */
	usleep_range(1000, 1100);
	return ret;
}

struct burst_start {
	struct hrtimer *timer;
	ktime_t at;
};

static void burst_start_fn(void *data)
{
	struct burst_start *s = data;

	hrtimer_start(s->timer, s->at, HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * test_burst - the situation; see the head of this file
 * @req: cpu, k (4, at most 64), rounds, spin_us (50), order, events, delay_insns,
 *	wakers (1) and keep (none) count; the delay comes before each of the k
 *	wake-up calls, so that waker_irq grows by k of them, and wake_to_run by one
 *	at least
 *
 * Results: wake_to_run, from the wake-up of each thread to its first
 * instruction; pushes, moves of queued threads over all rounds; waker_irq, the
 * length of the waking interrupt, the first one's; stayed, how often one ran where
 * it had run last; ran_on, all CPUs that any ran on; and, if asked, what
 * test_events_stop() adds.
 *
 * Return: 0 or a negative error.
 */
int test_burst(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int last[2] = { req->cpu, req->cpu };
	int i, w, round, pushes = 0, stayed = 0, ret;
	struct test_samples run, irq;
	atomic_t pending = ATOMIC_INIT(0);
	struct burst b[2];
	struct burst_ran *ran;
	struct test_thread *t;
	cpumask_var_t ran_on;

	if (req->wakers == 2) {
		last[1] = cpumask_next(req->cpu, cpu_online_mask);
		if (last[1] >= nr_cpu_ids)
			last[1] = cpumask_next(0, cpu_online_mask);
		if (last[1] >= nr_cpu_ids || last[1] == req->cpu) {
			pr_err("burst: no other CPU for the second interrupt\n");
			return -EINVAL;
		}
	}
	if (!zalloc_cpumask_var(&ran_on, GFP_KERNEL))
		return -ENOMEM;
	t = kcalloc(req->k, sizeof(*t), GFP_KERNEL);
	ran = kcalloc(req->k, sizeof(*ran), GFP_KERNEL);
	ret = -ENOMEM;
	if (!t || !ran)
		goto out_free;
	ret = test_samples_init(&run, req->rounds * req->k);
	if (ret)
		goto out_free;
	ret = test_samples_init(&irq, req->rounds);
	if (ret)
		goto out_run;
	for (w = 0; w < 2; w++) {
		hrtimer_init_on_stack(&b[w].timer, CLOCK_MONOTONIC,
				      HRTIMER_MODE_REL_PINNED_HARD);
		b[w].timer.function = burst_fire;
		b[w].t = t + w;
		b[w].k = req->k - w;
		b[w].step = req->wakers;
	}

	for (i = 0; i < req->k; i++) {
		t[i].spin_ns = (req->spin_us ?: 50) * 1000ULL;
		t[i].delay_insns = req->delay_insns;
		t[i].arg = &ran[i];
	}
	ret = test_threads_start(t, req->k, &pending, &done);
	if (ret)
		goto out_timer;
	for (i = 0; i < req->k; i++) {
		ret = test_set_fifo(&t[i], burst_prio(req, i));
		if (ret)
			goto out_stop;
	}

	/* Settling wakes pinned threads only, whose wake-ups have no route. */
	if (req->events) {
		ret = test_events_start(req->cpu, 20, 20 + req->k);
		if (ret)
			goto out_stop;
	}
	for (round = 0; round < req->rounds; round++) {
		for (i = 0; i < req->k; i++)
			t[i].body = NULL;
		if (req->wakers == 1)
			ret = test_settle(t, req->k, req->cpu, &pending, &done);
		for (i = 0; req->wakers == 2 && i < req->k && !ret; i++)
			ret = test_settle(&t[i], 1, last[i % 2], &pending,
					  &done);
		if (ret)
			goto out_events;
		if (req->keep != TEST_KEEP_CPU)
			ret = test_widen(t, req->k);
		if (!ret && req->keep == TEST_KEEP_DISABLED)
			ret = burst_each(t, req->k, burst_disable, &pending,
					 &done);
		if (ret)
			goto out_events;

		for (i = 0; i < req->k; i++)
			t[i].body = burst_run;
		atomic_set(&pending, req->k);
		reinit_completion(&done);
		test_moves_reset();
		/* A phase that differs from round to round, the same each run */
		ret = test_timer_start(&b[0].timer, req->cpu,
				       1000000 + round * 1237 % 100000);
		if (!ret && req->wakers == 2) {
			struct burst_start s = {
				&b[1].timer, hrtimer_get_expires(&b[0].timer)
			};

			ret = smp_call_function_single(last[1], burst_start_fn,
						       &s, 1);
		}
		if (!ret)
			ret = test_wait(&done);
		hrtimer_cancel(&b[0].timer);
		hrtimer_cancel(&b[1].timer);
		if (ret)
			goto out_events;

		pushes += test_moves();
		test_samples_add(&irq, b[0].irq_ns);
		for (i = 0; i < req->k; i++) {
			test_samples_add(&run, t[i].ran_ns - t[i].woken_ns);
			cpumask_set_cpu(ran[i].cpu, ran_on);
			stayed += ran[i].cpu == last[i % req->wakers];
		}
		if (req->keep == TEST_KEEP_DISABLED)
			ret = burst_each(t, req->k, burst_enable, &pending,
					 &done);
		if (ret)
			goto out_events;
	}

	test_result("k %d\n", req->k);
	test_result("pushes %d\n", pushes);
	test_result("stayed %d\n", stayed);
	test_result("ran_on %*pbl\n", cpumask_pr_args(ran_on));
	test_samples_result(&run, "wake_to_run");
	test_samples_result(&irq, "waker_irq");

out_events:
	if (req->events)
		test_events_stop();
out_stop:
	test_threads_stop(t, req->k);
out_timer:
	for (w = 0; w < 2; w++)
		destroy_hrtimer_on_stack(&b[w].timer);
	test_samples_free(&irq);
out_run:
	test_samples_free(&run);
out_free:
	kfree(ran);
	kfree(t);
	free_cpumask_var(ran_on);
	return ret;
}
