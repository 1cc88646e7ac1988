// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measured values: counted, summed up into the result, and shown one by one in
 * the file samples until the next run.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "rtmig_test.h"

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

/**
 * test_samples_init - make room for samples
 * @s: the samples
 * @size: how many
 *
 * Return: 0 or -ENOMEM.
 */
int test_samples_init(struct test_samples *s, int size)
{
	atomic_set(&s->count, 0);
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
 * @ns: its value; where there is no room it is counted only
 *
 * Context: any; several CPUs may add at a time.
 */
void test_samples_add(struct test_samples *s, u64 ns)
{
	int i = atomic_inc_return(&s->count) - 1;

	if (i < s->size)
		s->ns[i] = ns;
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
 * Nobody may add any more.  Those that found no room are NAME_lost.
 *
 * Context: process, from a situation (under the mutex of run).
 */
void test_samples_result(struct test_samples *s, const char *name)
{
	int i, all = atomic_read(&s->count), n = min(all, s->size);
	u64 *sorted = s->ns + s->size;
	u64 sum = 0;

	test_result("%s_count %d\n", name, n);
	if (n < all)
		test_result("%s_lost %d\n", name, all - n);
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
	s->size = 0;
	atomic_set(&s->count, 0);
}

/**
 * test_samples_forget - let the file samples be empty
 *
 * Context: process, under the mutex of run, or when no file is left.
 */
void test_samples_forget(void)
{
	while (sets_count)
		kvfree(sets[--sets_count].ns);
	sets_run++;
}

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

const struct file_operations test_samples_fops = {
	.owner		= THIS_MODULE,
	.open		= samples_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};
