// SPDX-License-Identifier: GPL-2.0-only
/*
 * idle: one FIFO thread that sleeps on an idle CPU is woken by an interrupt
 * there.  How long the wake-up call takes is, on the instruction clock, how
 * many instructions it has: what a patch adds to the fast path.  delay_insns=N
 * adds N on purpose, which have to be found back.
 */
#include "rtmig_test.h"

struct idle {
	struct hrtimer timer;
	struct test_thread *t;
	u64 call_ns;
};

static __always_inline void idle_wake(struct hrtimer *timer, bool delay)
{
	struct idle *d = container_of(timer, struct idle, timer);
	u64 begin;

	WRITE_ONCE(d->t->work, true);
	begin = test_now();
	if (delay)
		test_delay(d->t->delay_insns);
	wake_up_process(d->t->task);
	d->call_ns = test_now() - begin;
	d->t->woken_ns = begin;
}

static enum hrtimer_restart idle_fire(struct hrtimer *timer)
{
	idle_wake(timer, false);
	return HRTIMER_NORESTART;
}

/* A function of its own: not even the question costs an instruction above. */
static enum hrtimer_restart idle_fire_delayed(struct hrtimer *timer)
{
	idle_wake(timer, true);
	return HRTIMER_NORESTART;
}

/**
 * test_idle - the situation; see the head of this file
 * @req: cpu, rounds and delay_insns count
 *
 * Results: wake_call, the length of the call; wake_to_run, from its begin to
 * the first instruction of the thread.
 *
 * Return: 0 or a negative error.
 */
int test_idle(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	atomic_t pending = ATOMIC_INIT(0);
	struct test_samples call, run;
	struct test_thread t = { .delay_insns = req->delay_insns };
	struct idle d = { .t = &t };
	int round, ret;

	ret = test_samples_init(&call, req->rounds);
	if (ret)
		return ret;
	ret = test_samples_init(&run, req->rounds);
	if (ret)
		goto out_call;
	hrtimer_init_on_stack(&d.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	d.timer.function = req->delay_insns ? idle_fire_delayed : idle_fire;
	ret = test_threads_start(&t, 1, &pending, &done);
	if (ret)
		goto out_timer;
	ret = test_set_fifo(&t, 20);
	if (ret)
		goto out_stop;

	for (round = 0; round < req->rounds; round++) {
		ret = test_settle(&t, 1, req->cpu, &pending, &done);
		if (ret)
			goto out_stop;
		ret = test_widen(&t, 1);
		if (ret)
			goto out_stop;

		atomic_set(&pending, 1);
		reinit_completion(&done);
		ret = test_timer_start(&d.timer, req->cpu,
				       1000000 + round * 1237 % 100000);
		if (!ret)
			ret = test_wait(&done);
		hrtimer_cancel(&d.timer);
		if (ret)
			goto out_stop;

		test_samples_add(&call, d.call_ns);
		test_samples_add(&run, t.ran_ns - t.woken_ns);
	}

	test_samples_result(&call, "wake_call");
	test_samples_result(&run, "wake_to_run");

out_stop:
	test_threads_stop(&t, 1);
out_timer:
	destroy_hrtimer_on_stack(&d.timer);
	test_samples_free(&run);
out_call:
	test_samples_free(&call);
	return ret;
}
