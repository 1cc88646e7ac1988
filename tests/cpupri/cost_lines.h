/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines of a stretch of memory are written and read, see cost_lines.c. */

struct lines {
	/* writes to lines that another cache, another CPU of this one, or
	 * nobody else writes as well */
	unsigned long global, cache, own;
	/* lines that were read */
	unsigned long read;
};

extern struct lines lines;

/* Forget all, and look at this memory from now on. */
void lines_start(const void *memory, unsigned long size);
/* 0: note who writes where; 1: count, from 0, by what was noted */
void lines_count(int on);
/* Accesses are of this cache and CPU from now on; -1 for nobody, not noted */
void lines_log(int cache, int cpu);
