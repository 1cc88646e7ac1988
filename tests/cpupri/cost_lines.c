// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is compiled with -fsanitize=thread calls a function for each access to
 * memory.  These here, in place of TSan's, keep the addresses, by lines of 64
 * bytes.  To be compiled without it, and linked without TSan.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cost_lines.h"

struct line {
	int cache;	/* + 1; 0 for nobody, -1 for several */
	int cpu;	/* likewise */
	bool read;
};

struct lines lines;

static const unsigned char *start;
static unsigned long length;
static struct line *line;
static int log_cache = -1, log_cpu = -1, counting;

void lines_start(const void *memory, unsigned long size)
{
	free(line);
	line = calloc(size / 64, sizeof(*line));
	if (!line)
		exit(2);
	start = memory;
	length = size;
}

void lines_count(int on)
{
	counting = on;
	memset(&lines, 0, sizeof(lines));
}

void lines_log(int cache, int cpu)
{
	log_cache = cache;
	log_cpu = cpu;
}

static void note(int *who, int me)
{
	*who = !*who || *who == me + 1 ? me + 1 : -1;
}

static void access_at(const volatile void *p, bool write)
{
	unsigned long at = (const volatile unsigned char *)p - start;
	struct line *l;

	if (log_cpu < 0 || (const volatile unsigned char *)p < start || at >= length)
		return;
	l = &line[at / 64];
	if (!write) {
		lines.read += counting && !l->read;
		l->read = true;
	} else if (!counting) {
		note(&l->cache, log_cache);
		note(&l->cpu, log_cpu);
	} else if (l->cache < 0) {
		lines.global++;
	} else if (l->cpu < 0) {
		lines.cache++;
	} else {
		lines.own++;
	}
}

/* What the compiler calls */
#define STUB_RW(n)							\
	void __tsan_read##n(void *p) { access_at(p, false); }		\
	void __tsan_write##n(void *p) { access_at(p, true); }		\
	void __tsan_unaligned_read##n(void *p) { access_at(p, false); }	\
	void __tsan_unaligned_write##n(void *p) { access_at(p, true); }
STUB_RW(1) STUB_RW(2) STUB_RW(4) STUB_RW(8) STUB_RW(16)

#define STUB_ATOMIC(bits, type)						\
	type __tsan_atomic##bits##_load(const type *p, int mo)		\
	{ (void)mo; access_at(p, false); return *p; }			\
	void __tsan_atomic##bits##_store(type *p, type v, int mo)	\
	{ (void)mo; access_at(p, true); *p = v; }			\
	type __tsan_atomic##bits##_fetch_or(type *p, type v, int mo)	\
	{ type o = *p; (void)mo; access_at(p, true); *p |= v; return o; } \
	type __tsan_atomic##bits##_fetch_and(type *p, type v, int mo)	\
	{ type o = *p; (void)mo; access_at(p, true); *p &= v; return o; } \
	type __tsan_atomic##bits##_fetch_add(type *p, type v, int mo)	\
	{ type o = *p; (void)mo; access_at(p, true); *p += v; return o; } \
	type __tsan_atomic##bits##_fetch_sub(type *p, type v, int mo)	\
	{ type o = *p; (void)mo; access_at(p, true); *p -= v; return o; } \
	type __tsan_atomic##bits##_compare_exchange_val(type *p, type o, type v, int a, int b) \
	{ type w = *p; (void)a; (void)b; access_at(p, true); if (w == o) *p = v; return w; } \
	int __tsan_atomic##bits##_compare_exchange_strong(type *p, type *o, type v, int a, int b) \
	{ type w = __tsan_atomic##bits##_compare_exchange_val(p, *o, v, a, b); \
	  int same = w == *o; *o = w; return same; }			\
	int __tsan_atomic##bits##_compare_exchange_weak(type *p, type *o, type v, int a, int b) \
	{ return __tsan_atomic##bits##_compare_exchange_strong(p, o, v, a, b); }
STUB_ATOMIC(8, unsigned char) STUB_ATOMIC(16, unsigned short)
STUB_ATOMIC(32, unsigned int) STUB_ATOMIC(64, unsigned long)

void __tsan_init(void) { }
void __tsan_func_entry(void *p) { (void)p; }
void __tsan_func_exit(void *p) { (void)p; }
void __tsan_atomic_thread_fence(int mo) { (void)mo; }
void __tsan_read_range(void *p, unsigned long n)
{
	for (; n; n--, p = (char *)p + 1)
		access_at(p, false);
}
void __tsan_write_range(void *p, unsigned long n)
{
	for (; n; n--, p = (char *)p + 1)
		access_at(p, true);
}
