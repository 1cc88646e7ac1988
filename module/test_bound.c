// SPDX-License-Identifier: GPL-2.0-only
/*
 * bound: the first CPUs after 0, the targets, each run a fair thread that keeps
 * preemption off for section_us again and again, with a pause of 100 us.  At the
 * begin of each section it wakes k FIFO 1 threads, which may run on the targets
 * only: they outrank the one that runs, need_resched is set, and yet they have to
 * wait for the end of the section, on a CPU that is overloaded all that time.  On
 * every other CPU but 0 a pinned FIFO 50 thread runs for run_us each period_us.
 * Whenever one sleeps its CPU drops its priority and looks for a waiting task;
 * interrupts that hit a section for that cannot but set need_resched again, and
 * make the section longer.
 *
 * A section is 1000 instructions for each microsecond, not a time: on the
 * instruction clock it lasts as long as it should plus whatever hits it, and the
 * turns of other CPUs; on hardware it is shorter.
 *
 * The FIFO 50 threads begin their periods at offsets that seed gives, or with
 * phase=close one microsecond after another: then several CPUs ask while one
 * walks.  On the instruction clock that microsecond does it: a CPU's turn there
 * ends before the next timer, so that it is cut short in the middle of a walk.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "rtmig_test.h"

#define BOUND_PAUSE_NS		(100 * NSEC_PER_USEC)
/* Sections do not begin at the same instant */
#define BOUND_PHASE_NS		(53 * NSEC_PER_USEC)
#define BOUND_CLOSE_NS		1000
/* Time for all threads to get there */
#define BOUND_START_NS		(2 * NSEC_PER_MSEC)
#define BOUND_WAITER		1
#define BOUND_SLEEPER		50
#define BOUND_SECTIONS		16384

/*
 * Threads 0 to targets - 1 run the sections, k times as many after them are the
 * waiters, number j of target i at (j + 1) * targets + i; the others sleep and
 * run.
 */
struct bound {
	struct test_thread *t;
	u64 *offset_ns;		/* of each thread, where its periods begin */
	int n;
	int targets;
	int k;
	unsigned int insns;
	u64 run_ns;
	u64 period_ns;
	u64 length_ns;
	u64 begin_ns;
	u64 end_ns;
	atomic_t hits;
	atomic_t hits_max;
	struct test_samples section;
	struct test_samples stolen;
	struct test_samples wake_to_run;
};

static void bound_section(struct test_thread *t)
{
	struct bound *b = t->arg;
	struct test_walk_served before, after;
	u64 begin, end;
	int i, hits, max;

	test_sleep_until(b->begin_ns + b->offset_ns[t - b->t]);
	while (test_now() < b->end_ns) {
		preempt_disable();
		before = test_walk_served();
		begin = test_now();
		for (i = 1; i <= b->k; i++)
			test_wake(t + i * b->targets);
		test_delay(b->insns);
		end = test_now();
		after = test_walk_served();
		preempt_enable();

		/*
		 * One that ends late counts as well, or just the longest would
		 * be left out; what hits it after the end does not.
		 */
		hits = after.count - before.count;
		atomic_add(hits, &b->hits);
		max = atomic_read(&b->hits_max);
		while (hits > max &&
		       !atomic_try_cmpxchg(&b->hits_max, &max, hits))
			;
		test_samples_add(&b->section, end - begin);
		test_samples_add(&b->stolen, after.ns - before.ns);
		test_sleep_until(test_now() + BOUND_PAUSE_NS);
	}
	/* Let them see the end. */
	for (i = 1; i <= b->k; i++)
		wake_up_process(t[i * b->targets].task);
}

static void bound_waiter(struct test_thread *t)
{
	struct bound *b = t->arg;

	/* It is woken the first time like any other, then by its section. */
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop() || test_now() >= b->end_ns)
			break;
		if (!READ_ONCE(t->work)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		test_samples_add(&b->wake_to_run, test_now() - t->woken_ns);
		WRITE_ONCE(t->work, false);
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(t->work, false);
}

static void bound_sleeper(struct test_thread *t)
{
	struct bound *b = t->arg;
	u64 now, next = b->begin_ns + b->offset_ns[t - b->t];

	while (next < b->end_ns) {
		test_sleep_until(next);
		if (b->run_ns)
			test_spin(b->run_ns);
		/* What was missed is not made up for. */
		now = test_now();
		do
			next += b->period_ns;
		while (next <= now);
	}
}

/* Thread i: its CPU, what it runs, and when it begins */
static int bound_place(struct bound *b, int i, int cpu, u64 offset_ns,
		       atomic_t *pending, struct completion *done)
{
	void (*body)(struct test_thread *t) = bound_sleeper;
	struct test_thread *t = &b->t[i];
	int ret = 0, prio = BOUND_SLEEPER;

	if (i < b->targets) {
		body = bound_section;
		prio = 0;
	} else if (i < (b->k + 1) * b->targets) {
		body = bound_waiter;
		prio = BOUND_WAITER;
	}
	if (prio)
		ret = test_set_fifo(t, prio);
	if (!ret)
		ret = test_settle(t, 1, cpu, pending, done);
	b->offset_ns[i] = offset_ns;
	t->body = body;
	t->arg = b;
	return ret;
}

static int bound_place_all(struct bound *b, const struct test_request *req,
			   atomic_t *pending, struct completion *done)
{
	struct rnd_state rnd;
	cpumask_var_t mask;
	int i = 0, j, cpu, ret = 0, waiters = b->k * b->targets;
	u64 offset = 0;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	prandom_seed_state(&rnd, req->seed);
	for_each_online_cpu(cpu) {
		if (!cpu)
			continue;
		if (i < b->targets) {
			cpumask_set_cpu(cpu, mask);
			ret = bound_place(b, i, cpu, i * BOUND_PHASE_NS,
					  pending, done);
			for (j = 1; j <= b->k && !ret; j++)
				ret = bound_place(b, i + j * b->targets, cpu,
						  0, pending, done);
		} else if (i + waiters < b->n) {
			if (req->phase == TEST_APART)
				offset = prandom_u32_state(&rnd) % b->period_ns;
			else
				offset += BOUND_CLOSE_NS;
			ret = bound_place(b, i + waiters, cpu, offset, pending,
					  done);
		} else {
			ret = -EAGAIN;
		}
		if (ret)
			break;
		i++;
	}
	if (!ret && i + waiters < b->n)
		ret = -EAGAIN;
	for (i = b->targets; i < b->targets + waiters && !ret; i++)
		ret = set_cpus_allowed_ptr(b->t[i].task, mask);
	free_cpumask_var(mask);
	return ret;
}

static void bound_result(struct bound *b, int ms)
{
	test_result("targets %d\n", b->targets);
	test_result("k %d\n", b->k);
	test_result("sleepers %d\n", b->n - (b->k + 1) * b->targets);
	test_result("ms %d\n", ms);
	test_samples_result(&b->section, "section");
	if (test_walk_serves()) {
		test_result("hits %d\n", atomic_read(&b->hits));
		test_result("hits_max %d\n", atomic_read(&b->hits_max));
		test_samples_result(&b->stolen, "stolen");
	} else {
		test_result("missing hits\n");
		test_result("missing hits_max\n");
		test_result("missing stolen\n");
	}
	test_samples_result(&b->wake_to_run, "wake_to_run");
	test_walk_result();
}

static int bound_samples(struct bound *b)
{
	return test_samples_init(&b->section, BOUND_SECTIONS) ?:
	       test_samples_init(&b->stolen, BOUND_SECTIONS) ?:
	       test_samples_init(&b->wake_to_run, BOUND_SECTIONS);
}

/**
 * test_bound - the situation; see the head of this file
 * @req: targets (2), k (1), section_us (500), run_us (2), period_us (200),
 *	phase (apart), seed (1) and ms (40) count
 *
 * Results: section, how long each took; hits, the interrupts of walks that hit
 * sections, and hits_max, the most in one; stolen, how long those of a section
 * took; wake_to_run, of the waiters; and what test_walk_result() says.
 *
 * Return: 0 or a negative error, -EAGAIN when CPUs came or went.
 */
int test_bound(const struct test_request *req)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int i, ret, cpus = num_online_cpus() - 1, ms = req->ms ?: 40;
	atomic_t pending = ATOMIC_INIT(0);
	struct bound b = {
		.targets = req->targets,
		.k = req->k,
		.n = cpus + req->k * req->targets,
		.insns = req->section_us * 1000,
		.run_ns = req->run_us * (u64)NSEC_PER_USEC,
		.period_ns = (req->period_us ?: 200) * (u64)NSEC_PER_USEC,
		.length_ns = ms * (u64)NSEC_PER_MSEC,
	};

	if (b.targets >= cpus) {
		pr_err("bound: targets=%d leaves none of the %d CPUs but 0 to ask\n",
		       b.targets, cpus);
		return -EINVAL;
	}
	if (!TEST_DELAY_MAX) {
		pr_err("bound: no loop of known length on this architecture\n");
		return -EOPNOTSUPP;
	}
	b.t = kcalloc(b.n, sizeof(*b.t), GFP_KERNEL);
	b.offset_ns = kcalloc(b.n, sizeof(*b.offset_ns), GFP_KERNEL);
	if (!b.t || !b.offset_ns) {
		ret = -ENOMEM;
		goto out_free;
	}
	ret = bound_samples(&b);
	if (ret)
		goto out_free;
	ret = test_threads_start(b.t, b.n, &pending, &done);
	if (ret)
		goto out_free;
	ret = bound_place_all(&b, req, &pending, &done);
	if (ret)
		goto out_stop;
	ret = test_walk_start();
	if (ret)
		goto out_stop;

	atomic_set(&pending, b.n);
	reinit_completion(&done);
	b.begin_ns = test_now() + BOUND_START_NS;
	b.end_ns = b.begin_ns + b.length_ns;
	test_walk_window(b.begin_ns, b.end_ns);
	for (i = 0; i < b.n; i++)
		test_wake(&b.t[i]);
	ret = test_wait(&done);

	test_walk_stop();
	/* Samples are added until the threads are gone, even after an error. */
	test_threads_stop(b.t, b.n);
	if (!ret)
		bound_result(&b, ms);
	test_walk_free();
	goto out_free;
out_stop:
	test_threads_stop(b.t, b.n);
out_free:
	test_samples_free(&b.wake_to_run);
	test_samples_free(&b.stolen);
	test_samples_free(&b.section);
	kfree(b.offset_ns);
	kfree(b.t);
	return ret;
}
