// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads: the tree's cpupri.c while its CPUs change their levels.  Some threads
 * change them, each those that it owns, as under the lock of a run queue; others
 * search and judge what they find.
 *
 * usage: threads SEED ROUNDS MS     rounds of this length, each another machine
 *
 * What can be said of a search that others overtake: a CPU that only raises its
 * level from begin to end is at one that is known not to be above "ceil" and not
 * below "level".  Of such CPUs, allowed and active ones:
 *   - if one stays below the task, something is found;
 *   - none that is found can be above the lowest "ceil";
 *   - none that is found can have been INVALID or out of the task's reach.
 * Those that lower their level, appear or vanish meanwhile are not judged.  When
 * all is quiet, a last search for each level finds what was set.
 *
 * At random a thread stops for a while between two accesses, so that few rounds
 * see many interleavings.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

static __thread unsigned long long point_state;

static inline void point(void)
{
	unsigned long long r = point_state;
	volatile int i;

	if (!r)
		return;
	r ^= r << 13;
	r ^= r >> 7;
	r ^= r << 17;
	point_state = r;
	if ((r >> 20) % 512 == 0)
		sched_yield();
	else if ((r >> 20) % 64 == 1)
		for (i = 0; i < 300; i++)
			;
}

#define SHIM_POINT(p)	point()
#include "unit.h"

#define MAX_CPUS	200
#define THREADS		4

#define load(x)		__atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define store(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_SEQ_CST)
#define add(x)		__atomic_add_fetch(&(x), 1, __ATOMIC_SEQ_CST)

/*
 * A CPU as its owner sees it.  @change and @lower are odd while the level changes,
 * and while it does so in another way than up.
 */
struct cpu {
	unsigned long change, lower;
	int level, ceil, active;
} __attribute__((__aligned__(64)));

static struct cpu cpus[MAX_CPUS];
static struct cpupri cp;
static int ncpus, quiet_cpus, stop, failed;
static int mode;
static unsigned long searches, judged, changes;
static char why[400];
static pthread_mutex_t why_lock = PTHREAD_MUTEX_INITIALIZER;

static void complain(const char *text, int cpu, int level, int task, int ceil)
{
	pthread_mutex_lock(&why_lock);
	if (!failed)
		snprintf(why, sizeof(why), "%s: CPU %d of level %d, task of %d, lowest ceil %d",
			 text, cpu, level, task, ceil);
	store(failed, 1);
	pthread_mutex_unlock(&why_lock);
}

static void change(int c, int level)
{
	struct cpu *cpu = &cpus[c];
	bool raise = cpu->level >= 0 && level > cpu->level;

	add(cpu->change);
	if (!raise)
		add(cpu->lower);
	store(cpu->ceil, level < 0 ? 101 : level);
	cpupri_set(&cp, c, prio_of(level));
	store(cpu->level, level);
	if (!raise)
		add(cpu->lower);
	add(cpu->change);
}

/* out of the machine, at NORMAL all the same, and in again */
static void unplug(int c)
{
	struct cpu *cpu = &cpus[c];

	add(cpu->change);
	add(cpu->lower);
	clear_bit(c, shim_active.bits);
	store(cpu->active, 0);
	cpupri_set(&cp, c, prio_of(CPUPRI_NORMAL));
	store(cpu->level, CPUPRI_INVALID);
	add(cpu->lower);
	add(cpu->change);
}

static void plug(int c)
{
	struct cpu *cpu = &cpus[c];

	add(cpu->change);
	add(cpu->lower);
	cpupri_set(&cp, c, CPUPRI_INVALID);
	set_bit(c, shim_active.bits);
	store(cpu->active, 1);
	add(cpu->lower);
	add(cpu->change);
}

struct thread {
	pthread_t thread;
	int number;
	unsigned long long seed;
};

static void *writer(void *data)
{
	struct thread *t = data;
	u64 r = t->seed;
	int c, level;

	point_state = t->seed + 1;
	while (!load(stop)) {
		c = t->number + THREADS / 2 * (rnd(&r) % MAX_CPUS);
		c %= ncpus;
		if (c % (THREADS / 2) != t->number || c < quiet_cpus)
			continue;
		level = cpus[c].level;
		switch (cpus[c].active ? rnd(&r) % 16 : 16) {
		case 0:
			if (mode == 2) {
				unplug(c);
				break;
			}
			/* fall through */
		case 1:
			change(c, mode ? CPUPRI_INVALID : CPUPRI_NORMAL);
			break;
		case 2:
			change(c, rnd(&r) % 101);
			break;
		case 3 ... 8:
			/* a few levels, so that words empty and fill again */
			change(c, 50 + rnd(&r) % 4);
			break;
		case 9 ... 12:
			change(c, level < 96 ? level + 1 + (int)(rnd(&r) % 4) : 1);
			break;
		case 16:
			if (rnd(&r) % 8 == 0)
				plug(c);
			break;
		default:
			change(c, level < 60 ? 60 + rnd(&r) % 40 : CPUPRI_HIGHER);
		}
		__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static bool fits(struct task_struct *p, int cpu)
{
	return (unsigned int)cpu % 3 == p->nr_cpus_allowed % 3U;
}

static void judge(struct task_struct *p, struct cpumask *mask, int task, bool fit)
{
	static __thread struct cpu before[MAX_CPUS];
	int c, low = 101, low_fit = 101, ceil, level, seen = -1;
	static __thread bool raised[MAX_CPUS], same[MAX_CPUS];
	bool found;

	for (c = 0; c < ncpus; c++) {
		before[c].change = load(cpus[c].change);
		before[c].lower = load(cpus[c].lower);
		before[c].level = load(cpus[c].level);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	found = search(&cp, p, mask, fit ? fits : NULL);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (c = 0; c < ncpus; c++) {
		ceil = load(cpus[c].ceil);
		raised[c] = before[c].lower % 2 == 0 &&
			    load(cpus[c].lower) == before[c].lower;
		same[c] = before[c].change % 2 == 0 &&
			  load(cpus[c].change) == before[c].change;
		if (!raised[c] || !test_bit(c, p->cpus_mask.bits) ||
		    before[c].level < 0 || ceil >= task)
			continue;
		low = min(low, ceil);
		if (fits(p, c))
			low_fit = min(low_fit, ceil);
	}
	__atomic_add_fetch(&searches, 1, __ATOMIC_RELAXED);
	if (low <= 100)
		__atomic_add_fetch(&judged, 1, __ATOMIC_RELAXED);

	if (low <= 100 && !found) {
		complain("nothing was found", -1, -1, task, low);
		return;
	}
	if (fit && low_fit <= 100)
		low = low_fit;
	else if (fit)
		/* one that lowers its level may have been the only one that fits */
		low = 101;
	for_each_cpu(c, mask) {
		level = before[c].level;
		if (!test_bit(c, p->cpus_mask.bits))
			complain("not allowed", c, level, task, low);
		if (fit && low_fit <= 100 && !fits(p, c))
			complain("does not fit", c, level, task, low);
		if (raised[c] && level < 0)
			complain("invalid or not active", c, level, task, low);
		if (raised[c] && level >= task)
			complain("not below the task", c, level, task, low);
		if (raised[c] && level > low)
			complain("not the lowest", c, level, task, low);
		if (same[c] && seen >= 0 && level != seen)
			complain("two levels in one answer", c, level, task, low);
		if (same[c])
			seen = level;
	}
	if (found && cpumask_empty(mask))
		complain("an empty mask", -1, -1, task, low);
}

static void *reader(void *data)
{
	struct thread *t = data;
	u64 r = t->seed;
	struct task_struct *p = calloc(1, sizeof(*p));
	struct cpumask *mask = calloc(1, sizeof(*mask));
	int i, share;

	if (!p || !mask)
		exit(2);
	point_state = t->seed + 2;
	while (!load(stop) && !load(failed)) {
		share = 1 + rnd(&r) % 3;
		p->nr_cpus_allowed = rnd(&r) % 3;
		memset(&p->cpus_mask, 0, sizeof(p->cpus_mask));
		for (i = 0; i < ncpus; i++)
			if (rnd(&r) % share == 0)
				__set_bit(i, p->cpus_mask.bits);
		for (i = 0; i < 20; i++) {
			int task = rnd(&r) % 2 ? 99 : rnd(&r) % 100;

			p->prio = prio_of(task);
			p->thread_info.cpu = rnd(&r) % ncpus;
			judge(p, mask, task, rnd(&r) % 4 == 0);
			if (rnd(&r) % 4 == 0)
				__atomic_add_fetch(&shim_jiffies, 1, __ATOMIC_RELAXED);
		}
	}
	free(p);
	free(mask);
	return NULL;
}

/* With nobody else about: each level in turn */
static void judge_quiet(void)
{
	static struct task_struct p;
	static struct cpumask mask;
	int c, task;

	p.cpus_mask = shim_possible;
	for (task = 0; task < 100; task++) {
		int lowest = 101;

		p.prio = prio_of(task);
		p.thread_info.cpu = task % ncpus;
		for (c = 0; c < ncpus; c++)
			if (cpus[c].level >= 0 && cpus[c].level < lowest)
				lowest = cpus[c].level;
		if (search(&cp, &p, &mask, NULL) != (lowest < task))
			complain("quiet: found or not", -1, -1, task, lowest);
		for_each_cpu(c, &mask)
			if (cpus[c].level != lowest)
				complain("quiet: wrong CPU", c, cpus[c].level, task, lowest);
	}
}

static void one_round(u64 *r, int ms)
{
	static const int sizes[] = { 2, 3, 4, 6, 8, 16, 66, 130, MAX_CPUS };
	struct timespec wait = { ms / 1000, ms % 1000 * 1000000L };
	struct thread t[THREADS];
	int i, shape;

	ncpus = sizes[rnd(r) % ARRAY_SIZE(sizes)];
	shape = rnd(r) % SHAPES;
	mode = rnd(r) % 3;
	machine(ncpus, shape);
	memset(&cp, 0, sizeof(cp));
	if (cpupri_init(&cp))
		exit(2);
	/* Up to all but two CPUs keep still, so that a miss is a miss. */
	quiet_cpus = rnd(r) % 2 ? ncpus - 2 : (int)(rnd(r) % (ncpus - 1));
	for (i = 0; i < ncpus; i++) {
		cpus[i] = (struct cpu){ .level = CPUPRI_INVALID, .ceil = 101, .active = 1 };
		change(i, i < quiet_cpus ? 98 + (int)(rnd(r) % 3) : (int)(rnd(r) % 101));
	}
	store(stop, 0);
	for (i = 0; i < THREADS; i++) {
		t[i].number = i;
		t[i].seed = rnd(r) | 1;
		if (pthread_create(&t[i].thread, NULL,
				   i < THREADS / 2 ? writer : reader, &t[i]))
			exit(2);
	}
	nanosleep(&wait, NULL);
	store(stop, 1);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	if (!failed)
		judge_quiet();
	if (failed)
		snprintf(why + strlen(why), sizeof(why) - strlen(why),
			 "; %d CPUs, %d quiet, caches %s, mode %d", ncpus, quiet_cpus,
			 shape_names[shape], mode);
	cpupri_cleanup(&cp);
}

int main(int argc, char **argv)
{
	int i, rounds, ms;
	u64 r;

	if (argc != 4)
		return 2;
	r = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15 + 1;
	rounds = atoi(argv[2]);
	ms = atoi(argv[3]);
	for (i = 0; i < rounds && !failed; i++)
		one_round(&r, ms);
	free(shim_cache);
	/* a run that has judged nothing has shown nothing */
	if (!failed && (judged < 100 || changes < 100)) {
		failed = 1;
		snprintf(why, sizeof(why), "too little happened");
	}
	printf("%s 1 - threads: searches against changes\n", failed ? "not ok" : "ok");
	printf("# %d rounds, %lu changes, %lu searches, %lu judged\n", i, changes, searches, judged);
	if (failed)
		printf("# %s\n", why);
	printf("1..1\n");
	return failed;
}
