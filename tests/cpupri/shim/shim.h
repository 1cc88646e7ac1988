/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tree's own cpupri.c asks of the kernel, for a program: nothing of the
 * kernel is copied, all of it means the same as there.
 *
 * Every access to memory that other CPUs may write is behind SHIM_POINT(address), where
 * a program that includes this can put a switch to another thread, and every
 * barrier calls SHIM_BARRIER(); set_bit() and clear_bit(), which promise no
 * order, go through SHIM_BITS() as a whole.
 */
#ifndef CPUPRI_SHIM_H
#define CPUPRI_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_SMP		1
#define CONFIG_SCHED_MC		1
#define CONFIG_THREAD_INFO_IN_TASK 1

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#ifndef SHIM_POINT
#define SHIM_POINT(p)		do { } while (0)
#endif
#ifndef SHIM_BARRIER
#define SHIM_BARRIER()		do { } while (0)
#endif

/* ------------------------------------------------------------- compiler */

#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define __maybe_unused		__attribute__((__unused__))
#define fallthrough		__attribute__((__fallthrough__))
#define __init
#define __percpu
#define __read_mostly
#define SMP_CACHE_BYTES		64
#define L1_CACHE_BYTES		64
#define ____cacheline_aligned	__attribute__((__aligned__(SMP_CACHE_BYTES)))
#define ____cacheline_aligned_in_smp ____cacheline_aligned
#define __cacheline_aligned_in_smp ____cacheline_aligned

#define min(a, b) ({							\
	__typeof__((a) + 0) __a = (a);					\
	__typeof__((b) + 0) __b = (b);					\
	__a < __b ? __a : __b; })
#define max(a, b) ({							\
	__typeof__((a) + 0) __a = (a);					\
	__typeof__((b) + 0) __b = (b);					\
	__a > __b ? __a : __b; })
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))((y) - 1))) + 1)
#define struct_size(p, member, n) \
	(sizeof(*(p)) + sizeof(*(p)->member) * (n))
#define static_assert_size(x)	_Static_assert(x, #x)
#define BUILD_BUG_ON(x)		_Static_assert(!(x), #x)

static __maybe_unused bool shim_warned;

#define WARN_ON_ONCE(x) ({						\
	bool __w = (x);							\
	if (unlikely(__w)) {						\
		fprintf(stderr, "WARN_ON_ONCE(%s), line %d\n", #x, __LINE__); \
		shim_warned = true;					\
		abort();						\
	}								\
	__w; })
#define BUG_ON(x) ((void)WARN_ON_ONCE(x))

/* how a word that others write is read */
#ifndef SHIM_LOAD
#define SHIM_LOAD(p)		__atomic_load_n((p), __ATOMIC_RELAXED)
#endif

#define barrier()		__asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x)							\
	({ SHIM_POINT(&(x)); SHIM_LOAD(&(x)); })
#define WRITE_ONCE(x, v) do {						\
	SHIM_POINT(&(x));						\
	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED);			\
} while (0)

/* ------------------------------------------------------------- barriers */

#ifdef __x86_64__
/* Loads stay in order, and an atomic operation is a full barrier. */
#define shim_atomic_mb()	barrier()
#define shim_rmb()		barrier()
#else
#define shim_atomic_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define shim_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif
#define smp_mb() \
	do { SHIM_BARRIER(); __atomic_thread_fence(__ATOMIC_SEQ_CST); } while (0)
#define smp_mb__before_atomic()	do { SHIM_BARRIER(); shim_atomic_mb(); } while (0)
#define smp_mb__after_atomic()	do { SHIM_BARRIER(); shim_atomic_mb(); } while (0)
#define smp_rmb()		shim_rmb()
#define smp_wmb()		do { SHIM_BARRIER(); shim_atomic_mb(); } while (0)
#define smp_load_acquire(p) \
	({ SHIM_POINT(p); __atomic_load_n((p), __ATOMIC_ACQUIRE); })
#define smp_store_release(p, v) do {					\
	SHIM_POINT(p);							\
	SHIM_BARRIER();							\
	__atomic_store_n((p), (v), __ATOMIC_RELEASE);			\
} while (0)

typedef struct { int counter; } atomic_t;

#define ATOMIC_INIT(i)		{ (i) }
#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, (i))
#define atomic_read_acquire(v)	smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define shim_rmw(op, v, i, order) \
	({ SHIM_POINT(v); SHIM_BARRIER(); __atomic_##op(&(v)->counter, (i), order); })
/* These order nothing, but what a thread delays is only set_bit(), clear_bit(). */
#define atomic_inc(v)		((void)shim_rmw(add_fetch, v, 1, __ATOMIC_RELAXED))
#define atomic_dec(v)		((void)shim_rmw(sub_fetch, v, 1, __ATOMIC_RELAXED))
#define atomic_inc_return(v)	shim_rmw(add_fetch, v, 1, __ATOMIC_SEQ_CST)
#define atomic_fetch_inc(v)	shim_rmw(fetch_add, v, 1, __ATOMIC_SEQ_CST)
#define cmpxchg(p, o, n) ({						\
	__typeof__(*(p)) __o = (o);					\
	SHIM_POINT(p);							\
	SHIM_BARRIER();							\
	__atomic_compare_exchange_n((p), &__o, (n), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	__o; })
#define atomic_cmpxchg(v, o, n)	cmpxchg(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg(v, o, n) ({					\
	SHIM_POINT(v);							\
	SHIM_BARRIER();							\
	__atomic_compare_exchange_n(&(v)->counter, (o), (n), false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); })
#define atomic_try_cmpxchg_acquire	atomic_try_cmpxchg
#define atomic_cmpxchg_acquire		atomic_cmpxchg

/* ----------------------------------------------------------------- bits */

#define BITS_PER_LONG		64
#define BITS_PER_BYTE		8
#define BIT(n)			(1UL << (n))
#define BIT_WORD(n)		((n) / BITS_PER_LONG)
#define BIT_MASK(n)		(1UL << ((n) % BITS_PER_LONG))
#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define BITMAP_FIRST_WORD_MASK(start) (~0UL << ((start) % BITS_PER_LONG))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (63 - (h))))
#define DECLARE_BITMAP(name, n)	unsigned long name[BITS_TO_LONGS(n)]
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define __fls(x)		(63UL - __builtin_clzl(x))
#define hweight_long(x)		((unsigned long)__builtin_popcountl(x))

#ifndef SHIM_BITS
#define SHIM_BITS(word, mask, set) do {					\
	if (set)							\
		__atomic_fetch_or((word), (mask), __ATOMIC_RELAXED);	\
	else								\
		__atomic_fetch_and((word), ~(mask), __ATOMIC_RELAXED);	\
} while (0)
#endif

static inline unsigned long shim_word(const unsigned long *word)
{
	SHIM_POINT(word);
	return SHIM_LOAD(word);
}

static inline void set_bit(unsigned long nr, unsigned long *addr)
{
	SHIM_POINT(addr);
	SHIM_BITS(addr + BIT_WORD(nr), BIT_MASK(nr), true);
}

static inline void clear_bit(unsigned long nr, unsigned long *addr)
{
	SHIM_POINT(addr);
	SHIM_BITS(addr + BIT_WORD(nr), BIT_MASK(nr), false);
}

static inline void __set_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] |= BIT_MASK(nr);
}

static inline void __clear_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] &= ~BIT_MASK(nr);
}

static inline bool test_bit(unsigned long nr, const unsigned long *addr)
{
	return shim_word(addr + BIT_WORD(nr)) & BIT_MASK(nr);
}

static __always_inline bool test_and_set_bit(unsigned long nr, unsigned long *addr)
{
	SHIM_POINT(addr);
	SHIM_BARRIER();
	return __atomic_fetch_or(addr + BIT_WORD(nr), BIT_MASK(nr),
				 __ATOMIC_SEQ_CST) & BIT_MASK(nr);
}

static __always_inline bool test_and_clear_bit(unsigned long nr, unsigned long *addr)
{
	SHIM_POINT(addr);
	SHIM_BARRIER();
	return __atomic_fetch_and(addr + BIT_WORD(nr), ~BIT_MASK(nr),
				  __ATOMIC_SEQ_CST) & BIT_MASK(nr);
}

/* Out of line, as in the kernel where the size is more than a word */
static noinline __maybe_unused unsigned long
find_next_bit(const unsigned long *addr, unsigned long size, unsigned long start)
{
	unsigned long i, word;

	if (start >= size)
		return size;
	i = BIT_WORD(start);
	word = shim_word(addr + i) & BITMAP_FIRST_WORD_MASK(start);
	while (!word) {
		if (++i * BITS_PER_LONG >= size)
			return size;
		word = shim_word(addr + i);
	}
	return min(i * BITS_PER_LONG + __ffs(word), size);
}

static noinline __maybe_unused unsigned long
find_next_and_bit(const unsigned long *a, const unsigned long *b,
		  unsigned long size, unsigned long start)
{
	unsigned long i, word;

	if (start >= size)
		return size;
	i = BIT_WORD(start);
	word = shim_word(a + i) & shim_word(b + i) & BITMAP_FIRST_WORD_MASK(start);
	while (!word) {
		if (++i * BITS_PER_LONG >= size)
			return size;
		word = shim_word(a + i) & shim_word(b + i);
	}
	return min(i * BITS_PER_LONG + __ffs(word), size);
}

static __always_inline unsigned long
find_first_bit(const unsigned long *addr, unsigned long size)
{
	return find_next_bit(addr, size, 0);
}

#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = find_next_bit(addr, size, 0); (bit) < (size);	\
	     (bit) = find_next_bit(addr, size, (bit) + 1))
#define for_each_set_bit_from(bit, addr, size)				\
	for ((bit) = find_next_bit(addr, size, bit);			\
	     (unsigned long)(bit) < (size);				\
	     (bit) = find_next_bit(addr, size, (bit) + 1))

/* ------------------------------------------------------------- cpumasks */

#define NR_CPUS			4096

static unsigned int nr_cpu_ids;
#define shim_words()		BITS_TO_LONGS(nr_cpu_ids)

struct cpumask {
	unsigned long bits[BITS_TO_LONGS(NR_CPUS)];
};

typedef struct cpumask cpumask_t;
typedef struct cpumask *cpumask_var_t;

static struct cpumask shim_possible, shim_active;
#define cpu_possible_mask	((const struct cpumask *)&shim_possible)
#define cpu_active_mask		((const struct cpumask *)&shim_active)
#define cpu_online_mask		cpu_active_mask
#define nr_cpumask_bits		nr_cpu_ids
#define cpumask_bits(m)		((m)->bits)
#define cpumask_pr_args(m)	((struct shim_pr){ m })

static inline unsigned int cpumask_size(void)
{
	return shim_words() * sizeof(long);
}

static inline bool cpumask_test_cpu(int cpu, const struct cpumask *m)
{
	return test_bit(cpu, m->bits);
}

static inline void cpumask_set_cpu(int cpu, struct cpumask *m)
{
	set_bit(cpu, m->bits);
}

static inline void cpumask_clear_cpu(int cpu, struct cpumask *m)
{
	clear_bit(cpu, m->bits);
}

static inline unsigned int cpumask_next(int n, const struct cpumask *m)
{
	return find_next_bit(m->bits, nr_cpu_ids, n + 1);
}

static inline unsigned int cpumask_next_and(int n, const struct cpumask *a,
					    const struct cpumask *b)
{
	return find_next_and_bit(a->bits, b->bits, nr_cpu_ids, n + 1);
}

#define cpumask_first(m)	cpumask_next(-1, m)
#define cpumask_any_and(a, b)	cpumask_next_and(-1, a, b)
#define cpumask_first_and(a, b)	cpumask_next_and(-1, a, b)
#define cpumask_intersects(a, b) (cpumask_next_and(-1, a, b) < nr_cpu_ids)
#define for_each_cpu(cpu, m)						\
	for ((cpu) = cpumask_first(m); (unsigned int)(cpu) < nr_cpu_ids; \
	     (cpu) = cpumask_next((cpu), (m)))
#define for_each_cpu_and(cpu, a, b)					\
	for ((cpu) = cpumask_next_and(-1, a, b);			\
	     (unsigned int)(cpu) < nr_cpu_ids;				\
	     (cpu) = cpumask_next_and((cpu), (a), (b)))
#define for_each_possible_cpu(cpu) for_each_cpu(cpu, cpu_possible_mask)
#define cpu_possible(cpu)	cpumask_test_cpu(cpu, cpu_possible_mask)
#define cpu_active(cpu)		cpumask_test_cpu(cpu, cpu_active_mask)

static inline void cpumask_clear(struct cpumask *m)
{
	memset(m->bits, 0, shim_words() * sizeof(long));
}

static inline void cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	memcpy(to->bits, from->bits, shim_words() * sizeof(long));
}

static inline bool cpumask_and(struct cpumask *to, const struct cpumask *a,
			       const struct cpumask *b)
{
	unsigned long any = 0;
	unsigned int i;

	for (i = 0; i < shim_words(); i++)
		any |= to->bits[i] = shim_word(a->bits + i) & shim_word(b->bits + i);
	return any;
}

static inline bool cpumask_subset(const struct cpumask *a, const struct cpumask *b)
{
	unsigned int i;

	for (i = 0; i < shim_words(); i++)
		if (a->bits[i] & ~b->bits[i])
			return false;
	return true;
}

static inline unsigned int cpumask_weight(const struct cpumask *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < shim_words(); i++)
		n += hweight_long(m->bits[i]);
	return n;
}

static inline bool cpumask_empty(const struct cpumask *m)
{
	return cpumask_first(m) >= nr_cpu_ids;
}

static inline __maybe_unused unsigned int cpumask_last(const struct cpumask *m)
{
	unsigned int cpu = nr_cpu_ids;

	while (cpu && !cpumask_test_cpu(cpu - 1, m))
		cpu--;
	return cpu ? cpu - 1 : nr_cpu_ids;
}

static inline __maybe_unused const struct cpumask *cpumask_of(int cpu)
{
	static struct cpumask m;

	memset(&m, 0, sizeof(m));
	m.bits[BIT_WORD(cpu)] = BIT_MASK(cpu);
	return &m;
}

#define num_possible_cpus()	cpumask_weight(cpu_possible_mask)
#define num_active_cpus()	cpumask_weight(cpu_active_mask)

/* --------------------------------------------------------------- memory */

#define GFP_KERNEL		0
#define NUMA_NO_NODE		(-1)

#ifndef SHIM_ALLOC
#define SHIM_ALLOC(size)	aligned_alloc(SMP_CACHE_BYTES, size)
#define SHIM_FREE(p)		free(p)
#endif

/* the allocation that fails, counted down; 0 for none */
static __maybe_unused int shim_fail;

static void *shim_alloc(size_t size)
{
	void *p;

	if (shim_fail && !--shim_fail)
		return NULL;
	size = round_up(size, (size_t)SMP_CACHE_BYTES);
	p = SHIM_ALLOC(size);
	if (p)
		memset(p, 0, size);
	return p;
}

#define kzalloc(size, gfp)	shim_alloc(size)
#define kmalloc(size, gfp)	shim_alloc(size)
#define kzalloc_node(size, gfp, node) ((void)(node), shim_alloc(size))
#define kcalloc(n, size, gfp)	shim_alloc((size_t)(n) * (size))
#define kmalloc_array(n, size, gfp) shim_alloc((size_t)(n) * (size))
#define kcalloc_node(n, size, gfp, node) shim_alloc((size_t)(n) * (size))
#define kvcalloc		kcalloc
#define kvzalloc		kzalloc
#define kfree(p)		SHIM_FREE((void *)(p))
#define kvfree			kfree

static inline __maybe_unused bool zalloc_cpumask_var(cpumask_var_t *m, int gfp)
{
	(void)gfp;
	*m = shim_alloc(cpumask_size());
	return *m;
}

static inline __maybe_unused void free_cpumask_var(cpumask_var_t m)
{
	SHIM_FREE(m);
}

/* ------------------------------------------------------ tasks and time */

#define MAX_RT_PRIO		100

struct thread_info {
	u32 cpu;
};

struct task_struct {
	struct thread_info thread_info;
	int prio;
	int nr_cpus_allowed;
	const struct cpumask *cpus_ptr;
	struct cpumask cpus_mask;
};

#define task_thread_info(p)	(&(p)->thread_info)
/* of the machine, not of the structure: nothing that a test interleaves */
#define task_cpu(p)		__atomic_load_n(&(p)->thread_info.cpu, __ATOMIC_RELAXED)

static unsigned long shim_jiffies __maybe_unused;
#define jiffies			__atomic_load_n(&shim_jiffies, __ATOMIC_RELAXED)
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)

#define lockdep_assert_held(x)		do { } while (0)
#define lockdep_assert_irqs_disabled()	do { } while (0)
#define IS_ENABLED(x)			1

/* --------------------------------------------------------------- caches */

enum { SYSTEM_BOOTING, SYSTEM_SCHEDULING, SYSTEM_RUNNING };
static int system_state __maybe_unused;

/* the number of the cache of each CPU, and the CPUs of each cache */
static int shim_cache_of[NR_CPUS];
static struct cpumask *shim_cache;

static inline __maybe_unused const struct cpumask *cpu_coregroup_mask(int cpu)
{
	return &shim_cache[shim_cache_of[cpu]];
}

#define cpu_llc_shared_mask	cpu_coregroup_mask
#define cpu_to_node(cpu)	0

/* ---------------------------------------------------------- tracepoints */

#define SHIM_TRACE(name)						\
	static inline __maybe_unused bool name##_enabled(void) { return false; }
SHIM_TRACE(trace_sched_cpupri_find_tp)
SHIM_TRACE(trace_sched_cpupri_sweep_tp)
static inline void shim_trace(int a, ...) { (void)a; }
#define trace_sched_cpupri_find_tp(...)		shim_trace(__VA_ARGS__)
#define trace_sched_cpupri_sweep_tp(...)	shim_trace(__VA_ARGS__)

/* words of include/trace/events/sched.h */
enum sched_cpupri_find {
	SCHED_CPUPRI_NONE, SCHED_CPUPRI_RT, SCHED_CPUPRI_NEAR, SCHED_CPUPRI_FAR,
};

#endif /* CPUPRI_SHIM_H */
