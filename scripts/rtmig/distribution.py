# SPDX-License-Identifier: GPL-2.0-only
"""Samples as an exact histogram, and what cyclictest writes about them."""

import collections
import json
import re

from rtmig.common import BadInput, is_count, is_number, read_text

# Below this the 99.9th percentile rests on fewer than ten samples.
P999_SAMPLES = 10 ** 4


class Distribution:
    """Every sample, in one unit of the caller's; add them up to merge."""

    def __init__(self):
        self.count = 0          # all samples, those beyond the histogram too
        self.sum = 0.0
        self.hist = collections.Counter()
        self.min = None
        self.max = None

    def add(self, other):
        """Merge: exact, as no sample loses its value."""
        if not other.count:
            return
        self.count += other.count
        self.sum += other.sum
        self.hist.update(other.hist)
        self.min = other.min if self.min is None else min(self.min, other.min)
        self.max = other.max if self.max is None else max(self.max, other.max)

    def add_samples(self, values):
        """Add raw samples."""
        one = Distribution()
        one.hist.update(values)
        one.count, one.sum = len(values), sum(values)
        one.min, one.max = min(values, default=None), max(values, default=None)
        self.add(one)

    @property
    def overflows(self):
        """How many samples lie beyond the histogram, nobody knows where."""
        return self.count - sum(self.hist.values())

    @property
    def mean(self):
        """The mean; None without samples."""
        return self.sum / self.count if self.count else None

    def percentile(self, permille):
        """Nearest rank; beyond the histogram the maximum stands in."""
        rank = -(-self.count * permille // 1000)
        below = 0
        for value in sorted(self.hist):
            below += self.hist[value]
            if below >= rank:
                return value
        return self.max

    def above(self, limit):
        """The samples above limit; those beyond the histogram are at max."""
        return (sum(n for value, n in self.hist.items() if value > limit) +
                (self.overflows if self.overflows and self.max > limit else 0))

    def stat(self, name):
        """The statistic of this name; None where the samples are too few."""
        if name == 'count':
            return self.count
        if not self.count or name == 'p999' and self.count < P999_SAMPLES:
            return None
        if name in ('min', 'mean', 'max'):
            return getattr(self, name)
        return self.percentile({'p50': 500, 'p99': 990, 'p999': 999}[name])

    def scaled(self, factor):
        """The same samples in a unit that is factor times smaller."""
        one = Distribution()
        one.count, one.sum = self.count, self.sum * factor
        one.min, one.max = self.min * factor, self.max * factor
        one.hist.update({v * factor: n for v, n in self.hist.items()})
        return one


STATS = ('count', 'min', 'mean', 'p50', 'p99', 'p999', 'max')


def merged(distributions):
    """All of them in one."""
    result = Distribution()
    for one in distributions:
        result.add(one)
    return result


def read_threads(path):
    """([Distribution in us, one a thread], the words of the command)."""
    text = read_text(path)
    if not text.strip():
        raise BadInput('empty; cyclictest did not finish, look at the console '
                       'and run the guest again')
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput('no valid JSON; cyclictest was stopped while writing '
                       'it, run the guest again') from None
    try:
        version, threads = data['file_version'], data['thread']
        command = data['cmdline:'].split()
        if version != 1:
            raise BadInput(f'is file_version {version}, known is 1; use '
                           'cyclictest of rt-tests 2.4')
        if data['return_code'] != 0:
            raise BadInput(f"cyclictest failed with {data['return_code']}; "
                           'look at the console and run the guest again')
        if data['resolution_in_ns'] != 0:
            raise BadInput('is in ns; run cyclictest without -N')
        if not threads or data['num_threads'] != len(threads):
            raise BadInput(f"has {len(threads)} of {data['num_threads']} "
                           'threads; run the guest again')
        result = [read_thread(name, t) for name, t in threads.items()]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BadInput("not a result of cyclictest 2.4 with -h and --json; "
                       'run the guest again') from None
    # Where the files went may differ between phases, nothing else.
    return result, [w for w in command[1:] if '/' not in w and
                    not w.startswith(('--json', '--histfile'))]


def read_thread(name, t):
    """The Distribution, in us, of one thread of cyclictest."""
    if (not all(is_count(t[k]) for k in ('cycles', 'min', 'max')) or
            not is_number(t['avg']) or t['cycles'] < 1):
        raise BadInput(f'thread {name} has no samples; run longer')
    if not t['histogram']:
        raise BadInput(f'thread {name} has no histogram; run '
                       'cyclictest with -h, and reach far enough')
    one = Distribution()
    one.count, one.sum = t['cycles'], t['avg'] * t['cycles']
    one.min, one.max = t['min'], t['max']
    for us, n in t['histogram'].items():
        if not is_count(n) or not re.fullmatch('[0-9]+', us):
            raise TypeError
        one.hist[int(us)] += n
    if one.overflows < 0 or max(one.hist, default=0) > one.max:
        raise BadInput(f'thread {name} contradicts itself: more '
                       'samples than cycles, or above its max; run '
                       'the guest again')
    return one


def read_cyclictest(path):
    """(Distribution over all threads, the command without its files)."""
    threads, command = read_threads(path)
    return merged(threads), command
