# SPDX-License-Identifier: GPL-2.0-only
"""A result as a table of 80 columns that a person reads in ten seconds."""

import re
import textwrap

from rtmig.common import count, cut, explains, has_rt
from rtmig.scenario import split_key

SAME = 'not distinguishable'


def figure(x):
    """A figure in at most eight characters."""
    if x is None:
        return '-'
    if abs(x) >= 10 ** 8:
        return f'{x / 10 ** 6:.0f}M'
    if x == int(x):
        return f'{x:.0f}'
    return f'{x:.0f}' if abs(x) >= 1000 else f'{x:.2f}'


def ratio_text(x):
    """A ratio in at most six characters."""
    if x is None:
        return '-'
    return f'{x:.2f}' if x < 100 else f'{x:.0f}'


def p_text(p):
    """A p value in five characters."""
    if p is None:
        return '-'
    return f'{p:.3f}' if p >= 0.0005 else '<.001'


def verdict_text(row):
    """The verdict in words: 'same' never claims that arms are equal."""
    if row['verdict'] != 'same':
        return row['verdict']
    return row.get('why', SAME)


def gate_text(result, name):
    """'pass', 'FAIL', or '' where the metric has no gate."""
    gates = [g for g in result['gates'] if g['metric'] == name]
    if not gates:
        return ''
    return 'pass' if all(g['pass'] for g in gates) else 'FAIL'


def gate_line(gate):
    """What a gate wants and what it has, in words."""
    name = gate['metric']
    if gate['rule'] == 'run':
        return f"{name}; it is {gate['value']}"
    if gate['rule'] == 'measured':
        return f'{name} was not measured'
    if gate['rule'] == 'not worse':
        return f"{name} is {gate['value']}" if not gate['pass'] else (
            f'{name} is not worse')
    value = '-' if gate['value'] is None else f"{gate['value']:g}"
    if gate['rule'] == 'aim':
        return f"{name}: ratio {value}, aim {gate['aim']:g}"
    return (f"{name}: up to {value} above pristine, allowed "
            f"{gate['aim']:g}")


def arms_text(result):
    """How many rounds each arm has, in words."""
    asked = result['rounds']
    if not result['partial']:
        return f"{asked} rounds per arm: {' '.join(result['arms'])}"
    done = ', '.join(f'{arm} {n}' for arm, n in result['complete'].items())
    return f'PARTIAL: of {asked} rounds per arm there are {done}'


def machine_text(result):
    """The machine in words; a virtual one names its unit."""
    text = (f"{result['cpus']} CPUs, topology {result['topology']}, "
            f"{result['environment']}")
    if result['environment'] == 'virtual':
        text += f": {result['unit']}"
    return text


def head(result):
    """The lines above the table."""
    meta = result['meta']
    rt = 'PREEMPT_RT' if has_rt(meta) else 'NOT a PREEMPT_RT kernel'
    title = f": {result['title']}" if result['title'] else ''
    lines = [f"rtmig {result['scenario']}{title}", '',
             f"kernel   {meta['kernel']} (base {result['base']}), {rt}",
             f'machine  {machine_text(result)}',
             f'rounds   {arms_text(result)}; seed {result["seed"]}']
    if meta.get('flags'):
        lines += textwrap.wrap(meta['flags'], 80, initial_indent='flags    ',
                               subsequent_indent=' ' * 9)
    if result.get('off_is'):
        lines.append(f"off      is the {result['off_is']} kernel")
    for text in result['warnings']:
        lines += textwrap.wrap(text, 80, initial_indent='WARNING  ',
                               subsequent_indent=' ' * 9)
    if result['environment'] == 'virtual':
        lines.append('virtual: read the ratios; no figure is a time of real '
                     'hardware')
    return lines


def by_step(metrics):
    """{step: [(name without it, whole name)]}: those without a step first."""
    result = {'': []}
    for name in metrics:
        short, step = split_key(name)
        result.setdefault(step, []).append((short, name))
    return result


def named(short, width):
    """(lines for a name that is too long, what the row begins with)."""
    if len(short) < width:
        return [], f'  {short:{width}}'
    return [f'  {short}'], f"  {'':{width}}"


def comparison(result):
    """The table of off and on."""
    lines = [f"{'':24}{'off':>9}{'on':>9}{'ratio':>7}{'p':>6}  verdict"]
    for step, names in by_step(result['metrics']).items():
        if step:
            lines.append(f'[{step}]')
        for short, name in names:
            row = result['metrics'][name]
            more, start = named(short, 22)
            lines += more
            lines.append(
                f"{start}{figure(row['off']):>9}{figure(row['on']):>9}"
                f"{ratio_text(row['ratio']):>7}{p_text(row['p']):>6} "
                f'{verdict_text(row):19} {gate_text(result, name)}')
    return lines


def pristine(result):
    """The table of the pristine kernel and the features switched off."""
    rows = {k: v for k, v in result['metrics'].items() if 'equivalence' in v}
    if not rows:
        return []
    other = 'off' if 'off' in result['arms'] else 'on'
    lines = ['', f'{other} against the pristine kernel',
             f"{'':24}{'pristine':>9}{other:>9}{'95 % interval':>17}"
             f"{'margin':>8}  verdict"]
    for name, row in rows.items():
        equal = row['equivalence']
        more, start = named(name, 22)
        lines += more
        if equal['low'] is None:
            interval = '-'
        else:
            kind = '.3f' if 'margin' in equal else '+.4g'
            interval = f"{equal['low']:{kind}}..{equal['high']:{kind}}"
        bound = (f"{equal['margin'] * 100:g} %" if 'margin' in equal else
                 f"<= {equal['allow']:+g}")
        lines.append(f"{start}{figure(row['pristine']):>9}"
                     f"{figure(row[other]):>9}{interval:>17}{bound:>8}  "
                     f"{equal['verdict']}")
    return lines


def counters(result):
    """The counters that explain something."""
    shown = {k: row for k, row in result['counters'].items()
             if explains(k, [tuple(row.values())])}
    if not shown:
        return []
    arms = result['arms']
    lines = ['', f"{'counters, sums of all rounds':38}" +
             ''.join(f'{a:>10}' for a in arms)]
    for key, row in shown.items():
        more, start = named(key, 36)
        lines += more
        lines.append(start + ''.join(f'{count(row[a]):>10}' for a in arms))
    return lines


WHERE = {'irqsoff': 'longest with interrupts off',
         'preemptirqsoff': 'longest with interrupts or preemption off',
         'resched': 'longest from need_resched to the switch',
         'wakeup_rt': 'longest from an RT wake-up to the switch'}


def where_unit(result):
    """What the stretches are counted in."""
    if result['environment'] == 'virtual':
        return 'instructions of that CPU'
    return "ns, the tracer's cost included"


def where(result):
    """The longest stretches, and the functions that they went to."""
    lines = []
    for kind, title in WHERE.items():
        row = result.get('where', {}).get(kind)
        if not row:
            continue
        lines += ['', f'{title}, in {where_unit(result)}']
        for arm, best in row.items():
            step = f" [{best['step']}]" if best['step'] else ''
            lines.append(f"  {arm:9}{best['insns']:>9}  {best['from']} .. "
                         f"{best['to']}{step}")
            lines.append(f"{'':22}{' '.join(best['functions'][:3])}")
    return lines


def table(result):
    """All lines, no longer than 80 characters."""
    lines = head(result) + [''] + comparison(result)
    lines += pristine(result) + counters(result) + where(result) + ['']
    failed = [g for g in result['gates'] if not g['pass']]
    if result['missing']:
        lines.append('not measured: ' + ' '.join(result['missing']))
    lines += [f'gate missed: {gate_line(g)}' for g in failed]
    if result['gates'] and not failed:
        lines.append(f"all {len(result['gates'])} gates pass")
    elif not result['gates']:
        lines.append('no gate')
    return [cut(line.rstrip()) for line in lines]


def coloured(line):
    """The line as it is on a terminal."""
    return re.sub(r'(?<= )(better|worse|pass|FAIL)(?= |$)', lambda m: (
        '\033[32m' if m[1] in ('better', 'pass') else '\033[31m') + m[1] +
        '\033[0m', line)


def plot_machine(result):
    """The line below a plot's title."""
    rt = ' PREEMPT_RT' if has_rt(result['meta']) else ''
    text = f"kernel {result['meta']['kernel']}{rt}, {machine_text(result)}"
    if result['environment'] == 'virtual':
        text += '; compare the curves'
    return text


def metric_machine(results):
    """The same for a plot over several machines."""
    text = f"base {results[0]['base']}, {results[0]['environment']}"
    if results[0]['environment'] == 'virtual':
        text += f": {results[0]['unit']}; compare the arms"
    return text


def key_file(key):
    """A sample set's or metric's name as part of a file name."""
    name, step = split_key(key)
    return f'{name}-{step}' if step else name
