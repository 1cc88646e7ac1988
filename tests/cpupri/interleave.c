// SPDX-License-Identifier: GPL-2.0-only
/*
 * interleave: the tree's cpupri.c under all interleavings of small situations.
 *
 * usage: interleave SWITCHES DELAYS [SITUATION]     a part of its name, dashes for
 *                                                   blanks
 *
 * Threads that take turns: at each access to shared memory another thread may go
 * on.  All runs with at most SWITCHES such switches are made, any number of them
 * where a thread ends.  set_bit() and clear_bit() promise no order: in each run up
 * to DELAYS of them come late, when the thread has its next barrier, or ends
 * its change, which is where it unlocks its run queue.  Loads are never reordered
 * here; tests/models does that.
 *
 * What is judged is what threads.c judges, and a last search when all is quiet.
 */
#include <ucontext.h>

#include <stdbool.h>
#include <stdint.h>

static void point(const void *p);
static void barrier_point(void);
static void bits_point(unsigned long *word, unsigned long mask, bool set);
static unsigned long forward(const void *p, unsigned long v);
static void *arena_alloc(unsigned long size);

#define SHIM_POINT(p)		point(p)
#define SHIM_BARRIER()		barrier_point()
#define SHIM_BITS(word, mask, set) bits_point(word, mask, set)
#define SHIM_LOAD(p) ({							\
	__typeof__(*(p) + 0) __l = *(volatile __typeof__(*(p)) *)(p);	\
	if (sizeof(__l) == sizeof(long))				\
		__l = (__typeof__(__l))forward(p, (unsigned long)__l);	\
	__l; })
#define SHIM_ALLOC(size)	arena_alloc(size)
#define SHIM_FREE(p)		((void)(p))
#include "unit.h"

/* --------------------------------------------------------------- memory */

/* All of the structure, so that each run begins with the same. */
static unsigned char arena[1 << 20] __attribute__((__aligned__(64)));
static unsigned char arena_start[sizeof(arena)];
static unsigned long arena_used;

static void *arena_alloc(unsigned long size)
{
	void *p = arena + arena_used;

	arena_used += size;
	if (arena_used > sizeof(arena))
		abort();
	return p;
}

/* -------------------------------------------------------------- choices */

#define CHOICES		20000

static struct { short made, of; } choices[CHOICES];
static int choice, nr_choices;

/* One of @n: the first, unless this run is to differ here */
static int choose(int n)
{
	if (choice == nr_choices) {
		if (nr_choices == CHOICES)
			abort();
		choices[nr_choices].made = 0;
		choices[nr_choices++].of = n;
	}
	return choices[choice++].made;
}

/* Set up the next run; false if all were made */
static bool next_run(void)
{
	nr_choices = choice;
	while (nr_choices && choices[nr_choices - 1].made + 1 == choices[nr_choices - 1].of)
		nr_choices--;
	if (!nr_choices)
		return false;
	choices[nr_choices - 1].made++;
	return true;
}

/* -------------------------------------------------------------- threads */

#define THREADS		4
#define STACK		(64 << 10)
#define STEPS		6
#define LATE		8

struct step {
	signed char cpu;	/* that changes, or -1 to search */
	signed char level;	/* of the CPU or the task */
	signed char from;	/* search: where the task was */
	unsigned char allowed;	/* search: the CPUs, as bits; 0 for all */
};

struct late {
	unsigned long *word, mask;
	bool set;
};

struct thread {
	ucontext_t context;
	const struct step *steps;
	bool done;
	struct late late[LATE];
	int nr_late;
	struct task_struct p;
	struct cpumask mask;
};

static struct thread threads[THREADS];
static struct thread *now;		/* NULL between runs */
static int nr_threads, switches_left, delays_left;
static ucontext_t main_context;
static char stacks[THREADS][STACK] __attribute__((__aligned__(64)));

static void go_on(struct thread *t)
{
	struct thread *from = now;

	now = t;
	swapcontext(&from->context, &t->context);
}

/* Any thread that is not done, but this one: all of them are a choice */
static struct thread *other(int nr)
{
	int i;

	for (i = 0; i < nr_threads; i++)
		if (&threads[i] != now && !threads[i].done && !nr--)
			return &threads[i];
	return NULL;
}

static int others(void)
{
	int i, n = 0;

	for (i = 0; i < nr_threads; i++)
		n += &threads[i] != now && !threads[i].done;
	return n;
}

static bool is_shared(const void *p)
{
	return (const unsigned char *)p >= arena &&
	       (const unsigned char *)p < arena + sizeof(arena);
}

static void point(const void *p)
{
	int n, c;

	if (!now || !switches_left || !is_shared(p))
		return;
	n = others();
	c = n ? choose(n + 1) : 0;
	if (c) {
		switches_left--;
		go_on(other(c - 1));
	}
}

static void apply(const struct late *l)
{
	if (l->set)
		*l->word |= l->mask;
	else
		*l->word &= ~l->mask;
}

static void barrier_point(void)
{
	int i;

	if (!now || !now->nr_late)
		return;
	/* until here, and not before anything else of this thread */
	point(arena);
	for (i = 0; i < now->nr_late; i++)
		apply(&now->late[i]);
	now->nr_late = 0;
}

static void bits_point(unsigned long *word, unsigned long mask, bool set)
{
	struct late l = { word, mask, set };
	int i;

	if (now && is_shared(word)) {
		bool same = false;

		/* changes of one word keep their order */
		for (i = 0; i < now->nr_late; i++)
			same |= now->late[i].word == word;
		if (same || (delays_left && now->nr_late < LATE && choose(2))) {
			if (now->nr_late == LATE)
				abort();
			if (!same)
				delays_left--;
			now->late[now->nr_late++] = l;
			return;
		}
	}
	apply(&l);
}

static unsigned long forward(const void *p, unsigned long v)
{
	int i;

	for (i = 0; now && i < now->nr_late; i++)
		if (now->late[i].word == p)
			v = now->late[i].set ? v | now->late[i].mask :
					       v & ~now->late[i].mask;
	return v;
}

/* -------------------------------------------------------------- judging */

#define MAX_CPUS	8

struct cpu {
	unsigned long lower;
	int level, ceil;
};

static struct cpu cpus[MAX_CPUS];
static struct cpupri *cp;
static char why[400];
static unsigned long judged, vacuous;

static void complain(const char *text, int cpu, int task, int ceil)
{
	if (!*why)
		snprintf(why, sizeof(why), "%s: CPU %d, task of level %d, lowest ceil %d",
			 text, cpu, task, ceil);
}

static void change(int c, int level)
{
	struct cpu *cpu = &cpus[c];
	bool raise = cpu->level >= 0 && level > cpu->level;

	cpu->lower += !raise;
	cpu->ceil = level < 0 ? 101 : level;
	cpupri_set(cp, c, prio_of(level));
	/* the run queue is unlocked */
	barrier_point();
	cpu->level = level;
	cpu->lower += !raise;
}

static void judge(struct thread *t, const struct step *s)
{
	struct cpu before[MAX_CPUS];
	int c, low = 101;
	bool found;

	memcpy(before, cpus, sizeof(cpus));
	t->p.prio = prio_of(s->level);
	t->p.thread_info.cpu = s->from;
	memset(&t->p.cpus_mask, 0, sizeof(t->p.cpus_mask));
	t->p.cpus_mask.bits[0] = s->allowed ? s->allowed : BIT(nr_cpu_ids) - 1;
	found = search(cp, &t->p, &t->mask, NULL);
	barrier_point();
	for (c = 0; c < (int)nr_cpu_ids; c++)
		if (before[c].lower % 2 == 0 && cpus[c].lower == before[c].lower &&
		    test_bit(c, t->p.cpus_mask.bits) &&
		    before[c].level >= 0 && cpus[c].ceil < s->level)
			low = min(low, cpus[c].ceil);
	if (low <= 100)
		judged++;
	else
		vacuous++;
	if (low <= 100 && !found)
		complain("nothing was found", -1, s->level, low);
	for_each_cpu(c, &t->mask) {
		if (!test_bit(c, t->p.cpus_mask.bits))
			complain("not allowed", c, s->level, low);
		if (before[c].lower % 2 || cpus[c].lower != before[c].lower)
			continue;
		if (before[c].level < 0 || before[c].level >= s->level ||
		    before[c].level > low)
			complain("not the lowest", c, s->level, low);
	}
}

static void thread_body(int nr)
{
	struct thread *t = &threads[nr];
	const struct step *s;
	int n;

	for (s = t->steps; s < t->steps + STEPS && s->cpu != 99; s++)
		if (s->cpu >= 0)
			change(s->cpu, s->level);
		else
			judge(t, s);
	t->done = true;
	n = others();
	if (n)
		go_on(other(n > 1 ? choose(n) : 0));
	else
		setcontext(&main_context);
}

/* ----------------------------------------------------------- situations */

#define SET(cpu, level)			{ cpu, level, 0, 0 }
#define FIND(task, from)		{ -1, task, from, 0 }
#define FIND_ON(task, from, cpus)	{ -1, task, from, cpus }
#define END				{ 99, 0, 0, 0 }

struct situation {
	const char *name;
	int cpus;
	enum shape shape;
	/* what was before: every CPU over these levels, then to its own */
	signed char used[12];
	signed char start[MAX_CPUS];
	struct step steps[THREADS][STEPS];
};

static const struct situation situations[] = {
	{ "one CPU raises", 2, SHAPE_ALL, { -1 }, { 10, 100 },
	  { { SET(0, 20), SET(0, 50), END }, { FIND(99, 0), FIND(60, 1), END } } },
	{ "raises to a level never used, and back from it", 3, SHAPE_ALL, { -1 },
	  { 10, 100, 99 },
	  { { SET(0, 20), SET(0, 21), SET(0, 22), END }, { FIND(99, 0), FIND(98, 2), END } } },
	{ "raises from NORMAL", 2, SHAPE_ALL, { -1 }, { 0, 100 },
	  { { SET(0, 1), SET(0, 2), SET(0, 98), END }, { FIND(99, 0), FIND(99, 1), END } } },
	{ "one raises, one toggles where it goes", 2, SHAPE_ALL, { -1 }, { 10, 11 },
	  { { SET(0, 11), SET(0, 12), END },
	    { SET(1, 100), SET(1, 12), SET(1, 100), END },
	    { FIND(99, 0), END } } },
	{ "one leaves a level that another enters", 2, SHAPE_ALL, { -1 }, { 10, 20 },
	  { { SET(0, 30), END }, { SET(1, 10), END }, { FIND(99, 0), END } } },
	{ "two enter a level at once", 3, SHAPE_ALL, { -1 }, { 10, 10, 100 },
	  { { SET(0, 20), END }, { SET(1, 20), END }, { FIND(99, 2), FIND(99, 0), END } } },
	{ "raises onto a level that is swept", 2, SHAPE_ALL,
	  { 11, 12, 13, 14, -1 }, { 15, 100 },
	  { { SET(0, 16), SET(0, 17), END }, { FIND(99, 0), FIND(99, 0), END },
	    { FIND(99, 1), END } } },
	{ "raises over levels that are swept", 2, SHAPE_ALL,
	  { 11, 12, 13, 20, 30, -1 }, { 10, 100 },
	  { { SET(0, 20), SET(0, 30), END }, { FIND_ON(99, 0, 2), FIND(99, 0), END },
	    { FIND(99, 1), END } } },
	{ "enters a level while it is swept", 2, SHAPE_ALL,
	  { 11, 12, 13, 14, 15, -1 }, { 90, 100 },
	  { { SET(0, 13), END }, { FIND(99, 0), END }, { FIND(99, 1), FIND(99, 0), END } } },
	{ "enters and leaves levels while they are swept", 3, SHAPE_ALL,
	  { 11, 12, 13, 14, -1 }, { 11, 100, 98 },
	  { { SET(0, 12), SET(0, 14), END }, { FIND_ON(99, 0, 4), END },
	    { FIND_ON(99, 1, 1), END } } },
	{ "two sweeps, one raise", 2, SHAPE_ALL,
	  { 11, 12, 13, 14, -1 }, { 12, 98 },
	  { { SET(0, 14), END }, { FIND_ON(99, 0, 2), FIND_ON(99, 0, 2), END },
	    { FIND_ON(99, 1, 2), FIND_ON(99, 1, 1), END } } },
	{ "raises over levels that others have, which are not allowed", 7, SHAPE_ALL,
	  { -1 }, { 10, 1, 2, 3, 4, 98, 100 },
	  { { SET(0, 11), SET(0, 12), SET(0, 13), END },
	    { FIND_ON(99, 0, 1), FIND_ON(99, 6, 0x21), END } } },
	{ "raises in steps over such levels", 7, SHAPE_ALL,
	  { 20, 40, -1 }, { 10, 1, 2, 3, 4, 98, 100 },
	  { { SET(0, 12), SET(0, 20), SET(0, 23), END }, { SET(4, 20), SET(4, 100), END },
	    { FIND_ON(99, 0, 1), END } } },
	{ "two caches, one raises", 8, SHAPE_4, { -1 },
	  { 10, 100, 100, 100, 40, 100, 100, 100 },
	  { { SET(0, 20), SET(0, 50), END }, { FIND(99, 0), FIND(99, 5), END } } },
	{ "two caches, CPUs of both raise", 8, SHAPE_4, { -1 },
	  { 0, 100, 100, 100, 0, 100, 100, 100 },
	  { { SET(0, 20), END }, { SET(4, 30), END }, { FIND(99, 0), FIND(99, 4), END } } },
	{ "vanishes and appears", 3, SHAPE_ALL, { -1 }, { 10, 20, 100 },
	  { { SET(0, -1), SET(0, 20), SET(0, 30), END }, { FIND(99, 0), FIND(99, 1), END } } },
	{ "lowers, then another raises", 2, SHAPE_ALL, { -1 }, { 90, 5 },
	  { { SET(0, 3), END }, { SET(1, 95), END }, { FIND(99, 1), FIND(99, 0), END } } },
};

static void quiet(const struct situation *s)
{
	static struct task_struct p;
	static struct cpumask mask;
	int c, task;

	p.cpus_mask = shim_possible;
	for (task = 1; task < 100 && !*why; task += 1) {
		int lowest = 101;

		p.prio = prio_of(task);
		p.thread_info.cpu = task % s->cpus;
		for (c = 0; c < s->cpus; c++)
			if (cpus[c].level >= 0 && cpus[c].level < lowest)
				lowest = cpus[c].level;
		/* only where something changes is a search worth the time */
		if (task != lowest && task != lowest + 1 && task != 99)
			continue;
		if (search(cp, &p, &mask, NULL) != (lowest < task))
			complain("when all is quiet: found or not", -1, task, lowest);
		for_each_cpu(c, &mask)
			if (cpus[c].level != lowest)
				complain("when all is quiet", c, task, lowest);
	}
}

static void describe(void)
{
	int i;

	snprintf(why + strlen(why), sizeof(why) - strlen(why), "; choices");
	for (i = 0; i < choice; i++)
		if (choices[i].made && strlen(why) < sizeof(why) - 20)
			snprintf(why + strlen(why), sizeof(why) - strlen(why), " %d:%d",
				 i, choices[i].made);
}

static unsigned long run_situation(const struct situation *s, int switches, int delays)
{
	struct cpu start[MAX_CPUS];
	static unsigned long runs, jiffies_start;
	int i, c;

	machine(s->cpus, s->shape);
	arena_used = 0;
	memset(cpus, 0, sizeof(cpus));
	cp = shim_alloc(sizeof(*cp));
	if (cpupri_init(cp))
		exit(2);
	for (c = 0; c < s->cpus; c++) {
		cpus[c].level = CPUPRI_INVALID;
		for (i = 0; s->used[i] >= 0; i++)
			change(c, s->used[i]);
		change(c, s->start[c]);
	}
	shim_jiffies += 10;
	jiffies_start = shim_jiffies;
	memcpy(start, cpus, sizeof(cpus));
	memcpy(arena_start, arena, arena_used);
	for (nr_threads = 0; nr_threads < THREADS; nr_threads++)
		if (!s->steps[nr_threads][0].cpu && !s->steps[nr_threads][0].level)
			break;

	runs = 0;
	choice = nr_choices = 0;
	do {
		memcpy(arena, arena_start, arena_used);
		memcpy(cpus, start, sizeof(cpus));
		shim_jiffies = jiffies_start;
		switches_left = switches;
		delays_left = delays;
		choice = 0;
		for (i = 0; i < nr_threads; i++) {
			struct thread *t = &threads[i];

			t->done = false;
			t->nr_late = 0;
			t->steps = s->steps[i];
			getcontext(&t->context);
			t->context.uc_stack.ss_sp = stacks[i];
			t->context.uc_stack.ss_size = STACK;
			makecontext(&t->context, (void (*)(void))thread_body, 1, i);
		}
		now = &threads[choose(nr_threads)];
		swapcontext(&main_context, &now->context);
		now = NULL;
		runs++;
		shim_jiffies += 10;
		if (!*why)
			quiet(s);
		if (*why) {
			describe();
			break;
		}
	} while (next_run());
	return runs;
}

int main(int argc, char **argv)
{
	int switches, delays, i, n = ARRAY_SIZE(situations), tests = 0, failures = 0;
	unsigned long runs;
	char *s;

	if (argc < 3)
		return 2;
	for (s = argc > 3 ? argv[3] : NULL; s && *s; s++)
		if (*s == '-')
			*s = ' ';
	switches = atoi(argv[1]);
	delays = atoi(argv[2]);
	for (i = 0; i < n; i++) {
		if (argc > 3 && !strstr(situations[i].name, argv[3]))
			continue;
		*why = 0;
		judged = vacuous = 0;
		runs = run_situation(&situations[i], switches, delays);
		if (!*why && !judged)
			snprintf(why, sizeof(why), "no search was judged");
		printf("%s %d - interleave: %s, %lu runs\n", *why ? "not ok" : "ok",
		       ++tests, situations[i].name, runs);
		if (*why) {
			failures++;
			printf("# %s\n", why);
		}
		fflush(stdout);
	}
	free(shim_cache);
	printf("1..%d\n", tests);
	return failures != 0;
}
