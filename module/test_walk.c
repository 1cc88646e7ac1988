// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk of the overloaded CPUs, counted without the help of the series: how
 * often a CPU dropped its priority, which starts a walk or prolongs it; the
 * interrupts that the walk sent; the tasks that were moved in them; and how long
 * each of them took.
 *
 * What is sent is known for the walk by its function: the tracepoint
 * csd_queue_cpu shows every function that is queued for another CPU's
 * interrupt, the hard irq_works among them, and rto_push_irq_work_func() is the
 * walk's.  The interrupt that serves it is call_function_single: the vector of
 * irq_work itself is raised only by a CPU for itself, which the walk never does.
 *
 * Only what is queued, and only the drops, of CPUs other than 0 and within the
 * window count.  Handlers run with interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/csd.h>
#include <trace/events/sched.h>
#if defined(CONFIG_SMP) && defined(CONFIG_X86_LOCAL_APIC)
# define WALK_IRQS 1
# include <asm/trace/irq_vectors.h>
#else
# define WALK_IRQS 0
#endif

#include "rtmig_test.h"

/* The longest hard interrupt should not be lost: far more than a storm has */
#define WALK_SAMPLES	65536
#define WALK_FUNCS	4
/* Interrupts are in a row if there is less than this from one to the next. */
#define WALK_ROW_NS	1000

/*
 * @pending: interrupts that were sent to this CPU and did not begin yet
 * @serving: the interrupt that runs on this CPU is one of them
 * @begin_ns: when that began
 * @end_ns: when the last one ended
 * @served: those that ended
 * @row_ns: when the first one of those began that came in a row, see WALK_ROW_NS
 * @row_max_ns: the longest row
 */
struct walk_cpu {
	atomic_t pending;
	bool serving;
	u64 begin_ns;
	u64 end_ns;
	struct test_walk_served served;
	u64 row_ns;
	u64 row_max_ns;
};

static DEFINE_PER_CPU(struct walk_cpu, walk_cpus);

/* What was sent as a hard irq_work, by function; the first ones to come */
static struct {
	void *func;
	atomic_t count;
} walk_funcs[WALK_FUNCS];

static u64 walk_begin_ns, walk_end_ns;
static atomic_t walk_drops, walk_useful;
static struct test_samples walk_irqs;

/**
 * test_walk_in_window - does an event count
 * @now_ns: when it was, by test_now()
 *
 * Context: any.
 *
 * Return: true if it does.
 */
bool test_walk_in_window(u64 now_ns)
{
	return now_ns >= READ_ONCE(walk_begin_ns) &&
	       now_ns < READ_ONCE(walk_end_ns);
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	/*
	 * What makes the real-time class pull: a deadline, stop or real-time
	 * task went to sleep, and none that outranks it is left.
	 */
	if (smp_processor_id() && prev->prio < MAX_RT_PRIO &&
	    next->prio > prev->prio && !READ_ONCE(prev->on_rq) &&
	    test_walk_in_window(test_now()))
		atomic_inc(&walk_drops);
}

static void probe_queue(void *data, const unsigned int cpu,
			unsigned long callsite, smp_call_func_t func,
			call_single_data_t *csd)
{
	const unsigned int hard = CSD_TYPE_IRQ_WORK | IRQ_WORK_HARD_IRQ;
	unsigned int flags = READ_ONCE(csd->node.u_flags);
	int i;

	if (!cpu || (flags & hard) != hard ||
	    (flags & CSD_FLAG_TYPE_MASK) != CSD_TYPE_IRQ_WORK ||
	    !test_walk_in_window(test_now()))
		return;
	for (i = 0; i < WALK_FUNCS; i++) {
		void *old = cmpxchg(&walk_funcs[i].func, NULL, func);

		if (!old || old == func) {
			atomic_inc(&walk_funcs[i].count);
			break;
		}
	}
	atomic_inc(per_cpu_ptr(&walk_cpus.pending, cpu));
}

static void probe_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	if (this_cpu_read(walk_cpus.serving) && READ_ONCE(p->on_rq))
		atomic_inc(&walk_useful);
}

#if WALK_IRQS
static void probe_irq_entry(void *data, int vector)
{
	struct walk_cpu *w = this_cpu_ptr(&walk_cpus);

	if (!atomic_xchg(&w->pending, 0))
		return;
	w->begin_ns = test_now();
	w->serving = true;
	if (w->begin_ns - w->end_ns >= WALK_ROW_NS)
		w->row_ns = w->begin_ns;
}

static void probe_irq_exit(void *data, int vector)
{
	struct walk_cpu *w = this_cpu_ptr(&walk_cpus);

	if (!w->serving)
		return;
	w->serving = false;
	w->end_ns = test_now();
	w->row_max_ns = max(w->row_max_ns, w->end_ns - w->row_ns);
	w->served.count++;
	w->served.ns += w->end_ns - w->begin_ns;
	test_samples_add(&walk_irqs, w->end_ns - w->begin_ns);
}
#endif

static struct test_probe walk_probes[] = {
	{ "sched_switch", probe_switch },
	{ "sched_migrate_task", probe_migrate },
#if WALK_IRQS
	{ "call_function_single_exit", probe_irq_exit },
	{ "call_function_single_entry", probe_irq_entry },
#endif
	{ "csd_queue_cpu", probe_queue },
};

/* Never called: the types of all handlers, checked by the compiler. */
static void __maybe_unused walk_check_types(void)
{
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_migrate_task(probe_migrate);
#if WALK_IRQS
	check_trace_callback_type_call_function_single_exit(probe_irq_exit);
	check_trace_callback_type_call_function_single_entry(probe_irq_entry);
#endif
	check_trace_callback_type_csd_queue_cpu(probe_queue);
}

/**
 * test_walk_start - attach what counts; nothing counts before there is a window
 *
 * Context: process, under the mutex of run; sleeps.
 *
 * Return: 0 or a negative error; nothing is left then.
 */
int test_walk_start(void)
{
	int cpu, ret;

	test_walk_window(0, 0);
	memset(walk_funcs, 0, sizeof(walk_funcs));
	atomic_set(&walk_drops, 0);
	atomic_set(&walk_useful, 0);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&walk_cpus, cpu), 0,
		       sizeof(struct walk_cpu));
	ret = test_samples_init(&walk_irqs, WALK_SAMPLES);
	if (ret)
		return ret;
	ret = test_probes_attach(walk_probes, ARRAY_SIZE(walk_probes));
	if (ret)
		test_samples_free(&walk_irqs);
	return ret;
}

/**
 * test_walk_window - from when to when events count
 * @begin_ns: the begin
 * @end_ns: the end, in nanoseconds of test_now()
 *
 * Context: any.
 */
void test_walk_window(u64 begin_ns, u64 end_ns)
{
	/* While they are set, an old end is before the new begin. */
	WRITE_ONCE(walk_begin_ns, begin_ns);
	WRITE_ONCE(walk_end_ns, end_ns);
}

/**
 * test_walk_serves - does test_walk_served() tell
 *
 * Return: true if it does.
 */
bool test_walk_serves(void)
{
	return WALK_IRQS;
}

/**
 * test_walk_served - what this CPU has served since test_walk_start()
 *
 * Context: preemption off.
 *
 * Return: the number and length of its interrupts.
 */
struct test_walk_served test_walk_served(void)
{
	struct test_walk_served served;
	unsigned long flags;

	local_irq_save(flags);
	served = this_cpu_ptr(&walk_cpus)->served;
	local_irq_restore(flags);
	return served;
}

/**
 * test_walk_stop - end what test_walk_start() began; the figures stay
 *
 * Context: process; sleeps.
 */
void test_walk_stop(void)
{
	test_probes_detach(walk_probes, ARRAY_SIZE(walk_probes));
}

/**
 * test_walk_result - put the figures into the result, after test_walk_stop()
 *
 * Results: drops; ipis, that the walk sent; ipis_other, hard irq_works of any
 * other function that were sent; useful, queued tasks that were moved in such
 * interrupts; hardirq, the length of each; hardirq_row_max_ns, the longest time in
 * which one CPU did nothing but serve them.
 */
void test_walk_result(void)
{
	int i, cpu, ipis = 0, other = 0;
	u64 row_ns = 0;
	char name[32];

	for (i = 0; i < WALK_FUNCS; i++) {
		snprintf(name, sizeof(name), "%ps", walk_funcs[i].func);
		/* Without names all are taken for the walk's. */
		if (!IS_ENABLED(CONFIG_KALLSYMS) ||
		    strstarts(name, "rto_push_irq_work_func"))
			ipis += atomic_read(&walk_funcs[i].count);
		else
			other += atomic_read(&walk_funcs[i].count);
	}
	test_result("drops %d\n", atomic_read(&walk_drops));
	test_result("ipis %d\n", ipis);
	test_result("ipis_other %d\n", other);
#if WALK_IRQS
	test_result("useful %d\n", atomic_read(&walk_useful));
	test_samples_result(&walk_irqs, "hardirq");
	for_each_possible_cpu(cpu)
		row_ns = max(row_ns, per_cpu(walk_cpus.row_max_ns, cpu));
	test_result("hardirq_row_max_ns %llu\n", row_ns);
#else
	test_result("missing useful\n");
	test_result("missing hardirq\n");
#endif
}

/**
 * test_walk_free - give back what test_walk_start() took, after test_walk_stop()
 */
void test_walk_free(void)
{
	test_samples_free(&walk_irqs);
}
