/* SPDX-License-Identifier: GPL-2.0-only */
struct rnd_state {
	u64 state;
};

static inline void prandom_seed_state(struct rnd_state *r, u64 seed)
{
	r->state = seed * 0x9e3779b97f4a7c15 + 1;
}

static inline u32 prandom_u32_state(struct rnd_state *r)
{
	return rnd(&r->state);
}
