// SPDX-License-Identifier: GPL-2.0-only
/*
 * fair: a FIFO thread keeps a CPU busy until the fair server runs a starved
 * fair thread there, ahead of all real-time threads.  A more urgent FIFO
 * thread that ran last on that CPU wakes up now.  It does not preempt, other
 * CPUs are idle: it should go to one of them, or it waits until the budget of
 * the server ends.
 *
 * The server has to be on: fair_server/cpuN/ in debugfs, and a short period
 * makes the rounds short.
 */
#include "rtmig_test.h"

#define FAIR_POLL_NS	100000
#define FAIR_LIMIT_NS	(60 * NSEC_PER_MSEC)

struct fair {
	struct hrtimer timer;
	struct test_thread *hog;
	struct test_thread *starved;
	struct test_thread *victim;
	u64 begin_ns;
	bool served;
};

static enum hrtimer_restart fair_fire(struct hrtimer *timer)
{
	struct fair *f = container_of(timer, struct fair, timer);

	if (!f->begin_ns) {
		f->begin_ns = test_now();
		test_wake(f->hog);
		test_wake(f->starved);
	} else if (current == f->starved->task) {
		/* The hog is not done, so it is the server that runs this. */
		f->served = true;
		test_wake(f->victim);
		return HRTIMER_NORESTART;
	} else if (test_now() - f->begin_ns > FAIR_LIMIT_NS / 2) {
		/* No server came; the round has to end all the same. */
		test_wake(f->victim);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(FAIR_POLL_NS));
	return HRTIMER_RESTART;
}

/**
 * test_fair - the situation; see the head of this file
 * @req: cpu and rounds count
 *
 * Results: wake_to_run of the urgent thread; served, the rounds in which the
 * fair server ran when it was woken; moved, those in which it ran elsewhere.
 *
 * Return: 0 or a negative error.
 */
int test_fair(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct test_thread t[3] = {
		{ .spin_ns = FAIR_LIMIT_NS },
		{ .spin_ns = FAIR_LIMIT_NS },
		{ .spin_ns = 50000 },
	};
	struct fair f = { .hog = &t[0], .starved = &t[1], .victim = &t[2] };
	int round, ret, served = 0, moved = 0;
	atomic_t pending = ATOMIC_INIT(0);
	struct test_samples run;

	ret = test_samples_init(&run, req->rounds);
	if (ret)
		return ret;
	hrtimer_init_on_stack(&f.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	f.timer.function = fair_fire;
	ret = test_threads_start(t, 3, &pending, &done);
	if (ret)
		goto out_timer;
	ret = test_set_fifo(f.hog, 10) ?: test_set_fifo(f.victim, 20);
	if (ret)
		goto out_stop;

	for (round = 0; round < req->rounds; round++) {
		ret = test_settle(t, 3, req->cpu, &pending, &done) ?:
		      test_widen(f.victim, 1);
		if (ret)
			goto out_stop;

		f.begin_ns = 0;
		f.served = false;
		atomic_set(&pending, 3);
		reinit_completion(&done);
		ret = test_timer_start(&f.timer, req->cpu,
				       1000000 + round * 1237 % 100000);
		if (!ret)
			ret = test_wait(&done);
		hrtimer_cancel(&f.timer);
		if (ret)
			goto out_stop;

		served += f.served;
		moved += task_cpu(f.victim->task) != req->cpu;
		test_samples_add(&run, f.victim->ran_ns - f.victim->woken_ns);
	}

	test_result("served %d\n", served);
	test_result("moved %d\n", moved);
	test_samples_result(&run, "wake_to_run");

out_stop:
	test_threads_stop(t, 3);
out_timer:
	destroy_hrtimer_on_stack(&f.timer);
	test_samples_free(&run);
	return ret;
}
