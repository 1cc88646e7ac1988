/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two alternatives share that are measured beside the tree's cpupri.c,
 * and that are not shipped: leaves like those of the tree, and the interface of
 * the vectors.  Each says what a leaf holds, and has leaf_set() and leaf_find().
 */
#define CPUPRI_NR_PRIORITIES	(MAX_RT_PRIO + 1)
#define CPUPRI_INVALID		-1
#define CPUPRI_NORMAL		0
#define CPUPRI_HIGHER		100
/* seven bits, above every level that a search looks for */
#define LEVEL_NONE		127

struct cpupri_leaf;

struct cpupri {
	int			nr_leaves;
	struct cpupri_leaf	**leaves;
	struct cpupri_leaf	**cpu_to_leaf;
};

/* the head of each leaf */
struct leaf_head {
	unsigned long		span;
	unsigned int		first;
	int			index;
};

static struct cpupri_leaf *leaf_alloc(void);
static struct leaf_head *leaf_head(struct cpupri_leaf *leaf);
static void leaf_set(struct cpupri_leaf *leaf, unsigned int bit, int level);
/*
 * Those of @cpus, and of those that fit, at the lowest level below @level, which
 * is returned in @level; 0 if there is none
 */
static unsigned long leaf_find(struct cpupri_leaf *leaf, unsigned long cpus,
			       int *level);
static int leaf_level(struct cpupri_leaf *leaf, unsigned int bit);
