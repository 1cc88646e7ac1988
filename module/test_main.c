// SPDX-License-Identifier: GPL-2.0-only
/*
 * rtmig_test.ko: situations on demand, in /sys/kernel/debug/rtmig_test/
 *
 *   run     write "SITUATION key=value ...": runs it, returns when it is done
 *   result  what the last one measured, "key value" lines
 *   samples every value of it, lines of "name value ..." in the order of
 *           measuring, several lines of one name.  A run that begins while it
 *           is read ends the reading with ESTALE
 *
 * Situations: bound, burst, cpupri, dl, fair, idle, migdis, soak, storm, strand,
 * each explained at the head of its file, for a machine that is otherwise idle; CPU 0
 * is left to whoever asks.  check-start and check-stop look for violations of the
 * priorities around any load.  The keys are in keys[] below and in struct
 * test_request; docs/situations.md explains all of it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/prio.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <uapi/linux/sched/types.h>

#include <trace/events/sched.h>

#include "rtmig_test.h"

#define RESULT_SIZE	4096

/* Serialises runs, and readers of what the last one left */
DEFINE_MUTEX(test_mutex);
static struct dentry *test_dir;
static char *result;
static int result_len;

static const struct {
	const char *name;
	int (*run)(const struct test_request *req);
	/* the number of threads if none is asked for, 0 where k does not count */
	int k;
	/* whether it is made on one CPU in rounds */
	bool rounds;
} situations[] = {
	{ "bound", test_bound, 1 },
	{ "burst", test_burst, 4, true },
	{ "check-start", test_check_on },
	{ "check-stop", test_check_off },
	{ "cpupri", test_cpupri },
	{ "dl", test_dl, 0, true },
	{ "fair", test_fair, 0, true },
	{ "idle", test_idle, 0, true },
	{ "migdis", test_migdis },
	{ "soak", test_soak, 12 },
	{ "storm", test_storm },
	{ "strand", test_strand, 0, true },
};

/**
 * test_result - add a line to the result of this run
 * @fmt: printf format
 *
 * Context: process, from a situation (under the mutex of run).
 */
void test_result(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	result_len += vscnprintf(result + result_len, RESULT_SIZE - result_len,
				 fmt, args);
	va_end(args);
}

/**
 * test_now - the clock of all situations
 *
 * Return: nanoseconds, comparable between CPUs.
 */
u64 test_now(void)
{
	return ktime_get_mono_fast_ns();
}

/**
 * test_spin - run for a while
 * @ns: how long, by the clock; what others run meanwhile counts
 *
 * On the instruction clock all CPUs share one time, and a CPU's turn ends when
 * it relaxes.  Once per look at the clock would be very slow there.
 */
void test_spin(u64 ns)
{
	u64 end = test_now() + ns;
	int i = 0;

	while (test_now() < end)
		if (!(++i % 16))
			cpu_relax();
}

/**
 * test_sleep_until - sleep in a thread of a situation
 * @ns: until when, by the clock; real-time threads are woken by a hard timer of
 *	the CPU that they sleep on
 *
 * Context: process.  Returns early when the thread has to stop.
 */
void test_sleep_until(u64 ns)
{
	ktime_t until = ns_to_ktime(ns);

	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop())
		schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS_PINNED);
	__set_current_state(TASK_RUNNING);
}

static int test_thread_fn(void *data)
{
	struct test_thread *t = data;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!READ_ONCE(t->work)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		t->ran_ns = test_now();
		WRITE_ONCE(t->work, false);
		if (t->body)
			t->body(t);
		else if (t->spin_ns)
			test_spin(t->spin_ns);
		if (atomic_dec_and_test(t->pending))
			complete(t->done);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * test_threads_start - start threads that wait for test_wake()
 * @t: the threads; what they run may be set until they are woken
 * @n: number of them
 * @pending: see struct test_thread
 * @done: see struct test_thread
 *
 * Return: 0 or a negative error; none is left then.
 */
int test_threads_start(struct test_thread *t, int n, atomic_t *pending,
		       struct completion *done)
{
	int i;

	for (i = 0; i < n; i++) {
		t[i].pending = pending;
		t[i].done = done;
		t[i].task = kthread_create(test_thread_fn, &t[i],
					   "rtmig_test/%d", i);
		if (IS_ERR(t[i].task)) {
			int ret = PTR_ERR(t[i].task);

			test_threads_stop(t, i);
			return ret;
		}
		wake_up_process(t[i].task);
	}
	return 0;
}

/**
 * test_threads_stop - end the threads of test_threads_start()
 * @t: the threads
 * @n: number of them
 */
void test_threads_stop(struct test_thread *t, int n)
{
	while (n--)
		kthread_stop(t[n].task);
}

/**
 * test_set_fifo - give a thread the policy SCHED_FIFO
 * @t: the thread
 * @prio: 1 to 99, as user space counts
 *
 * Return: 0 or a negative error.
 */
int test_set_fifo(struct test_thread *t, int prio)
{
	struct sched_attr attr = {
		.size		= sizeof(attr),
		.sched_policy	= SCHED_FIFO,
		.sched_priority	= prio,
	};

	return sched_setattr_nocheck(t->task, &attr);
}

/**
 * test_wake - wake a thread and note when
 * @t: the thread
 *
 * Context: any.
 */
void test_wake(struct test_thread *t)
{
	t->woken_ns = test_now();
	WRITE_ONCE(t->work, true);
	test_delay(t->delay_insns);
	wake_up_process(t->task);
}

/**
 * test_wait - wait until a round is done
 * @done: what its last thread completes
 *
 * Return: 0, or -ETIMEDOUT after ten seconds.
 */
int test_wait(struct completion *done)
{
	if (wait_for_completion_timeout(done, 10 * HZ))
		return 0;
	pr_err("a round did not end within 10 s\n");
	return -ETIMEDOUT;
}

/**
 * test_settle - let every thread run on one CPU and sleep there
 * @t: the threads, still without a body
 * @n: number of them
 * @cpu: the CPU
 * @pending: their counter, 0
 * @done: what the last one completes
 *
 * Return: 0 or a negative error.
 */
int test_settle(struct test_thread *t, int n, int cpu, atomic_t *pending,
		struct completion *done)
{
	int i, ret;

	for (i = 0; i < n; i++) {
		u64 spin_ns = t[i].spin_ns;

		ret = set_cpus_allowed_ptr(t[i].task, cpumask_of(cpu));
		if (ret)
			return ret;
		t[i].spin_ns = 0;
		atomic_set(pending, 1);
		reinit_completion(done);
		test_wake(&t[i]);
		ret = test_wait(done);
		if (ret)
			return ret;
		t[i].spin_ns = spin_ns;
	}
	/* The last one completes before it sleeps. */
	usleep_range(1000, 1100);
	return 0;
}

/**
 * test_widen - allow sleeping threads every CPU but 0
 * @t: the threads
 * @n: number of them
 *
 * Return: 0 or a negative error.
 */
int test_widen(struct test_thread *t, int n)
{
	static struct cpumask mask;
	int i, ret = 0;

	cpumask_copy(&mask, cpu_online_mask);
	cpumask_clear_cpu(0, &mask);
	for (i = 0; i < n && !ret; i++)
		ret = set_cpus_allowed_ptr(t[i].task, &mask);
	return ret;
}

struct timer_start {
	struct hrtimer *timer;
	u64 delay_ns;
};

static void timer_start_fn(void *data)
{
	struct timer_start *s = data;

	hrtimer_start(s->timer, ns_to_ktime(s->delay_ns),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * test_timer_start - start a timer on a given CPU
 * @timer: set up with HRTIMER_MODE_REL_PINNED_HARD
 * @cpu: where its interrupt shall come
 * @delay_ns: from now
 *
 * Return: 0 or a negative error.
 */
int test_timer_start(struct hrtimer *timer, int cpu, u64 delay_ns)
{
	struct timer_start s = { timer, delay_ns };

	return smp_call_function_single(cpu, timer_start_fn, &s, 1);
}

static void find_probe(struct tracepoint *tp, void *data)
{
	struct test_probe *p = data;

	if (!strcmp(tp->name, p->name))
		p->tp = tp;
}

/**
 * test_probes_attach - attach handlers, the first one first
 * @p: handlers; no type is checked here
 * @n: number of them
 *
 * When a handler may run, those before it do so on every CPU.
 *
 * Return: 0, or a negative error; none is attached then.
 */
int test_probes_attach(struct test_probe *p, int n)
{
	int i, ret;

	for (i = 0; i < n; i++) {
		for_each_kernel_tracepoint(find_probe, &p[i]);
		ret = p[i].tp ? tracepoint_probe_register(p[i].tp, p[i].handler,
							  NULL) : -ENOENT;
		if (ret) {
			pr_err("cannot attach to %s: %d\n", p[i].name, ret);
			test_probes_detach(p, i);
			return ret;
		}
		/* Whoever is past the test whether a handler is there */
		tracepoint_synchronize_unregister();
	}
	return 0;
}

/**
 * test_probes_detach - detach handlers, the last one first, and wait for them
 * @p: handlers that are attached
 * @n: number of them
 *
 * Context: process; sleeps.
 */
void test_probes_detach(struct test_probe *p, int n)
{
	while (n--) {
		tracepoint_probe_unregister(p[n].tp, p[n].handler, NULL);
		tracepoint_synchronize_unregister();
	}
}

/*
 * Moves of our threads while they are queued: what a push or a pull does, and
 * a wake-up that is routed does not.  Counted from a stock tracepoint, so that
 * kernels with and without the series count alike.
 */
static atomic_t moves;

static void probe_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	if ((p->flags & PF_KTHREAD) && READ_ONCE(p->on_rq) &&
	    kthread_func(p) == test_thread_fn)
		atomic_inc(&moves);
}

static struct test_probe moves_probe = {
	"sched_migrate_task", probe_migrate
};

/**
 * test_moves_attach - start to count moves of queued threads
 *
 * Return: 0 or a negative error.
 */
int test_moves_attach(void)
{
	/* Checks the handler's type at build time. */
	check_trace_callback_type_sched_migrate_task(probe_migrate);

	return test_probes_attach(&moves_probe, 1);
}

/**
 * test_moves_detach - end what test_moves_attach() began
 */
void test_moves_detach(void)
{
	test_probes_detach(&moves_probe, 1);
}

/**
 * test_moves_reset - count from zero
 */
void test_moves_reset(void)
{
	atomic_set(&moves, 0);
}

/**
 * test_moves - number of moves since the reset
 *
 * Return: the number.
 */
int test_moves(void)
{
	return atomic_read(&moves);
}

static const char * const order_names[] = {
	[TEST_EQUAL]		= "equal",
	[TEST_DESCENDING]	= "descending",
	[TEST_ASCENDING]	= "ascending",
	NULL
};

static const char * const phase_names[] = {
	[TEST_APART]		= "apart",
	[TEST_CLOSE]		= "close",
	NULL
};

static const char * const hi_names[] = {
	[TEST_PINNED]		= "pinned",
	[TEST_MIGRATABLE]	= "migratable",
	NULL
};

static const char * const lock_names[] = {
	[TEST_NO_LOCK]		= "none",
	[TEST_OWN_LOCK]		= "own",
	[TEST_SHARED_LOCK]	= "shared",
	NULL
};

static const char * const keep_names[] = {
	[TEST_KEEP_NONE]	= "none",
	[TEST_KEEP_CPU]		= "cpu",
	[TEST_KEEP_DISABLED]	= "disabled",
	NULL
};

/* A key: where its value goes, and either its range or the words for it. */
struct request_key {
	const char *name;
	size_t offset;
	int min;
	int max;
	const char * const *words;
};

#define KEY(_key, _min, _max) {						\
	.name = #_key, .offset = offsetof(struct test_request, _key),	\
	.min = _min, .max = _max }
#define KEY_WORDS(_key, _words) {					\
	.name = #_key, .offset = offsetof(struct test_request, _key),	\
	.words = _words }

static const struct request_key keys[] = {
	KEY(cpu, 1, INT_MAX),
	KEY(k, 1, TEST_THREADS),
	KEY(rounds, 1, TEST_ROUNDS),
	KEY(spin_us, 1, 10000),
	KEY(gap_us, 0, 1000),
	KEY(fifo_first, 0, 1),
	KEY(queued, 0, 1),
	KEY_WORDS(order, order_names),
	KEY(events, 0, 1),
	KEY(delay_insns, 0, TEST_DELAY_MAX),
	KEY(ms, 1, 5000),
	KEY(own, 0, 69),
	KEY(waiter, 1, 59),
	KEY(n, 1, TEST_THREADS),
	KEY(spare, 0, INT_MAX),
	KEY_WORDS(hi, hi_names),
	KEY(seed, 0, INT_MAX),
	KEY(spread_us, 0, 1000),
	KEY_WORDS(lock, lock_names),
	KEY(period_us, 5, 100000),
	KEY(targets, 2, TEST_THREADS),
	KEY(section_us, 1, 10000),
	KEY(run_us, 0, 10000),
	KEY_WORDS(phase, phase_names),
	KEY(wakers, 1, 2),
	KEY_WORDS(keep, keep_names),
};

/* 0 if the key @word is known and @value one that it may have */
static int parse_key(struct test_request *req, const char *word,
		     const char *value)
{
	const struct request_key *key = keys;
	int n;

	while (strcmp(word, key->name))
		if (++key == keys + ARRAY_SIZE(keys))
			return -EINVAL;
	if (key->words) {
		n = match_string(key->words, -1, value);
		if (n < 0)
			return n;
	} else if (kstrtoint(value, 0, &n) || n < key->min || n > key->max) {
		return -EINVAL;
	}
	*(int *)((void *)req + key->offset) = n;
	return 0;
}

static int test_run(char *line)
{
	struct test_request req = {
		.cpu = 2, .rounds = 40, .gap_us = 200,
		.own = 30, .waiter = 20, .seed = 1,
		.targets = 2, .section_us = 500, .run_us = 2,
		.wakers = 1,
	};
	char *word = strsep(&line, "\n "), *value;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(situations); i++)
		if (!strcmp(word, situations[i].name))
			break;
	if (i == ARRAY_SIZE(situations)) {
		pr_err("unknown situation '%s': bound, burst, check-start, check-stop, cpupri, dl, fair, idle, migdis, soak, storm or strand\n",
		       word);
		return -EINVAL;
	}

	while ((word = strsep(&line, "\n "))) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (!value) {
			pr_err("'%s' is not KEY=VALUE\n", word);
			return -EINVAL;
		}
		*value++ = '\0';
		ret = parse_key(&req, word, value);
		if (ret) {
			pr_err("'%s' is no key, or cannot be '%s'\n", word,
			       value);
			return ret;
		}
	}
	if (req.delay_insns % 2) {
		pr_err("'delay_insns' is odd, a turn of its loop has two\n");
		return -EINVAL;
	}
	if (situations[i].rounds &&
	    (req.cpu >= nr_cpu_ids || !cpu_online(req.cpu))) {
		pr_err("CPU %d is not online\n", req.cpu);
		return -EINVAL;
	}

	result_len = 0;
	test_samples_forget();
	test_moves_reset();
	test_result("situation %s\n", situations[i].name);
	if (situations[i].rounds) {
		test_result("cpu %d\n", req.cpu);
		test_result("rounds %d\n", req.rounds);
	}
	if (!req.k)
		req.k = situations[i].k;
	return situations[i].run(&req);
}

static ssize_t run_write(struct file *file, const char __user *buf,
			 size_t count, loff_t *ppos)
{
	char *line;
	int ret;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	line = memdup_user_nul(buf, count);
	if (IS_ERR(line))
		return PTR_ERR(line);

	/*
	 * No lock against CPU hotplug: attaching to tracepoints takes it.  A
	 * CPU that goes away ends the request with an error.
	 */
	mutex_lock(&test_mutex);
	ret = test_run(line);
	mutex_unlock(&test_mutex);

	kfree(line);
	return ret ? ret : count;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
};

static int result_show(struct seq_file *m, void *v)
{
	mutex_lock(&test_mutex);
	seq_write(m, result, result_len);
	mutex_unlock(&test_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int __init test_init(void)
{
	int ret;

	result = kzalloc(RESULT_SIZE, GFP_KERNEL);
	if (!result)
		return -ENOMEM;
	ret = test_moves_attach();
	if (ret) {
		kfree(result);
		return ret;
	}
	test_dir = debugfs_create_dir("rtmig_test", NULL);
	debugfs_create_file("run", 0200, test_dir, NULL, &run_fops);
	debugfs_create_file("result", 0444, test_dir, NULL, &result_fops);
	debugfs_create_file("samples", 0444, test_dir, NULL, &test_samples_fops);
	return 0;
}

static void __exit test_exit(void)
{
	debugfs_remove(test_dir);
	test_check_stop();
	test_moves_detach();
	test_samples_forget();
	kfree(result);
}

module_init(test_init);
module_exit(test_exit);
MODULE_DESCRIPTION("Situations that tell the routing of real-time tasks apart");
MODULE_AUTHOR("rtmig developers <developers@rtmig.invalid>");
MODULE_LICENSE("GPL");
