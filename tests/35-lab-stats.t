#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The analysis of the laboratory: known answers, false alarms, bad input.

Prints TAP and runs under prove; no guest and no root are needed. Known answers
are worked out by hand, never with the code under test.

Seen to fail when the code is broken like this:
  every statistic             a percentile's rank is one too high; a sample at
                              a limit counts as above it
  p999                        it is given from 1000 or from 10001 samples on
  merging                     a histogram is added without its counts
  too short                   samples beyond it are left out of the mean
  cyclictest is merged        one thread is taken for all; us stay us
  a few rounds by hand        relabellings are compared with their sign, so that
                              only one side counts
  the smallest p              the observed labelling does not count among the
                              sampled; the generator has no seed; 12870 are
                              sampled
  the correction by hand      no maximum over metrics; metrics by rising effect;
                              a smaller effect may have the smaller p
  eight metrics are same      no maximum over metrics
  verdicts                    better and worse are exchanged; rounds and figures
                              may contradict
  too few rounds              two are enough; nobody asks what p can be reached
  one distribution            alpha is 0.05
  five per cent               alpha is 0.005
  intervals by hand           n for n - 1, in the variance and in the degrees of
                              freedom; 90 %; the variance is not relative
  equivalence                 an interval that holds 1 is called equivalent; one
                              below the margin is not called different; arms
                              without spread are not identical
  their allowance             fewer instructions are judged too
  what design asks for, swapped arms are worse
                              the arms are exchanged before the test, in the
                              figures or in the ratio
  an aim                      without a verdict, or without the ratio
  of all its samples          the mean of the rounds' statistics
  partial data                it is not marked, in the result or the table
  an allowance is a gate      it always passes; pristine and off are exchanged
  not measured                no gate for it
  bad folders                 format, sameness or doubled arms are not checked
  malformed lines             a counter goes back; nan and 1_0 are numbers
  bad descriptions            unknown keys, 'of' without 'stat'
  file names                  every one has its topology; a real machine has
                              the names of virtual ones
  the table                   it prints 'same'; the unit is not named
  osadl export                the classes or all threads but one are missing; a
                              guest has microseconds
  plots                       machines in the order of their names; classes one
                              too far right
  html                        a name twice; a style sheet elsewhere; a colour
                              that the style does not know; text not escaped
  another format              it is not looked at
"""

import atexit
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import random
import re
import shutil
import sys
import tempfile
import traceback
import xml.etree.ElementTree

sys.dont_write_bytecode = True
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..',
                       'scripts')
sys.path.insert(0, SCRIPTS)

from rtmig import compare, plot, scenario as scenarios
from rtmig.distribution import Distribution, merged


def load(name):
    """A script, which has no .py to be imported by."""
    loader = importlib.machinery.SourceFileLoader(
        f'script_{name}', os.path.join(SCRIPTS, name))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


ANALYSE, HTML = load('analyse'), load('html')

META = """\
format 1
scenario burst
base 6.12
kernel 6.12.117-rtmig
uname_v #1 SMP PREEMPT_RT 2026-01-01
environment virtual
cpus 8
topology 2x2x2
unit guest-ns
seed 1
rounds 5
arms off on
flags RT_PREROUTE
cmdline console=ttyS0 tsc=reliable
series yes
command make lab SCENARIO=burst
"""

SCENARIO = """
title = "k threads woken by one interrupt"
[[metric]]
name = "wake_mean"
of = "wake"
stat = "mean"
gate = true
aim = {"k=4" = 0.80}
[[metric]]
name = "pushes"
unit = "count"
gate = true
[[metric]]
name = "served"
unit = "count"
better = "higher"
[[metric]]
name = "wake_max"
of = "wake"
stat = "max"
better = "none"
"""

ABBA = ('off', 'on', 'on', 'off', 'off', 'on', 'on', 'off', 'off', 'on')

TEMP = tempfile.mkdtemp(prefix='rtmig-lab-')
atexit.register(shutil.rmtree, TEMP, ignore_errors=True)
SERIAL = iter(range(10 ** 6))


# --- making input ---------------------------------------------------------

def fresh(name):
    return os.path.join(TEMP, f'{name}{next(SERIAL)}')


def build(files, name='raw'):
    """A folder with these {relative path: text}."""
    where = fresh(name)
    for path, text in files.items():
        path = os.path.join(where, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
    return where


def rounds_of(order):
    return ''.join(f'{n} {arm}\n' for n, arm in enumerate(order, 1))


def good(order=ABBA, off=1000, on=700, meta=META):
    """{relative path: text}: off is 1000 and on 700, nearly without noise."""
    files = {'meta': meta, 'rounds': rounds_of(order)}
    for n, arm in enumerate(order, 1):
        middle = on if arm == 'on' else off
        where = f'{n:02d}-{arm}'
        files[f'{where}/samples'] = (f'wake[k=4] {middle - n} {middle}\n'
                                     f'wake[k=4] {middle + n}\n')
        files[f'{where}/values'] = (f'pushes {0 if arm == "on" else 3}\n'
                                    f'served {n}\n')
        files[f'{where}/counters'] = (f'rto_pushed 5 {10 if arm == "on" else 7}'
                                      '\nhardirq_max_ns 9 4\n')
    return files


def pristine(value=1000):
    return good(('pristine',) * 5, off=value,
                meta=META.replace('arms off on', 'arms pristine'))


def thread(hist, cycles=None, top=None):
    return {'histogram': {str(k): v for k, v in hist.items()},
            'cycles': cycles or sum(hist.values()), 'min': min(hist),
            'max': top or max(hist), 'avg': 2.0, 'cpu': 0, 'node': 0}


def cyclictest(*threads):
    return json.dumps({
        'file_version': 1, 'return_code': 0, 'resolution_in_ns': 0,
        'cmdline:': 'cyclictest -q -p 90 -t 2 -i 500 -h 400 --json=/tmp/x',
        'num_threads': len(threads),
        'thread': {str(i): t for i, t in enumerate(threads)}}) + '\n'


# --- running --------------------------------------------------------------

def call(main, *args):
    """(status, stdout, stderr) of a script."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(a) for a in args])
        except SystemExit as e:
            status = e.code
    return status, out.getvalue(), err.getvalue()


def analyse(*raws, scenario=SCENARIO, options=(), out=None):
    """(status, stdout, stderr, folder of results)."""
    out = out or fresh('out')
    where = build({'burst/scenario.toml': scenario}, 'scenarios')
    if '--plots' in options:
        options = [o for o in options if o != '--plots']
    else:
        options = ['--no-plots', *options]
    return (*call(ANALYSE.main, '-s', where, '-o', out, *options, *raws), out)


def result(*folders, scenario=SCENARIO):
    status, _, err, out = analyse(*(build(f) for f in folders),
                                  scenario=scenario)
    equal((status, err), (0, ''))
    with open(os.path.join(out, 'burst.json'), encoding='utf-8') as f:
        return json.load(f)


def table(*folders, scenario=SCENARIO):
    status, text, err, _ = analyse(*(build(f) for f in folders),
                                   scenario=scenario)
    equal((status, err), (0, ''))
    return text


def bad(files, *words, scenario=SCENARIO):
    """Refused in one line that has these words."""
    status, text, err, out = analyse(*(build(f) for f in files),
                                     scenario=scenario)
    equal((status, text, len(err.splitlines())), (1, '', 1), err)
    true(err.startswith('rtmig: '), err)
    for word in words:
        true(word in err, f'no {word!r} in {err}')
    true(not os.path.exists(out), 'something was written')


def equal(got, want, what=''):
    if got != want:
        raise AssertionError(f'{what}: got {got!r}, want {want!r}')


def near(got, want, within, what=''):
    if got is None or abs(got - want) > within:
        raise AssertionError(f'{what}: got {got!r}, want {want!r}')


def true(value, what):
    if not value:
        raise AssertionError(what)


def judge(off, on, better='lower'):
    """The verdict on one metric."""
    figures = (math.fsum(off) / len(off), math.fsum(on) / len(on))
    return compare.judge({'x': {'off': off, 'on': on, 'better': better,
                                'figures': figures}})['x']


def of(*samples):
    one = Distribution()
    one.add_samples(samples)
    return one


# --- one distribution -----------------------------------------------------

def test_every_statistic_of_a_few_samples():
    one = of(5, 1, 3, 3)
    equal([one.stat(s) for s in ('count', 'min', 'mean', 'p50', 'p99', 'max')],
          [4, 1, 3, 3, 5, 5])
    equal([one.above(x) for x in (0, 1, 2.5, 3, 5)], [4, 3, 3, 1, 0])
    # 100 samples: rank 99 for p99, rank 50 for the median.
    one = of(*range(1, 101))
    equal([one.stat(s) for s in ('p50', 'p99', 'mean')], [50, 99, 50.5])
    equal([of().stat(s) for s in ('count', 'mean', 'p99', 'max')],
          [0, None, None, None], 'no samples')


def test_p999_needs_ten_thousand_samples():
    equal(of(*[1] * 9999).stat('p999'), None)
    # Rank 9990 of 10000.
    equal(of(*[1] * 9990, *[9] * 10).stat('p999'), 1)
    equal(of(*[1] * 9989, *[9] * 11).stat('p999'), 9)


def test_merging_is_exact():
    draw = random.Random(7)
    samples = [draw.randrange(1000) for _ in range(999)]
    parts = merged([of(*samples[:10]), of(), of(*samples[10:700]),
                    of(*samples[700:])])
    whole = sorted(samples)
    equal((parts.count, parts.min, parts.max, parts.sum),
          (999, whole[0], whole[-1], sum(whole)))
    equal((parts.stat('p50'), parts.stat('p99')), (whole[499], whole[989]))


def test_a_histogram_that_is_too_short():
    files = good()
    for n, arm in enumerate(ABBA, 1):
        files[f'{n:02d}-{arm}/hist'] = (
            'late 10 2\nlate 20 1\nlate 10 1\nlate max 99\nlate overflow 2\n')
    got = result(files, scenario=SCENARIO.replace(
        'title', 'limits = {late = [10, 50, 99]}\ntitle', 1))
    row = got['distributions']['late']['on']
    # Five rounds of 10 10 10 20 99 99, the last two known by their maximum.
    equal([row[s] for s in ('count', 'min', 'mean', 'p50', 'p99', 'max')],
          [30, 10, 41.3333, 10, 99, 99])
    equal(row['overflow'], 10)
    equal(row['exceedances'], {'10': 15, '50': 10, '99': 0})
    equal(row['hist'], [[10, 15], [20, 5]])


def test_cyclictest_is_merged_over_threads_and_in_ns():
    files = good()
    for n, arm in enumerate(ABBA, 1):
        files[f'{n:02d}-{arm}/lat[idle].json'] = cyclictest(
            thread({1: 2, 3: 2}), thread({2: 3}, cycles=4, top=700))
    got = result(files, scenario=SCENARIO + '[[metric]]\nname = "latency"\n'
                 'of = "lat"\nstat = "max"\n')
    row = got['distributions']['lat[idle]']['off']
    equal([row[s] for s in ('count', 'min', 'mean', 'p50', 'max', 'overflow')],
          [40, 1000, 2000, 2000, 700000, 5])
    equal(got['metrics']['latency[idle]']['on'], 700000)


# --- the permutation test -------------------------------------------------

def test_p_of_a_few_rounds_by_hand():
    def p(off, on):
        return compare.step_down({'x': off + on}, len(off), len(on))['x'] * 6

    # The six pairs of 1 2 3 4 have the sums 3 4 5 5 6 7, half of all is 5.
    near(p([1, 2], [3, 4]), 2, 1e-9, '3 and 7 are as far')
    near(p([1, 3], [2, 4]), 4, 1e-9, '4 and 6 are as far, 3 and 7 farther')
    near(p([1, 4], [2, 3]), 6, 1e-9, 'all are as far')
    near(p([0, 0], [0, 1]), 6, 1e-9, 'half of the pairs have the 1')
    near(p([5, 5], [5, 5]), 6, 1e-9, 'constant')


def test_arms_without_noise_have_the_smallest_p():
    near(judge([3] * 5, [0] * 5)['p'], 2 / 252, 1e-12)
    near(judge([.1] * 5, [.3] * 5)['p'], 2 / 252, 1e-12, 'not whole')
    near(judge([1e9] * 5, [1e9 + 1] * 5)['p'], 2 / 252, 1e-12, 'one of 10^9')
    near(judge([1, 2, 3, 4], [9] * 5)['p'], 1 / 126, 1e-12, 'unequal arms')
    # 12870 relabellings are looked at one by one, 184756 are not.
    near(judge([1] * 8, [2] * 8)['p'], 2 / 12870, 1e-12)
    p = judge([1] * 10, [2] * 10)['p']
    true(1 / 10001 - 1e-12 <= p <= 3 / 10001, p)
    equal(judge([1] * 10, [2] * 10)['p'], p, 'seeded')


def test_the_correction_by_hand():
    # Pairs of rounds 12 13 14 23 24 34, deviation of their sum from half of
    # all: a has -2 -1 0 0 1 2, b has -1 -2 0 0 2 1, of equal spread.  The
    # largest of both is 2 in four of six, so a alone would have 2/6.
    p = compare.step_down({'a': [1, 2, 3, 4], 'b': [1, 3, 2, 4]}, 2, 2)
    near(p['a'] * 6, 4, 1e-9)
    near(p['b'] * 6, 4, 1e-9)
    # Step-down: c is compared with itself alone, once a is dealt with.  Its
    # shares are .098 .024 .878 .878 .024 .098, those of a .8 .2 0 0 .2 .8;
    # in one step a's .2 would count against c's .098.
    p = compare.step_down({'c': [15, 1, 7, 17], 'a': [1, 2, 3, 4]}, 2, 2)
    near(p['a'] * 6, 4, 1e-9)
    near(p['c'] * 6, 4, 1e-9)
    # A smaller effect never gets the smaller p.  Shares of d are .5 .5 0 0 .5
    # .5, so 4/6; those of e .47 .26 .26 .26 .26 .47, alone 2/6.
    p = compare.step_down({'d': [-1, 0, 0, 1], 'e': [1, -5, 2, 2]}, 2, 2)
    near(p['d'] * 6, 4, 1e-9)
    near(p['e'] * 6, 4, 1e-9)


def test_many_metrics_cost_a_clear_effect_nothing():
    draw = random.Random(3)
    rows = {}
    for n in range(40):
        clear = n % 2
        off = [100.0] * 5 if clear else [draw.gauss(9, 1) for _ in range(5)]
        on = [99.0] * 5 if clear else [draw.gauss(9, 1) for _ in range(5)]
        rows[n] = {'off': off, 'on': on, 'better': 'lower',
                   'figures': (sum(off), sum(on))}
    got = compare.judge(rows)
    equal({n for n, g in got.items() if g['verdict'] == 'better'},
          set(range(1, 40, 2)))
    equal({round(got[n]['p'] * 252, 6) for n in range(1, 40, 2)}, {2})


def test_a_metric_of_two_values_costs_a_step():
    # Five rounds of 0 and five of 1: two relabellings part them as well.
    two = [0, 1, 1, 0, 0], [1, 0, 0, 1, 1]
    rows = {n: {'off': off, 'on': on, 'better': 'lower', 'figures': (0, 0)}
            for n, (off, on) in enumerate((([3] * 5, [0] * 5), two))}
    got = compare.judge(rows)
    near(got[0]['p'], 4 / 252, 1e-12)
    equal([got[n]['verdict'] for n in (0, 1)], ['better', 'same'])


def test_verdicts_follow_what_is_better():
    equal(judge([10] * 5, [9] * 5)['verdict'], 'better')
    equal(judge([9] * 5, [10] * 5)['verdict'], 'worse')
    equal(judge([9] * 5, [10] * 5, 'higher')['verdict'], 'better')
    equal(judge([10] * 5, [9] * 5, 'higher')['verdict'], 'worse')
    equal(judge([5] * 5, [5] * 5), {'verdict': 'same', 'p': 1})
    # 0 1 1 1 1 against 5 5 5 5 0: 16 of the 252 are as far apart.
    equal(judge([0, 1, 1, 1, 1], [5, 5, 5, 5, 0])['verdict'], 'same')
    # The merged figure fell although the rounds' values rose.
    got = compare.judge({'x': {'off': [1] * 5, 'on': [2] * 5,
                               'better': 'lower', 'figures': (2, 1)}})
    equal(got['x']['verdict'], 'same', 'rounds and figure contradict')


def test_too_few_rounds_are_said_and_never_judged():
    for off, on in ((1, 1), (3, 3), (3, 9), (9, 3), (4, 4)):
        got = judge([5] * off, [1] * on)
        equal(got, {'verdict': 'same', 'p': None, 'why': 'too few rounds'},
              (off, on))
    equal(judge([5] * 4, [1] * 5)['verdict'], 'better')
    got = compare.judge({'x': {'off': [1] * 5, 'on': [2] * 4 + [None],
                               'better': 'lower', 'figures': (1, 2)}})
    equal(got['x']['why'], 'too few samples')


SHAPES = {
    'normal': lambda draw: draw.gauss(10000, 1500),
    'heavy-tailed': lambda draw: 1000 * draw.paretovariate(1.2),
    'lognormal': lambda draw: draw.lognormvariate(9, 1.5),
    'constant': lambda draw: 763,
    'rare': lambda draw: draw.random() < 0.01,
    'two-valued': lambda draw: draw.choice((3000, 9000)),
}


def means(draw, shape, rounds=5, samples=40, factor=1):
    """The rounds' means of one arm."""
    return [factor * math.fsum(shape(draw) for _ in range(samples)) / samples
            for _ in range(rounds)]


def alarms(shapes, repeats=100):
    """How many of so many scenarios without any effect call one."""
    draw = random.Random(11)
    count = 0
    for _ in range(repeats):
        rows = {n: {'off': means(draw, shape), 'on': means(draw, shape),
                    'better': 'lower', 'figures': (0, 0)}
                for n, shape in enumerate(shapes)}
        verdicts = {g['verdict'] for g in compare.judge(rows).values()}
        count += verdicts != {'same'}
    return count


def test_one_distribution_is_called_same():
    for name, shape in SHAPES.items():
        n = alarms([shape])
        true(n <= 5, f'{name}: {n} of 100 false alarms')


def test_eight_metrics_are_called_same():
    shapes = list(SHAPES.values())
    n = alarms((shapes * 2)[:8])
    true(n <= 5, f'{n} of 100 false alarms')
    n = alarms([SHAPES['normal']] * 8)
    true(n <= 5, f'normal: {n} of 100 false alarms')


def test_five_per_cent_at_ten_times_the_sample_are_found():
    draw = random.Random(5)
    found = [judge(means(draw, SHAPES['normal'], samples=400),
                   means(draw, SHAPES['normal'], samples=400, factor=0.95))
             for _ in range(40)]
    equal([g['verdict'] for g in found], ['better'] * 40)
    # Ten times the rounds, each with a phase of its own.
    for _ in range(3):
        off = [draw.gauss(1000, 50) for _ in range(50)]
        on = [draw.gauss(950, 50) for _ in range(50)]
        equal(judge(off, on)['verdict'], 'better')


# --- equivalence ----------------------------------------------------------

def test_students_t():
    for df, want in ((1, 12.7062), (2, 4.3027), (4, 2.7764), (10, 2.2281),
                     (30, 2.0423), (1e5, 1.9600)):
        near(compare.t_quantile(0.95, df), want, 6e-5, df)
    # With two degrees of freedom P(|T| > t) is 1 - t / sqrt(2 + t^2).
    for t in (0.1, 1, 3, 40):
        near(compare.t_tail(t, 2), 1 - t / math.sqrt(2 + t * t), 1e-12, t)


def test_intervals_by_hand():
    # Means 100 and 103, both with variance 1/3; relative 3.3333e-5 and
    # 3.1420e-5, together 6.4753e-5, root 0.0080469; 3.9965 degrees of
    # freedom, t 2.7769; log 1.03 -+ 0.022345.
    low, high = compare.ratio_interval([99, 100, 101], [102, 103, 104])
    near(low, 1.00724, 2e-5)
    near(high, 1.05328, 2e-5)
    # Difference 3, root of 2/3 is 0.81650, 4 degrees of freedom, t 2.77645.
    low, high = compare.difference_interval([99, 100, 101], [102, 103, 104])
    near(low, 0.73304, 2e-5)
    near(high, 5.26696, 2e-5)


def test_equivalence_is_an_interval_inside_the_margin():
    def word(reference, other, **more):
        return compare.equivalence(reference, other, **more)['verdict']

    a, b = [99, 100, 101], [102, 103, 104]      # 1.0072 .. 1.0533
    equal(word(a, b), 'not shown')
    equal(word(a, b, margin=0.06), 'equivalent')
    equal(word(a, b, margin=0.005), 'different')
    equal(word(b, a, margin=0.005), 'different', 'below')
    equal(word([5] * 5, [5] * 5, margin=0), 'identical')
    equal(word([5] * 5, [5] * 4 + [5.001]), 'equivalent', 'not identical')
    equal(compare.equivalence([5] * 5, [5] * 5)['high'], 1)
    equal(word([100] * 5, [105] * 5), 'equivalent', 'just the margin')
    equal(word([100] * 5, [106] * 5), 'different')
    equal(word([0] * 5, [0] * 5), 'identical', 'no ratio, no difference')
    equal(compare.equivalence([0] * 5, [0] * 5)['high'], None)
    equal(word([0] * 5, [1] * 5), 'not shown')
    # A difference that is not significant is no equivalence.
    wide = [60, 80, 100, 120, 140]
    equal(judge(wide, wide)['verdict'], 'same')
    equal(word(wide, wide), 'not shown')
    equal(compare.equivalence([100], [100])['why'], 'too few rounds')


def test_instructions_are_judged_by_their_allowance():
    def word(reference, other, allow):
        return compare.equivalence(reference, other, allow=allow)['verdict']

    equal(word([763] * 5, [764] * 5, 1), 'equivalent')
    equal(word([763] * 5, [763] * 5, 1), 'identical')
    equal(word([763] * 5, [763] * 5, -1), 'different', 'fewer are asked for')
    equal(word([763] * 5, [765] * 5, 1), 'different')
    equal(word([763] * 5, [700] * 5, 1), 'equivalent', 'fewer is no harm')
    equal(word([760, 762, 764, 766], [761, 763, 765, 767], 1), 'not shown')


def test_equivalence_is_rarely_claimed_at_the_margin():
    draw = random.Random(2)
    claimed = 0
    for _ in range(200):
        reference = [draw.gauss(100, 2) for _ in range(5)]
        other = [draw.gauss(105, 2) for _ in range(5)]
        claimed += compare.equivalence(reference,
                                       other)['verdict'] == 'equivalent'
    # Two-sided 95 %: it is expected of 2.5 in 100.
    true(claimed <= 12, f'{claimed} of 200')


# --- the whole way --------------------------------------------------------

def test_the_result_has_what_design_asks_for():
    got = result(good())
    equal({k: got[k] for k in ('format', 'scenario', 'base', 'environment',
                               'cpus', 'topology', 'unit', 'seed', 'rounds',
                               'arms', 'partial', 'commands')},
          {'format': 1, 'scenario': 'burst', 'base': '6.12',
           'environment': 'virtual', 'cpus': 8, 'topology': '2x2x2',
           'unit': 'guest ns (1 ns = 1 instruction)', 'seed': '1',
           'rounds': 5, 'arms': ['off', 'on'], 'partial': False,
           'commands': ['make lab SCENARIO=burst']})
    row = got['metrics']['wake_mean[k=4]']
    equal({k: row[k] for k in ('off', 'on', 'ratio', 'verdict', 'p', 'unit',
                               'better', 'gate', 'rounds')},
          {'off': 1000, 'on': 700, 'ratio': 0.7, 'verdict': 'better',
           'p': 0.0079, 'unit': 'guest ns', 'better': 'lower', 'gate': True,
           'rounds': {'off': [1000] * 5, 'on': [700] * 5}})
    equal(got['metrics']['pushes']['ratio'], 0)
    equal(got['metrics']['served']['verdict'], 'same')
    equal(got['metrics']['wake_max[k=4]']['p'], None, 'not judged')
    equal(got['distributions']['wake[k=4]']['on']['max'], 710)
    equal(got['counters'], {'rto_pushed': {'off': 10, 'on': 25}},
          'a maximum has no difference')
    equal({(g['metric'], g['rule'], g['pass']) for g in got['gates']},
          {('wake_mean[k=4]', 'not worse', True),
           ('wake_mean[k=4]', 'aim', True), ('pushes', 'not worse', True)})
    equal(got['meta']['cmdline'], 'console=ttyS0 tsc=reliable')


def test_swapped_arms_are_worse():
    files = {}
    for name, text in good().items():
        swapped = name.replace('-off/', '-x/').replace('-on/', '-off/')
        files[swapped.replace('-x/', '-on/')] = text
    files['rounds'] = rounds_of('on' if a == 'off' else 'off' for a in ABBA)
    got = result(files)
    row = got['metrics']['wake_mean[k=4]']
    equal((row['off'], row['on'], row['ratio'], row['verdict']),
          (700, 1000, 1.4286, 'worse'))
    equal(got['metrics']['pushes']['ratio'], None, 'off is 0')
    equal([g['pass'] for g in got['gates']], [False] * 3)
    status, _, err, _ = analyse(build(files), options=['--gate'])
    equal((status, err.count('gate missed')), (1, 3))
    equal(analyse(build(good()), options=['--gate'])[0], 0)


def test_an_aim_is_not_reached_by_chance():
    files = good()
    for n, arm in enumerate(ABBA, 1):
        if arm == 'on':
            late = 1100 if n < 6 else 100
            files[f'{n:02d}-on/samples'] = f'wake[k=4] {late}\n'
    got = result(files)
    row = got['metrics']['wake_mean[k=4]']
    equal((row['ratio'], row['verdict']), (0.5, 'same'))
    equal([g['pass'] for g in got['gates'] if g['rule'] == 'aim'], [False])
    got = result(good(on=850))
    equal([g['pass'] for g in got['gates'] if g['rule'] == 'aim'], [False],
          'better, but not by enough')


def test_the_figure_of_an_arm_is_of_all_its_samples():
    files = good()
    for n, arm in enumerate(ABBA, 1):
        if arm == 'off':
            files[f'{n:02d}-off/samples'] = ('wake[k=4] 0 0 0 0 0 0\n' if n == 1
                                             else 'wake[k=4] 100\n')
    # 6 x 0 and 4 x 100, not the mean of 0 100 100 100 100.
    row = result(files)['metrics']['wake_mean[k=4]']
    equal((row['off'], row['rounds']['off']), (40, [0, 100, 100, 100, 100]))


def test_arms_of_unequal_size():
    files = good(ABBA[:9])
    got = result(files)
    equal((got['partial'], got['complete']), (True, {'off': 5, 'on': 4}))
    row = got['metrics']['wake_mean[k=4]']
    equal((row['verdict'], row['p']), ('better', 0.0079))


def test_partial_data_is_marked():
    files = good()
    files['rounds'] = rounds_of(ABBA[:7])
    got = result(files)
    equal((got['partial'], got['complete']), (True, {'off': 3, 'on': 4}))
    row = got['metrics']['wake_mean[k=4]']
    equal((row['verdict'], row['p'], row['why']),
          ('same', None, 'too few rounds'))
    text = table(files)
    true('PARTIAL: of 5 rounds per arm there are off 3, on 4' in text, text)
    true('too few rounds' in text, text)
    status, _, err, _ = analyse(build(files), options=['--gate'])
    equal(status, 1)
    true('rounds are missing' in err, err)
    # A round that has begun and is not in the list is not looked at.
    files['08-off/samples'] = 'wake[k=4] 12 garbage'
    equal(result(files)['complete'], {'off': 3, 'on': 4})
    files['rounds'] = rounds_of(['off'])
    got = result(files)['metrics']['pushes']
    equal((got['off'], got['on'], got['ratio']), (3, None, None))


def test_pristine_beside_off_and_on():
    got = result(good(), pristine())
    row = got['metrics']['wake_mean[k=4]']
    equal((row['off'], row['on'], row['pristine'], row['pristine_ratio']),
          (1000, 700, 1000, 1))
    equal(row['equivalence'], {'low': 1, 'high': 1, 'margin': 0.05,
                               'verdict': 'identical'})
    equal((got['arms'], 'off_is' in got), (['off', 'on', 'pristine'], False))
    got = result(pristine(1300), good())['metrics']['wake_mean[k=4]']
    equal((got['pristine_ratio'], got['equivalence']['verdict']),
          (0.7692, 'different'), 'the order of folders does not matter')


def test_pristine_is_off_where_there_is_no_flag():
    on = good(('on',) * 5, meta=META.replace('arms off on', 'arms on'))
    got = result(pristine(), on)
    row = got['metrics']['wake_mean[k=4]']
    equal((got['off_is'], row['off'], row['on'], row['ratio'], row['verdict'],
           row['pristine_ratio']),
          ('pristine', 1000, 700, 0.7, 'better', 0.7))
    true('is the pristine kernel' in table(pristine(), on), 'not said')
    got = result(pristine())
    equal(got['gates'], [], 'one arm has nothing to reach')
    equal(got['metrics']['pushes']['why'], 'one arm only')


def test_pristine_may_lack_what_the_series_alone_tells():
    base = pristine()
    for n in range(1, 6):
        base[f'{n:02d}-pristine/values'] = 'served 1\n'
    got = result(good(), base)
    row = got['metrics']['pushes']
    equal((row['off'], row['on'], row['verdict'], 'pristine' in row),
          (3, 0, 'better', False))
    raw = good()
    raw['01-off/values'] = 'served 1\n'
    bad([raw], '01-off has no pushes')


def test_the_longest_stretch_of_each_arm_is_shown():
    raw = good()
    for n, arm in enumerate(ABBA, 1):
        raw[f'{n:02d}-{arm}/where'] = (
            f'irqsoff {100 + n} 1 cli_{n} sti f:60,g:40\n'
            f'irqsoff[k=4] {200 - n} 2 cli_{n} sti f:90,h:9\n')
    got = result(raw)['where']['irqsoff']
    first = {arm: ABBA.index(arm) + 1 for arm in ('off', 'on')}
    equal({a: (b['insns'], b['from'], b['step']) for a, b in got.items()},
          {a: (200 - n, f'cli_{n}', 'k=4') for a, n in first.items()})
    true('f:90 h:9' in table(raw), 'the functions are not shown')
    raw['01-off/where'] = 'irqsoff many 1 a b c:1\n'
    bad([raw], '01-off/where', 'line 1', 'malformed')


def test_an_allowance_is_a_gate():
    text = SCENARIO.replace('name = "pushes"', 'name = "pushes"\nallow = 1')
    base = pristine()
    for n in range(1, 6):
        base[f'{n:02d}-pristine/values'] = 'pushes 2\nserved 0\n'
    gates = result(good(), base, scenario=text)['gates']
    equal([(g['value'], g['pass']) for g in gates
           if g['rule'] == 'allowance'], [(1, True)])
    for n in range(1, 6):
        base[f'{n:02d}-pristine/values'] = 'pushes 1\nserved 0\n'
    gates = result(good(), base, scenario=text)['gates']
    equal([(g['value'], g['pass']) for g in gates
           if g['rule'] == 'allowance'], [(2, False)])


def test_a_gate_that_was_not_measured_fails():
    text = SCENARIO + '[[metric]]\nname = "ipis"\ngate = true\n'
    got = result(good(), scenario=text)
    equal(got['missing'], ['ipis'])
    equal([g['pass'] for g in got['gates'] if g['metric'] == 'ipis'], [False])
    true('not measured: ipis' in table(good(), scenario=text), 'not said')


# --- bad input ------------------------------------------------------------

def test_bad_folders_are_one_line():
    def meta(old, new):
        return [{**good(), 'meta': META.replace(old, new)}]

    bad(meta('format 1', 'format 2'), 'meta', 'format 2', 'reads 1')
    bad(meta('format 1\n', ''), 'format missing')
    bad(meta('seed 1\n', ''), "'seed'")
    bad(meta('cpus 8', 'cpus many'), 'cpus', 'many')
    bad(meta('scenario burst', 'scenario ../burst'), 'scenario')
    bad(meta('virtual', 'cloud'), 'environment', 'cloud')
    bad(meta('guest-ns', 'ns'), 'unit ns')
    bad(meta('arms off on', 'arms off maybe'), 'maybe')
    bad(meta('scenario burst', 'scenario storm'), 'storm', 'not known')
    bad([{**good(), 'meta': META[:-1]}], 'cut short')
    bad([{**good(), 'rounds': ''}], 'no complete round')
    bad([{**good(), 'rounds': '1 sideways\n'}], 'rounds', 'line 1', 'sideways')
    bad([{**good(), 'rounds': '1 off\n1 on\n'}], 'line 2', 'twice')
    bad([{**good(), 'rounds': '1 off\n77 on\n'}], '77-on', 'not there')
    without = {k: v for k, v in good().items() if k != 'rounds'}
    bad([without], 'rounds', 'not found')
    bad([good(), good()], 'arm off is in')
    other = pristine()
    other['meta'] = other['meta'].replace('cpus 8', 'cpus 16')
    bad([good(), other], 'cpus is 16', 'cannot be compared')


def test_malformed_lines_are_one_line():
    def line(part, text):
        return [{**good(), f'03-on/{part}': text}]

    for part, text in (
            ('values', 'pushes\n'), ('values', 'pushes 1 2\n'),
            ('values', 'pushes one\n'), ('values', 'pushes nan\n'),
            ('samples', 'wake[k=4] 1 2 x\n'), ('samples', 'wake[k=4] 1_0\n'),
            ('hist', 'late 10\n'), ('hist', 'late 10 -3\n'),
            ('hist', 'late 10 1.5\n'), ('counters', 'rto_pushed 1\n'),
            ('counters', 'rto_pushed 1 x\n')):
        bad(line(part, text), f'03-on/{part}', 'line 1', 'malformed')
    bad(line('samples', 'wake[k=4 1\n'), '03-on/samples', 'line 1', 'NAME')
    bad(line('values', 'a 1\na 2\n'), 'line 2', 'twice')
    bad(line('hist', 'late 10 1\nlate max 9\n'), '03-on/hist', 'above its max')
    bad(line('hist', 'late 10 1\nlate overflow 9\n'), 'no max')
    bad(line('counters', 'rto_pushed 9 3\n'), 'went back')
    bad(line('values', 'served 1\n'), '03-on', 'pushes')
    bad(line('samples', 'wake[k=5] 1\n'), 'wake[k=')
    bad(line('lat.json', '{'), '03-on/lat.json', 'no valid JSON')
    bad(line('lat.json', cyclictest(thread({9: 1}, top=3))), 'contradicts')


def test_bad_descriptions_are_one_line():
    def text(old, new):
        return {'scenario': SCENARIO.replace(old, new, 1)}

    bad([good()], 'scenario.toml', 'TOML', **text('title', 'title ='))
    bad([good()], 'scenario.toml', "'colour'", **text('title', 'colour'))
    bad([good()], 'wake_mean', 'p98', **text('"mean"', '"p98"'))
    bad([good()], 'wake_mean', 'gate', **text('gate = true', 'gate = 1'))
    bad([good()], "'of'", "'stat'", **text('stat = "mean"\n', ''))
    bad([good()], 'wake_max', 'what is better',
        **text('better = "none"', 'better = "none"\ngate = true'))
    bad([good()], 'twice', **text('"pushes"', '"served"'))
    bad([good()], 'no [[metric]]', scenario='title = "x"\n')


def test_wrong_usage_exits_2():
    for options in ([], ['raw'], ['-o', 'out'], ['--nonsense', '-o', 'o', 'r'],
                    ['-o', 'o', '--osadl-arm', 'x', 'r']):
        status, out, err = call(ANALYSE.main, *options)
        equal((status, out, len(err.splitlines())), (2, '', 1), options)
    status, out, err = call(HTML.main, 'a', 'b')
    equal((status, out, len(err.splitlines())), (2, '', 1))
    for main, words in ((ANALYSE.main, ('--osadl', 'statistics.md')),
                        (HTML.main, ('run.json',))):
        status, out, _ = call(main, '--help')
        equal(status, 0)
        for word in words:
            true(word in out, f'--help does not explain {word}')
    blocker = build({'file': ''})
    status, out, err, _ = analyse(build(good()),
                                  out=os.path.join(blocker, 'file'))
    equal((status, out, len(err.splitlines())), (1, '', 1), err)


# --- output ---------------------------------------------------------------

def test_file_names():
    def names(topology):
        files = {**good(), 'meta': META.replace('2x2x2', topology)}
        return sorted(os.listdir(analyse(build(files))[3]))

    equal(names('2x2x2'), ['burst', 'burst.json'])
    equal(names('4x4x1'), ['burst@4x4x1', 'burst@4x4x1.json'])
    # A real machine of the default's topology may not overwrite it.
    virtual = {**good(), 'meta': META}
    out = analyse(build(virtual))[3]
    real = META.replace('virtual', 'hardware').replace('guest-ns', 'ns')
    analyse(build({**good(), 'meta': real}), out=out)
    equal(sorted(os.listdir(out)),
          ['burst', 'burst.json', 'burst@hardware-2x2x2',
           'burst@hardware-2x2x2.json'])


def test_the_table_is_for_a_person():
    text = table(good(), pristine(1010))
    for word in ('virtual: guest ns (1 ns = 1 instruction)', 'PREEMPT_RT',
                 'not distinguishable', 'RT_PREROUTE', 'not judged',
                 'off against the pristine kernel', 'equivalent',
                 'all 3 gates pass', 'rto_pushed'):
        true(word in text, f'no {word!r} in {text}')
    true(re.search(r'wake_mean +1000 +700 +0\.70 0\.008 better +pass\n', text),
         text)
    true(not re.search(r'\bsame\b', text), 'same is no word for a reader')
    true(not re.search(r'\bus\b|µs|microsec', text), 'microseconds')
    files = good()
    long = 'a_counter_of_a_really_long_name_that_somebody_thought_up_for_push'
    for n, arm in enumerate(ABBA, 1):
        files[f'{n:02d}-{arm}/counters'] = f'{long} 0 {10 ** 12}\n'
    files['meta'] = META.replace('-rtmig', '-' + 'y' * 90) + (
        'warning ' + 'a word ' * 30 + '\n')
    text = table(files)
    true('WARNING  a word' in text, text)
    for line in text.splitlines():
        true(len(line) <= 80, f'{len(line)} columns: {line}')
        equal(line, line.rstrip(), 'blanks at the end')
    files['meta'] = META.replace('virtual', 'hardware').replace(
        'guest-ns', 'ns')
    text = table(files)
    true('hardware' in text and 'virtual' not in text and
         'guest' not in text, text)


def test_tracers_of_a_real_machine():
    files = {**good(), 'meta': META.replace('virtual', 'hardware').replace(
        'guest-ns', 'ns')}
    files['traced-on/where'] = ('irqsoff[k=4] 9000 3 f g a:7000,b:1000\n'
                                'irqsoff 8000 3 f g -\n'
                                'wakeup_rt 5000 2 try_to_wake_up __schedule '
                                'c:4000\n')
    out = analyse(build(files))[3]
    with open(os.path.join(out, 'burst@hardware-2x2x2.json'),
              encoding='utf-8') as f:
        got = json.load(f)
    equal(got['where']['irqsoff'], {'on': {
        'insns': 9000, 'cpu': 3, 'from': 'f', 'to': 'g',
        'functions': ['a:7000', 'b:1000'], 'step': 'k=4',
        'round': 'traced-on'}}, 'the longest, and none of off')
    text = table(files)
    true("longest with interrupts off, in ns, the tracer's cost included\n"
         '  on            9000  f .. g [k=4]\n' in text, text)
    equal(got['complete'], {'off': 5, 'on': 5}, 'no round that counts')
    files['traced-on/where'] = 'irqsoff 9 x\n'
    status, _, err, _ = analyse(build(files))
    equal(status, 1)
    true('traced-on/where: line 1 is malformed' in err, err)


def test_same_input_twice_gives_the_same_bytes():
    raw = build(good())
    texts = []
    for _ in range(2):
        out = analyse(raw)[3]
        with open(os.path.join(out, 'burst.json'), encoding='utf-8') as f:
            texts.append(f.read())
    equal(texts[0], texts[1])


def test_osadl_export():
    files = good()
    for n, arm in enumerate(ABBA, 1):
        files[f'{n:02d}-{arm}/lat.json'] = cyclictest(
            thread({1: 2, 3: 1}), thread({2: 3}, cycles=4, top=700))
    raw, path = build(files), fresh('osadl')

    def export(*options):
        status, _, err, _ = analyse(raw, options=['--osadl', path, *options])
        equal((status, err), (0, ''))
        with open(path, encoding='utf-8') as f:
            return json.load(f)

    got = export('--osadl-set', 'lat')
    equal(got['format'], {'name': 'RT Dataset', 'version': '1.0'})
    equal(set(got), {'format', 'timestamps', 'system', 'processor', 'kernel',
                     'condition', 'latency'})
    equal((got['kernel']['version'], got['kernel']['cmdline']),
          ('6.12.117-rtmig', 'console=ttyS0 tsc=reliable'))
    true(any('9999-localversion' in p for p in got['kernel']['patches']),
         got['kernel']['patches'])
    equal((got['condition']['cycles'], got['condition']['interval'],
           got['condition']['load']), (35, 500, 'unknown'))
    # Classes first, then a row for each thread, five rounds together.
    equal(got['latency']['cores'],
          [[0, 1, 2, 3], [0, 10, 0, 5], [0, 0, 15, 0]])
    equal(got['latency']['maxima'], [3, 700])
    true('virtual' in got['latency']['granularity'], got['latency'])
    # Samples in ns become microseconds.
    got = export('--osadl-set', 'wake[k=4]', '--osadl-arm', 'off')
    # 1000 - n to 1000 + n for n in 1 4 5 8 9: five are below 1000.
    equal(got['latency']['cores'], [[0, 1], [5, 10]])
    status, _, err, _ = analyse(raw, options=['--osadl', path])
    equal((status, len(err.splitlines())), (1, 1))
    true('--osadl-set' in err and 'lat' in err, err)


def lab_results():
    """A folder with results of three machines and one of the main job."""
    out = fresh('out')
    for cpus, topology in ((8, '2x2x2'), (16, '4x4x1'), (12, '2x2x3')):
        files = {**good(), 'meta': META.replace('cpus 8', f'cpus {cpus}')
                 .replace('2x2x2', topology)}
        raws = [build(files)]
        if cpus == 8:
            raws.append(build(pristine()))
        status, _, err, _ = analyse(*raws, out=out, options=['--plots'])
        equal((status, err), (0, ''))
    run = {'version': 1, 'scenario': 'run', 'base': '6.12', 'cpus': 8,
           'environment': 'virtual', 'kernel': '6.12.117<rtmig>',
           'uname_v': '#1 SMP PREEMPT_RT', 'cmdline': 'a=b', 'series': 'yes',
           'topology': '2x2x2', 'unit': 'guest instructions (virtual ns)',
           'rounds': 2, 'metrics': {'latency_mean[idle]': {
               'off': 2.5, 'on': 2.0, 'ratio': 0.8, 'verdict': 'same',
               'unit': 'us'}},
           'counters': {'rto_pushed': {'off': 5, 'on': 0}}, 'missing': [],
           'aims': [{'aim': 'no pushes', 'value': 7, 'met': False}],
           'latency_us': {'idle': {a: {
               'samples': 3, 'overflows': 1, 'min': 1, 'mean': 2.5, 'p50': 2,
               'p99': 9, 'p99.9': 9, 'max': 9} for a in ('off', 'on')}},
           'latency_us_histogram': {'idle': {a: {'1': 1, '2': 1}
                                             for a in ('off', 'on')}}}
    with open(os.path.join(out, 'run.json'), 'w', encoding='utf-8') as f:
        json.dump(run, f)
    return out


def svg_text(path):
    with open(path, encoding='utf-8') as f:
        text = ' '.join(xml.etree.ElementTree.fromstring(f.read()).itertext())
    return re.sub(r'[\s\u00a0]+', ' ', text)


def test_plots_say_what_they_show():
    out = lab_results()
    text = svg_text(os.path.join(out, 'burst', 'wake-k=4.svg'))
    for word in ('burst: wake[k=4]', 'virtual: guest ns (1 ns = 1 instruction)',
                 'off: max 1009 guest ns', 'on: max 710 guest ns',
                 'pristine: 15 samples'):
        true(word in text, f'no {word!r} in {text}')
    true('µs' not in text, 'microseconds')
    # The machine analysed last sees all three, smallest first.
    text = svg_text(os.path.join(out, 'burst@2x2x3',
                                 'cpus-wake_mean-k=4.svg'))
    at = [text.index(w) for w in ('8 (2x2x2)', '12 (2x2x3)', '16 (4x4x1)')]
    equal(at, sorted(at))
    true('virtual: guest ns' in text, text)
    equal([n for n in os.listdir(os.path.join(out, 'burst'))
           if n.startswith('cpus')], [], 'the first saw no other')
    width = plot.bin_width({'off': of(*range(0, 30001, 7))})
    equal(width, 200, '150 classes up to 30000')
    equal(plot.bin_width({'off': of(1000, 30000)}), 1000, 'microseconds')
    equal(plot.binned({199: 1, 200: 2, 399: 3}, 200), {0: 1, 200: 5})


def test_html_is_whole_and_needs_nothing_else():
    out = lab_results()
    status, _, err = call(HTML.main, out)
    equal((status, err), (0, ''))
    with open(os.path.join(out, 'index.html'), encoding='utf-8') as f:
        page = f.read()
    root = xml.etree.ElementTree.fromstring(page)
    text = re.sub(r'\s+', ' ', ' '.join(root.itertext()))
    for word in ('burst@4x4x1', 'burst@2x2x3', 'run', 'make lab SCENARIO=burst',
                 'make run BASE=6.12', 'not distinguishable', 'equivalent',
                 'guest ns (1 ns = 1 instruction)', '6.12.117<rtmig>',
                 'gate missed: no pushes; it is 7', 'Against CPUs'):
        true(word in text, f'no {word!r}')
    links = re.sub(r'xmlns(:xlink)?="http://www\.w3\.org/[^"]*"', '', page)
    for word in ('http:', 'https:', '//', 'src=', '@import', '<link',
                 '<script', 'file:', 'data:'):
        true(word not in links, f'external reference: {word}')
    for name in re.findall(r'href=["\']([^"\']*)|url\(([^)]*)\)', page):
        true((name[0] or name[1]).strip('"\'').startswith('#'), name)
    names = re.findall(r'\bid=["\']([^"\']*)', page)
    equal(len(names), len(set(names)), 'a name twice')
    for name in re.findall(r'href=["\']#([^"\']*)|url\(.?#([^)\'"]*)', page):
        true((name[0] or name[1]) in names, f'no {name}')
    true('prefers-color-scheme: dark' in page and 'viewport' in page, 'media')
    left = set(re.findall(r'(?:fill|stroke|color)=.(rgb[^"\']*|#\w+|black)',
                          page)) - set(HTML_COLOURS)
    equal(left, set(), 'colours that dark mode does not know')


HTML_COLOURS = ('#000000', '#303030', '#505050', '#b8b8b8', '#e4e4e4',
                '#ffffff', '#d55e00', '#0072b2', '#009e73')


def test_results_of_another_format_are_refused():
    for key, text in (('format 2', '{"format": 2, "scenario": "burst"}'),
                      ('version 7', '{"version": 7, "scenario": "run"}'),
                      ('no result', '[1]'), ('no valid JSON', '{'),
                      ('not whole', '{"version": 1, "scenario": "run"}'),
                      ('not whole', '{"format": 1, "scenario": "burst"}')):
        out = build({'burst.json': text})
        status, text, err = call(HTML.main, out)
        equal((status, text, len(err.splitlines())), (1, '', 1), err)
        true(key in err and 'burst.json' in err, err)
        true(not os.path.exists(os.path.join(out, 'index.html')), 'written')
    # One of another machine is not plotted, and that is said.
    out = build({'burst@4x4x1.json': '{"format": 2, "scenario": "burst"}'})
    status, _, err, _ = analyse(build(good()), out=out, options=['--plots'])
    equal((status, len(err.splitlines())), (0, 1), err)
    true('format 2' in err and 'not plotted' in err, err)
    status, _, err = call(HTML.main, fresh('nothing'))
    equal((status, len(err.splitlines())), (1, 1))


def test_the_scenarios_of_the_project_can_be_read():
    top = os.path.join(SCRIPTS, '..', 'scenarios')
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
        path = os.path.join(top, name, 'scenario.toml')
        if os.path.exists(path):
            scenarios.read_scenario(path)


def main():
    tests = [(name[5:].replace('_', ' '), f) for name, f in globals().items()
             if name.startswith('test_')]
    print(f'1..{len(tests)}')
    failed = 0
    plots = ('plots', 'html', 'results of another')
    for number, (name, test) in enumerate(tests, 1):
        if name.startswith(plots) and not shutil.which('gnuplot'):
            print(f'ok {number} - {name} # SKIP gnuplot is not installed')
            continue
        try:
            test()
            print(f'ok {number} - {name}', flush=True)
        except Exception:   # a broken test is a failed test
            failed += 1
            print(f'not ok {number} - {name}')
            for line in traceback.format_exc().splitlines()[-6:]:
                print(f'# {line[:400]}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
