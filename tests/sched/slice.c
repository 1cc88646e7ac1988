// SPDX-License-Identifier: GPL-2.0-only
/* slice NS COMMAND...: run it as SCHED_OTHER with a slice of its own */
#define _GNU_SOURCE
#include <linux/sched/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sched_attr attr = { .size = sizeof(attr) };

	if (argc < 3)
		return 2;
	attr.sched_runtime = strtoull(argv[1], NULL, 10);
	if (syscall(SYS_sched_setattr, 0, &attr, 0)) {
		perror("sched_setattr");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
