// SPDX-License-Identifier: GPL-2.0-only
/*
 * rtmig_asym.ko: makes the guest a machine of big and little CPUs, so that a
 * real-time task may find that its CPU lacks the capacity that it asks for
 * (uclamp).  It does what intel_pstate does on hybrid processors since 6.12,
 * with functions and a variable that are not exported: KPROBES and KALLSYMS_ALL
 * are needed to find them, and no machine but a guest should load this.
 *
 * There is no way back: the kernel enables hybrid capacities once.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static int little = 4;
module_param(little, int, 0444);
MODULE_PARM_DESC(little, "CPUs from 0 on that have half the capacity");

static unsigned long (*lookup)(const char *name);

static int __init find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int __init asym_init(void)
{
	bool (*enable)(void);
	void (*set)(int cpu, unsigned long cap, unsigned long max_cap,
		    unsigned long cap_freq, unsigned long base_freq);
	void (*rebuild)(void);
	bool *topology_update;
	int cpu, ret;

	ret = find_lookup();
	if (ret)
		return ret;
	enable = (void *)lookup("arch_enable_hybrid_capacity_scale");
	set = (void *)lookup("arch_set_cpu_capacity");
	rebuild = (void *)lookup("rebuild_sched_domains");
	topology_update = (void *)lookup("x86_topology_update");
	if (!enable || !set || !rebuild || !topology_update) {
		pr_err("this kernel lacks hybrid capacities, or KALLSYMS_ALL\n");
		return -ENOENT;
	}
	if (!enable())
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		set(cpu, cpu < little ? 1 : 2, 2, 1, 1);
	*topology_update = true;
	rebuild();
	return 0;
}

module_init(asym_init);
MODULE_DESCRIPTION("Big and little CPUs for a guest");
MODULE_AUTHOR("rtmig developers <developers@rtmig.invalid>");
MODULE_LICENSE("GPL");
