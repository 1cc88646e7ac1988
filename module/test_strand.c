// SPDX-License-Identifier: GPL-2.0-only
/*
 * strand: a FIFO 20 thread that may run on one CPU only waits there behind a
 * FIFO 30 thread that runs for 3 ms.  Now it is allowed every CPU but 0, and all
 * of those idle.  Whether it is moved to one of them, or stays until the other
 * one is done, shows who cares for a task that waits and becomes movable.  Where
 * it stays, that is a violation of the priorities whose length is known, for
 * the checker of test_check.c.
 */
#include "rtmig_test.h"

#define STRAND_HOG_NS	(3 * NSEC_PER_MSEC)
#define STRAND_STEP_NS	(250 * NSEC_PER_USEC)

struct strand {
	struct hrtimer timer;
	/* hog, waiter, and who widens it, woken in this order */
	struct test_thread t[3];
	int at;
	int error;
	u64 widened_ns;
};

static void strand_widen(struct test_thread *t)
{
	struct strand *w = t->arg;

	w->widened_ns = test_now();
	w->error = test_widen(&w->t[1], 1);
}

static enum hrtimer_restart strand_fire(struct hrtimer *timer)
{
	struct strand *w = container_of(timer, struct strand, timer);

	test_wake(&w->t[w->at++]);
	if (w->at == ARRAY_SIZE(w->t))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(STRAND_STEP_NS));
	return HRTIMER_RESTART;
}

/**
 * test_strand - the situation; see the head of this file
 * @req: cpu and rounds count
 *
 * Results: widen_to_run, from the change of the mask until the waiter runs;
 * moved, the rounds in which it ran elsewhere.
 *
 * Return: 0 or a negative error.
 */
int test_strand(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct strand w = {
		.t = { { .spin_ns = STRAND_HOG_NS }, },
	};
	atomic_t pending = ATOMIC_INIT(0);
	struct test_samples run;
	int round, ret, moved = 0;

	ret = test_samples_init(&run, req->rounds);
	if (ret)
		return ret;
	hrtimer_init_on_stack(&w.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	w.timer.function = strand_fire;
	ret = test_threads_start(w.t, 3, &pending, &done);
	if (ret)
		goto out_timer;
	ret = test_set_fifo(&w.t[0], 30) ?: test_set_fifo(&w.t[1], 20) ?:
	      test_settle(&w.t[2], 1, 0, &pending, &done);
	if (ret)
		goto out_stop;
	w.t[2].body = strand_widen;
	w.t[2].arg = &w;

	for (round = 0; round < req->rounds; round++) {
		ret = test_settle(w.t, 2, req->cpu, &pending, &done);
		if (ret)
			goto out_stop;
		w.at = 0;
		atomic_set(&pending, 3);
		reinit_completion(&done);
		ret = test_timer_start(&w.timer, 0,
				       1000000 + round * 1237 % 100000);
		if (!ret)
			ret = test_wait(&done);
		hrtimer_cancel(&w.timer);
		ret = ret ?: w.error;
		if (ret)
			goto out_stop;

		moved += task_cpu(w.t[1].task) != req->cpu;
		test_samples_add(&run, w.t[1].ran_ns - w.widened_ns);
	}

	test_result("moved %d\n", moved);
	test_samples_result(&run, "widen_to_run");

out_stop:
	test_threads_stop(w.t, 3);
out_timer:
	destroy_hrtimer_on_stack(&w.timer);
	test_samples_free(&run);
	return ret;
}
