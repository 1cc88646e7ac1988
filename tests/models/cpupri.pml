/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpupri: a search does not miss a CPU that raises its priority (R), and a CPU
 * that lowers it (LOWER) is seen, or sees the overload mark of who searches.
 *
 * R runs cpupri_set() from level to level, T does so at any level, and may be
 * the one that sets the bit of R's; a CPU sweeps; and one searches, once.
 *
 * Memory is weak. A variable is the list of its versions, and a CPU has a view:
 * which version of each it has seen at least. A load returns any version that
 * is not older than that. Each version carries a view, too: that of the writer
 * at its last barrier, and what the version before carried, as read-modify-
 * writes only make new ones. Loads collect the views that they meet; a barrier
 * takes them over, and a full barrier joins all with that of the last full one.
 * So stores reach CPUs one by one, and loads are reordered with each other and
 * with earlier stores. Not modelled: loads that are reordered with later stores
 * (LB), and what dependencies order: the model has neither.
 */
#ifndef LEVELS
#define LEVELS	4	/* priority of the task that is searched for */
#endif
#ifndef PROBES
#define PROBES	2	/* CPUPRI_PROBES */
#endif
#ifndef R_SETS
#define R_SETS	1
#endif
#ifndef T_SETS
#define T_SETS	1
#endif
#ifndef SWEEPS
#define SWEEPS	1
#endif
#ifndef ALLOWED
#define ALLOWED	3
#endif

#define R	1
#define T	2

/* Variables: leaf->cpus[0..3], leaf->levels, leaf->sweeps, rd->rto_count */
#define LV0	4
#define LV1	5
#define SW	6
#define MARK	7
#ifdef TWO_WORDS
#define LV(l)	((l) < TWO_WORDS -> LV0 : LV1)
#else
#define LV(l)	LV0
#endif

#define VW	8	/* versions of each at most */
#define VL	12
#define VS	5
#define VM	2
#define MSGS	(4 * VW + 2 * VL + VS + VM)
#define AT(l, v) (((l) < 4 -> (l) * VW : ((l) == 4 -> 4 * VW : \
	((l) == 5 -> 4 * VW + VL : ((l) == 6 -> 4 * VW + 2 * VL : \
	4 * VW + 2 * VL + VS)))) + (v))
#define MAXV(l)	((l) < 4 -> VW : ((l) < 6 -> VL : ((l) == 6 -> VS : VM)))

/* A view: the version of each variable, 4 bits each */
#define F(k)		(15 << (4 * (k)))
#define V(x, l)		(((x) >> (4 * (l))) & 15)
#define WITH(x, l, v)	(((x) & ~F(l)) | ((v) << (4 * (l))))
#define M1(a, b, k)	(((a) & F(k)) > ((b) & F(k)) -> (a) & F(k) : (b) & F(k))
#define JOIN(a, b)	(M1(a, b, 0) | M1(a, b, 1) | M1(a, b, 2) | M1(a, b, 3) | \
			 M1(a, b, 4) | M1(a, b, 5) | M1(a, b, 6) | M1(a, b, 7))

byte val[MSGS];
int msg[MSGS];
byte last[8];
int fence;

inline load(l)
{
	v = V(cur, l);
	do
	:: v < last[l] -> v++
	:: break
	od;
	x = val[AT(l, v)];
	cur = WITH(cur, l, v);
	acq = JOIN(acq, msg[AT(l, v)]);
}

inline rmw(l, y)
{
	v = last[l];
	x = val[AT(l, v)];
	assert(v + 1 < MAXV(l));
	acq = JOIN(acq, msg[AT(l, v)]);
	val[AT(l, v + 1)] = y;
	msg[AT(l, v + 1)] = JOIN(msg[AT(l, v)], rel);
	v++;
	msg[AT(l, v)] = WITH(msg[AT(l, v)], l, v);
	cur = WITH(cur, l, v);
	last[l] = v;
	v = 0
}

inline mb()
{
	fence = JOIN(fence, cur);
	fence = JOIN(fence, acq);
	cur = fence;
	acq = fence;
	rel = fence
}

inline rmb()
{
	cur = JOIN(cur, acq)
}

/* ghost */
byte r_level, t_level;
byte r_max;
bool r_begun, r_done, pulled;

#define GHOST(me) r_max = (me == R -> new : r_max); r_begun = r_begun || me == R

inline cpupri_set(me)
{
	atomic { rmw(new, x | me); x = 0; GHOST(me) };
#ifndef M_NO_MB1
	atomic { mb() };
#endif
	atomic {
		load(LV(new));
		v = 0;
		if
		:: x & (1 << new) -> x = 0
		:: else -> x = 0; goto_set = true
		fi
	};
	if
	:: goto_set ->
		atomic { rmw(LV(new), x | (1 << new)); x = 0; goto_set = false };
#if defined(ORIGINAL)
		atomic { mb() }
#endif
	:: else
	fi;
#if !defined(M_NO_MB2) && !defined(ORIGINAL)
	/* T may come from INVALID; there is nothing to clear then. */
	if
	:: old < LEVELS || me == R -> atomic { mb() }
	:: else
	fi;
#endif
	if
	:: old < LEVELS ->
		atomic { rmw(old, x & ~me);
#ifdef M_CLEAR_LEVEL
			goto_set = ((x & ~me) == 0);
#endif
			x = 0 };
#ifdef M_CLEAR_LEVEL
		if
		:: goto_set && old > 0 ->
			atomic { rmw(LV(old), x & ~(1 << old)); x = 0 }
		:: else
		fi;
		goto_set = false
#endif
	:: else
	fi
}

proctype raiser()
{
	int cur, acq, rel;
	byte v, x, old, new, n;
	bool goto_set;

	old = r_level;
	do
	:: n < R_SETS && (old >= LEVELS || old < LEVELS - 1) ->
		atomic {
			new = (old >= LEVELS -> 0 : old + 1);
			do
			:: new < LEVELS - 1 -> new++
			:: break
			od
		};
		cpupri_set(R);
#ifdef LOWER
		if
		:: n == 0 -> 
			atomic { load(MARK); pulled = x; x = 0; v = 0 }
		:: else
		fi;
#endif
		n++;
		old = new;
		new = 0
	:: else -> break
	od;
	r_done = true
}

proctype toggler()
{
	int cur, acq, rel;
	byte v, x, old, new, n;
	bool goto_set;

	old = t_level;
	do
	:: n < T_SETS ->
		atomic {
			new = 0;
			do
			:: new < LEVELS - 1 -> new++
			:: break
			od
		};
		if
		:: new != old -> cpupri_set(T)
		:: else
		fi;
		n++;
		old = new;
		new = 0
	:: else -> break
	od
}

proctype sweeper()
{
	int cur, acq, rel;
	byte v, x, s, level, n;

	do
	:: n == SWEEPS -> break
	:: else ->
		n++;
		atomic { load(SW); v = 0; s = x; x = 0 };
		if
		:: s & 1 -> break
		:: else
		fi;
#ifndef M_CMPXCHG_RELAXED
		atomic { mb() };
#endif
		atomic {
			if
			:: val[AT(SW, last[SW])] == s -> rmw(SW, x + 1); x = 0
			:: else -> goto out
			fi
		};
#ifndef M_CMPXCHG_RELAXED
		atomic { mb() };
#endif
		level = 1;
		do
		:: level == LEVELS -> break
		:: else ->
			atomic {
				load(LV(level));
				v = 0;
				if
				:: x & (1 << level)
				:: else -> x = 0; goto next
				fi;
				x = 0
			};
			atomic {
				load(level);
				v = 0;
				if
				:: x == 0
				:: else -> x = 0; goto next
				fi
			};
			atomic { rmw(LV(level), x & ~(1 << level)); x = 0 };
#ifndef M_NO_MB_SWEEP
			atomic { mb() };
#endif
			atomic {
				load(level);
				v = 0;
				if
				:: x == 0 -> goto next
				:: else -> x = 0
				fi
			};
			atomic { rmw(LV(level), x | (1 << level)); x = 0 };
next:			level++
		od;
		level = 0;
		atomic {
			v = last[SW] + 1;
			assert(v < VS);
			val[AT(SW, v)] = s + 2;
#ifdef M_NO_RELEASE
			msg[AT(SW, v)] = WITH(rel, SW, v);
#else
			msg[AT(SW, v)] = WITH(cur, SW, v);
#endif
			cur = WITH(cur, SW, v);
			last[SW] = v;
			v = 0;
			s = 0
		}
	od;
out:	skip
}

#ifdef TWO_WORDS
#define SAME_WORD && level != TWO_WORDS
#else
#define SAME_WORD
#endif

proctype reader()
{
	int cur, acq, rel;
	byte v, x, s, level, probes, any, res = LEVELS;
	bool again, missed;

#ifdef LOWER
	atomic { rmw(MARK, x | 1); x = 0 };
#ifndef M_NO_MB_PUSH
	atomic { mb() };
#endif
#endif
	atomic {
		load(0);
		v = 0;
		if
		:: x & ALLOWED -> x = 0; res = 0; goto done
		:: else -> x = 0
		fi;
#ifndef M_NO_RMB_NORMAL
		rmb()
#endif
	};
	atomic {
		load(SW);
#ifndef M_NO_ACQUIRE
		cur = JOIN(cur, msg[AT(SW, v)]);
#endif
		v = 0;
		s = x;
		x = 0
	};
#ifdef M_NO_REREAD
	atomic { load(LV0); v = 0; any = x; x = 0 };
#endif
probe:
	if
	:: probes == PROBES -> level++; probes = 0; goto scan
	:: else
	fi;
	atomic {
#ifdef M_NO_REREAD
		x = any;
#else
		load(LV(level + 1));
#endif
		v = 0;
		level++;
		do
		:: level < res && !(x & (1 << level)) SAME_WORD -> level++
		:: else -> break
		od;
#ifdef TWO_WORDS
		if
		:: level < res && level == TWO_WORDS && !(x & (1 << level)) ->
			x = 0; goto word1
		:: else
		fi;
#endif
found_bit:	x = 0;
		if
		:: level >= res -> level = 0; probes = 0; goto seq
		:: else -> goto word
		fi
	};
#ifdef TWO_WORDS
word1:
	atomic {
		load(LV1);
		v = 0;
		do
		:: level < res && !(x & (1 << level)) -> level++
		:: else -> break
		od;
		goto found_bit
	};
#endif
word:
	atomic {
		load(level);
		v = 0;
		if
		:: x & ALLOWED -> x = 0; res = level; level = 0; probes = 0; goto seq
		:: else -> x = 0
		fi;
#ifndef M_NO_RMB_PROBE
		rmb();
#endif
		probes++;
		goto probe
	};

scan:
#ifdef M_DOWN
	level = LEVELS - 1;
	do
	:: level == 0 -> break
	:: else ->
		atomic {
			load(level);
			v = 0;
			res = (x & ALLOWED -> level : res);
			x = 0;
			rmb();
			level--
		}
	od;
	goto scanned;
#endif
	if
	:: level >= res -> goto scanned
	:: else
	fi;
	atomic {
		load(level);
		v = 0;
		any = x & ALLOWED;
		x = 0;
		if
		:: level + 2 <= res
#ifndef M_NO_RMB_SCAN4
			-> rmb()
#endif
		:: else -> goto single
		fi
	};
	atomic {
		load(level + 1);
		v = 0;
		any = any | (x & ALLOWED);
		x = 0;
#ifndef M_NO_RMB_SCAN4
		rmb();
#endif
		if
		:: any == 0 -> level = level + 2; goto scan
		:: else
		fi
	};
	atomic { load(level); v = 0; any = x & ALLOWED; x = 0 };
single:
	atomic {
		if
		:: any -> res = level; goto scanned
		:: else
		fi;
#ifndef M_NO_RMB_SCAN
		rmb();
#endif
		level++;
		goto scan
	};
scanned:
	atomic { any = 0; level = 0 };
	if
	:: again -> goto done
	:: else
	fi;

seq:
	atomic {
		any = 0;
#ifndef M_NO_RMB_SEQ
		rmb();
#endif
		load(SW);
		v = 0;
#ifdef M_NO_SWEEPS
		x = s; s = 0;
#endif
		if
		:: (s & 1) || x != s -> again = true; level = 1; x = 0; s = 0; goto scan
		:: else -> x = 0; s = 0
		fi
	};
done:
#ifdef LOWER
	atomic {
		missed = !(r_begun && res <= r_max);
		r_done -> missed = missed && !pulled;
		assert(!missed)
	}
#else
	atomic {
		missed = res > r_max;
		assert(!missed)
	}
#endif
}

init
{
	byte i;

	atomic {
#ifdef LOWER
		r_level = LEVELS;
#else
		do
		:: r_level < LEVELS - 2 -> r_level++
		:: break
		od;
		val[AT(r_level, 0)] = R;
#endif
		r_max = r_level;
		do
		:: t_level < LEVELS -> t_level++
		:: break
		od;
		if
		:: t_level < LEVELS -> val[AT(t_level, 0)] = val[AT(t_level, 0)] | T
		:: else
		fi;
		val[AT(LV(0), 0)] = 1;
		i = 1;
		do
		:: i < LEVELS && val[AT(i, 0)] != 0 ->
			val[AT(LV(i), 0)] = val[AT(LV(i), 0)] | (1 << i); i++
		:: i < LEVELS && val[AT(i, 0)] == 0 ->
			if
			:: val[AT(LV(i), 0)] = val[AT(LV(i), 0)] | (1 << i)
			:: skip
			fi;
			i++
		:: i == LEVELS -> break
		od;
		i = 0;
		run raiser();
#if T_SETS
		run toggler();
#endif
#if SWEEPS
		run sweeper();
#endif
		run reader()
	}
}
