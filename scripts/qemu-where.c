// SPDX-License-Identifier: GPL-2.0-only
/*
 * qemu-where: a plugin that looks at a guest from outside and says where its
 * time went.  The guest executes not one instruction more or less: what is
 * seen is the very run whose figures are reported.
 *
 * A segment lasts from one line that the guest's user space writes to /dev/kmsg
 * to the next.  For each one the plugin appends to its output, in instructions
 * (guest ns) of the CPU that is meant, so that others' turns do not count:
 *
 *   N insns I           instructions that all CPUs have executed
 *   N irqsoff I CPU FROM TO BEGIN:END,...
 *                       longest stretch with interrupts off; FROM has disabled
 *                       and TO enabled them, then the functions that it went to,
 *                       most first
 *   N resched I CPU FROM TO NAME:INSNS,...
 *                       longest time from the first request to reschedule a CPU
 *                       to the switch; FROM is what ran on that CPU, TO what
 *                       asked, there or on another.  Another's request counts
 *                       from its interrupt on: QEMU may give the CPU a turn of
 *                       100000 instructions while the other is about to ask
 *   N writes V V V ...  with writes=on: of each call of try_to_wake_up() that
 *                       placed a real-time task, the stores to memory that all
 *                       CPUs share: not to a stack, not to the per-CPU areas,
 *                       not to the task
 *   N PART I COUNT NAME:INSNS,...
 *                       with functions=on: instructions of all those stretches
 *                       together, their number, and all functions that they went
 *                       to; PART is wake (such a call of try_to_wake_up()), to
 *                       (the next __schedule() of that CPU) or back (the one
 *                       after that)
 *
 * Interrupts are off after cli, and after the entry of an interrupt, exception
 * or system call; they are on after sti, sysret, and an iret or popf that
 * restores the flag.  Instructions are counted by blocks: what a block does not
 * execute because of an exception is counted too.
 *
 * arguments: map=System.map, out=FILE, writes=on|off, functions=on|off
 *
 * The interface is QEMU's, version 4 (docs/devel/tcg-plugins.rst there); Debian
 * ships no header for it, so what is used is declared here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define CPUS	64
#define TRACE	32768
#define TOP	5
/* No less than x86-64 has; what is near enough is not shared. */
#define STACK_SIZE	0x4000
#define TASK_SIZE	0x2000
#define PERCPU_SIZE	0x40000

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
typedef uint32_t plugin_meminfo;

/* glib's, which QEMU brings along */
struct bytes {
	uint8_t *data;
	unsigned int len;
};

struct array {
	char *data;
	unsigned int len;
};

struct reg {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

enum { CB_NO_REGS, CB_R_REGS };
enum { MEM_RW = 3 };

struct bytes *g_byte_array_new(void);
struct bytes *g_byte_array_set_size(struct bytes *array, unsigned int len);
struct array *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle,
			      struct bytes *buf);
bool qemu_plugin_read_memory_vaddr(uint64_t addr, struct bytes *data,
				   size_t len);
void qemu_plugin_register_vcpu_init_cb(plugin_id id,
		void (*cb)(plugin_id id, unsigned int cpu));
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
		void (*cb)(plugin_id id, struct qemu_plugin_tb *tb));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t len);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		void (*cb)(unsigned int cpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
		void (*cb)(unsigned int cpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
		void (*cb)(unsigned int cpu, plugin_meminfo info,
			   uint64_t addr, void *data),
		int flags, int rw, void *data);
bool qemu_plugin_mem_is_store(plugin_meminfo info);

/* QEMU's own: with thread=single the callbacks' CPU is the one that translated */
extern __thread void *current_cpu;
int gdb_get_cpu_index(void *cpu);

EXPORT int qemu_plugin_version = 4;

/* What a callback of one instruction has to know of it. */
struct site {
	uint64_t pc;
	/* instructions of its block from this one on: counted, not executed */
	uint32_t rest;
};

struct step {
	uint64_t pc;
	uint32_t insns;
};

/* Of the way of a real-time task to its CPU and off again */
enum part { WAKE, TO, BACK, PARTS };

/* A stretch that goes on, or the longest of the segment. */
struct stretch {
	uint64_t begin;
	uint64_t length;
	uint64_t from, to;
	unsigned int cpu;
	uint32_t steps;
	struct step *step;
};

struct cpu {
	/* the part that goes on, or that comes next; PARTS if none */
	enum part part;
	bool counts;
	uint64_t part_sp;
	uint64_t insns;
	struct stretch off;
	struct stretch resched;
	bool is_off, is_resched, is_asked, schedules;
	uint64_t asker;
	/* try_to_wake_up() in progress */
	bool wakes, wakes_rt;
	uint64_t wake_sp, wakee;
	unsigned int stores;
};

struct symbol {
	uint64_t addr;
	char *name;
	/* instructions in each part, and in the one that goes on, by CPU */
	uint64_t insns[PARTS];
	uint32_t going[CPUS];
};

static struct symbol *symbols;
static size_t symbol_count;
static uint64_t runqueues, offsets, text_begin, text_end;
static uint64_t percpu_base[CPUS];
static struct qemu_plugin_register *rdi, *rsp;
static unsigned int cpus;
static struct cpu all[CPUS];
static struct stretch longest_off, longest_resched;
static unsigned int segment;
static uint64_t insns_before;
static bool want_writes, want_functions;
static unsigned int part_count[PARTS];
static char *writes;
static size_t writes_len, writes_size;
static FILE *out;
static struct bytes *buf;

static unsigned int this_cpu(void)
{
	return gdb_get_cpu_index(current_cpu) - 1;
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const struct symbol *symbol_of(uint64_t pc)
{
	size_t low = 0, high = symbol_count;

	if (pc < text_begin || pc >= text_end)
		return NULL;
	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (symbols[mid].addr <= pc)
			low = mid;
		else
			high = mid;
	}
	return &symbols[low];
}

static const char *name_of(uint64_t pc)
{
	const struct symbol *s = symbol_of(pc);

	if (s)
		return s->name;
	return pc >> 63 ? "[module]" : "[user]";
}

static bool read_u64(uint64_t addr, uint64_t *value)
{
	if (!qemu_plugin_read_memory_vaddr(addr, buf, sizeof(*value)) ||
	    buf->len < sizeof(*value))
		return false;
	memcpy(value, buf->data, sizeof(*value));
	return true;
}

static uint64_t read_reg(struct qemu_plugin_register *reg)
{
	uint64_t value = 0;

	g_byte_array_set_size(buf, 0);
	if (qemu_plugin_read_register(reg, buf) >= (int)sizeof(value))
		memcpy(&value, buf->data, sizeof(value));
	return value;
}

/* Time of a CPU: what it had executed before the instruction of @site. */
static uint64_t now(const struct cpu *c, const struct site *site)
{
	return c->insns - site->rest;
}

static void begin(struct stretch *s, unsigned int cpu, uint64_t at,
		  uint64_t from)
{
	s->begin = at;
	s->from = from;
	s->cpu = cpu;
	s->steps = 0;
}

static void end(struct stretch *s, struct stretch *longest, uint64_t at,
		uint64_t to)
{
	struct step *step = longest->step;

	s->length = at - s->begin;
	s->to = to;
	if (s->length <= longest->length)
		return;
	memcpy(step, s->step, s->steps * sizeof(*step));
	*longest = *s;
	longest->step = step;
}

static void irqs_off(unsigned int cpu, const struct site *site)
{
	struct cpu *c = &all[cpu];

	if (c->is_off)
		return;
	c->is_off = true;
	begin(&c->off, cpu, now(c, site), site->pc);
	/* the rest of this block was entered before tracing began */
	c->off.step[c->off.steps++] = (struct step){ site->pc, site->rest };
}

static void irqs_on(unsigned int cpu, const struct site *site)
{
	struct cpu *c = &all[cpu];

	if (!c->is_off)
		return;
	c->is_off = false;
	end(&c->off, &longest_off, now(c, site), site->pc);
}

static void flags_restored(unsigned int cpu, const struct site *site,
			   unsigned int offset)
{
	uint64_t flags;

	if (!read_u64(read_reg(rsp) + offset, &flags))
		return;
	if (flags & 0x200)
		irqs_on(cpu, site);
	else
		irqs_off(cpu, site);
}

static void on_off(unsigned int translator, void *data)
{
	(void)translator;
	irqs_off(this_cpu(), data);
}

static void on_on(unsigned int translator, void *data)
{
	(void)translator;
	irqs_on(this_cpu(), data);
}

static void on_iret(unsigned int translator, void *data)
{
	(void)translator;
	flags_restored(this_cpu(), data, 16);
}

static void on_popf(unsigned int translator, void *data)
{
	(void)translator;
	flags_restored(this_cpu(), data, 0);
}

/* The per-CPU area of a CPU; none is looked for before they are set up. */
static uint64_t percpu_of(unsigned int cpu)
{
	if (!percpu_base[cpu])
		read_u64(offsets + 8 * cpu, &percpu_base[cpu]);
	return percpu_base[cpu];
}

/* resched_curr(rq): which CPU's? */
static void on_resched(unsigned int translator, void *data)
{
	uint64_t rq = read_reg(rdi), caller = 0;
	unsigned int cpu = this_cpu(), i;
	struct cpu *c;

	(void)translator;
	for (i = 0; i < cpus; i++)
		if (percpu_of(i) + runqueues == rq)
			break;
	if (i == cpus)
		return;
	c = &all[i];
	if (c->is_resched)
		return;
	/* its first instruction: the return address is on top of the stack */
	read_u64(read_reg(rsp), &caller);
	if (i == cpu) {
		c->is_asked = false;
		c->is_resched = true;
		begin(&c->resched, i, now(c, data), caller);
		c->resched.to = caller;
	} else {
		c->is_asked = true;
		c->asker = caller;
	}
}

/* The interrupt of a request: where it came from is on top of the stack. */
static void on_request(unsigned int translator, void *data)
{
	struct cpu *c = &all[this_cpu()];
	uint64_t from = 0;

	(void)translator;
	if (!c->is_asked)
		return;
	c->is_asked = false;
	c->is_resched = true;
	read_u64(read_reg(rsp), &from);
	begin(&c->resched, this_cpu(), now(c, data), from);
	c->resched.to = c->asker;
}

static void part_block(unsigned int cpu, const struct site *site)
{
	const struct symbol *s = symbol_of(site->pc);

	/* what is no function of the kernel counts for none */
	if (s)
		symbols[s - symbols].going[cpu] += site->rest;
}

/* A part begins; its block was entered before that. */
static void part_begin(unsigned int cpu, const struct site *site)
{
	size_t i;

	for (i = 0; i < symbol_count; i++)
		symbols[i].going[cpu] = 0;
	all[cpu].counts = true;
	all[cpu].part_sp = read_reg(rsp);
	part_block(cpu, site);
}

/* It ends, and is one of @part unless that is PARTS. */
static void part_end(unsigned int cpu, enum part part)
{
	size_t i;

	all[cpu].counts = false;
	if (part == PARTS)
		return;
	for (i = 0; i < symbol_count; i++)
		symbols[i].insns[part] += symbols[i].going[cpu];
	part_count[part]++;
}

static void on_schedule(unsigned int translator, void *data)
{
	unsigned int cpu = this_cpu();
	struct cpu *c = &all[cpu];

	(void)translator;
	c->schedules = true;
	if (want_functions && (c->part == TO || c->part == BACK))
		part_begin(cpu, data);
}

/* The end of a schedule() that has kept its task: the request is served. */
static void on_schedule_return(unsigned int translator, void *data)
{
	struct cpu *c = &all[this_cpu()];

	(void)translator;
	(void)data;
	if (c->schedules)
		c->is_resched = c->is_asked = false;
	c->schedules = false;
	if (c->counts && c->part != PARTS && c->part != WAKE) {
		part_end(this_cpu(), c->part);
		c->part++;
	}
}

static void on_switch(unsigned int translator, void *data)
{
	struct cpu *c = &all[this_cpu()];

	(void)translator;
	c->schedules = c->is_asked = false;
	if (!c->is_resched)
		return;
	c->is_resched = false;
	end(&c->resched, &longest_resched, now(c, data), c->resched.to);
}

static void on_wake(unsigned int translator, void *data)
{
	struct cpu *c = &all[this_cpu()];

	(void)translator;
	if (c->wakes)
		return;
	c->wakes = true;
	c->wakes_rt = false;
	c->wake_sp = read_reg(rsp);
	c->wakee = read_reg(rdi);
	c->stores = 0;
	if (want_functions && c->part == PARTS)
		part_begin(this_cpu(), data);
}

static void on_select_rt(unsigned int translator, void *data)
{
	(void)translator;
	(void)data;
	all[this_cpu()].wakes_rt = true;
}

/* The return of try_to_wake_up() is the one at its own stack pointer. */
static void on_return(unsigned int translator, void *data)
{
	struct cpu *c = &all[this_cpu()];

	(void)translator;
	(void)data;
	if (!c->wakes || read_reg(rsp) != c->wake_sp)
		return;
	c->wakes = false;
	if (c->counts && c->part == PARTS) {
		part_end(this_cpu(), c->wakes_rt ? WAKE : PARTS);
		if (c->wakes_rt)
			c->part = TO;
	}
	if (!c->wakes_rt)
		return;
	if (writes_len + 16 > writes_size) {
		writes_size = 2 * writes_size + 4096;
		writes = realloc(writes, writes_size);
		if (!writes)
			abort();
	}
	writes_len += sprintf(writes + writes_len, " %u", c->stores);
}

static void on_memory(unsigned int translator, plugin_meminfo info,
		      uint64_t addr, void *data)
{
	struct cpu *c = &all[this_cpu()];
	unsigned int i;

	(void)translator;
	(void)data;
	if (!c->wakes || !qemu_plugin_mem_is_store(info) ||
	    addr - c->wakee < TASK_SIZE ||
	    addr - (c->wake_sp - STACK_SIZE) < 2 * STACK_SIZE)
		return;
	for (i = 0; i < cpus; i++)
		if (addr - percpu_of(i) < PERCPU_SIZE)
			return;
	c->stores++;
}

static void on_block(unsigned int translator, void *data)
{
	struct cpu *c = &all[this_cpu()];
	const struct site *site = data;
	const struct step step = { site->pc, site->rest };

	(void)translator;
	c->insns += site->rest;
	if (c->is_off && c->off.steps < TRACE)
		c->off.step[c->off.steps++] = step;
	if (c->is_resched && c->resched.steps < TRACE)
		c->resched.step[c->resched.steps++] = step;
	if (c->counts)
		part_block(this_cpu(), site);
}

static int by_pc(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_insns(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return by_pc(a, b);
}

static void print_stretch(const char *what, struct stretch *s)
{
	uint32_t i, n = 0;

	if (!s->length)
		return;
	fprintf(out, "%u %s %" PRIu64 " %u %s %s ", segment, what, s->length,
		s->cpu, name_of(s->from), name_of(s->to));
	/* blocks to functions */
	for (i = 0; i < s->steps; i++) {
		const struct symbol *sym = symbol_of(s->step[i].pc);

		if (sym)
			s->step[i].pc = sym->addr;
		else
			s->step[i].pc = s->step[i].pc >> 63 ? UINT64_MAX : 0;
	}
	qsort(s->step, s->steps, sizeof(*s->step), by_pc);
	for (i = 0; i < s->steps; i++) {
		if (n && s->step[n - 1].pc == s->step[i].pc)
			s->step[n - 1].insns += s->step[i].insns;
		else
			s->step[n++] = s->step[i];
	}
	qsort(s->step, n, sizeof(*s->step), by_insns);
	for (i = 0; i < n && i < TOP; i++)
		fprintf(out, "%s%s:%u", i ? "," : "", name_of(s->step[i].pc),
			s->step[i].insns);
	fputc('\n', out);
	s->length = 0;
}

static uint64_t all_insns(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < cpus; i++)
		sum += all[i].insns;
	return sum;
}

static void print_parts(void)
{
	static const char * const names[] = { "wake", "to", "back" };
	uint64_t sum;
	size_t i;
	int part;

	for (part = 0; part < PARTS; part++) {
		for (i = sum = 0; i < symbol_count; i++)
			sum += symbols[i].insns[part];
		if (sum)
			fprintf(out, "%u %s %" PRIu64 " %u ", segment,
				names[part], sum, part_count[part]);
		for (i = 0; i < symbol_count; i++) {
			if (symbols[i].insns[part])
				fprintf(out, "%s:%" PRIu64 ",", symbols[i].name,
					symbols[i].insns[part]);
			symbols[i].insns[part] = 0;
		}
		if (sum)
			fputc('\n', out);
		part_count[part] = 0;
	}
}

static void close_segment(void)
{
	uint64_t insns = all_insns();

	fprintf(out, "%u insns %" PRIu64 "\n", segment, insns - insns_before);
	insns_before = insns;
	print_stretch("irqsoff", &longest_off);
	print_stretch("resched", &longest_resched);
	if (writes_len)
		fprintf(out, "%u writes%s\n", segment, writes);
	writes_len = 0;
	if (want_functions)
		print_parts();
	fflush(out);
	segment++;
}

static void on_mark(unsigned int translator, void *data)
{
	(void)translator;
	(void)data;
	close_segment();
}

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* A function and what the compiler makes of it (.isra.0, .constprop.0). */
static bool is(const char *name, const char *function)
{
	size_t n = strlen(function);

	return starts(name, function) && (!name[n] || name[n] == '.');
}

static bool is_entry(const char *name)
{
	return starts(name, "asm_") || starts(name, "entry_SYSCALL");
}

static void watch(struct qemu_plugin_insn *insn,
		  void (*cb)(unsigned int cpu, void *data), struct site *site)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, CB_R_REGS, site);
}

static void watch_entry(struct qemu_plugin_insn *insn, const char *name,
			struct site *site)
{
	if (is(name, "asm_sysvec_reschedule_ipi"))
		watch(insn, on_request, site);
	if (is_entry(name))
		watch(insn, on_off, site);
	else if (is(name, "resched_curr"))
		watch(insn, on_resched, site);
	else if (is(name, "__schedule"))
		watch(insn, on_schedule, site);
	else if (is(name, "__switch_to_asm"))
		watch(insn, on_switch, site);
	else if (is(name, "devkmsg_write"))
		watch(insn, on_mark, site);
	else if (want_writes && is(name, "try_to_wake_up"))
		watch(insn, on_wake, site);
	else if (want_writes && is(name, "select_task_rq_rt"))
		watch(insn, on_select_rt, site);
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	/* never freed: QEMU does not say when a block goes */
	struct site *sites = calloc(n, sizeof(*sites));

	(void)id;
	if (!sites)
		abort();
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, CB_NO_REGS, sites);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t op[3] = { 0 };
		const struct symbol *s;

		sites[i].pc = qemu_plugin_insn_vaddr(insn);
		sites[i].rest = n - i;
		if (!(sites[i].pc >> 63))
			continue;
		qemu_plugin_insn_data(insn, op, sizeof(op));
		s = symbol_of(sites[i].pc);
		if (s && s->addr == sites[i].pc)
			watch_entry(insn, s->name, &sites[i]);
		if (op[0] == 0xfa)
			watch(insn, on_off, &sites[i]);
		else if (op[0] == 0xfb)
			watch(insn, on_on, &sites[i]);
		else if (op[0] == 0x9d)
			watch(insn, on_popf, &sites[i]);
		else if (op[0] == 0x48 && op[1] == 0xcf)
			watch(insn, on_iret, &sites[i]);
		else if ((op[0] == 0x48 && op[1] == 0x0f && op[2] == 0x07) ||
			 (op[0] == 0x0f && op[1] == 0x07))
			watch(insn, on_on, &sites[i]);
		if (op[0] == 0xc3 && s && is(s->name, "__schedule"))
			watch(insn, on_schedule_return, &sites[i]);
		if (!want_writes)
			continue;
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, CB_NO_REGS,
						 MEM_RW, NULL);
		if (op[0] == 0xc3 && s && is(s->name, "try_to_wake_up"))
			watch(insn, on_return, &sites[i]);
	}
}

static void on_start(plugin_id id, unsigned int cpu)
{
	struct array *regs = qemu_plugin_get_registers();
	struct cpu *c = &all[cpu];
	unsigned int i;

	(void)id;
	if (cpu >= CPUS) {
		fprintf(stderr, "qemu-where: %u CPUs at most\n", CPUS);
		exit(1);
	}
	cpus = cpu + 1 > cpus ? cpu + 1 : cpus;
	c->part = PARTS;
	c->off.step = calloc(TRACE, sizeof(struct step));
	c->resched.step = calloc(TRACE, sizeof(struct step));
	if (!c->off.step || !c->resched.step)
		abort();
	for (i = 0; i < regs->len; i++) {
		struct reg *r = (struct reg *)regs->data + i;

		if (!strcmp(r->name, "rdi"))
			rdi = r->handle;
		else if (!strcmp(r->name, "rsp"))
			rsp = r->handle;
	}
}

static int load_map(const char *path)
{
	FILE *f = fopen(path, "r");
	char name[256], type;
	size_t size = 0;
	uint64_t addr;

	if (!f)
		return -1;
	while (fscanf(f, "%" SCNx64 " %c %255s", &addr, &type, name) == 3) {
		if (!strcmp(name, "runqueues"))
			runqueues = addr;
		else if (!strcmp(name, "__per_cpu_offset"))
			offsets = addr;
		else if (!strcmp(name, "_stext"))
			text_begin = addr;
		else if (!strcmp(name, "_etext"))
			text_end = addr;
		if (type != 't' && type != 'T' && type != 'W')
			continue;
		if (symbol_count == size) {
			size = 2 * size + 1024;
			symbols = realloc(symbols, size * sizeof(*symbols));
			if (!symbols)
				abort();
		}
		memset(&symbols[symbol_count], 0, sizeof(*symbols));
		symbols[symbol_count].addr = addr;
		symbols[symbol_count++].name = strdup(name);
	}
	fclose(f);
	qsort(symbols, symbol_count, sizeof(*symbols), by_addr);
	return symbol_count && runqueues && offsets && text_end ? 0 : -1;
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc,
			       char **argv)
{
	const char *map = "";
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (starts(argv[i], "map="))
			map = argv[i] + 4;
		else if (starts(argv[i], "out="))
			out = fopen(argv[i] + 4, "w");
		else if (!strcmp(argv[i], "writes=on"))
			want_writes = true;
		else if (!strcmp(argv[i], "functions=on"))
			want_functions = want_writes = true;
	}
	if (load_map(map)) {
		fprintf(stderr, "qemu-where: %s is no System.map of the kernel\n",
			map);
		return -1;
	}
	if (!out) {
		fprintf(stderr, "qemu-where: no out= that can be written\n");
		return -1;
	}
	buf = g_byte_array_new();
	longest_off.step = calloc(TRACE, sizeof(struct step));
	longest_resched.step = calloc(TRACE, sizeof(struct step));
	qemu_plugin_register_vcpu_init_cb(id, on_start);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
