// SPDX-License-Identifier: GPL-2.0-only
/*
 * dl: a deadline thread runs on a CPU, and a FIFO thread that ran last there
 * wakes up.  It cannot preempt, other CPUs are idle: it should go to one of
 * them before it is activated, not be pushed there afterwards.  With gap_us=0
 * one interrupt wakes both, and the deadline thread is queued but does not run.
 * With fifo_first=1 the FIFO thread is the first to be woken, and the deadline
 * thread preempts it after gap_us: does it wait, or go on elsewhere?
 */
#include "rtmig_test.h"

#include <uapi/linux/sched/types.h>

#define DL_FIFO_NS	(50 * NSEC_PER_USEC)

struct dl {
	struct hrtimer timer;
	struct test_thread *deadline;
	struct test_thread *fifo;
	u64 gap_ns;
	u64 ended_ns;
	bool fifo_first;
	bool second;
};

static void dl_run(struct test_thread *t)
{
	struct dl *d = t->arg;

	test_spin(DL_FIFO_NS);
	d->ended_ns = test_now();
}

static enum hrtimer_restart dl_fire(struct hrtimer *timer)
{
	struct dl *d = container_of(timer, struct dl, timer);

	if (!d->second) {
		test_wake(d->fifo_first ? d->fifo : d->deadline);
		d->second = true;
		if (d->gap_ns) {
			hrtimer_forward_now(timer, ns_to_ktime(d->gap_ns));
			return HRTIMER_RESTART;
		}
	}
	test_wake(d->fifo_first ? d->deadline : d->fifo);
	return HRTIMER_NORESTART;
}

static int dl_set_deadline(struct test_thread *t)
{
	struct sched_attr attr = {
		.size		= sizeof(attr),
		.sched_policy	= SCHED_DEADLINE,
		.sched_runtime	= 5000000,
		.sched_deadline	= 20000000,
		.sched_period	= 20000000,
	};

	return sched_setattr_nocheck(t->task, &attr);
}

/**
 * test_dl - the situation; see the head of this file
 * @req: cpu, rounds, gap_us and fifo_first count
 *
 * Results: wake_to_run of the FIFO thread, and wake_to_end; pushes, its moves while queued over
 * all rounds; same_cpu, the rounds in which the deadline thread did run on the
 * CPU in question.
 *
 * Return: 0 or a negative error.
 */
int test_dl(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct dl d = {
		.gap_ns = req->gap_us * 1000ULL,
		.fifo_first = req->fifo_first,
	};
	struct test_thread t[2] = {
		/* runs on when the FIFO thread wakes, and when that is done */
		{ .spin_ns = req->gap_us * 1000ULL + 200000 },
		{ .arg = &d },
	};
	atomic_t pending = ATOMIC_INIT(0);
	int round, ret, pushes = 0, same = 0;
	struct test_samples run, end;

	d.deadline = &t[0];
	d.fifo = &t[1];
	ret = test_samples_init(&run, req->rounds);
	if (ret)
		return ret;
	ret = test_samples_init(&end, req->rounds);
	if (ret)
		goto out_run;
	hrtimer_init_on_stack(&d.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	d.timer.function = dl_fire;
	ret = test_threads_start(t, 2, &pending, &done);
	if (ret)
		goto out_timer;

	for (round = 0; round < req->rounds; round++) {
		/*
		 * A deadline thread should be allowed the whole root domain:
		 * make it FIFO, let it sleep on the CPU, widen it, and change
		 * its policy.
		 */
		t[1].body = NULL;
		ret = test_set_fifo(&t[0], 20) ?: test_set_fifo(&t[1], 20) ?:
		      test_settle(t, 2, req->cpu, &pending, &done);
		if (ret)
			goto out_stop;
		ret = test_widen(&t[1], 1) ?:
		      set_cpus_allowed_ptr(t[0].task, cpu_possible_mask) ?:
		      dl_set_deadline(&t[0]);
		if (ret)
			goto out_stop;

		t[1].body = dl_run;
		d.second = false;
		atomic_set(&pending, 2);
		reinit_completion(&done);
		test_moves_reset();
		ret = test_timer_start(&d.timer, req->cpu,
				       1000000 + round * 1237 % 100000);
		if (!ret)
			ret = test_wait(&done);
		hrtimer_cancel(&d.timer);
		if (ret)
			goto out_stop;

		pushes += test_moves();
		same += task_cpu(t[0].task) == req->cpu;
		test_samples_add(&run, t[1].ran_ns - t[1].woken_ns);
		test_samples_add(&end, d.ended_ns - t[1].woken_ns);
	}

	test_result("pushes %d\n", pushes);
	test_result("same_cpu %d\n", same);
	test_samples_result(&run, "wake_to_run");
	test_samples_result(&end, "wake_to_end");

out_stop:
	test_threads_stop(t, 2);
out_timer:
	destroy_hrtimer_on_stack(&d.timer);
	test_samples_free(&end);
out_run:
	test_samples_free(&run);
	return ret;
}
