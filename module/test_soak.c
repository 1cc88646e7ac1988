// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak: k FIFO threads of k different priorities run and sleep for random times,
 * on every CPU but 0, so that some CPUs are free at times and too few at
 * others.  The checker of test_check.c looks for inversions meanwhile: a thread
 * that waits while a CPU that it may use runs something lower.  With lock=own a
 * thread holds a lock of its own for every second run on the average, which on
 * PREEMPT_RT disables its migration; with lock=shared all have one lock, and
 * the holder inherits their priorities.
 *
 * The same seed gives the same times, whatever the scheduler makes of them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "rtmig_test.h"

/* Each run and each sleep: the least, and the span above it */
#define SOAK_MIN_US	20
#define SOAK_RUN_US	480
#define SOAK_SLEEP_US	580

struct soak_thread {
	struct soak *soak;
	struct rnd_state rnd;
	spinlock_t lock;	/* held while this or, shared, any runs */
	u64 loops;
};

struct soak {
	struct hrtimer timer;
	struct test_thread *t;
	struct soak_thread *s;
	int k;
	enum test_lock lock;
	u64 length_ns;
	u64 end_ns;
};

static u64 soak_random_ns(struct rnd_state *rnd, u32 span_us)
{
	return (SOAK_MIN_US + prandom_u32_state(rnd) % span_us) *
	       (u64)NSEC_PER_USEC;
}

static void soak_body(struct test_thread *t)
{
	struct soak_thread *s = t->arg;
	struct soak *soak = s->soak;
	/* the first one's lock is the shared one */
	spinlock_t *lock = soak->lock == TEST_SHARED_LOCK ? &soak->s[0].lock :
							    &s->lock;

	while (test_now() < soak->end_ns) {
		u64 run_ns = soak_random_ns(&s->rnd, SOAK_RUN_US);
		u64 sleep_ns = soak_random_ns(&s->rnd, SOAK_SLEEP_US);
		bool locked = prandom_u32_state(&s->rnd) & 1;

		if (locked && soak->lock != TEST_NO_LOCK) {
			spin_lock(lock);
			test_spin(run_ns);
			spin_unlock(lock);
		} else {
			test_spin(run_ns);
		}
		s->loops++;
		test_sleep_until(test_now() + sleep_ns);
	}
}

static enum hrtimer_restart soak_fire(struct hrtimer *timer)
{
	struct soak *soak = container_of(timer, struct soak, timer);
	int i;

	soak->end_ns = test_now() + soak->length_ns;
	for (i = 0; i < soak->k; i++)
		test_wake(&soak->t[i]);
	return HRTIMER_NORESTART;
}

static int soak_place(struct soak *soak, const struct test_request *req,
		      atomic_t *pending, struct completion *done)
{
	int i, ret = 0, cpu = 0;

	for (i = 0; i < soak->k && !ret; i++) {
		struct test_thread *t = &soak->t[i];
		struct soak_thread *s = &soak->s[i];

		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_next(0, cpu_online_mask);
		if (cpu >= nr_cpu_ids) {
			pr_err("soak needs two CPUs\n");
			return -EINVAL;
		}
		ret = test_set_fifo(t, 10 + i) ?:
		      test_settle(t, 1, cpu, pending, done) ?:
		      test_widen(t, 1);
		s->soak = soak;
		spin_lock_init(&s->lock);
		prandom_seed_state(&s->rnd, (u64)req->seed << 8 | i);
		t->body = soak_body;
		t->arg = s;
	}
	return ret;
}

/**
 * test_soak - the situation; see the head of this file
 * @req: k (12), seed (1), lock (none), ms (200) and period_us (20) count
 *
 * Results: loops, the number of runs of all threads; inversion, the length of
 * each inversion that was seen; and what test_check_result() adds.
 *
 * Return: 0 or a negative error, -EBUSY while a check is on.
 */
int test_soak(const struct test_request *req)
{
	static const char * const locks[] = { "none", "own", "shared" };
	DECLARE_COMPLETION_ONSTACK(done);
	int i, ret, ms = req->ms ?: 200;
	atomic_t pending = ATOMIC_INIT(0);
	struct soak soak = {
		.k = req->k,
		.lock = req->lock,
		.length_ns = ms * (u64)NSEC_PER_MSEC,
	};
	u64 loops = 0;

	soak.t = kcalloc(soak.k, sizeof(*soak.t), GFP_KERNEL);
	soak.s = kcalloc(soak.k, sizeof(*soak.s), GFP_KERNEL);
	if (!soak.t || !soak.s) {
		ret = -ENOMEM;
		goto out_free;
	}
	hrtimer_init_on_stack(&soak.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	soak.timer.function = soak_fire;
	ret = test_threads_start(soak.t, soak.k, &pending, &done);
	if (ret)
		goto out_timer;
	ret = soak_place(&soak, req, &pending, &done);
	if (ret)
		goto out_stop;
	ret = test_check_start((req->period_us ?: 20) * (u64)NSEC_PER_USEC,
			       true);
	if (ret)
		goto out_stop;

	atomic_set(&pending, soak.k);
	reinit_completion(&done);
	ret = test_timer_start(&soak.timer, 0, NSEC_PER_MSEC);
	if (!ret)
		ret = test_wait(&done);
	hrtimer_cancel(&soak.timer);

	if (ret) {
		test_check_stop();
		goto out_stop;
	}
	for (i = 0; i < soak.k; i++)
		loops += soak.s[i].loops;
	test_result("k %d\n", soak.k);
	test_result("seed %d\n", req->seed);
	test_result("lock %s\n", locks[soak.lock]);
	test_result("ms %d\n", ms);
	test_result("loops %llu\n", loops);
	test_check_result("inversion");
out_stop:
	test_threads_stop(soak.t, soak.k);
out_timer:
	destroy_hrtimer_on_stack(&soak.timer);
out_free:
	kfree(soak.s);
	kfree(soak.t);
	return ret;
}
