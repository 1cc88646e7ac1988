// SPDX-License-Identifier: GPL-2.0-only
/*
 * waker LOOPS: sleep so often until CPU 2 wakes it, and print how late it ran, in ns
 *
 * Not by a timer of its own: that one would expire in ksoftirqd, which competes too.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* wake the other one a while after it has asked for it, until it is gone */
static int wake(int in, int out)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	cpu_set_t cpus;
	long long t;

	CPU_ZERO(&cpus);
	CPU_SET(2, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	while (read(in, &t, sizeof(t)) == sizeof(t)) {
		nanosleep(&ms, NULL);
		t = now();
		if (write(out, &t, sizeof(t)) != sizeof(t))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int loops = argc == 2 ? atoi(argv[1]) : 0;
	long long t = 0, late = 0;
	int ask[2], go[2];

	if (loops < 1 || pipe(ask) || pipe(go))
		return 2;
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		close(ask[1]);
		return wake(ask[0], go[1]);
	}
	for (int i = 0; i < loops; i++) {
		if (write(ask[1], &t, sizeof(t)) != sizeof(t) ||
		    read(go[0], &t, sizeof(t)) != sizeof(t))
			return 1;
		late += now() - t;
	}
	printf("%lld\n", late / loops);
	return 0;
}
