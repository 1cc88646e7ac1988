// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost: what a change and a search cost, in figures that do not depend on the
 * machine; and what two threads get done, which does.
 *
 * usage: cost insns           instructions
 *        cost lines           lines that are written and read; built with
 *                             -DCOST_LINES and cost_lines.c
 *        cost threads MS      changes and searches of two threads, per second
 *
 * Prints "metric[cpus=N] value" lines.  Instructions: a child is stepped through
 * each operation, the empty one subtracted.  Caches have 16 CPUs.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

/* Where the structure is, so that its lines can be told from the stack's. */
static unsigned char *arena;
static unsigned long arena_used;
#define ARENA		(64UL << 20)

static void *arena_alloc(unsigned long size)
{
	void *p = arena + arena_used;

	arena_used += size;
	if (arena_used > ARENA)
		abort();
	return p;
}

#define SHIM_ALLOC(size)	arena_alloc(size)
#define SHIM_FREE(p)		((void)(p))
#include "unit.h"

#define CACHE		16

static const int sizes[] = { 8, 64, 255, 1024, 4096 };
static struct cpupri *cp;
static struct task_struct task;
static __maybe_unused struct cpumask found_mask;
#ifdef CPUPRI_WORD
static struct cpupri_cpus found;
#define FOUND	(&found)
#else
#define FOUND	(&found_mask)
#endif

static void set(int cpu, int level)
{
	cpupri_set(cp, cpu, prio_of(level));
}

static void machine_of(int cpus, int cache, int start)
{
	int cpu;

	machine(cpus, SHAPE_ALL);
	memset(shim_cache, 0, sizeof(*shim_cache) * cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		shim_cache_of[cpu] = cpu / cache;
		__set_bit(cpu, shim_cache[cpu / cache].bits);
	}
	arena_used = 0;
	memset(arena, 0, ARENA);
	cp = shim_alloc(sizeof(*cp));
	if (cpupri_init(cp))
		exit(2);
	for (cpu = 0; cpu < cpus; cpu++)
		set(cpu, start);
	memset(&task, 0, sizeof(task));
	task.cpus_mask = shim_possible;
	task.cpus_ptr = &task.cpus_mask;
	task.nr_cpus_allowed = cpus;
	task.prio = prio_of(99);
	task.thread_info.cpu = cpus / 2;
}

/* --------------------------------------------------------- instructions */

#ifdef __x86_64__
noinline __maybe_unused static void op_nothing(int a) { __asm__ __volatile__("" : : "r" (a)); }
noinline static void op_find(int want)
{
	if (cpupri_find(cp, &task, FOUND) != want)
		abort();
}
noinline static void op_set(int level) { set(task.thread_info.cpu, level); }

static void (*volatile op)(int);

/* Stops in front of the operation and behind it, see steps() */
#define STOP()	__asm__ __volatile__("int3" : : : "memory")

static long steps(pid_t child)
{
	long n = 0;
	int status;
	long op_word;

	for (;;) {
		struct user_regs_struct r;

		if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) ||
		    waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			exit(2);
		if (ptrace(PTRACE_GETREGS, child, 0, &r))
			exit(2);
		op_word = ptrace(PTRACE_PEEKTEXT, child, r.rip, 0);
		if ((op_word & 0xff) == 0xcc)
			return n;
		n++;
	}
}

static int pipes[2];

/* The child asks for a figure with a line; the value is the steps to the next stop */
static void measure(const char *what, void (*f)(int), int arg)
{
	size_t n = strlen(what);

	op = f;
	if (write(pipes[1], what, n) != (ssize_t)n || write(pipes[1], "\n", 1) != 1)
		exit(2);
	STOP();
	op(arg);
	STOP();
}

static void name(char *to, const char *metric, int cpus, int levels)
{
	if (levels)
		sprintf(to, "%s[cpus=%d,level=%d]", metric, cpus, levels);
	else
		sprintf(to, "%s[cpus=%d]", metric, cpus);
}

static void insns_child(void)
{
	static const int levels[] = { 1, 10, 50, 97 };
	unsigned int i, l, j;
	char what[80];
	int n, cpu, own;

	measure("nothing", op_nothing, 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		n = sizes[i];
		own = n / 2;

		machine_of(n, CACHE, CPUPRI_NORMAL);
		name(what, "find_normal", n, 0);
		measure(what, op_find, 1);
		/* between levels that were used before */
		set(own, 50);
		set(own, CPUPRI_NORMAL);
		name(what, "set_up", n, 0);
		measure(what, op_set, 50);
		name(what, "set_down", n, 0);
		measure(what, op_set, CPUPRI_NORMAL);
		name(what, "set_new", n, 0);
		measure(what, op_set, 51);
		for (l = 0; l < ARRAY_SIZE(levels); l++) {
			int level = levels[l];

			/* none of the levels below was ever used */
			machine_of(n, CACHE, level);
			name(what, "find_fresh", n, level);
			measure(what, op_find, 1);

			/* all of them were, by every CPU */
			machine_of(n, CACHE, CPUPRI_NORMAL);
			for (j = 1; j <= (unsigned int)level; j++)
				for (cpu = 0; cpu < n; cpu++)
					set(cpu, j);
			shim_jiffies += 10;
			name(what, "find_used_first", n, level);
			measure(what, op_find, 1);
			for (j = 0; j < 200; j++) {
				shim_jiffies++;
				op_find(1);
			}
			name(what, "find_used_later", n, level);
			measure(what, op_find, 1);

			/* and the CPUs of the own cache, but one, are at them */
			for (j = 0; j < CACHE - 1; j++) {
				cpu = own / CACHE * CACHE + j;
				if (cpu == own || cpu >= n || j >= (unsigned int)level)
					continue;
				set(cpu, level - 1 - j);
				__clear_bit(cpu, task.cpus_mask.bits);
			}
			shim_jiffies++;
			op_find(1);
			name(what, "find_foreign", n, level);
			measure(what, op_find, 1);
		}
		machine_of(n, CACHE, CPUPRI_HIGHER);
		name(what, "find_none", n, 0);
		measure(what, op_find, 0);
	}
	_exit(0);
}

static void insns(void)
{
	char line[200];
	long n, nothing = -1;
	int status, len;
	pid_t child;

	if (pipe(pipes))
		exit(2);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		insns_child();
	}
	for (;;) {
		if (waitpid(child, &status, 0) != child)
			exit(2);
		if (WIFEXITED(status))
			exit(WEXITSTATUS(status));
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
			fprintf(stderr, "the child broke off, status %x\n", status);
			kill(child, SIGKILL);
			exit(2);
		}
		n = steps(child);
		/* the stop behind the operation */
		ptrace(PTRACE_CONT, child, 0, 0);
		waitpid(child, &status, 0);
		for (len = 0; len < 199 && read(pipes[0], line + len, 1) == 1; len++)
			if (line[len] == '\n')
				break;
		line[len] = 0;
		if (nothing < 0)
			nothing = n;
		else
			printf("%s %ld\n", line, n - nothing);
		fflush(stdout);
		ptrace(PTRACE_CONT, child, 0, 0);
	}
}
#else
static void insns(void)
{
	exit(4);
}
#endif

/* ---------------------------------------------------------------- lines */

#ifdef COST_LINES
#include "cost_lines.h"

static void set_by(int cpu, int level)
{
	lines_log(cpu / CACHE, cpu);
	set(cpu, level);
	lines_log(-1, -1);
}

static void count_lines(void)
{
	int n, cpu, level, count, pass;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		n = sizes[i];
		machine_of(n, CACHE, CPUPRI_NORMAL);
		lines_start(arena, ARENA);
		/* first who writes where, then how often: each CPU up and down */
		for (pass = 0; pass < 2; pass++) {
			lines_count(pass);
			for (count = 0, level = 1; level < 100; level += 14)
				for (cpu = 0; cpu < n; cpu++, count += 2) {
					set_by(cpu, level);
					set_by(cpu, CPUPRI_NORMAL);
				}
		}
		printf("global_writes_per_set[cpus=%d] %.2f\n", n, (double)lines.global / count);
		printf("cache_writes_per_set[cpus=%d] %.2f\n", n, (double)lines.cache / count);
		printf("own_writes_per_set[cpus=%d] %.2f\n", n, (double)lines.own / count);

		for (level = 0; level < 2; level++) {
			/* all at NORMAL, then all at 97 and nothing ever below */
			machine_of(n, CACHE, level ? 97 : CPUPRI_NORMAL);
			lines_start(arena, ARENA);
			lines_count(1);
			lines_log(n / 2 / CACHE, n / 2);
			if (!cpupri_find(cp, &task, FOUND))
				abort();
			lines_log(-1, -1);
			printf("%s[cpus=%d] %lu\n", level ? "lines_find_97" : "lines_find_normal",
			       n, lines.read);
		}
	}
}
#else
static void count_lines(void)
{
	exit(2);
}
#endif

/* -------------------------------------------------------------- threads */

static int go, stop;

struct worker {
	pthread_t thread;
	int host, cpu;
	unsigned long done;
	char pad[128];
};

static void *work(void *data)
{
	struct worker *w = data;
	struct task_struct *p = malloc(sizeof(*p));
	struct cpumask mask;
	cpu_set_t set_of_host;

	if (!p)
		exit(2);
	CPU_ZERO(&set_of_host);
	CPU_SET(w->host, &set_of_host);
	pthread_setaffinity_np(pthread_self(), sizeof(set_of_host), &set_of_host);
	*p = task;
	p->thread_info.cpu = w->cpu;
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
#ifdef CPUPRI_WORD
		struct cpupri_cpus cpus;

		(void)mask;
		cpupri_set(cp, w->cpu, prio_of(50));
		cpupri_find(cp, p, &cpus);
		cpupri_set(cp, w->cpu, prio_of(CPUPRI_NORMAL));
		cpupri_find(cp, p, &cpus);
#else
		cpupri_set(cp, w->cpu, prio_of(50));
		cpupri_find(cp, p, &mask);
		cpupri_set(cp, w->cpu, prio_of(CPUPRI_NORMAL));
		cpupri_find(cp, p, &mask);
#endif
		w->done += 2;
	}
	free(p);
	return NULL;
}

static void two_threads(const char *what, int cpu0, int cpu1, int ms)
{
	struct timespec wait = { ms / 1000, ms % 1000 * 1000000L }, from, to;
	static struct worker w[2];
	double s;
	int i;

	machine_of(64, CACHE, CPUPRI_NORMAL);
	go = stop = 0;
	for (i = 0; i < 2; i++) {
		w[i] = (struct worker){ .host = i, .cpu = i ? cpu1 : cpu0 };
		if (pthread_create(&w[i].thread, NULL, work, &w[i]))
			exit(2);
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	nanosleep(&wait, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	clock_gettime(CLOCK_MONOTONIC, &to);
	for (i = 0; i < 2; i++)
		pthread_join(w[i].thread, NULL);
	s = (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9;
	printf("%s %.0f\n", what, (w[0].done + w[1].done) / s);
}

int main(int argc, char **argv)
{
	arena = aligned_alloc(64, ARENA);
	if (!arena || argc < 2)
		return 2;
	if (!strcmp(argv[1], "insns"))
		insns();
	else if (!strcmp(argv[1], "lines"))
		count_lines();
	else if (!strcmp(argv[1], "threads") && argc == 3) {
		two_threads("two_threads_one_leaf", 1, 2, atoi(argv[2]));
		two_threads("two_threads_two_leaves", 1, 17, atoi(argv[2]));
	} else
		return 2;
	return 0;
}
