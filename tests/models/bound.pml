/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk is bounded. CPU 0 is overloaded, 1 and 2 ask for something that it
 * does not have, 3 asks for what it has, so that there are more requests in a
 * row than one CPU may serve. With WAKES one more task wakes up on CPU 0 that is
 * to be switched in there, some time later: until then the walk leaves CPU 0
 * out. With REMOTE=c another CPU lowers the priority of c, which has no part in
 * that: its IPI may come in between.
 */
#define FILTER
#define BOUND
inline setup()
{
	rcurr[0] = 0; wait[0] = 1 << 7;
	rcurr[1] = 1; lower[1] = 4;
	rcurr[2] = 2; lower[2] = 5;
	rcurr[3] = 3; sleeps[3] = 1;
#ifdef WAKES
	rcurr[0] = 1; wakes[0] = 1 << 0;
	lower[1] = 0; rcurr[1] = 4
#endif
#ifdef REMOTE
	rcurr[1] = 4; lower[1] = 0; sleeps[1] = 1; /* asks, for an IPI to 0 */
	lower[0] = 6; lower[2] = 0; sleeps[2] = 1
#endif
#ifdef SLEEPS2
	sleeps[2] = 1;
#endif
#ifdef SLEEPS1
	sleeps[1] = 1;
#endif
}

#include "rto.inc"
