// SPDX-License-Identifier: GPL-2.0-only
/*
 * An alternative, measured and not shipped: one byte for each CPU of a leaf.
 *
 * A change is one plain store, and nothing can go stale.  A search reads all bytes
 * of the leaf, eight at a time; each CPU is seen once, at one of its levels.
 */
struct cpupri_leaf {
	struct leaf_head	head;
	u64			levels[BITS_PER_LONG / 8] ____cacheline_aligned;
};

#define BYTES(x)	((x) * 0x0101010101010101UL)

static struct cpupri_leaf *leaf_alloc(void)
{
	struct cpupri_leaf *leaf = kzalloc(sizeof(*leaf), GFP_KERNEL);

	if (leaf)
		memset(leaf->levels, LEVEL_NONE, sizeof(leaf->levels));
	return leaf;
}

static struct leaf_head *leaf_head(struct cpupri_leaf *leaf)
{
	return &leaf->head;
}

static int leaf_level(struct cpupri_leaf *leaf, unsigned int bit)
{
	return ((u8 *)leaf->levels)[bit];
}

static void leaf_set(struct cpupri_leaf *leaf, unsigned int bit, int level)
{
	WRITE_ONCE(((u8 *)leaf->levels)[bit], level);
	/* the overload mark is read behind this */
	smp_mb();
}

/* The eight bits of @bits as bytes of 0x00 or 0x7f */
static inline u64 spread(unsigned long bits)
{
	u64 x = BYTES(bits & 0xff) & 0x8040201008040201UL;

	/* a byte is not 0 if its bit was set: carry that into bit 7 */
	x = ((x & BYTES(0x7fUL)) + BYTES(0x7fUL)) | x;
	return ((x >> 7) & BYTES(1UL)) * 0x7f;
}

static unsigned long leaf_find(struct cpupri_leaf *leaf, unsigned long cpus,
			       int *level)
{
	u64 lowest = BYTES((u64)*level), w, lower, seen[BITS_PER_LONG / 8];
	unsigned long found = 0;
	int i, first = __ffs(cpus) / 8, last = __fls(cpus) / 8, low;

	for (i = first; i <= last; i++) {
		/* CPUs that are not asked for are at 127 */
		w = READ_ONCE(leaf->levels[i]) | (spread(cpus >> (8 * i)) ^ BYTES(0x7fUL));
		seen[i] = w;
		/* bit 7 of each byte: lowest > w, seven-bit numbers */
		lower = ((lowest | BYTES(0x80UL)) - w - BYTES(1UL)) & BYTES(0x80UL);
		lower = (lower >> 7) * 0x7f;
		lowest = (w & lower) | (lowest & ~lower);
	}
	low = *level;
	for (i = 0; i < 8; i++)
		low = min(low, (int)(lowest >> (8 * i) & 0xff));
	if (low == *level)
		return 0;
	for (i = first; i <= last; i++) {
		w = seen[i] ^ BYTES((u64)low);
		/* bit 7: the byte is 0 */
		w = ~(w + BYTES(0x7fUL)) & BYTES(0x80UL);
		found |= (((w >> 7) * 0x0102040810204080UL) >> 56) << (8 * i);
	}
	*level = low;
	return found;
}

#include "../alternative_end.h"
