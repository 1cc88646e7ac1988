# SPDX-License-Identifier: GPL-2.0-only
"""Which plots a result has."""

from rtmig import plot
from rtmig.result import distribution
from rtmig.table import metric_machine, plot_machine


def sample_unit(result):
    """The unit of sample sets, for an axis."""
    return 'guest ns' if result['environment'] == 'virtual' else 'ns'


def histograms(result):
    """{sample set: the gnuplot script of its overlay of the arms}."""
    scripts = {}
    for key, row in result['distributions'].items():
        arms = {a: distribution(row[a]) for a in result['arms']
                if row.get(a, {}).get('count')}
        if arms:
            scripts[key] = plot.histogram_script(
                f"{result['scenario']}: {key}", plot_machine(result), key,
                sample_unit(result), arms, plot.bin_width(arms))
    return scripts


def comparable(result, others):
    """Results of the same scenario elsewhere, and itself, by machine."""
    same = [r for r in others if
            all(r.get(k) == result[k] for k in ('scenario', 'base',
                                                'environment')) and
            r['topology'] != result['topology']]
    return sorted(same + [result], key=lambda r: (r['cpus'], r['topology']))


def against_cpus(results):
    """{metric: script}: the metric on all machines, smallest first.

    Empty unless the machines differ in their number of CPUs.
    """
    if len({r['cpus'] for r in results}) < 2:
        return {}
    scripts = {}
    for name in dict.fromkeys(n for r in results for n in r['metrics']):
        points = []
        for r in results:
            row = r['metrics'].get(name)
            if row:
                # off_is pristine: then off is that arm under another name.
                points.append((f"{r['cpus']} ({r['topology']})",
                               {a: row.get(a) for a in r['arms']}))
        values = [v for _, arms in points for v in arms.values()]
        if len(points) > 1 and any(v is not None for v in values):
            unit = next(r['metrics'][name]['unit'] for r in results
                        if name in r['metrics'])
            scripts[name] = plot.cpus_script(
                f"{results[0]['scenario']}: {name}", metric_machine(results),
                unit, points)
    return scripts
