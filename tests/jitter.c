// SPDX-License-Identifier: GPL-2.0-only
/*
 * jitter: preloaded into QEMU, delays its threads at random where they take the
 * big lock, as a busy host does now and then.  With scripts/qemu-turns.c a guest
 * on the instruction clock must not notice; without it, it does at once.
 *
 * Delays of up to 0.1 ms: every second time in the main loop, once in 50 times
 * in the CPU thread, which takes the lock after each slice.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int (*real_lock)(pthread_mutex_t *mutex);
static int (*real_wait)(pthread_cond_t *cond, pthread_mutex_t *mutex);
static pthread_mutex_t *big_lock;
static __thread unsigned int seed;
static __thread int one_in = 2;

/* The CPU thread waits with the big lock before it runs anything. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	char name[16];

	if (!pthread_getname_np(pthread_self(), name, sizeof(name)) &&
	    !strcmp(name, "ALL CPUs/TCG")) {
		one_in = 50;
		big_lock = mutex;
	}
	if (!real_wait)
		real_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait",
				   "GLIBC_2.3.2");
	return real_wait(cond, mutex);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct timespec delay = { 0 };

	if (big_lock && mutex == big_lock) {
		if (!seed)
			seed = time(NULL) ^ getpid() << 8 ^ one_in;
		if (rand_r(&seed) % one_in == 0) {
			delay.tv_nsec = rand_r(&seed) % 100000;
			nanosleep(&delay, NULL);
		}
	}
	/* needed before any constructor runs */
	if (!real_lock)
		real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return real_lock(mutex);
}
