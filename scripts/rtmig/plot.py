# SPDX-License-Identifier: GPL-2.0-only
"""Plots as SVG, drawn by gnuplot, after the well-known ones of OSADL."""

import html
import itertools
import math
import os
import re
import shutil
import subprocess

from rtmig.common import BadInput

# Colours that the colour-blind can tell apart (Okabe and Ito).
COLOURS = {'off': '#D55E00', 'on': '#0072B2', 'pristine': '#009E73'}
# An arm drawn later is thinner, so that equal curves can both be seen.
LINE_WIDTHS = (3, 1.3, 1)


def need_gnuplot(without):
    """BadInput unless gnuplot is there; without says how to do without."""
    if not shutil.which('gnuplot'):
        raise BadInput('gnuplot not found: install the Debian package '
                       f"gnuplot-nox, run 'make deps', or use {without}")


def quoted(text):
    """A gnuplot string; control characters have no place in a label."""
    return "'" + re.sub(r'[\x00-\x1f\x7f]', ' ', text).replace("'", "''") + "'"


def steps(hist, width=1):
    """Points of a step curve: where it changes; 0.1 stands for none."""
    yield 0, hist.get(0, 0) or 0.1
    last = hist.get(0, 0)
    for x in sorted({k + d for k in hist for d in (0, width)}):
        if x and hist.get(x, 0) != last:
            last = hist.get(x, 0)
            yield x, last or 0.1


def frame(title, machine, xlabel, ylabel, rows):
    """The gnuplot commands that all plots begin with."""
    return [
        'set encoding utf8',
        "set terminal svg noenhanced dynamic size 1000,620 "
        "font 'sans-serif,15' background '#ffffff'",
        'set lmargin at screen 0.11', 'set rmargin at screen 0.97',
        'set bmargin at screen 0.14', 'set tmargin at screen 0.74',
        "set style line 10 linewidth 1 linecolor '#b8b8b8' dashtype 1",
        "set style line 11 linewidth 0.5 linecolor '#e4e4e4' dashtype 1",
        'set grid xtics ytics mytics back linestyle 10, linestyle 11',
        "set border 3 linewidth 1.2 linecolor '#303030'",
        'set tics out nomirror',
        f'set xlabel {quoted(xlabel)}',
        f'set label 102 {quoted(ylabel)} at screen 0.022,0.44 '
        'center rotate by 90',
        'set style textbox opaque noborder margins 0.4,0.2',
        f'set label 100 {quoted(title)} at screen 0.11,0.945 left '
        "font 'sans-serif,20'",
        f'set label 101 {quoted(machine)} at screen 0.11,0.895 left '
        "font 'sans-serif,13' textcolor '#505050'",
        f'set key at screen 0.10,0.865 left top vertical maxrows {rows} Left '
        "reverse samplen 2.5 spacing 1.15 font 'sans-serif,14'",
    ]


def bin_width(arms, bins=250):
    """The width, 1, 2 or 5 times a power of ten, that makes about so many."""
    values = {v for lat in arms.values() for v in lat.hist}
    # What was measured in microseconds has a sample every 1000 ns at most.
    grain = 1000 if values and not any(v % 1000 for v in values) else 1
    top = max(values, default=0)
    for exponent in itertools.count():
        for lead in (1, 2, 5):
            width = grain * lead * 10 ** exponent
            if top <= width * bins:
                return width


def binned(hist, width):
    """The histogram in classes of this width, by their lower ends."""
    if width == 1:
        return hist
    result = {}
    for value, n in hist.items():
        at = int(value // width * width)
        result[at] = result.get(at, 0) + n
    return result


def maximum(number, arm, lat, right, unit):
    """Commands for one arm's maximum: a thin line over the whole height.

    It ends in a label of its own height, so that two equal ones can be read.
    """
    height = f'graph {0.90 - 0.09 * (number - 1):.2f}'
    text = f'{arm}: max {lat.max} {unit}'
    style = f"textcolor '{COLOURS[arm]}' font 'sans-serif,15' front boxed"
    if lat.max > right:
        return [f"set label {number} {quoted(text + ' →')} at {right},"
                f'{height} right offset -0.6,0 {style}']
    side = ('right offset -0.6,0' if lat.max > right * 0.6 else
            'left offset 0.6,0')
    return [f'set arrow {number} from {lat.max},graph 0 to {lat.max},'
            f"{height} nohead linecolor '{COLOURS[arm]}' "
            f'linewidth 1.3 dashtype {number + 1} front',
            f'set label {number} {quoted(text)} at {lat.max},{height} '
            f'{side} {style}']


def histogram_script(title, machine, what, unit, arms, width=1):
    """The commands of a plot that overlays {arm: Distribution}."""
    hists = {a: binned(lat.hist, width) for a, lat in arms.items()}
    worst = max(lat.max for lat in arms.values())
    most = max([1] + [n for hist in hists.values() for n in hist.values()])
    # A maximum far beyond the histogram would squeeze all that can be seen
    # into a corner: then the axis ends with the histogram.
    end = width + max((x for hist in hists.values() for x in hist), default=0)
    right = max(10, math.ceil(1.06 * (worst if worst <= 2 * end else end)) + 1)
    top = 10 ** math.ceil(math.log10(most * 3))
    per_class = '' if width == 1 else f' per {width} {unit}'
    lines = frame(title, machine, f'{what} ({unit})',
                  'Number of latency samples' if what == 'Latency' else
                  f'Number of samples{per_class}', max(2, len(arms))) + [
        'set logscale y 10',
        f'set xrange [0:{right}]',
        f'set yrange [0.7:{top}]',
        "set format y '%.0s%c'",
        'set mxtics 5',
        'set mytics 10',
    ]
    curves = []
    for i, (a, lat) in enumerate(arms.items()):
        lines += maximum(i + 1, a, lat, right, unit)
        lines.append(f'${a} << EOD')
        lines += [f'{x} {y}' for x, y in steps(hists[a], width)]
        # The curve ends at the right edge, not at its last sample.
        lines += [f'{right} 0.1', 'EOD']
        lines += [f'$max_{a} << EOD', f'{lat.max} 1', 'EOD']
        text = (f'{a}:  {lat.count} samples,  min {lat.min},  '
                f'mean {lat.mean:.2f},  p99 {lat.percentile(990)},  '
                f'max {lat.max} {unit}')
        if lat.overflows:
            text += f',  {lat.overflows} beyond the histogram'
        curves += [
            f'${a} using 1:2 with steps linewidth {LINE_WIDTHS[i]} '
            f"linecolor '{COLOURS[a]}' title {quoted(text)}",
            f"$max_{a} using 1:2 with points pointtype 7 pointsize 0.7 "
            f"linecolor '{COLOURS[a]}' notitle",
        ]
    lines.append('plot ' + ', \\\n     '.join(curves))
    return '\n'.join(lines) + '\n'


def cpus_script(title, machine, unit, points):
    """The commands of a metric against CPUs.

    points: [(label of the machine, {arm: value or None})], smallest first.
    """
    arms = [a for a in COLOURS if any(v.get(a) is not None for _, v in points)]
    lines = frame(title, machine, 'CPUs (topology)', unit,
                  max(2, len(arms))) + [
        f'set xrange [-0.5:{len(points) - 0.5}]',
        'set yrange [0:*]',
        'set offsets 0,0,graph 0.05,0',
        'set xtics (' + ', '.join(f'{quoted(label)} {i}' for i, (label, _)
                                  in enumerate(points)) + ')',
    ]
    curves = []
    for i, a in enumerate(arms):
        lines.append(f'${a} << EOD')
        lines += [f'{x} {values[a]}' for x, (_, values) in enumerate(points)
                  if values.get(a) is not None]
        lines.append('EOD')
        curves.append(f'${a} using 1:2 with linespoints linewidth '
                      f'{LINE_WIDTHS[i]} pointtype {(7, 5, 9)[i]} '
                      f"linecolor '{COLOURS[a]}' title {quoted(a)}")
    lines.append('plot ' + ', \\\n     '.join(curves))
    return '\n'.join(lines) + '\n'


def draw(script, title):
    """The SVG, as bytes, that gnuplot makes of the script."""
    done = subprocess.run(['gnuplot', '--default-settings'],
                          input=script.encode(), capture_output=True,
                          env={**os.environ, 'LC_ALL': 'C'}, check=False)
    if done.returncode or not done.stdout.rstrip().endswith(b'</svg>'):
        last = done.stderr.decode('utf-8', 'replace').split('\n')
        last = [s.strip() for s in last if s.strip()] or ['no message']
        raise BadInput(f'gnuplot failed: {last[-1]}; check that it has the '
                       "svg terminal (Debian package gnuplot-nox)")
    # For screen readers, and no trace of the version that drew it.
    svg = re.sub(rb'<title>Gnuplot</title>\s*<desc>.*?</desc>',
                 f'<title>{html.escape(title)}</title>'.encode(),
                 done.stdout, count=1, flags=re.S)
    return svg
