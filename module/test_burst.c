// SPDX-License-Identifier: GPL-2.0-only
/*
 * burst: one hard interrupt wakes k real-time threads that all ran last on its
 * CPU and may run on every CPU but 0.  Routed by the running task alone they
 * pile up there, for only the first one finds the CPU idle, and are pushed
 * away one by one; routed by the queued priority each goes to a free CPU.
 */
#include <linux/slab.h>

#include "rtmig_test.h"

struct burst {
	struct hrtimer timer;
	struct test_thread *t;
	int k;
	u64 irq_ns;
};

static enum hrtimer_restart burst_fire(struct hrtimer *timer)
{
	struct burst *b = container_of(timer, struct burst, timer);
	u64 begin = test_now();
	int i;

	for (i = 0; i < b->k; i++)
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

/**
 * test_burst - the situation; see the head of this file
 * @req: cpu, k (4, at most 64), rounds, spin_us (50), order, events and delay_insns
 *	count; the delay comes before each of the k wake-up calls, so that
 *	waker_irq grows by k of them, and wake_to_run by one at least
 *
 * Results: wake_to_run, from the wake-up of each thread to its first
 * instruction; pushes, moves of queued threads over all rounds; waker_irq, the
 * length of the waking interrupt; and, if asked, what test_events_stop() adds.
 *
 * Return: 0 or a negative error.
 */
int test_burst(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct test_samples run, irq;
	atomic_t pending = ATOMIC_INIT(0);
	struct burst b = { .k = req->k };
	int i, round, pushes = 0, ret;

	b.t = kcalloc(req->k, sizeof(*b.t), GFP_KERNEL);
	if (!b.t)
		return -ENOMEM;
	ret = test_samples_init(&run, req->rounds * req->k);
	if (ret)
		goto out_free;
	ret = test_samples_init(&irq, req->rounds);
	if (ret)
		goto out_run;
	hrtimer_init_on_stack(&b.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	b.timer.function = burst_fire;

	for (i = 0; i < req->k; i++) {
		b.t[i].spin_ns = (req->spin_us ?: 50) * 1000ULL;
		b.t[i].delay_insns = req->delay_insns;
	}
	ret = test_threads_start(b.t, req->k, &pending, &done);
	if (ret)
		goto out_timer;
	for (i = 0; i < req->k; i++) {
		ret = test_set_fifo(&b.t[i], burst_prio(req, i));
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
		ret = test_settle(b.t, req->k, req->cpu, &pending, &done);
		if (ret)
			goto out_events;
		ret = test_widen(b.t, req->k);
		if (ret)
			goto out_events;

		atomic_set(&pending, req->k);
		reinit_completion(&done);
		test_moves_reset();
		/* A phase that differs from round to round, the same each run */
		ret = test_timer_start(&b.timer, req->cpu,
				       1000000 + round * 1237 % 100000);
		if (!ret)
			ret = test_wait(&done);
		hrtimer_cancel(&b.timer);
		if (ret)
			goto out_events;

		pushes += test_moves();
		test_samples_add(&irq, b.irq_ns);
		for (i = 0; i < req->k; i++)
			test_samples_add(&run, b.t[i].ran_ns -
					       b.t[i].woken_ns);
	}

	test_result("k %d\n", req->k);
	test_result("pushes %d\n", pushes);
	test_samples_result(&run, "wake_to_run");
	test_samples_result(&irq, "waker_irq");

out_events:
	if (req->events)
		test_events_stop();
out_stop:
	test_threads_stop(b.t, req->k);
out_timer:
	destroy_hrtimer_on_stack(&b.timer);
	test_samples_free(&irq);
out_run:
	test_samples_free(&run);
out_free:
	kfree(b.t);
	return ret;
}
