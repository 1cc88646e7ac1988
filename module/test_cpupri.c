// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpupri: how long the search for the CPUs of the lowest priority takes, and the
 * change of a CPU's priority, on the instruction clock how many instructions they
 * have.  On structures of its own, of as many CPUs as the machine has, and of
 * more.  See test_cpupri.h.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "rtmig_test.h"
#include "test_cpupri.h"

#ifdef TEST_CPUPRI

#define REPEATS		5

struct cpupri_test {
	struct test_cpupri *unit;
	int cpus;
	int cache;
	/* behind the name of each figure */
	char suffix[24];
	u8 *before;
	s16 *writers;
};

static u64 least(struct test_cpupri *t, u64 (*what)(void))
{
	u64 ns = U64_MAX;
	int i;

	for (i = 0; i < REPEATS; i++)
		ns = min(ns, what());
	return ns;
}

static u64 time_find(struct test_cpupri *t)
{
	unsigned long flags;
	u64 ns;

	local_irq_save(flags);
	ns = least(t, t->find) - least(t, t->nothing);
	local_irq_restore(flags);
	return ns;
}

/* The first search is another one than those behind it. */
static u64 time_first(struct test_cpupri *t)
{
	unsigned long flags;
	u64 ns;

	local_irq_save(flags);
	ns = t->find() - least(t, t->nothing);
	local_irq_restore(flags);
	return ns;
}

/* From NORMAL to 50 and back, both were used before; of both */
static u64 time_set(struct test_cpupri *t, int cpu)
{
	u64 up = U64_MAX, down = U64_MAX, nothing;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	nothing = least(t, t->nothing);
	for (i = 0; i < REPEATS; i++) {
		up = min(up, t->time_set(cpu, 50));
		down = min(down, t->time_set(cpu, 0));
	}
	local_irq_restore(flags);
	return up + down - 2 * nothing;
}

/* Lines that CPUs of this cache and of others change: see lines() */
#define SEVERAL		-1

/*
 * What a change of a level has changed of the memory: note which cache it was, and
 * return how many of these lines other caches have changed before.
 */
static int lines_changed(struct cpupri_test *c, int cpu)
{
	struct test_cpupri *t = c->unit;
	int cache = cpu / c->cache + 1, count = 0;
	size_t at;

	for (at = 0; at < t->used; at += TEST_CPUPRI_LINE) {
		s16 *writer = &c->writers[at / TEST_CPUPRI_LINE];

		if (!memcmp(c->before + at, t->arena + at, TEST_CPUPRI_LINE))
			continue;
		memcpy(c->before + at, t->arena + at, TEST_CPUPRI_LINE);
		count += *writer == SEVERAL;
		*writer = !*writer || *writer == cache ? cache : SEVERAL;
	}
	return count;
}

/* Lines that a change writes and that other caches write too, in hundredths */
static int lines(struct cpupri_test *c)
{
	static const int levels[] = { 10, 60, 99 };
	struct test_cpupri *t = c->unit;
	int cpu, i, pass, step, sets = 0, count = 0;

	/* all of it would take long: some CPUs of the first caches */
	step = max(c->cache / 2, 1);
	memset(c->writers, 0, TEST_CPUPRI_ARENA / TEST_CPUPRI_LINE * sizeof(*c->writers));
	memcpy(c->before, t->arena, t->used);
	for (pass = 0; pass < 2; pass++) {
		sets = 0;
		count = 0;
		for (cpu = 0; cpu < min(c->cpus, 4 * c->cache); cpu += step) {
			for (i = 0; i < ARRAY_SIZE(levels); i++) {
				t->set(cpu, levels[i]);
				count += lines_changed(c, cpu);
				t->set(cpu, 0);
				count += lines_changed(c, cpu);
				sets += 2;
			}
		}
	}
	return count * 100 / sets;
}

static int measure(struct cpupri_test *c)
{
	struct test_cpupri *t = c->unit;
	int own = c->cpus / 2, cpu, level, foreign, i;
	u64 fresh, later;

	if (!t->start(c->cpus, c->cache, 0))
		return -ENOMEM;
	t->from(own);
	test_result("find_normal%s %llu\n", c->suffix, time_find(t));
	test_result("set%s %llu\n", c->suffix, time_set(t, own) / 2);
	i = lines(c);
	test_result("global_writes_per_set%s %d.%02d\n", c->suffix, i / 100, i % 100);

	/* nobody was ever below */
	if (!t->start(c->cpus, c->cache, 97))
		return -ENOMEM;
	t->from(own);
	test_result("find_level_97_fresh%s %llu\n", c->suffix, time_find(t));

	/* everybody was at every level below */
	if (!t->start(c->cpus, c->cache, 0))
		return -ENOMEM;
	t->from(own);
	for (level = 1; level <= 97; level++)
		for (cpu = 0; cpu < c->cpus; cpu++)
			t->set(cpu, level);
	t->tick();
	test_result("find_level_97_first%s %llu\n", c->suffix, time_first(t));
	for (i = 0; i < 1000; i++) {
		t->tick();
		t->find();
	}
	test_result("find_level_97_used%s %llu\n", c->suffix, time_find(t));

	/* others of the cache, not allowed, are below: first at 97 like all */
	if (!t->start(c->cpus, c->cache, 97))
		return -ENOMEM;
	t->from(own);
	foreign = min(c->cache, c->cpus) - 1;
	own -= own % c->cache;
	t->from(own);
	for (i = 1; i <= foreign; i++)
		t->allow(own + i, false);
	fresh = time_find(t);
	for (i = 1; i <= foreign; i++)
		t->set(own + i, 97 - i);
	later = time_find(t);
	i = div_s64(((s64)later - (s64)fresh) * 100, foreign);
	test_result("find_foreign_97%s %llu\n", c->suffix, later);
	test_result("foreign_per_level%s %s%d.%02d\n", c->suffix, i < 0 ? "-" : "",
		    abs(i) / 100, abs(i) % 100);
	return 0;
}

/**
 * test_cpupri - the situation; see the head of this file
 * @req: nothing of it counts
 *
 * Results: in the unit of test_now(), what the metrics of scenarios/cpupri say, of
 * as many CPUs as there are, by a kernel that is made for 4096, as distributions
 * have it; [nr_cpus=N] by one like this, [cpus=N] of more CPUs.
 *
 * Return: 0 or a negative error.
 */
int test_cpupri(const struct test_request *req)
{
	/* 0 CPUs: as many as there are */
	static const struct {
		int cpus, cache;
		bool small;
	} machines[] = {
		{ 0, 4 }, { 0, 4, true }, { 64, 64 }, { 255, 16 }, { 1024, 16 },
		{ 4096, 16 },
	};
	struct cpupri_test c = { };
	u8 *arena;
	int i, ret = -ENOMEM;

	arena = vzalloc(TEST_CPUPRI_ARENA);
	c.before = vzalloc(TEST_CPUPRI_ARENA);
	c.writers = vzalloc(TEST_CPUPRI_ARENA / TEST_CPUPRI_LINE * sizeof(*c.writers));
	if (!arena || !c.before || !c.writers)
		goto out;
	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		c.cpus = machines[i].cpus ?: num_possible_cpus();
		c.cache = machines[i].cache;
		c.unit = machines[i].small ? &test_cpupri_small_unit :
					     &test_cpupri_big_unit;
		c.suffix[0] = '\0';
		if (machines[i].small)
			snprintf(c.suffix, sizeof(c.suffix), "[nr_cpus=%zu]",
				 BITS_PER_TYPE(struct cpumask));
		else if (machines[i].cpus)
			snprintf(c.suffix, sizeof(c.suffix), "[cpus=%d]", c.cpus);
		c.unit->arena = arena;
		ret = measure(&c);
		if (ret)
			break;
		cond_resched();
	}
out:
	vfree(arena);
	vfree(c.before);
	vfree(c.writers);
	return ret;
}

#else

int test_cpupri(const struct test_request *req)
{
	pr_err("cpupri: the sources of this kernel's scheduler were not there when the module was built\n");
	return -EOPNOTSUPP;
}

#endif
