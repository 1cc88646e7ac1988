// SPDX-License-Identifier: GPL-2.0-only
/*
 * check: the tree's cpupri.c, one change after the other, against what was set.
 *
 * usage: check kunit CPUS      the tree's KUnit suite, on machines of 1 to CPUS CPUs
 *        check orders N        every sequence of N changes, all searches after each
 *        check random SEED N   changes and searches on machines of 1 to 4096 CPUs,
 *                              less than N on each
 *        check leaves          CPUs of the task's own cache come first
 *        check memory          every allocation fails once
 *
 * Prints TAP.
 */
#include "unit.h"

#ifdef CPUPRI_KUNIT
#include <cpupri_kunit.c>
#endif

static int tests, failures;

static void report(bool ok, const char *what, const char *why)
{
	printf("%s %d - %s\n", ok ? "ok" : "not ok", ++tests, what);
	if (!ok) {
		failures++;
		printf("# %s\n", why);
	}
	fflush(stdout);
}

/* ---------------------------------------------------------------- kunit */

#ifdef CPUPRI_KUNIT
static bool kunit_case(struct kunit_case *c)
{
	static struct kunit test;
	int i;

	memset(&test, 0, sizeof(test));
	shim_kunit_failed = false;
	if (shim_suite->init(&test))
		return false;
	if (!setjmp(shim_kunit_out))
		c->run(&test);
	shim_suite->exit(&test);
	for (i = 0; i < test.allocations; i++)
		free(test.allocated[i]);
	return !shim_kunit_failed;
}

static void kunit(int most)
{
	static const int sizes[] = { 1, 2, 8, 63, 64, 65, 200, 1024, 4096 };
	struct kunit_case *c;
	char why[300];
	int i, cpu, shape, off;

	for (c = shim_suite->test_cases; c->run; c++) {
		bool ok = true;

		for (i = 0; ok && i < (int)ARRAY_SIZE(sizes) && sizes[i] <= most; i++)
		for (shape = 0; ok && shape < SHAPES; shape++)
		for (off = 0; ok && off < 2; off++) {
			/* some of these take time that grows with the square */
			if (sizes[i] > 200 && shape % 4)
				continue;
			machine(sizes[i], shape);
			for (cpu = 1; off && cpu < sizes[i]; cpu += 3)
				__clear_bit(cpu, shim_active.bits);
			ok = kunit_case(c);
			snprintf(why, sizeof(why), "%d CPUs, caches %s%s: %s",
				 sizes[i], shape_names[shape],
				 off ? ", some not active" : "", shim_kunit_why);
		}
		report(ok, c->name, why);
	}
}
#else
static void kunit(int most)
{
	(void)most;
	printf("1..0 # SKIP the tree has no cpupri_kunit.c\n");
	exit(0);
}
#endif

/* ------------------------------------------------------------ reference */

static int level_of[NR_CPUS];
static struct cpumask fitting, mask;
static char why[400];

static bool fits(struct task_struct *p, int cpu)
{
	(void)p;
	return test_bit(cpu, fitting.bits);
}

static int lowest_of(struct task_struct *p, int below, bool fit)
{
	int cpu, lowest = below;

	for_each_cpu_and(cpu, &p->cpus_mask, cpu_active_mask)
		if (level_of[cpu] >= 0 && level_of[cpu] < lowest &&
		    (!fit || test_bit(cpu, fitting.bits)))
			lowest = level_of[cpu];
	return lowest;
}

/* what a search promises: see the head of cpupri_kunit.c */
static bool search_is_right(struct cpupri *cp, struct task_struct *p, int level,
			    bool fit)
{
	int cpu, lowest, n = 0;
	bool found;

	p->prio = prio_of(level);
	found = search(cp, p, &mask, fit ? fits : NULL);
	lowest = lowest_of(p, level, fit);
	if (fit && lowest == level) {
		fit = false;
		lowest = lowest_of(p, level, fit);
	}
	if (found != (lowest < level)) {
		snprintf(why, sizeof(why), "task of level %d: found %d, the lowest is %d",
			 level, found, lowest);
		return false;
	}
	for_each_cpu(cpu, &mask) {
		n++;
		if (level_of[cpu] != lowest || !cpu_active(cpu) ||
		    !cpumask_test_cpu(cpu, &p->cpus_mask) ||
		    (fit && !test_bit(cpu, fitting.bits))) {
			snprintf(why, sizeof(why), "task of level %d%s: found CPU %d of level %d, the lowest is %d",
				 level, fit ? ", fitting" : "", cpu, level_of[cpu], lowest);
			return false;
		}
	}
	if (found && !n) {
		snprintf(why, sizeof(why), "task of level %d: an empty mask", level);
		return false;
	}
	return true;
}

static void set(struct cpupri *cp, int cpu, int level)
{
	cpupri_set(cp, cpu, prio_of(level));
	level_of[cpu] = level;
}

static void start(struct cpupri *cp, struct task_struct *p)
{
	int cpu;

	memset(cp, 0, sizeof(*cp));
	if (cpupri_init(cp))
		exit(2);
	for_each_possible_cpu(cpu)
		level_of[cpu] = CPUPRI_INVALID;
	memset(p, 0, sizeof(*p));
	p->cpus_mask = shim_possible;
	p->cpus_ptr = &p->cpus_mask;
}

/* --------------------------------------------------------------- orders */

#define ORDER_CPUS	3

/*
 * All sequences of changes, as a walk over a tree: each change is followed by
 * all searches and by all changes, then taken back, which is a change as well.
 */
static const int order_levels[] = { -1, 0, 1, 2, 50, 99, 100 };
static const int order_tasks[] = { 0, 1, 2, 3, 51, 99 };
static long order_states;

static bool orders_from(struct cpupri *cp, struct task_struct *p,
			const int *cpus, int depth)
{
	unsigned int i, l, t, allowed;

	order_states++;
	for (t = 0; t < ARRAY_SIZE(order_tasks); t++)
		for (allowed = 1; allowed < 1 << ORDER_CPUS; allowed++) {
			memset(&p->cpus_mask, 0, sizeof(p->cpus_mask));
			for (i = 0; i < ORDER_CPUS; i++)
				if (allowed & 1 << i)
					__set_bit(cpus[i], p->cpus_mask.bits);
			p->thread_info.cpu = cpus[order_states % ORDER_CPUS];
			if (!search_is_right(cp, p, order_tasks[t], false))
				return false;
			if (allowed == 7 && !search_is_right(cp, p, order_tasks[t], true))
				return false;
		}
	shim_jiffies += order_states % 3 == 0;
	if (!depth)
		return true;
	for (i = 0; i < ORDER_CPUS; i++)
		for (l = 0; l < ARRAY_SIZE(order_levels); l++) {
			int old = level_of[cpus[i]];

			set(cp, cpus[i], order_levels[l]);
			if (!orders_from(cp, p, cpus, depth - 1)) {
				snprintf(why + strlen(why), sizeof(why) - strlen(why),
					 "; CPU %d to %d", cpus[i], order_levels[l]);
				return false;
			}
			set(cp, cpus[i], old);
		}
	return true;
}

static void orders(int depth)
{
	static const int sets[][ORDER_CPUS] = { { 0, 1, 2 }, { 0, 63, 64 }, { 3, 70, 9 } };
	static const enum shape shapes[] = { SHAPE_ALL, SHAPE_4, SHAPE_ODD };
	static struct task_struct p;
	struct cpupri cp;
	char what[100];
	unsigned int i, s;
	bool ok;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		for (s = 0; s < ARRAY_SIZE(shapes); s++) {
			machine(71, shapes[s]);
			start(&cp, &p);
			memset(&fitting, 0, sizeof(fitting));
			__set_bit(sets[i][1], fitting.bits);
			order_states = 0;
			*why = 0;
			ok = orders_from(&cp, &p, sets[i], depth);
			snprintf(what, sizeof(what), "orders: CPUs %d %d %d, caches %s, %ld states",
				 sets[i][0], sets[i][1], sets[i][2],
				 shape_names[shapes[s]], order_states);
			report(ok, what, why);
			cpupri_cleanup(&cp);
		}
}

/* --------------------------------------------------------------- random */

static bool random_steps(struct cpupri *cp, struct task_struct *p, u64 *r, int n)
{
	int cpus = nr_cpu_ids, i, j, cpu = 0, share, levels = 102, bias = 0;

	for (i = 0; i < n; i++) {
		/* all levels, few of them, or nearly all CPUs high */
		if (i % 500 == 0) {
			levels = rnd(r) % 2 ? 102 : 2 + rnd(r) % 8;
			bias = rnd(r) % 3 * 30;
		}
		for (j = rnd(r) % 4; j >= 0; j--) {
			cpu = rnd(r) % cpus;
			set(cp, cpu, min((int)(rnd(r) % levels) - 1 + bias, 100));
		}
		if (i % 700 == 0) {
			/* every CPU over every level */
			for (j = 0; j <= 100; j += 1 + rnd(r) % 9)
				for (cpu = rnd(r) % 7; cpu < cpus; cpu += 7)
					set(cp, cpu, j);
			cpu = 0;
		}
		if (rnd(r) % 16 == 0) {
			memset(&p->cpus_mask, 0, sizeof(p->cpus_mask));
			memset(&fitting, 0, sizeof(fitting));
			share = 1 + rnd(r) % 3;
			share = share == 3 ? cpus : share;
			for (j = 0; j < cpus; j++) {
				if (rnd(r) % share == 0)
					__set_bit(j, p->cpus_mask.bits);
				if (rnd(r) % 4 == 0)
					__set_bit(j, fitting.bits);
			}
		}
		if (rnd(r) % 64 == 0) {
			/* CPUs come and go, the caches with them */
			j = rnd(r) % cpus;
			if (test_bit(j, shim_active.bits) && cpus > 1)
				__clear_bit(j, shim_active.bits);
			else
				__set_bit(j, shim_active.bits);
		}
		shim_jiffies += rnd(r) % 8 == 0;
		p->thread_info.cpu = rnd(r) % 2 ? (unsigned long)cpu : rnd(r) % cpus;
		if (!search_is_right(cp, p, rnd(r) % 100, false) ||
		    !search_is_right(cp, p, rnd(r) % 100, true) ||
		    !search_is_right(cp, p, 99, false)) {
			snprintf(why + strlen(why), sizeof(why) - strlen(why),
				 ", at step %d", i);
			return false;
		}
	}
	return true;
}

static void random_run(u64 seed, int n)
{
	static const int sizes[] = {
		1, 2, 3, 8, 16, 32, 63, 64, 65, 100, 128, 255, 256, 480, 1024, 4096
	};
	static struct task_struct p;
	struct cpupri cp;
	char what[100];
	unsigned int i;
	int shape;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 r = seed * 0x9e3779b97f4a7c15 + i + 1;
		bool ok = true;

		for (shape = 0; ok && shape < SHAPES; shape++) {
			machine(sizes[i], shape);
			start(&cp, &p);
			*why = 0;
			/* a search of the reference reads each CPU */
			ok = random_steps(&cp, &p, &r, n / (8 + sizes[i] / 16) + 100);
			cpupri_cleanup(&cp);
		}
		snprintf(what, sizeof(what), "random: %d CPUs", sizes[i]);
		snprintf(why + strlen(why), sizeof(why) - strlen(why),
			 ", caches %s, seed %llu", shape_names[shape - 1],
			 (unsigned long long)seed);
		report(ok, what, why);
	}
}

/* --------------------------------------------------------------- leaves */

/*
 * With all CPUs at one level those found are of the cache where the task was, as
 * many of them as are in one word; CPUs of which no cache is known count as one.
 */
#ifdef CPUPRI_LEAVES
static bool known_cache(int cpu)
{
	return system_state != SYSTEM_BOOTING &&
	       cpumask_weight(cpu_coregroup_mask(cpu)) > 1;
}

static bool leaves_of(struct cpupri *cp, struct task_struct *p, int level)
{
	int cpu, other;

	for_each_possible_cpu(cpu)
		set(cp, cpu, level);
	for_each_possible_cpu(cpu) {
		p->thread_info.cpu = cpu;
		if (!search_is_right(cp, p, 99, false))
			return false;
		for_each_possible_cpu(other) {
			bool want = BIT_WORD(cpu) == BIT_WORD(other) &&
				    (known_cache(cpu) ? known_cache(other) &&
				     shim_cache_of[cpu] == shim_cache_of[other] :
				     !known_cache(other));

			if (cpumask_test_cpu(other, &mask) != want) {
				snprintf(why, sizeof(why), "task of CPU %d, all at level %d: CPU %d found %d",
					 cpu, level, other, !want);
				return false;
			}
		}
	}
	return true;
}

static void leaves(void)
{
	static const int sizes[] = { 1, 2, 7, 64, 65, 200 };
	static struct task_struct p;
	struct cpupri cp;
	char what[100];
	unsigned int i;
	int shape, gone, cpu;

	for (shape = 0; shape < SHAPES; shape++) {
		bool ok = true;

		for (i = 0; ok && i < ARRAY_SIZE(sizes); i++)
		for (gone = 0; ok && gone < 3; gone++) {
			machine(sizes[i], shape);
			/* no cache is known of a CPU that is off */
			for (cpu = gone; gone && cpu < sizes[i]; cpu += 1 + gone) {
				__clear_bit(cpu, shim_cache[shim_cache_of[cpu]].bits);
				shim_cache_of[cpu] = 1000 + cpu;
				memset(&shim_cache[1000 + cpu], 0, sizeof(*shim_cache));
				__set_bit(cpu, shim_cache[1000 + cpu].bits);
			}
			start(&cp, &p);
			*why = 0;
			ok = leaves_of(&cp, &p, CPUPRI_NORMAL) && leaves_of(&cp, &p, 50);
			snprintf(why + strlen(why), sizeof(why) - strlen(why),
				 ", %d CPUs, %d", sizes[i], gone);
			cpupri_cleanup(&cp);
		}
		snprintf(what, sizeof(what), "leaves: caches %s", shape_names[shape]);
		report(ok, what, why);
	}
}
#else
static void leaves(void)
{
	printf("1..0 # SKIP vectors have no leaves\n");
	exit(0);
}
#endif

/* --------------------------------------------------------------- memory */

static void memory(void)
{
	struct cpupri cp;
	int i, ret;

	machine(130, SHAPE_8);
	for (i = 1; i < 10000; i++) {
		memset(&cp, 0, sizeof(cp));
		shim_fail = i;
		ret = cpupri_init(&cp);
		if (shim_fail) {
			shim_fail = 0;
			break;
		}
		if (ret != -ENOMEM) {
			snprintf(why, sizeof(why), "allocation %d fails: returned %d", i, ret);
			report(false, "memory", why);
			return;
		}
	}
	report(!ret, "memory: every allocation fails once, no leak and no double free", "");
	cpupri_cleanup(&cp);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "kunit") && argc == 3)
		kunit(atoi(argv[2]));
	else if (!strcmp(what, "orders") && argc == 3)
		orders(atoi(argv[2]));
	else if (!strcmp(what, "random") && argc == 4)
		random_run(strtoull(argv[2], NULL, 0), atoi(argv[3]));
	else if (!strcmp(what, "leaves"))
		leaves();
	else if (!strcmp(what, "memory"))
		memory();
	else
		return 2;
	free(shim_cache);
	printf("1..%d\n", tests);
	return failures != 0;
}
