/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One walk per request. CPUs 0 and 1 are overloaded, 2 and 3 ask, and 0 as well
 * when its own task sleeps or gets a lower priority. Tasks that were pushed to
 * them sleep too, so that requests come while walks are under way and while
 * they end.
 */
inline setup()
{
	rcurr[0] = 0; wait[0] = 1 << 6;
	rcurr[1] = 1; wait[1] = 1 << 7;
	rcurr[2] = 2; sleeps[2] = 2;
	rcurr[3] = 3; sleeps[3] = 1;
#ifdef LOWER
	lower[0] = 4
#endif
#ifdef RAISE
	rcurr[0] = 5; wakes[0] = 1 << 4; raise[0] = 0 + 1;
	sleeps[2] = 0; rcurr[2] = 7; wait[1] = 0
#endif
#ifdef WAKES
	wakes[0] = 1 << 5
#endif
}

#include "rto.inc"
