/* SPDX-License-Identifier: GPL-2.0-only */
/* Behind an alternative: see alternative.h. */
static int convert_prio(int prio)
{
	if (prio == CPUPRI_INVALID)
		return LEVEL_NONE;
	return prio == MAX_RT_PRIO ? CPUPRI_HIGHER : MAX_RT_PRIO - 1 - prio;
}

static int cpupri_find_fitness(struct cpupri *cp, struct task_struct *p,
			       struct cpumask *lowest_mask,
			       bool (*fits)(struct task_struct *p, int cpu))
{
	int own = leaf_head(cp->cpu_to_leaf[task_cpu(p)])->index, i = own;
	int level = convert_prio(p->prio), at;
	struct leaf_head *head, *best = NULL;
	unsigned long cpus, found, winner = 0;
	unsigned int bit;

	do {
		head = leaf_head(cp->leaves[i]);
		cpus = head->span & p->cpus_mask.bits[BIT_WORD(head->first)] &
		       READ_ONCE(cpu_active_mask->bits[BIT_WORD(head->first)]);
		if (fits && cpus) {
			found = cpus;
			for_each_set_bit(bit, &found, BITS_PER_LONG)
				if (!fits(p, head->first + bit))
					cpus &= ~BIT(bit);
		}
		at = level;
		found = cpus ? leaf_find(cp->leaves[i], cpus, &at) : 0;
		if (found) {
			winner = found;
			best = head;
			level = at;
		}
		if (++i == cp->nr_leaves)
			i = 0;
	} while (level > CPUPRI_NORMAL && i != own);

	if (!best)
		return fits ? cpupri_find_fitness(cp, p, lowest_mask, NULL) : 0;
	if (lowest_mask) {
		cpumask_clear(lowest_mask);
		lowest_mask->bits[BIT_WORD(best->first)] = winner;
	}
	return 1;
}

static int cpupri_find(struct cpupri *cp, struct task_struct *p,
		       struct cpumask *lowest_mask)
{
	return cpupri_find_fitness(cp, p, lowest_mask, NULL);
}

static void cpupri_set(struct cpupri *cp, int cpu, int newpri)
{
	struct cpupri_leaf *leaf = cp->cpu_to_leaf[cpu];
	unsigned int bit = cpu - leaf_head(leaf)->first;
	int level = convert_prio(newpri);

	if (level != leaf_level(leaf, bit))
		leaf_set(leaf, bit, level);
}

static void cpupri_cleanup(struct cpupri *cp)
{
	while (cp->nr_leaves)
		kfree(cp->leaves[--cp->nr_leaves]);
	kfree(cp->leaves);
	kfree(cp->cpu_to_leaf);
}

static bool share_leaf(int a, int b)
{
	bool known_a = system_state && cpumask_weight(cpu_coregroup_mask(a)) > 1;
	bool known_b = system_state && cpumask_weight(cpu_coregroup_mask(b)) > 1;

	return known_a ? cpumask_test_cpu(b, cpu_coregroup_mask(a)) : !known_b;
}

static int cpupri_init(struct cpupri *cp)
{
	struct cpupri_leaf *leaf;
	struct leaf_head *head;
	int cpu, other;

	cp->nr_leaves = 0;
	cp->leaves = kcalloc(nr_cpu_ids, sizeof(*cp->leaves), GFP_KERNEL);
	cp->cpu_to_leaf = kcalloc(nr_cpu_ids, sizeof(*cp->cpu_to_leaf), GFP_KERNEL);
	if (!cp->leaves || !cp->cpu_to_leaf)
		goto fail;
	for_each_possible_cpu(cpu) {
		if (cp->cpu_to_leaf[cpu])
			continue;
		leaf = leaf_alloc();
		if (!leaf)
			goto fail;
		head = leaf_head(leaf);
		head->first = round_down(cpu, BITS_PER_LONG);
		head->index = cp->nr_leaves;
		cp->leaves[cp->nr_leaves++] = leaf;
		for (other = cpu; other < (int)min(nr_cpu_ids, head->first + BITS_PER_LONG); other++)
			if (!cp->cpu_to_leaf[other] && share_leaf(cpu, other)) {
				cp->cpu_to_leaf[other] = leaf;
				head->span |= BIT(other - head->first);
			}
	}
	return 0;
fail:
	cpupri_cleanup(cp);
	return -ENOMEM;
}
