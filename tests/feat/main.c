// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drive the scheduler features of unit.c and judge what they do.
 *
 * usage: PROGRAM MODE
 *   list     index, name and default of every feature
 *   config   the configuration that the unit was built with
 *   start    before anything was written, each is and shows its default
 *   acts     each flips by its name, and no other with it; as an int it is
 *            0 or 1
 *   shown    as acts, judging what debugfs shows
 *   keys     as acts, judging the static keys
 *
 * Exit status: 0 as it should be, 1 not (a line says what), 2 usage.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feat.h"

#define MAX	256

/*
 * The kernel keeps its stack aligned to 8 bytes, the C library expects 16:
 * everything that unit.c calls realigns.
 */
#define FROM_KERNEL	__attribute__((force_align_arg_pointer))

enum aspect { ACTS = 1, SHOWN = 2, KEYS = 4 };

static int want[MAX];
static unsigned int complaints;

/* seq_file, as far as sched_feat_show() needs it */

struct seq_file {
	char text[MAX * 70];
	size_t len;
};

int seq_write(struct seq_file *m, const void *data, size_t len);
void seq_putc(struct seq_file *m, char c);
void seq_puts(struct seq_file *m, const char *s);
void __seq_puts(struct seq_file *m, const char *s);
void seq_printf(struct seq_file *m, const char *fmt, ...);
int match_string(const char * const *array, size_t n, const char *string);

FROM_KERNEL int seq_write(struct seq_file *m, const void *data, size_t len)
{
	if (len >= sizeof(m->text) - m->len)
		abort();
	memcpy(m->text + m->len, data, len);
	m->len += len;
	m->text[m->len] = '\0';
	return 0;
}

FROM_KERNEL void seq_putc(struct seq_file *m, char c)
{
	seq_write(m, &c, 1);
}

FROM_KERNEL void seq_puts(struct seq_file *m, const char *s)
{
	seq_write(m, s, strlen(s));
}

FROM_KERNEL void __seq_puts(struct seq_file *m, const char *s)
{
	seq_write(m, s, strlen(s));
}

FROM_KERNEL void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	char line[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len < 0 || len >= (int)sizeof(line))
		abort();
	seq_write(m, line, len);
}

FROM_KERNEL int match_string(const char * const *array, size_t n, const char *string)
{
	size_t i;

	for (i = 0; i < n && array[i]; i++)
		if (!strcmp(array[i], string))
			return i;
	return -EINVAL;
}

FROM_KERNEL void feat_poke(void *at, const void *bytes, unsigned long len)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	unsigned long from = (unsigned long)at & -page;
	unsigned long to = ((unsigned long)at + len + page - 1) & -page;

	if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		perror("mprotect");
		exit(1);
	}
	memcpy(at, bytes, len);
}

/* Judging */

__attribute__((format(printf, 2, 3)))
static void complain(const char *after, const char *fmt, ...)
{
	va_list args;

	/* The first ones tell; a broken word has thousands. */
	if (complaints++ >= 10)
		return;
	printf("after %s: ", after);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void judge_shown(const char *after)
{
	static struct seq_file got, expected;
	char *g, *e, *gp, *ep;
	int i;

	got.len = expected.len = 0;
	got.text[0] = '\0';
	if (feat_show(&got))
		complain(after, "sched_feat_show() failed");
	for (i = 0; i < feat_nr; i++)
		seq_printf(&expected, "%s%s ", want[i] ? "" : "NO_", feats[i].name);
	seq_puts(&expected, "\n");
	if (!strcmp(got.text, expected.text))
		return;

	/* Name the words that differ rather than print two long lines. */
	g = strtok_r(got.text, " ", &gp);
	e = strtok_r(expected.text, " ", &ep);
	for (i = 0; g || e; i++) {
		if (!g || !e || strcmp(g, e))
			complain(after, "index %d: shown '%s', wanted '%s'",
				 i, g ? g : "", e ? e : "");
		g = g ? strtok_r(NULL, " ", &gp) : NULL;
		e = e ? strtok_r(NULL, " ", &ep) : NULL;
	}
}

static void judge(unsigned int aspects, const char *after)
{
	int i, got;

	for (i = 0; i < feat_nr; i++) {
		const struct feat *f = &feats[i];

		if (aspects & ACTS) {
			got = f->value();
			if (got != want[i])
				complain(after, "index %d, %s: as an int %d, wanted %d",
					 i, f->name, got, want[i]);
			got = f->branch();
			if (got != want[i])
				complain(after, "index %d, %s: branches as %d, wanted %d",
					 i, f->name, got, want[i]);
		}
		if (aspects & KEYS) {
			got = feat_key(i);
			if (got != want[i])
				complain(after, "index %d, %s: static key %d, wanted %d",
					 i, f->name, got, want[i]);
		}
	}
	if (aspects & SHOWN)
		judge_shown(after);
}

static void set(int i, int on, unsigned int aspects)
{
	char word[128];
	int rc;

	snprintf(word, sizeof(word), "%s%s", on ? "" : "NO_", feats[i].name);
	rc = feat_set(word);
	if (rc)
		complain(word, "sched_feat_set() failed with %d", rc);
	want[i] = on;
	judge(aspects, word);
}

/* Every flag forth and back, among flags that are as they are */
static void flip_each(unsigned int aspects)
{
	int i;

	for (i = 0; i < feat_nr; i++) {
		set(i, !want[i], aspects);
		set(i, !want[i], aspects);
	}
}

/*
 * Three grounds: the defaults, all off, all on.  Among flags that are off a bit
 * that spreads is seen, among flags that are on one that is lost.
 */
static void flip_all(unsigned int aspects)
{
	char unknown[] = "NO_SUCH_FEATURE";
	int i, on;

	flip_each(aspects);
	for (on = 0; on <= 1; on++) {
		for (i = 0; i < feat_nr; i++)
			set(i, on, aspects);
		flip_each(aspects);
	}
	if (feat_set(unknown) >= 0)
		complain(unknown, "sched_feat_set() took it");
	judge(aspects, unknown);
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	int i;

	if (feat_nr > MAX) {
		printf("%d features, room for %d\n", feat_nr, MAX);
		return 1;
	}
	feat_init();
	for (i = 0; i < feat_nr; i++)
		want[i] = feats[i].start;

	if (!strcmp(mode, "list")) {
		for (i = 0; i < feat_nr; i++)
			printf("%d %s %d\n", i, feats[i].name, feats[i].start);
	} else if (!strcmp(mode, "config")) {
		printf("SCHED_DEBUG=%c JUMP_LABEL=%c features=%d\n",
		       feat_debug ? 'y' : 'n', feat_label ? 'y' : 'n', feat_nr);
	} else if (!strcmp(mode, "start")) {
		judge(ACTS | (feat_debug ? SHOWN : 0) |
		      (feat_debug && feat_label ? KEYS : 0), "nothing");
	} else if (!strcmp(mode, "acts")) {
		flip_all(ACTS);
	} else if (!strcmp(mode, "shown")) {
		flip_all(SHOWN);
	} else if (!strcmp(mode, "keys")) {
		flip_all(KEYS);
	} else {
		fprintf(stderr, "usage: %s list|config|start|acts|shown|keys\n", argv[0]);
		return 2;
	}
	if (complaints > 10)
		printf("and %u more\n", complaints - 10);
	return !!complaints;
}
