/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtmig_test.ko: makes situations in which the routing of real-time tasks can
 * be told apart.  Each situation is one file with one function; test_main.c
 * parses the request, keeps the result and lends what they share.
 */
#ifndef RTMIG_TEST_H
#define RTMIG_TEST_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/types.h>

struct mutex;
struct tracepoint;

/* The most threads of one situation, and the most rounds of one request. */
#define TEST_THREADS	64
#define TEST_ROUNDS	10000

enum test_order {
	TEST_EQUAL,
	TEST_DESCENDING,
	TEST_ASCENDING,
};

enum test_phase {
	TEST_APART,
	TEST_CLOSE,
};

enum test_hi {
	TEST_PINNED,
	TEST_MIGRATABLE,
};

enum test_keep {
	TEST_KEEP_NONE,
	TEST_KEEP_CPU,
	TEST_KEEP_DISABLED,
};

enum test_lock {
	TEST_NO_LOCK,
	TEST_OWN_LOCK,
	TEST_SHARED_LOCK,
};

/**
 * struct test_request - what a situation is asked for
 * @cpu: CPU of the waking interrupt, and the CPU that the threads ran on last
 * @k: burst, soak: number of threads; bound: of those that wait on each target
 * @rounds: number of repetitions
 * @spin_us: burst: time that each thread runs, in microseconds of ktime;
 *	storm: that each waiter runs, where given
 * @gap_us: dl: microseconds from one wake-up to the other
 * @fifo_first: dl: the FIFO thread is woken first
 * @queued: dl: every CPU has a thread of less priority
 * @order: priorities in the order of waking
 * @events: also count the series' own events, which costs time in each
 * @delay_insns: burst, idle: instructions put into each wake-up on purpose
 * @ms: bound, storm, migdis, soak: how long to measure, in milliseconds
 * @own: storm: priority of the thread that the low CPU runs, 0 for none
 * @waiter: storm: priority of the threads that wait
 * @n: migdis: number of CPUs that are kept busy
 * @spare: migdis: number of further CPUs that the threads may use
 * @hi: migdis: whether the upper threads may move
 * @seed: bound, migdis, soak: of the random times
 * @spread_us: migdis: how much longer a holder may sleep, at random
 * @lock: soak: which locks are held for half of the time
 * @period_us: soak, check-start: microseconds from one look to the next;
 *	bound: from one run of a periodic thread to the next
 * @targets: bound: number of CPUs with a section
 * @section_us: bound: length of a section, in thousands of instructions
 * @run_us: bound: how long a periodic thread runs, in microseconds
 * @phase: bound: whether the periods begin apart or close to each other
 * @wakers: burst: number of interrupts that wake, each on a CPU of its own
 * @keep: burst: why the threads cannot leave their CPU, if they cannot
 */
struct test_request {
	int cpu;
	int k;
	int rounds;
	int spin_us;
	int gap_us;
	int fifo_first;
	int queued;
	enum test_order order;
	int events;
	int delay_insns;
	int ms;
	int own;
	int waiter;
	int n;
	int spare;
	enum test_hi hi;
	int seed;
	int spread_us;
	enum test_lock lock;
	int period_us;
	int targets;
	int section_us;
	int run_us;
	enum test_phase phase;
	int wakers;
	enum test_keep keep;
};

/**
 * struct test_samples - values of one kind, for mean, p99 and maximum
 * @ns: the values
 * @count: number of them, and of those that found no room
 * @size: room for; there is twice as much, see test_samples_result()
 */
struct test_samples {
	u64 *ns;
	atomic_t count;
	int size;
};

/**
 * struct test_thread - a thread that waits, notes when it runs, and spins
 * @task: the thread
 * @work: set by the waker, taken by the thread
 * @woken_ns: when the waker woke it
 * @ran_ns: when it ran
 * @spin_ns: how long it runs then
 * @body: what it runs instead, if any
 * @arg: whatever @body needs
 * @delay_insns: what the waker puts between @woken_ns and the call, see
 *	test_delay()
 * @pending: decremented when it is done with one round
 * @done: completed by the last one of @pending
 */
struct test_thread {
	struct task_struct *task;
	bool work;
	u64 woken_ns;
	u64 ran_ns;
	u64 spin_ns;
	void (*body)(struct test_thread *t);
	void *arg;
	unsigned int delay_insns;
	atomic_t *pending;
	struct completion *done;
};

/**
 * struct test_probe - a handler and the tracepoint that it is for
 * @name: of the tracepoint
 * @handler: a function whose type the caller has checked, see
 *	check_trace_callback_type_*()
 * @tp: found by test_probes_attach()
 */
struct test_probe {
	const char *name;
	void *handler;
	struct tracepoint *tp;
};

int test_bound(const struct test_request *req);
int test_burst(const struct test_request *req);
int test_check_off(const struct test_request *req);
int test_check_on(const struct test_request *req);
int test_cpupri(const struct test_request *req);
int test_dl(const struct test_request *req);
int test_fair(const struct test_request *req);
int test_idle(const struct test_request *req);
int test_migdis(const struct test_request *req);
int test_soak(const struct test_request *req);
int test_storm(const struct test_request *req);
int test_strand(const struct test_request *req);

void test_result(const char *fmt, ...) __printf(1, 2);
u64 test_now(void);
void test_spin(u64 ns);
void test_sleep_until(u64 ns);

#ifdef CONFIG_X86
#define TEST_DELAY_MAX	1000000

/**
 * test_delay - execute a known number of instructions
 * @insns: that number, even; two to a turn of the loop
 *
 * The compiler can neither change nor leave it out.  What tests and loads
 * @insns comes on top, and is executed for 0 as well.
 *
 * Context: any.
 */
static __always_inline void test_delay(unsigned int insns)
{
	unsigned int turns = insns / 2;

	if (turns)
		asm volatile("1: decl %0\n\tjnz 1b" : "+r" (turns) : : "cc");
}
#else
#define TEST_DELAY_MAX	0

static inline void test_delay(unsigned int insns) { }
#endif

int test_threads_start(struct test_thread *t, int n, atomic_t *pending,
		       struct completion *done);
void test_threads_stop(struct test_thread *t, int n);
int test_set_fifo(struct test_thread *t, int prio);
void test_wake(struct test_thread *t);
int test_wait(struct completion *done);
int test_settle(struct test_thread *t, int n, int cpu, atomic_t *pending,
		struct completion *done);
int test_widen(struct test_thread *t, int n);
int test_timer_start(struct hrtimer *timer, int cpu, u64 delay_ns);

int test_samples_init(struct test_samples *s, int size);
void test_samples_free(struct test_samples *s);
void test_samples_add(struct test_samples *s, u64 ns);
void test_samples_result(struct test_samples *s, const char *name);
void test_samples_forget(void);
extern const struct file_operations test_samples_fops;
extern struct mutex test_mutex;

int test_events_start(int cpu, int low, int high);
void test_events_stop(void);

int test_probes_attach(struct test_probe *p, int n);
void test_probes_detach(struct test_probe *p, int n);

/**
 * struct test_walk_served - the interrupts of walks that a CPU has served so far
 * @count: number of them
 * @ns: how long they took together
 */
struct test_walk_served {
	unsigned int count;
	u64 ns;
};

int test_walk_start(void);
void test_walk_window(u64 begin_ns, u64 end_ns);
bool test_walk_in_window(u64 now_ns);
bool test_walk_serves(void);
struct test_walk_served test_walk_served(void);
void test_walk_stop(void);
void test_walk_result(void);
void test_walk_free(void);

int test_check_start(u64 period_ns, bool servers);
void test_check_stop(void);
void test_check_result(const char *name);

int test_moves_attach(void);
void test_moves_detach(void);
void test_moves_reset(void);
int test_moves(void);

#endif /* RTMIG_TEST_H */
