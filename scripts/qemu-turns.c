// SPDX-License-Identifier: GPL-2.0-only
/*
 * qemu-turns: preloaded into QEMU on the instruction clock, it lets either the
 * main loop or the thread of the virtual CPUs run, never both.
 *
 * With -icount sleep=off the main loop moves the clock on to the next timer
 * whenever all virtual CPUs are halted.  It looks each time it wakes, and every
 * timer that expires wakes it.  The CPU thread takes QEMU's big lock back only
 * some time after its last CPU has halted, and adds the instructions of its
 * slice to the clock only then.  A main loop that wakes in between moves the
 * clock by too much, or raises an interrupt one round of the CPUs too early.
 * It is a matter of a microsecond of the host, so it happens once in several
 * minutes, and more often on a busy host; from there on the run is another one.
 *
 *   CPU thread                         main loop
 *   last CPU halts                     wakes from ppoll() (earlier timer)
 *                                      all halted: clock += time to next timer
 *   clock += instructions of the slice
 *
 * So there is one turn.  The main loop has it except while it waits in ppoll()
 * or on a condition, the CPU thread has it except while it waits on a condition
 * (all CPUs halted, or stopped).  Nothing in between is lost: on the instruction
 * clock timers run in the CPU thread too, and the main loop is needed only when
 * all CPUs are halted.  (Or when the guest ends: it has to reboot, which stops
 * its CPUs; after a power-off they spin, and QEMU waits for them.)  Only the order
 * of the two is fixed, to the one that is usual anyway: figures are the same with
 * and without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

static sem_t turn;
static pthread_t main_loop;
static __thread bool mine;
static __thread enum { UNKNOWN, ASIDE, PLAYER } role;

static int (*real_ppoll)(struct pollfd *fds, nfds_t n,
			 const struct timespec *timeout, const sigset_t *mask);
static int (*real_cond_wait)(pthread_cond_t *cond, pthread_mutex_t *mutex);

/* QEMU names the thread "ALL CPUs/TCG" (-name debug-threads=on). */
static bool plays(void)
{
	char name[16];

	if (role == UNKNOWN) {
		role = ASIDE;
		if (pthread_equal(pthread_self(), main_loop) ||
		    (!pthread_getname_np(pthread_self(), name, sizeof(name)) &&
		     !strcmp(name, "ALL CPUs/TCG")))
			role = PLAYER;
	}
	return role == PLAYER;
}

static void give(void)
{
	if (mine) {
		mine = false;
		sem_post(&turn);
	}
}

/* A signal that ends QEMU gets through without the turn. */
static void take(void)
{
	if (!sem_wait(&turn))
		mine = true;
}

__attribute__((constructor)) static void start(void)
{
	real_ppoll = dlsym(RTLD_NEXT, "ppoll");
	/* dlsym() may find the one of before 2.3.2, whose conditions differ */
	real_cond_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	main_loop = pthread_self();
	sem_init(&turn, 0, 1);
	take();
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
	  const sigset_t *mask)
{
	int ret, err;

	if (!plays())
		return real_ppoll(fds, n, timeout, mask);
	give();
	ret = real_ppoll(fds, n, timeout, mask);
	err = errno;
	take();
	errno = err;
	return ret;
}

/*
 * The mutex is the big lock.  Its holder may be waiting for the turn (the main
 * loop polls under it when QEMU ends), so the turn is never waited for with the
 * lock held, nor the lock with the turn: either both at once, or let go.
 */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int ret;

	if (!plays())
		return real_cond_wait(cond, mutex);
	give();
	ret = real_cond_wait(cond, mutex);
	while (sem_trywait(&turn)) {
		pthread_mutex_unlock(mutex);
		take();
		give();
		pthread_mutex_lock(mutex);
	}
	mine = true;
	return ret;
}
