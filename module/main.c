// SPDX-License-Identifier: GPL-2.0-only
/*
 * rtmig.ko: module and files in /sys/kernel/debug/rtmig/
 *
 *   stats    counters, "cpuN key value", and what could not be attached
 *   hist     log2 histograms of wake-up latency, "cpuN ns count"
 *   reset    write anything: all of it starts from zero
 *   version  format, module version, and whether the kernel has the series
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "rtmig.h"

#define RTMIG_VERSION	"0.1"

/* Readers and reset; the handlers need no lock. */
static DEFINE_MUTEX(rtmig_mutex);
static struct dentry *rtmig_dir;

static int rtmig_stats_show(struct seq_file *m, void *v)
{
	seq_printf(m, "version %d\n", RTMIG_FORMAT);
	mutex_lock(&rtmig_mutex);
	rtmig_counters_show(m);
	rtmig_latency_show_max(m);
	mutex_unlock(&rtmig_mutex);
	rtmig_probes_show_missing(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rtmig_stats);

static int rtmig_hist_show(struct seq_file *m, void *v)
{
	seq_printf(m, "version %d\n", RTMIG_FORMAT);
	mutex_lock(&rtmig_mutex);
	rtmig_latency_show_hist(m);
	mutex_unlock(&rtmig_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rtmig_hist);

static int rtmig_version_show(struct seq_file *m, void *v)
{
	seq_printf(m, "version %d\n", RTMIG_FORMAT);
	seq_printf(m, "module %s\n", RTMIG_VERSION);
	seq_printf(m, "series %s\n", RTMIG_SERIES ? "yes" : "no");
	rtmig_probes_show_missing(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rtmig_version);

static ssize_t rtmig_reset_write(struct file *file, const char __user *buf,
				 size_t count, loff_t *ppos)
{
	mutex_lock(&rtmig_mutex);
	rtmig_counters_reset();
	rtmig_latency_reset();
	mutex_unlock(&rtmig_mutex);
	return count;
}

static const struct file_operations rtmig_reset_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= rtmig_reset_write,
};

static int __init rtmig_init(void)
{
	int ret;

	ret = rtmig_counters_init();
	if (ret)
		return ret;
	ret = rtmig_latency_init();
	if (ret)
		goto out_counters;
	ret = rtmig_probes_attach();
	if (ret)
		goto out_latency;

	rtmig_dir = debugfs_create_dir("rtmig", NULL);
	debugfs_create_file("stats", 0444, rtmig_dir, NULL, &rtmig_stats_fops);
	debugfs_create_file("hist", 0444, rtmig_dir, NULL, &rtmig_hist_fops);
	debugfs_create_file("version", 0444, rtmig_dir, NULL,
			    &rtmig_version_fops);
	debugfs_create_file("reset", 0200, rtmig_dir, NULL, &rtmig_reset_fops);
	return 0;

out_latency:
	rtmig_latency_exit();
out_counters:
	rtmig_counters_exit();
	return ret;
}

static void __exit rtmig_exit(void)
{
	/* Waits for readers; then for handlers; then nobody is left. */
	debugfs_remove(rtmig_dir);
	rtmig_probes_detach();
	rtmig_latency_exit();
	rtmig_counters_exit();
}

module_init(rtmig_init);
module_exit(rtmig_exit);
MODULE_DESCRIPTION("Counters of real-time wake-up routing, push and pull");
MODULE_AUTHOR("rtmig developers <developers@rtmig.invalid>");
MODULE_VERSION(RTMIG_VERSION);
MODULE_LICENSE("GPL");
