# SPDX-License-Identifier: GPL-2.0-only
"""Whether two arms differ, and whether they are equal: figures of rounds.

A round is the unit: the samples within one share its phase and its learned
state and are not independent.  docs/statistics.md says why these methods.
"""

import itertools
import math
import random

# 5 + 5 rounds have 252 relabellings, so p is a multiple of 1/126: 0.02 admits
# the two smallest, 0.05 would admit six and give up to 5 false alarms in 100.
ALPHA = 0.02
# Never judged with fewer: their spread says nothing.
MIN_ROUNDS = 4
# Up to so many relabellings all are looked at, above a sample of them.
EXHAUSTIVE = 20000
SAMPLED = 10000
SEED = 1
# Shares of variance closer than this are equal.  It bounds the studentised
# difference of arms without any noise, as a floor below the standard error
# would: a standard error under a millionth of the total spread counts as none.
TIE = 1e-12

CONFIDENCE = 0.95
MARGIN = 0.05


# --- the permutation test -------------------------------------------------

def relabellings(n_off, n_on):
    """(the sets of rounds called on, as tuples; whether these are all)."""
    n = n_off + n_on
    if math.comb(n, n_on) <= EXHAUSTIVE:
        return itertools.combinations(range(n), n_on), True
    draw = random.Random(SEED)
    return (draw.sample(range(n), n_on) for _ in range(SAMPLED)), False


def smallest_p(n_off, n_on):
    """The p of arms that lie apart without any noise."""
    # Arms of one size can change their names: that is as far apart.
    extremes = 2 if n_off == n_on else 1
    total = math.comb(n_off + n_on, n_on)
    return extremes / total if total <= EXHAUSTIVE else 1 / (SAMPLED + 1)


def standardised(values):
    """The values with mean 0 and sum of squares 1; zeros if all are equal."""
    middle = math.fsum(values) / len(values)
    away = [v - middle for v in values]
    size = math.sqrt(math.fsum(d * d for d in away))
    if size <= 1e-12 * max(abs(v) for v in values):
        return [0.0] * len(values)
    return [d / size for d in away]


def step_down(family, n_off, n_on):
    """{name: p}, corrected for the number of metrics in the family.

    family: {name: the values of the rounds, those of off before those of on}

    The statistic of a metric is the difference of the arms' means over its
    pooled standard error, Student's t, two-sided, and the correction
    Westfall and Young's step-down maxT (Resampling-Based Multiple Testing,
    Wiley 1993, algorithm 4.1; with adjusted p values as in Ge, Dudoit and
    Speed, Test 12, 2003, box 2): the metrics by falling statistic, each
    compared with the largest of its own and all smaller ones in every
    relabelling of the rounds.  Relabelling all metrics at once keeps their
    correlation, so metrics that tell the same cost nothing.

    t itself is never computed: with the values standardised over both arms,
    the share q of their variance that lies between the arms orders the
    relabellings as t does, t^2 = (n - 2) q / (1 - q), for every metric alike.
    It needs no division by a variance that may be zero: q is then 1.

    A sample of relabellings counts the observed one too (Phipson and Smyth,
    Stat. Appl. Genet. Mol. Biol. 9, 2010): p is never 0.
    """
    scale = (n_off + n_on) / (n_off * n_on)
    z = {name: standardised(values) for name, values in family.items()}

    def share(row, labels):
        return sum(row[i] for i in labels) ** 2 * scale

    observed = {name: share(row, range(n_off, n_off + n_on))
                for name, row in z.items()}
    order = sorted(observed, key=observed.get, reverse=True)
    # From the smallest on, so that a running maximum is enough.
    upwards = [(name, z[name], observed[name] - TIE)
               for name in reversed(order)]
    labellings, complete = relabellings(n_off, n_on)
    reached = dict.fromkeys(order, 0 if complete else 1)
    total = 0 if complete else 1
    for labels in labellings:
        total += 1
        largest = 0.0
        for name, row, bar in upwards:
            largest = max(largest, share(row, labels))
            if largest >= bar:
                reached[name] += 1
    result, before = {}, 0.0
    for name in order:
        before = max(before, reached[name] / total)
        result[name] = before
    return result


def judge(rows):
    """{name: {'verdict', 'p', and 'why' where there is no p}}.

    rows: {name: {'off': [...], 'on': [...], 'better': 'lower' or 'higher',
    'figures': (off, on), those that are shown}}; a value is None where a
    round has too few samples.
    """
    result = {}
    family = {}
    for name, row in rows.items():
        off, on = row['off'], row['on']
        result[name] = {'verdict': 'same', 'p': None}
        if not off or not on:
            result[name]['why'] = 'one arm only'
        elif None in off or None in on:
            result[name]['why'] = 'too few samples'
        elif (min(len(off), len(on)) < MIN_ROUNDS or
              smallest_p(len(off), len(on)) > ALPHA):
            result[name]['why'] = 'too few rounds'
        else:
            family[name] = off + on
    for name, p in test(family, rows).items():
        result[name] = {'verdict': direction(rows[name]) if p <= ALPHA else
                        'same', 'p': p}
    return result


def test(family, rows):
    """step_down() of a family whose metrics all have the same rounds."""
    if not family:
        return {}
    first = rows[next(iter(family))]
    return step_down(family, len(first['off']), len(first['on']))


def direction(row):
    """'better' or 'worse'; 'same' if rounds and merged figures contradict."""
    up = (math.fsum(row['on']) / len(row['on']) >
          math.fsum(row['off']) / len(row['off']))
    off, on = row['figures']
    if off != on and up != (on > off):
        return 'same'
    return 'better' if up == (row['better'] == 'higher') else 'worse'


# --- equivalence ----------------------------------------------------------

def beta_fraction(x, a, b):
    """The continued fraction of the incomplete beta function.

    Abramowitz and Stegun, 26.5.8, by Lentz's method.
    """
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 300):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x /
                          ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + numerator * d or tiny)
            c = 1 + numerator / c or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return result


def t_tail(t, df):
    """P(|T| > t) of Student's distribution; Abramowitz and Stegun 26.7.1."""
    x, rest, a, b = df / (df + t * t), t * t / (df + t * t), df / 2, 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) +
                     a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(x, a, b) / a
    return 1 - front * beta_fraction(rest, b, a) / b


def t_quantile(confidence, df):
    """The t that |T| exceeds with probability 1 - confidence."""
    low, high = 1e-9, 1e9
    while high / low > 1 + 1e-12:
        middle = math.sqrt(low * high)
        if t_tail(middle, df) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def moments(values):
    """(mean, variance of the mean) of the values of an arm's rounds."""
    mean = math.fsum(values) / len(values)
    return mean, (math.fsum((v - mean) ** 2 for v in values) /
                  (len(values) - 1) / len(values))


def half_width(parts, sizes):
    """Half of Welch's interval; parts: each arm's variance of the mean.

    Welch, Biometrika 34, 1947, with Satterthwaite's degrees of freedom,
    Biometrics Bulletin 2, 1946: the arms may spread differently.
    """
    total = math.fsum(parts)
    if not total:
        return 0.0
    df = total ** 2 / math.fsum(p * p / (n - 1) for p, n in zip(parts, sizes))
    return t_quantile(CONFIDENCE, df) * math.sqrt(total)


def ratio_interval(reference, other):
    """(low, high) of mean(other) / mean(reference), means above 0.

    Welch's interval of the difference of the means' logarithms, whose
    variance is the relative one by the delta method.  Not a bootstrap: of
    five rounds that has intervals far too short (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, chapter 13: its percentiles know no
    degrees of freedom).
    """
    arms = [moments(v) for v in (reference, other)]
    (low, _), (high, _) = arms
    half = half_width([var / mean ** 2 for mean, var in arms],
                      [len(reference), len(other)])
    return (math.exp(math.log(high / low) - half),
            math.exp(math.log(high / low) + half))


def difference_interval(reference, other):
    """(low, high) of mean(other) - mean(reference), Welch's."""
    arms = [moments(v) for v in (reference, other)]
    half = half_width([var for _, var in arms], [len(reference), len(other)])
    difference = arms[1][0] - arms[0][0]
    return difference - half, difference + half


def inside(low, high, least, most):
    """Schuirmann's rule: equivalent only if the interval lies inside.

    Two one-sided tests, J. Pharmacokin. Biopharm. 15, 1987; the interval of
    95 % makes each of them one at 2.5 %.
    """
    # What is equal but for the rounding of a logarithm is inside.
    slack = 1e-9
    if low >= least - slack and high <= most + slack:
        return 'equivalent'
    if high < least - slack or low > most + slack:
        return 'different'
    return 'not shown'


def equivalence(reference, other, margin=MARGIN, allow=None):
    """{'low', 'high', 'margin' or 'allow', 'verdict', maybe 'why'}.

    low and high bound other/reference, or with allow, a number of
    instructions, other - reference, which may be anything below that.

    Where all rounds of both arms have one value there is no spread to infer
    from, and nothing to infer: they are 'identical', by observation.
    """
    result = {'low': None, 'high': None}
    result.update({'margin': margin} if allow is None else {'allow': allow})
    result['verdict'] = 'not shown'
    if min(len(reference), len(other)) < 2:
        return {**result, 'why': 'too few rounds'}
    if None in reference or None in other:
        return {**result, 'why': 'too few samples'}
    if len(set(reference) | set(other)) == 1:
        # 0 has no ratio
        same = 0 if allow is not None else 1 if reference[0] else None
        return {**result, 'low': same, 'high': same, 'verdict':
                'identical' if allow is None or allow >= 0 else 'different'}
    if allow is not None:
        low, high = difference_interval(reference, other)
        return {**result, 'low': low, 'high': high,
                'verdict': inside(low, high, -math.inf, allow)}
    if min(moments(reference)[0], moments(other)[0]) <= 0:
        return {**result, 'why': 'a mean of 0 has no ratio'}
    low, high = ratio_interval(reference, other)
    return {**result, 'low': low, 'high': high,
            'verdict': inside(low, high, 1 - margin, 1 + margin)}
