/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of memory accesses behind the walk, on a machine weaker than any
 * that Linux runs on: every CPU has its own view of each variable, a store
 * reaches the other CPUs one by one and in any order, and a CPU executes its
 * accesses in any order, loads ahead of the branches that they depend on. Only
 *
 *  - a full barrier waits until the CPU's accesses before it are done, and until
 *    every store that it made or saw has reached all CPUs (it is cumulative);
 *  - smp_wmb() keeps two stores in order on their way to each CPU;
 *  - an acquire holds back the accesses behind it;
 *  - a store waits for the loads that it depends on by a branch;
 *  - rto_pending is only accessed by read-modify-writes, which see its newest
 *    value; fully ordered ones have a full barrier on either side.
 *
 * X has a waiting task, Q lowers its priority so that it could run there. X
 * makes it known (store), and searches: level of Q. Q lowers its level, looks at
 * the overload mark, and makes its request. Z is in a walk, and takes the
 * request over if it is there; else Q does it. Whoever did reads the mask and
 * decides whether X has to be asked; X then pushes and sees all that the CPU saw
 * that sent the IPI. Forbidden is that nobody pushes.
 *
 * SCEN 1: the task is queued: rto_mask and rto_count, with the wmb between them
 *         (rt_set_overload()), against the level.
 * SCEN 2: X is overloaded already, a higher task is queued: highest_prio.next,
 *         which the filter reads (rto_ask_cpu()), against the level.
 * SCEN 3: X switches to another task and looks for a place for the rest: rq->curr,
 *         which the bound reads (rto_will_resched()), against the level.
 */
#ifndef SCEN
#define SCEN 1
#endif

/* CPUs */
#define X	0	/* pushes: push_rt_task() */
#define Q	1	/* lowers: pull_rt_task(), rto_request() */
#define Z	2	/* walks: rto_next_cpu() */

/* Variables, each of which is stored to once; a bit is set in the views of it */
#define MASK	1	/* rd->rto_mask, bit of X */
#define COUNT	2	/* rd->rto_count */
#define NEXT	4	/* X's rt.highest_prio.next is the waiting task */
#define CURR	8	/* X's rq->curr is the new task */
#define LEVEL	16	/* Q's level in cpupri, and rt.highest_prio.curr, is low */
#if SCEN == 1
#define BEFORE CURR
#elif SCEN == 2
#define BEFORE (MASK | COUNT | CURR)
#else
#define BEFORE (MASK | COUNT | NEXT)
#endif
byte sees[3] = BEFORE;
#define SETTLED(c) ((sees[c] & ~sees[X]) == 0 && (sees[c] & ~sees[Q]) == 0 && \
		    (sees[c] & ~sees[Z]) == 0)

byte pending = 1;	/* rto_pending: 0, 1 a request of another CPU, 2 with Q's */
bool q_done, z_done;
bool ask_x;		/* the IPI is sent to X */
bool pushed;		/* X has pushed the task to Q */

/* What X stores before it searches */
#if SCEN == 1
#define X_STORES (MASK | COUNT | NEXT)
#elif SCEN == 2
#define X_STORES NEXT
#else
#define X_STORES CURR
#endif

/* Does a walk that reads r of the mask and X's rq ask X? */
#define ASKS(r) (((r) & MASK) && ((r) & NEXT) && ((r) & CURR))
#define READS	(MASK | NEXT | CURR)

/* Stores reach the other CPUs. rto_count after rto_mask: smp_wmb() of X. */
#define PROPAGATE(from, to, v) \
	:: (sees[from] & (v)) && !(sees[to] & (v)) && \
	   ((v) != COUNT || (sees[to] & MASK)) -> sees[to] = sees[to] | (v)

active proctype propagate()
{
end:
	do
#if SCEN == 1
	PROPAGATE(X, Q, MASK)
	PROPAGATE(X, Z, MASK)
	PROPAGATE(X, Q, COUNT)
	PROPAGATE(X, Z, COUNT)
#endif
#if SCEN != 3
	PROPAGATE(X, Q, NEXT)
	PROPAGATE(X, Z, NEXT)
#else
	PROPAGATE(X, Q, CURR)
	PROPAGATE(X, Z, CURR)
#endif
	PROPAGATE(Q, X, LEVEL)
	PROPAGATE(Q, Z, LEVEL)
	od
}

/* enqueue_pushable_task() or the switch; smp_mb() and search of push_rt_task() */
active proctype cpu_x()
{
	byte todo = X_STORES;
	bool mb, load;

	do
	/* the stores: mask before count, by the wmb, the others in any order */
	:: atomic { todo & MASK -> todo = todo & ~MASK; sees[X] = sees[X] | MASK }
	:: atomic { (todo & COUNT) && !(todo & MASK) ->
			todo = todo & ~COUNT; sees[X] = sees[X] | COUNT }
	:: atomic { todo & NEXT -> todo = todo & ~NEXT; sees[X] = sees[X] | NEXT }
	:: atomic { todo & CURR -> todo = todo & ~CURR; sees[X] = sees[X] | CURR }
#ifndef M_NO_MB_PUSH
	:: atomic { !mb && !todo && SETTLED(X) -> mb = true }
	:: atomic { mb && !load ->
#else
	:: atomic { !load ->
#endif
			load = true;			/* find_lowest_rq() */
			pushed = pushed || (sees[X] & LEVEL) }
	:: !todo && load -> break
	od;
	/* rto_push_irq_work_func(): everything that the sender saw is seen */
	if
	:: atomic { ask_x -> pushed = pushed || (sees[X] & LEVEL) }
	:: q_done && z_done && !ask_x
	fi;
	assert(pushed || ask_x);	/* forbidden: nobody looks */
	assert(pushed)			/* forbidden: asked, and misses the level */
}

/* The IPI carries the sender's view along */
#define SEND_IPI(c)	sees[X] = sees[X] | sees[c]; ask_x = true

active proctype cpu_q()
{
	bool level, mb, load, marked, asked, owner, took, mb2;
	byte reads, todo = READS;

	do
	/* dec_rt_prio(): highest_prio.curr, cpupri_set() */
	:: atomic { !level -> level = true; sees[Q] = sees[Q] | LEVEL }
	/* the full barrier of cpupri_set() behind the new level */
#ifndef M_NO_MB_PULL
	:: atomic { !mb && level && SETTLED(Q) -> mb = true }
#else
	:: atomic { !mb -> mb = true }
#endif
	/* pull_rt_task(): rt_overloaded() */
	:: atomic { mb && !load -> load = true; marked = (sees[Q] & COUNT) != 0 }
	/* rto_request(): fully ordered, behind the branch */
#ifndef M_REQUEST_RELAXED
	:: atomic { load && marked && level && !asked && SETTLED(Q) ->
#else
	:: atomic { load && marked && !asked ->
#endif
			asked = true; owner = (pending == 0); pending = 2 }
	/* tell_cpu_to_push(), rto_next_cpu(): takes it over by itself */
	:: atomic { asked && owner && !took && SETTLED(Q) ->
			took = true; pending = 0 }
	:: atomic { took && (todo & MASK) ->
			todo = todo & ~MASK; reads = reads | (sees[Q] & MASK) }
	:: atomic { took && (todo & NEXT) ->
			todo = todo & ~NEXT; reads = reads | (sees[Q] & NEXT) }
	:: atomic { took && (todo & CURR) ->
			todo = todo & ~CURR; reads = reads | (sees[Q] & CURR) }
	/* done: not overloaded, or it is up to Z, or scanned */
	:: atomic { level && load && (!marked || asked && !owner || !todo) ->
			if
			:: !todo && ASKS(reads) -> SEND_IPI(Q)
			:: else
			fi;
			q_done = true;
			break }
	od
}

/* rto_next_cpu() on behalf of another CPU that asked before */
active proctype cpu_z()
{
	bool took, serves;
	byte reads, todo = READS;

	do
#ifdef M_TAKE_RELAXED
	:: atomic { !took ->
#else
	/* M_TAKE_ACQUIRE: no barrier before it */
#ifdef M_TAKE_ACQUIRE
	:: atomic { !took ->
#else
	:: atomic { !took && SETTLED(Z) ->
#endif
#endif
			took = true; serves = (pending == 2); pending = 0 }
#ifdef M_TAKE_RELAXED
#define MAY_READ true
#else
#define MAY_READ took
#endif
	:: atomic { MAY_READ && (todo & MASK) ->
			todo = todo & ~MASK; reads = reads | (sees[Z] & MASK) }
	:: atomic { MAY_READ && (todo & NEXT) ->
			todo = todo & ~NEXT; reads = reads | (sees[Z] & NEXT) }
	:: atomic { MAY_READ && (todo & CURR) ->
			todo = todo & ~CURR; reads = reads | (sees[Z] & CURR) }
	:: atomic { took && !todo ->
			if
			:: serves && ASKS(reads) -> SEND_IPI(Z);
#ifdef VACUOUS
				assert(false)	/* Z does serve Q */
#endif
			:: else
			fi;
			z_done = true;
			break }
	od
}
