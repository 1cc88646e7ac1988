// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own text of the scheduler features in one translation unit,
 * compiled with the kernel's own command and linked into a program.
 *
 * Nothing that is judged here is typed anew.  tests/40-features.t prepares:
 *   unit-includes.h  what kernel/sched/build_utility.c includes for debug.c
 *   core-word.h      the definition of sysctl_sched_features in core.c
 *   sched.h, debug.c, features.h and others: copies, features.h filled up
 */
#include "unit-includes.h"

#ifdef CONFIG_SCHED_DEBUG
# include "core-word.h"
# include "debug.c"
#endif

#include "feat.h"

/*
 * An int as the result, since that is what callers take the value with: of a
 * masked 64-bit word it would keep the lower half.
 */
#define SCHED_FEAT(name, enabled)			\
static noinline int value_##name(void)			\
{							\
	int on = sched_feat(name);			\
							\
	return on;					\
}							\
static noinline int branch_##name(void)			\
{							\
	if (sched_feat(name))				\
		return 1;				\
	return 0;					\
}
#include "features.h"
#undef SCHED_FEAT

#define SCHED_FEAT(name, enabled)			\
	{ #name, value_##name, branch_##name, enabled },
const struct feat feats[] = {
#include "features.h"
};
#undef SCHED_FEAT

const int feat_nr = __SCHED_FEAT_NR;
const int feat_debug = IS_ENABLED(CONFIG_SCHED_DEBUG);
const int feat_label = IS_ENABLED(CONFIG_JUMP_LABEL);

#if defined(CONFIG_SCHED_DEBUG) && defined(CONFIG_JUMP_LABEL)
/*
 * Patch the branches as the kernel does: a jump where exactly one of key and
 * branch type is set, else a no-op of the same size.  x86 only.
 */
static void sync_sites(const struct static_key *key)
{
	static const u8 nop2[] = { 0x66, 0x90 };
	static const u8 nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	struct jump_entry *e;

	for (e = __start___jump_table; e < __stop___jump_table; e++) {
		u8 *at = (u8 *)jump_entry_code(e), text[5];
		bool is_short = *at == 0xeb || *at == 0x66;
		int size = is_short ? 2 : 5;
		s32 by = jump_entry_target(e) - (unsigned long)at - size;

		if (jump_entry_key(e) != key)
			continue;
		if (!!atomic_read(&key->enabled) == jump_entry_is_branch(e)) {
			memcpy(text, is_short ? nop2 : nop5, size);
		} else {
			text[0] = is_short ? 0xeb : 0xe9;
			memcpy(text + 1, &by, size - 1);
		}
		feat_poke(at, text, size);
	}
}

/* debug.c calls these two; the kernel's own would stop the machine. */
void static_key_enable_cpuslocked(struct static_key *key)
{
	atomic_set(&key->enabled, 1);
	sync_sites(key);
}

void static_key_disable_cpuslocked(struct static_key *key)
{
	atomic_set(&key->enabled, 0);
	sync_sites(key);
}

int feat_key(int i)
{
	return atomic_read(&sched_feat_keys[i].enabled);
}

void feat_init(void)
{
	int i;

	for (i = 0; i < __SCHED_FEAT_NR; i++)
		sync_sites(&sched_feat_keys[i]);
}
#else
int feat_key(int i)
{
	return -1;
}

void feat_init(void)
{
}
#endif

#ifdef CONFIG_SCHED_DEBUG
int feat_set(char *word)
{
	return sched_feat_set(word);
}

int feat_show(struct seq_file *m)
{
	return sched_feat_show(m, NULL);
}
#else
int feat_set(char *word)
{
	return -ENOENT;
}

int feat_show(struct seq_file *m)
{
	return -ENOENT;
}
#endif
