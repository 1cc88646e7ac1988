// SPDX-License-Identifier: GPL-2.0-only
/*
 * dl: a deadline thread runs on a CPU, and a FIFO thread that ran last there
 * wakes up.  It cannot preempt, other CPUs are idle: it should go to one of
 * them before it is activated, not be pushed there afterwards.  With gap_us=0
 * one interrupt wakes both, and the deadline thread is queued but does not run.
 * With fifo_first=1 the FIFO thread is the first to be woken, and the deadline
 * thread preempts it after gap_us: does it wait, or go on elsewhere?
 * With queued=1 all other CPUs run a FIFO thread of less priority, and one of
 * less priority still is queued behind the deadline thread: is it taken for
 * what that CPU runs?
 */
#include <linux/slab.h>

#include "rtmig_test.h"

#include <uapi/linux/sched/types.h>

#define DL_FIFO_NS	(50 * NSEC_PER_USEC)

struct dl {
	struct hrtimer timer;
	struct test_thread *deadline;
	struct test_thread *fifo;
	struct test_thread *others;
	int nr_others;
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
	int i;

	if (!d->second) {
		test_wake(d->fifo_first ? d->fifo : d->deadline);
		for (i = 0; i < d->nr_others; i++)
			test_wake(&d->others[i]);
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

/* One FIFO 10 thread that stays on @cpu, a FIFO 15 on each CPU but 0 and it */
static int dl_settle_others(struct test_thread *t, int cpu, atomic_t *pending,
			    struct completion *done)
{
	int other, n = 0, ret;

	ret = test_set_fifo(&t[n], 10) ?:
	      test_settle(&t[n], 1, cpu, pending, done);
	for_each_online_cpu(other) {
		if (ret)
			break;
		if (!other || other == cpu)
			continue;
		n++;
		ret = test_set_fifo(&t[n], 15) ?:
		      test_settle(&t[n], 1, other, pending, done);
	}
	return ret;
}

/**
 * test_dl - the situation; see the head of this file
 * @req: cpu, rounds, gap_us, fifo_first and queued count
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
	u64 spin_ns = req->gap_us * 1000ULL + 200000;
	struct test_thread *t;
	atomic_t pending = ATOMIC_INIT(0);
	int round, ret, i, n = 2, pushes = 0, same = 0;
	struct test_samples run, end;

	if (req->queued) {
		/* one each, none on CPU 0 */
		d.nr_others = num_online_cpus() - 1;
		n += d.nr_others;
	}
	if (n > TEST_THREADS)
		return -EINVAL;
	t = kcalloc(n, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	/* All run on when the FIFO thread wakes, and when that is done. */
	for (i = 0; i < n; i++)
		t[i].spin_ns = spin_ns;
	d.deadline = &t[0];
	d.fifo = &t[1];
	d.others = &t[2];
	t[1].spin_ns = 0;
	t[1].arg = &d;
	ret = test_samples_init(&run, req->rounds);
	if (ret)
		goto out_threads;
	ret = test_samples_init(&end, req->rounds);
	if (ret)
		goto out_run;
	hrtimer_init_on_stack(&d.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	d.timer.function = dl_fire;
	ret = test_threads_start(t, n, &pending, &done);
	if (ret)
		goto out_timer;

	if (d.nr_others) {
		ret = dl_settle_others(d.others, req->cpu, &pending, &done);
		if (ret)
			goto out_stop;
	}

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
		atomic_set(&pending, n);
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
	test_threads_stop(t, n);
out_timer:
	destroy_hrtimer_on_stack(&d.timer);
	test_samples_free(&end);
out_run:
	test_samples_free(&run);
out_threads:
	kfree(t);
	return ret;
}
