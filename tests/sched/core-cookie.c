// SPDX-License-Identifier: GPL-2.0-only
/*
 * core-cookie COMMAND ARGUMENT...: run COMMAND with a core scheduling cookie of
 * its own, which its children inherit.  util-linux has coresched for that since
 * 2.41, which is newer than the distributions here.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE			62
#define PR_SCHED_CORE_CREATE		1
#define PR_SCHED_CORE_SCOPE_THREAD	0
#endif

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0,
		  PR_SCHED_CORE_SCOPE_THREAD, 0)) {
		perror("core-cookie: PR_SCHED_CORE_CREATE");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
