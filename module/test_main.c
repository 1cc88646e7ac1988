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
 * Situations: burst, dl, fair, idle, each explained at the head of its file.
 * Keys: cpu, k, rounds, spin_us, gap_us, events, delay_insns, and order=equal,
 * descending or ascending.  For a machine that is otherwise idle; CPU 0 is left
 * to whoever asks.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/prio.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <uapi/linux/sched/types.h>

#include <trace/events/sched.h>

#include "rtmig_test.h"

#define RESULT_SIZE	4096

static DEFINE_MUTEX(test_mutex);
static struct dentry *test_dir;
static char *result;
static int result_len;

/* What samples shows: the values of one name */
struct sample_set {
	const char *name;
	u64 *ns;
	int count;
};

#define SAMPLE_SETS	8
#define SAMPLES_A_LINE	16

static struct sample_set sets[SAMPLE_SETS];
static int sets_count;
/* Grows with every run, so that a reader sees that its run is gone. */
static unsigned int sets_run;

static const struct {
	const char *name;
	int (*run)(const struct test_request *req);
} situations[] = {
	{ "burst", test_burst },
	{ "dl", test_dl },
	{ "fair", test_fair },
	{ "idle", test_idle },
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
		if (t->spin_ns)
			test_spin(t->spin_ns);
		if (atomic_dec_and_test(t->pending))
			complete(t->done);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * test_threads_start - start threads that wait for test_wake()
 * @t: the threads; spin_ns is taken as it is
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
 * @t: the threads
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

/**
 * test_samples_init - make room for samples
 * @s: the samples
 * @size: how many
 *
 * Return: 0 or -ENOMEM.
 */
int test_samples_init(struct test_samples *s, int size)
{
	s->count = 0;
	s->size = size;
	s->ns = kvmalloc_array(size, 2 * sizeof(*s->ns), GFP_KERNEL);
	return s->ns ? 0 : -ENOMEM;
}

/**
 * test_samples_free - give the room back
 * @s: the samples
 */
void test_samples_free(struct test_samples *s)
{
	kvfree(s->ns);
}

/**
 * test_samples_add - add one sample
 * @s: the samples
 * @ns: its value
 */
void test_samples_add(struct test_samples *s, u64 ns)
{
	if (!WARN_ON_ONCE(s->count == s->size))
		s->ns[s->count++] = ns;
}

static int cmp_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * test_samples_result - count, mean, percentiles (nearest rank) and extremes
 * @s: the samples; its values are handed over to the file samples, and s is
 *	empty then
 * @name: what they are; a constant
 *
 * Context: process, from a situation (under the mutex of run).
 */
void test_samples_result(struct test_samples *s, const char *name)
{
	u64 *sorted = s->ns + s->size;
	int i, n = s->count;
	u64 sum = 0;

	test_result("%s_count %d\n", name, n);
	if (!n)
		return;
	memcpy(sorted, s->ns, n * sizeof(*sorted));
	sort(sorted, n, sizeof(*sorted), cmp_u64, NULL);
	for (i = 0; i < n; i++)
		sum += sorted[i];
	test_result("%s_min_ns %llu\n", name, sorted[0]);
	test_result("%s_mean_ns %llu\n", name, div_u64(sum, n));
	test_result("%s_p50_ns %llu\n", name, sorted[DIV_ROUND_UP(n, 2) - 1]);
	test_result("%s_p99_ns %llu\n", name,
		    sorted[DIV_ROUND_UP(n * 99, 100) - 1]);
	test_result("%s_max_ns %llu\n", name, sorted[n - 1]);

	if (WARN_ON_ONCE(sets_count == SAMPLE_SETS))
		return;
	sets[sets_count++] = (struct sample_set){ name, s->ns, n };
	s->ns = NULL;
	s->count = 0;
	s->size = 0;
}

static void sets_free(void)
{
	while (sets_count)
		kvfree(sets[--sets_count].ns);
	sets_run++;
}

/*
 * Moves of our threads while they are queued: what a push or a pull does, and
 * a wake-up that is routed does not.  Counted from a stock tracepoint, so that
 * kernels with and without the series count alike.
 */
static atomic_t moves;
static struct tracepoint *moves_tp;

static void probe_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	if ((p->flags & PF_KTHREAD) && READ_ONCE(p->on_rq) &&
	    kthread_func(p) == test_thread_fn)
		atomic_inc(&moves);
}

static void find_migrate(struct tracepoint *tp, void *unused)
{
	/* Checks the handler's type at build time. */
	check_trace_callback_type_sched_migrate_task(probe_migrate);

	if (!strcmp(tp->name, "sched_migrate_task"))
		moves_tp = tp;
}

/**
 * test_moves_attach - start to count moves of queued threads
 *
 * Return: 0 or a negative error.
 */
int test_moves_attach(void)
{
	for_each_kernel_tracepoint(find_migrate, NULL);
	if (!moves_tp)
		return -ENOENT;
	return tracepoint_probe_register(moves_tp, probe_migrate, NULL);
}

/**
 * test_moves_detach - end what test_moves_attach() began
 */
void test_moves_detach(void)
{
	tracepoint_probe_unregister(moves_tp, probe_migrate, NULL);
	tracepoint_synchronize_unregister();
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
};

/* 0 if the key @word is known and its value in range */
static int parse_key(struct test_request *req, const char *word,
		     const char *value)
{
	int n, i;

	if (!strcmp(word, "order")) {
		i = match_string(order_names, ARRAY_SIZE(order_names), value);
		if (i < 0)
			return -EINVAL;
		req->order = i;
		return 0;
	}
	if (kstrtoint(value, 0, &n))
		return -EINVAL;
	if (!strcmp(word, "cpu") && n > 0 && n < nr_cpu_ids && cpu_online(n))
		req->cpu = n;
	else if (!strcmp(word, "k") && n > 0 && n <= TEST_THREADS)
		req->k = n;
	else if (!strcmp(word, "rounds") && n > 0 && n <= TEST_ROUNDS)
		req->rounds = n;
	else if (!strcmp(word, "spin_us") && n > 0 && n <= 10000)
		req->spin_us = n;
	else if (!strcmp(word, "gap_us") && n >= 0 && n <= 1000)
		req->gap_us = n;
	else if (!strcmp(word, "events") && (n == 0 || n == 1))
		req->events = n;
	else if (!strcmp(word, "delay_insns") && n >= 0 &&
		 n <= TEST_DELAY_MAX && n % 2 == 0)
		req->delay_insns = n;
	else
		return -EINVAL;
	return 0;
}

static int test_run(char *line)
{
	struct test_request req = {
		.cpu = 2, .k = 4, .rounds = 40, .spin_us = 50, .gap_us = 200,
	};
	char *word = strsep(&line, "\n "), *value;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(situations); i++)
		if (!strcmp(word, situations[i].name))
			break;
	if (i == ARRAY_SIZE(situations)) {
		pr_err("unknown situation '%s': burst, dl, fair or idle\n", word);
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
	if (req.cpu >= nr_cpu_ids || !cpu_online(req.cpu)) {
		pr_err("CPU %d is not online\n", req.cpu);
		return -EINVAL;
	}

	result_len = 0;
	sets_free();
	test_moves_reset();
	test_result("situation %s\n", situations[i].name);
	test_result("cpu %d\n", req.cpu);
	test_result("rounds %d\n", req.rounds);
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

/* One line: where its values begin */
struct samples_line {
	unsigned int run;
	int set;
	int first;
};

/* The line at @pos, with the mutex held; samples_stop() gives it back. */
static void *samples_start(struct seq_file *m, loff_t *pos)
{
	struct samples_line *l = m->private;
	loff_t lines = *pos;

	mutex_lock(&test_mutex);
	if (!*pos)
		l->run = sets_run;
	if (l->run != sets_run)
		return ERR_PTR(-ESTALE);
	for (l->set = 0; l->set < sets_count; l->set++) {
		int n = DIV_ROUND_UP(sets[l->set].count, SAMPLES_A_LINE);

		if (lines < n) {
			l->first = lines * SAMPLES_A_LINE;
			return l;
		}
		lines -= n;
	}
	return NULL;
}

static void *samples_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct samples_line *l = v;

	++*pos;
	l->first += SAMPLES_A_LINE;
	if (l->first >= sets[l->set].count) {
		l->set++;
		l->first = 0;
	}
	return l->set < sets_count ? l : NULL;
}

static void samples_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&test_mutex);
}

static int samples_show(struct seq_file *m, void *v)
{
	struct samples_line *l = v;
	struct sample_set *s = &sets[l->set];
	int i, end = min(l->first + SAMPLES_A_LINE, s->count);

	seq_puts(m, s->name);
	for (i = l->first; i < end; i++)
		seq_printf(m, " %llu", s->ns[i]);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations samples_sops = {
	.start	= samples_start,
	.next	= samples_next,
	.stop	= samples_stop,
	.show	= samples_show,
};

static int samples_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &samples_sops,
				sizeof(struct samples_line));
}

static const struct file_operations samples_fops = {
	.owner		= THIS_MODULE,
	.open		= samples_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

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
	debugfs_create_file("samples", 0444, test_dir, NULL, &samples_fops);
	return 0;
}

static void __exit test_exit(void)
{
	debugfs_remove(test_dir);
	test_moves_detach();
	sets_free();
	kfree(result);
}

module_init(test_init);
module_exit(test_exit);
MODULE_DESCRIPTION("Situations that tell the routing of real-time tasks apart");
MODULE_AUTHOR("rtmig developers <developers@rtmig.invalid>");
MODULE_LICENSE("GPL");
