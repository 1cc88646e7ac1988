/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk asks only those CPUs whose best waiting task outranks a CPU that
 * asked. CPUs 0 and 1 are overloaded, with a high (5) and a low (7) task that
 * waits. CPU 2 first drops to a priority between the two (6), and to nothing
 * when that task sleeps; CPU 3 drops to nothing and gets a task (4) again.
 */
#define FILTER
inline setup()
{
	rcurr[0] = 0; wait[0] = 1 << 5;
	rcurr[1] = 1; wait[1] = 1 << 7;
	rcurr[2] = 2; lower[2] = 6; sleeps[2] = 1;
	rcurr[3] = 3; sleeps[3] = 1;
#ifdef CHANGES
	sleeps[2] = 0; wakes[3] = 1 << 4; sleeps[3] = 2;
#endif
}

#include "rto.inc"
