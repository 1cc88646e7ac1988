// SPDX-License-Identifier: GPL-2.0-only
/*
 * An alternative, measured and not shipped: seven bit planes for each leaf, so that
 * a level is the number that a CPU's bits make up.
 *
 * A search is seven and-nots, however many levels were or are in use, and nothing
 * can go stale.  A change is an atomic operation for each bit that differs.  While
 * it goes on, who searches may see a CPU lower than it is or was, not higher than
 * it will be: bits are cleared before others are set, and read from the top.
 */
#define PLANES	7

struct cpupri_leaf {
	struct leaf_head	head;
	unsigned long		plane[PLANES] ____cacheline_aligned;
	u8			level[BITS_PER_LONG] ____cacheline_aligned;
};

static struct cpupri_leaf *leaf_alloc(void)
{
	struct cpupri_leaf *leaf = kzalloc(sizeof(*leaf), GFP_KERNEL);

	if (leaf) {
		memset(leaf->level, LEVEL_NONE, sizeof(leaf->level));
		memset(leaf->plane, 0xff, sizeof(leaf->plane));
	}
	return leaf;
}

static struct leaf_head *leaf_head(struct cpupri_leaf *leaf)
{
	return &leaf->head;
}

static int leaf_level(struct cpupri_leaf *leaf, unsigned int bit)
{
	return leaf->level[bit];
}

static void leaf_set(struct cpupri_leaf *leaf, unsigned int bit, int level)
{
	unsigned long old = leaf->level[bit], change;

	for (change = old & ~level; change; change &= change - 1)
		clear_bit(bit, &leaf->plane[__ffs(change)]);
	smp_mb__after_atomic();
	for (change = level & ~old; change; change &= change - 1)
		set_bit(bit, &leaf->plane[__ffs(change)]);
	smp_mb__after_atomic();
	leaf->level[bit] = level;
}

static unsigned long leaf_find(struct cpupri_leaf *leaf, unsigned long cpus,
			       int *level)
{
	unsigned long low;
	int i, at = 0;

	for (i = PLANES - 1; i >= 0; i--) {
		low = cpus & ~READ_ONCE(leaf->plane[i]);
		smp_rmb();
		at = 2 * at + !low;
		cpus = low ?: cpus;
	}
	if (at >= *level)
		return 0;
	*level = at;
	return cpus;
}

#include "../alternative_end.h"
