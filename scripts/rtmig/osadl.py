# SPDX-License-Identifier: GPL-2.0-only
"""Export to OSADL's RT Dataset, version 1.0.

The format is the one that https://github.com/osadl/Latencyplot defines in its
README.md; where that leaves something open its src/mk-rtdataset.py decides:
latency.cores begins with the row of latency classes, one row for each core
follows; granularity is a word; kernel.patches holds file names.  Not known
here and therefore empty: kernel.config.  A virtual machine's microsecond is
a thousand instructions, and the granularity says so.
"""

import datetime
import os

from rtmig.common import BadInput
from rtmig.distribution import Distribution


def choose_set(rounds, wanted):
    """The name of the sample set to export."""
    names = list(dict.fromkeys(k for r in rounds for k in r.sets))
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted in names:
        return wanted
    what = f"no sample set '{wanted}'" if wanted else 'which sample set?'
    raise BadInput(f'{what} name one with --osadl-set: {" ".join(names)}')


def in_us(dist):
    """A set in ns as one in us, each sample rounded down."""
    one = Distribution()
    one.count, one.sum = dist.count, dist.sum / 1000
    one.min, one.max = int(dist.min // 1000), int(dist.max // 1000)
    for value, n in dist.hist.items():
        one.hist[int(value // 1000)] += n
    return one


def cores_of(rounds, key):
    """[Distribution in us]: a core each for cyclictest, else one for all."""
    result = []
    for rnd in rounds:
        threads = rnd.threads.get(key) or [in_us(rnd.sets[key])]
        while len(result) < len(threads):
            result.append(Distribution())
        for core, thread in zip(result, threads):
            core.add(thread)
    return result


def option(words, letter, default):
    """The number that a cyclictest option of one letter has."""
    for at, word in enumerate(words):
        value = word[2:] or ''.join(words[at + 1:at + 2])
        if word.startswith(f'-{letter}') and value.isdigit():
            return int(value)
    return default


def dataset(raw, rounds, key, patches, load):
    """The dataset of an arm's sample set, for json.dumps()."""
    meta = raw.meta
    virtual = meta['environment'] == 'virtual'
    cores = cores_of(rounds, key)
    words = next((r.cyclictest[key] for r in rounds if key in r.cyclictest),
                 None)
    # mk-rtdataset.py's x axis: every class up to the largest one used.
    classes = range(max((v for c in cores for v in c.hist), default=0) + 1)
    measured = os.stat(os.path.join(raw.path, 'rounds')).st_mtime

    def iso(seconds):
        when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        return when.isoformat(timespec='seconds')

    kernel = {'version': meta['kernel'], 'patches': patches, 'config': [],
              'cmdline': meta.get('cmdline', '')}
    return {
        'format': {'name': 'RT Dataset', 'version': '1.0'},
        'timestamps': {
            'origin': iso(measured),
            'dataset': iso(datetime.datetime.now().timestamp())},
        'system': {'hostname': 'virtual' if virtual else
                   meta.get('machine', 'unknown')},
        'processor': {
            'family': 'x86_64', 'vendor': 'QEMU' if virtual else 'unknown',
            'type': f"TCG, instruction clock, {meta['cpus']} CPUs"
                    if virtual else meta.get('machine', 'unknown')},
        'kernel': kernel,
        'condition': {
            'load': load,
            'cycles': sum(c.count for c in cores),
            'interval': option(words or (), 'i', 1000 if words else 0),
            'cyclictest': ' '.join(['cyclictest', *words]) if words else
                          f"rtmig {meta['scenario']} {key}"},
        'latency': {
            'granularity': 'virtual microseconds (1000 instructions)'
                           if virtual else 'microseconds',
            'maxima': [c.max for c in cores],
            'cores': [list(classes)] + [[c.hist.get(us, 0) for us in classes]
                                        for c in cores]},
    }


def export(raws, arm, wanted, series, load):
    """The dataset of this arm; series: the names of the project's patches."""
    arms = [a for raw in raws for a in raw.meta['arms']]
    arm = arm or ('on' if 'on' in arms else arms[-1])
    for raw in raws:
        rounds = [r for r in raw.rounds if r.arm == arm]
        if rounds:
            patched = arm != 'pristine' and raw.meta.get('series') != 'no'
            return dataset(raw, rounds, choose_set(rounds, wanted),
                           series if patched else [], load)
    raise BadInput(f"no round of arm '{arm}' to export")
