# SPDX-License-Identifier: GPL-2.0-only
"""A raw folder: what one boot of a scenario has left.

  meta      'key value...', see META_KEYS; any number of 'warning TEXT' and
            'command TEXT'
  rounds    'N ARM', a line for each complete round, in their order
  NN-ARM/   a round; NN with leading zeroes, and any of
    values      'metric[step] NUMBER': figures of the round
    samples     'name[step] v v v ...': several lines of one name add up
    hist        'name[step] VALUE COUNT', 'name[step] max VALUE',
                'name[step] overflow COUNT'
    NAME.json   cyclictest --json with -h, NAME[step].json for a step
    counters    'name BEFORE AFTER'
    where       'KIND[step] INSNS CPU FROM TO FUNCTION:INSNS,...': the longest
                stretch of its kind (irqsoff, resched), see qemu-where.c
    rtc         a guest's clock at the end, for the self test; not read
  traced-ARM/where   the same of a round with the kernel's tracers (irqsoff,
            preemptirqsoff, wakeup_rt), whose figures do not count; in ns

A key without steps has no [step].  Rounds that are not in the file of that
name were not finished and are not looked at.
"""

import collections
import math
import os
import re

from rtmig.common import BadInput, GAUGE_KEY, read_text, read_whole
from rtmig.distribution import Distribution, merged, read_threads
from rtmig.scenario import split_key

FORMAT = 1
ARMS = ('pristine', 'off', 'on')
META_KEYS = ('scenario', 'base', 'kernel', 'uname_v', 'environment', 'cpus',
             'topology', 'unit', 'seed', 'rounds', 'arms')
# A file name of the results is made of these.
WORD_KEYS = ('scenario', 'base', 'topology')
# Folders that have to agree in this can be compared.
SAME_KEYS = ('scenario', 'base', 'environment', 'cpus', 'topology', 'unit')


class Round:
    """What one round measured."""

    def __init__(self, name, arm):
        self.name = name
        self.arm = arm
        self.values = {}        # {key: number}
        self.sets = {}          # {key: Distribution}; of cyclictest in ns
        self.threads = {}       # {key: [Distribution in us, one a thread]}
        self.cyclictest = {}    # {key: the command's words}
        self.counters = {}      # {name: by how much it rose}
        self.where = {}         # {key: (insns, cpu, from, to, functions)}

    def add_set(self, key, distribution):
        """Add samples to the set of this key."""
        self.sets.setdefault(key, Distribution()).add(distribution)


class Raw:
    """One folder."""

    def __init__(self, path, meta, warnings, commands, rounds, traced):
        self.path = path
        self.meta = meta
        self.warnings = warnings
        self.commands = commands
        self.rounds = rounds
        self.traced = traced    # [Round]: nothing but where

    @property
    def partial(self):
        """Whether a round that was asked for is missing."""
        return any(sum(r.arm == a for r in self.rounds) < self.meta['rounds']
                   for a in self.meta['arms'])


def number(text):
    """An int where it is one, else a finite float; ValueError if neither."""
    if re.fullmatch(r'-?[0-9]+', text):
        return int(text)
    value = float(text)
    if not math.isfinite(value) or '_' in text:
        raise ValueError
    return value


def counted(text):
    """A number of events; ValueError if it is none."""
    if not re.fullmatch(r'[0-9]+', text):
        raise ValueError
    return int(text)


def read_meta(path):
    """(meta with numbers as such, warnings, commands)."""
    meta, lists = {}, {'warning': [], 'command': []}
    for line in read_whole(path).splitlines():
        key, _, value = line.strip().partition(' ')
        if key in lists:
            lists[key].append(value.strip())
        elif key:
            meta[key] = value.strip()
    if meta.get('format') != str(FORMAT):
        raise BadInput(f"format {meta.get('format', 'missing')}, this analyse "
                       f'reads {FORMAT}; use scripts of one version')
    for key in META_KEYS:
        if not meta.get(key):
            raise BadInput(f"no '{key}' in it; measure again with the scripts "
                           'of this version')
    for key in WORD_KEYS:
        if not re.fullmatch(r'[A-Za-z0-9_][A-Za-z0-9_.x+-]*', meta[key]):
            raise BadInput(f"{key} is '{meta[key][:40]}'; it has to be one "
                           'word')
    for key in ('cpus', 'rounds'):
        if not re.fullmatch(r'[1-9][0-9]*', meta[key]):
            raise BadInput(f"{key} is '{meta[key][:40]}', not a number; "
                           'correct it')
        meta[key] = int(meta[key])
    if meta['environment'] not in ('virtual', 'hardware'):
        raise BadInput(f"environment is '{meta['environment'][:40]}'; it has "
                       'to be virtual or hardware')
    want = 'guest-ns' if meta['environment'] == 'virtual' else 'ns'
    if meta['unit'] != want:
        raise BadInput(f"unit {meta['unit'][:40]} on {meta['environment']}; "
                       'guests count guest-ns and nothing else does, '
                       'correct it')
    meta['arms'] = list(dict.fromkeys(meta['arms'].split()))
    for arm in meta['arms']:
        if arm not in ARMS:
            raise BadInput(f"arm '{arm[:40]}'; known are {' '.join(ARMS)}")
    return meta, lists['warning'], lists['command']


def read_lines(path, parse):
    """Call parse(words) for each line that is not empty."""
    for at, line in enumerate(read_whole(path).splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            parse(words)
        except (ValueError, IndexError):
            raise BadInput(f"line {at} is malformed: '{line[:40]}'; "
                           'the file is damaged, measure again') from None
        except BadInput as e:
            raise BadInput(f'line {at}: {e}') from None


def read_values(path, rnd):
    """Figures of the round."""
    def parse(words):
        key, value = words
        split_key(key)
        if key in rnd.values:
            raise BadInput(f"'{key}' twice")
        rnd.values[key] = number(value)

    read_lines(path, parse)


def read_samples(path, rnd):
    """Raw samples."""
    samples = collections.defaultdict(list)

    def parse(words):
        split_key(words[0])
        samples[words[0]] += [number(w) for w in words[1:]]

    read_lines(path, parse)
    for key, values in samples.items():
        one = Distribution()
        one.add_samples(values)
        rnd.add_set(key, one)


def read_hist(path, rnd):
    """Histograms; samples beyond one are taken to be at its max."""
    hists = collections.defaultdict(collections.Counter)
    limits = collections.defaultdict(dict)

    def parse(words):
        key, what, value = words
        split_key(key)
        hists[key].update(())
        if what in ('max', 'overflow'):
            if what in limits[key]:
                raise BadInput(f"'{key} {what}' twice")
            limits[key][what] = (number if what == 'max' else counted)(value)
        else:
            hists[key][number(what)] += counted(value)

    read_lines(path, parse)
    for key, hist in hists.items():
        rnd.add_set(key, from_hist(key, +hist, limits[key]))


def from_hist(key, hist, limits):
    """The Distribution of a histogram; limits: maybe its max and overflow."""
    one = Distribution()
    overflow = limits.get('overflow', 0)
    if not hist and not overflow:
        return one
    if overflow and 'max' not in limits:
        raise BadInput(f'{key} has an overflow and no max; a histogram '
                       'that is too short needs it')
    one.max = limits.get('max', max(hist, default=None))
    if max(hist, default=one.max) > one.max:
        raise BadInput(f'{key} has samples above its max; the file is '
                       'damaged, measure again')
    one.hist = hist
    one.count = sum(hist.values()) + overflow
    one.sum = sum(v * n for v, n in hist.items()) + overflow * one.max
    one.min = min(hist, default=one.max)
    return one


def read_counters(path, rnd):
    """By how much each counter rose; a maximum has no difference."""
    def parse(words):
        name, before, after = words
        rose = counted(after) - counted(before)
        if name in rnd.counters:
            raise BadInput(f"'{name}' twice")
        if not GAUGE_KEY.search(name):
            if rose < 0:
                raise BadInput(f'counter {name} went back; was it reset? '
                               'measure again')
            rnd.counters[name] = rose

    read_lines(path, parse)


def read_where(path, rnd):
    """The longest stretches that were seen from outside."""
    def parse(words):
        key, insns, cpu, begin, end, functions = words
        split_key(key)
        rnd.where[key] = (counted(insns), counted(cpu), begin, end, functions)

    read_lines(path, parse)


def read_cyclictests(where, rnd):
    """All results of cyclictest; microseconds become ns, as all else is."""
    for name in sorted(os.listdir(where)):
        if not name.endswith('.json'):
            continue
        key = name[:-len('.json')]
        try:
            split_key(key)
            threads, command = read_threads(os.path.join(where, name))
        except BadInput as e:
            raise BadInput(f'{name}: {e}') from None
        rnd.threads[key] = threads
        rnd.cyclictest[key] = command
        rnd.add_set(key, merged(threads).scaled(1000))


def read_round(where, name, arm):
    """The round in this folder."""
    rnd = Round(name, arm)
    if not os.path.isdir(where):
        raise BadInput(f"{name} is in 'rounds' but not there; the folder is "
                       'damaged, measure again')
    for part, reader in (('values', read_values), ('samples', read_samples),
                         ('hist', read_hist), ('counters', read_counters),
                         ('where', read_where)):
        path = os.path.join(where, part)
        if os.path.lexists(path):
            try:
                reader(path, rnd)
            except BadInput as e:
                raise BadInput(f'{name}/{part}: {e}') from None
    try:
        read_cyclictests(where, rnd)
    except BadInput as e:
        raise BadInput(f'{name}/{e}') from None
    return rnd


def read_rounds(path, arms):
    """[(folder, arm)] of the complete rounds."""
    rounds = {}

    def parse(words):
        at, arm = words
        if arm not in arms:
            raise BadInput(f"arm '{arm[:40]}' is not one of meta's: "
                           f'{" ".join(arms)}')
        if counted(at) in rounds:
            raise BadInput(f'round {at} twice')
        rounds[counted(at)] = (f'{counted(at):02d}-{arm}', arm)

    # None finished: the file is there and empty.
    if read_text(path).strip():
        read_lines(path, parse)
    return list(rounds.values())


def read_raw(path):
    """The folder; BadInput with the file's name."""
    if not os.path.isdir(path):
        raise BadInput(f'{path}: no such folder; name the raw data of a '
                       'scenario')
    try:
        meta, warnings, commands = read_meta(os.path.join(path, 'meta'))
    except BadInput as e:
        raise BadInput(f"{os.path.join(path, 'meta')}: {e}") from None
    try:
        names = read_rounds(os.path.join(path, 'rounds'), meta['arms'])
    except BadInput as e:
        raise BadInput(f"{os.path.join(path, 'rounds')}: {e}") from None
    try:
        rounds = [read_round(os.path.join(path, name), name, arm)
                  for name, arm in names]
    except BadInput as e:
        raise BadInput(f'{path}/{e}') from None
    try:
        traced = [read_round(os.path.join(path, f'traced-{arm}'),
                             f'traced-{arm}', arm) for arm in meta['arms']
                  if os.path.exists(os.path.join(path, f'traced-{arm}',
                                                 'where'))]
    except BadInput as e:
        raise BadInput(f'{path}/{e}') from None
    if not rounds:
        raise BadInput(f'{path}: no complete round in it; look at the '
                       'console and measure again')
    return Raw(path, meta, warnings, commands, rounds, traced)


def read_folders(paths):
    """[Raw]: folders of one scenario on one machine, each arm in one."""
    raws = [read_raw(path) for path in paths]
    seen = {}
    for raw in raws:
        for key in SAME_KEYS:
            if raw.meta[key] != raws[0].meta[key]:
                raise BadInput(f'{raw.path}: {key} is {raw.meta[key]}, but '
                               f'{raws[0].meta[key]} in {raws[0].path}; such '
                               'data cannot be compared')
        for arm in raw.meta['arms']:
            if arm in seen:
                raise BadInput(f"arm {arm} is in {seen[arm]} and in "
                               f'{raw.path}; give one of them')
            seen[arm] = raw.path
    return raws
