# SPDX-License-Identifier: GPL-2.0-only
"""All results as one HTML page that needs nothing else."""

import html
import re

from rtmig import draw, plot
from rtmig.common import explains
from rtmig.distribution import STATS
from rtmig.result import stem
from rtmig.table import (WHERE, arms_text, figure, gate_line, gate_text,
                         machine_text, p_text, ratio_text, verdict_text,
                         where_unit)

# The colours of a plot, as gnuplot writes them, and the page's for them.
INK = {'#000000': 'ink', '#303030': 'ink', '#505050': 'muted',
       '#b8b8b8': 'grid', '#e4e4e4': 'faint', '#ffffff': 'paper',
       **{c.lower(): arm for arm, c in plot.COLOURS.items()}}
LIGHT = {'paper': '#ffffff', 'ink': '#202428', 'muted': '#5a6068',
         'grid': '#b8b8b8', 'faint': '#e4e4e4', 'head': '#f3f4f6',
         'link': '#0550ae', 'good': '#116329', 'bad': '#b3261e',
         'note': '#7a4d00', **plot.COLOURS}
DARK = {'paper': '#15181c', 'ink': '#e4e7ea', 'muted': '#a3abb3',
        'grid': '#565d64', 'faint': '#2c3136', 'head': '#20252a',
        'link': '#79b8ff', 'good': '#63d47a', 'bad': '#ff8a80',
        'note': '#f0b95a', 'off': '#ff9248', 'on': '#58b4f0',
        'pristine': '#3ddbaa'}

STYLE = """
body { margin: 0 auto; max-width: 1500px; padding: 0 1rem 3rem;
  font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.6rem; margin: 1.5rem 0 .5rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .25rem; padding-top: .75rem;
  border-top: 2px solid var(--grid); overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
p { margin: .4rem 0; max-width: 75ch; }
a { color: var(--link); }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--faint); }
thead th { background: var(--head); font-weight: 600; }
th:first-child, td:first-child, .text { text-align: left; }
tbody th { font-weight: 400; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem;
  margin: .5rem 0; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
pre { background: var(--head); padding: .6rem .8rem; overflow-x: auto;
  font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; font-weight: 600; margin: 1rem 0 .4rem; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.note { color: var(--note); font-weight: 600; }
.quiet { color: var(--muted); }
.plots { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 600px), 1fr)); }
.plots svg { display: block; box-sizing: border-box; width: 100%;
  min-width: 580px; height: auto; border: 1px solid var(--faint); }
@media (max-width: 600px) {
  body { padding: 0 .6rem 2rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; }
  table { font-size: .75rem; }
  th, td { padding: .2rem .25rem; }
  th:first-child { white-space: normal; min-width: 6.5rem; }
  .plots svg { min-width: 720px; }
  .text { white-space: normal; }
}
"""


def esc(text):
    """The text as HTML."""
    return html.escape(str(text))


def esc_name(name):
    """A metric's name that may be broken where a reader would."""
    return re.sub(r'(_|(?=\[))', r'\1<wbr/>', esc(name))


def style():
    """The style sheet; a plot's colours follow the page's."""
    def variables(colours):
        return ' '.join(f'--{k}: {v};' for k, v in colours.items())

    rules = [f':root {{ color-scheme: light dark; {variables(LIGHT)} }}',
             '@media (prefers-color-scheme: dark) '
             f'{{ :root {{ {variables(DARK)} }} }}', STYLE.strip()]
    for colour, name in INK.items():
        rules += [f'svg [{p}="{colour}"] {{ {p}: var(--{name}); }}'
                  for p in ('stroke', 'fill', 'color', 'flood-color')]
    return '\n'.join(rules)


# --- plots ----------------------------------------------------------------

def hex_colour(match):
    """An attribute with its colour as #rrggbb."""
    name, value = match[1], match[3].lower()
    numbers = re.findall(r'[0-9]+', value)
    if value.startswith('rgb'):
        value = '#' + ''.join(f'{int(n):02x}' for n in numbers)
    value = {'black': '#000000'}.get(value, value)
    return f'{name}="{value}"'


def inline(script, title, number):
    """A plot for the page: colours by its style, names of its own."""
    svg = plot.draw(script, title).decode()
    svg = svg[svg.index('<svg'):]
    svg = re.sub(r'(stroke|fill|color|flood-color)=(["\'])'
                 r'(rgb\([^)]*\)|black|#[0-9A-Fa-f]{6})\2', hex_colour, svg)
    # gnuplot names things alike in every plot; a page may have a name once.
    svg = re.sub(r'(\bid=["\']|href=["\']#|url\(#)', rf'\g<1>p{number}-', svg)
    svg = re.sub(r'<g [^>]*>\s*</g>', '', svg)
    svg = re.sub(r'\s*\n\s*', '\n', svg)
    return svg.replace('<svg', '<svg role="img"', 1)


class Plots:
    """The plots of a page, each with a number."""

    def __init__(self):
        self.number = 0

    def draw(self, scripts, scenario, title, opened):
        """{what: script} as a foldable grid; '' if there are none."""
        figures = []
        for what, script in scripts.items():
            self.number += 1
            svg = inline(script, f'rtmig {scenario}: {what}', self.number)
            figures.append(f'<div class="wide">{svg}</div>')
        if not figures:
            return ''
        state = ' open="open"' if opened else ''
        return (f'<details{state}><summary>{esc(title)} ({len(figures)})'
                '</summary><div class="plots">\n' + '\n'.join(figures) +
                '\n</div></details>')


# --- tables ---------------------------------------------------------------

def cell(tag, at, content, text):
    """A cell of a table; text: which columns, besides the first, are words."""
    scope = {'th': ' scope="col"', 'td': ''}[tag]
    if tag == 'td' and at == 0:
        tag, scope = 'th', ' scope="row"'
    kind = ' class="text"' if at in text else ''
    return f'<{tag}{scope}{kind}>{content}</{tag}>'


def grid(head, rows, text=()):
    """A table that scrolls by itself where the page is narrow."""
    def line(tag, row):
        return ('<tr>' + ''.join(cell(tag, at, content, text)
                                 for at, content in enumerate(row)) + '</tr>')

    return (f'<div class="wide"><table><thead>{line("th", head)}</thead>\n'
            '<tbody>\n' + '\n'.join(line('td', row) for row in rows) +
            '\n</tbody></table></div>')


def marked(word):
    """A verdict or gate in its colour."""
    kind = {'better': 'good', 'pass': 'good', 'equivalent': 'good',
            'identical': 'good', 'worse': 'bad', 'FAIL': 'bad',
            'different': 'note'}.get(
                word, 'quiet')
    return f'<span class="{kind}">{esc(word)}</span>' if word else ''


def metrics_table(result):
    """Off against on."""
    rows = []
    for name, row in result['metrics'].items():
        title = f' title="{esc(row["doc"])}"' if row.get('doc') else ''
        rows.append((f'<span{title}>{esc_name(name)}</span>',
                     figure(row['off']), figure(row['on']),
                     ratio_text(row['ratio']),
                     marked(verdict_text(row)), p_text(row['p']),
                     marked(gate_text(result, name)), esc(row['unit'])))
    return grid(('metric', 'off', 'on', 'ratio', 'verdict', 'p', 'gate',
                 'unit'), rows, text=(4, 6, 7))


def pristine_table(result):
    """The pristine kernel and the features switched off."""
    rows = []
    other = 'off' if 'off' in result['arms'] else 'on'
    for name, row in result['metrics'].items():
        equal = row.get('equivalence')
        if not equal:
            continue
        if equal['low'] is None:
            interval = '-'
        else:
            interval = f"{equal['low']:g} .. {equal['high']:g}"
        bound = (f"ratio within {equal['margin'] * 100:g} %"
                 if 'margin' in equal else
                 f"at most {equal['allow']:+g}")
        rows.append((esc_name(name), figure(row['pristine']),
                     figure(row[other]), ratio_text(row['pristine_ratio']),
                     interval, esc(bound), marked(equal['verdict'])))
    if not rows:
        return ''
    return (f'<h3>{other} against the pristine kernel</h3>' + grid(
        ('metric', 'pristine', other, 'ratio', '95 % interval', 'allowed',
         'verdict'), rows, text=(5, 6)))


def distributions_table(result):
    """The statistics of every sample set."""
    rows = []
    exceed = any('exceedances' in d for sets in
                 result['distributions'].values() for d in sets.values())
    for key, sets in result['distributions'].items():
        for arm, d in sets.items():
            row = [esc_name(key), arm, *(figure(d[s]) for s in STATS)]
            if exceed:
                row.append(', '.join(f'{n} above {x}' for x, n in
                                     d.get('exceedances', {}).items()))
            rows.append(row)
    if not rows:
        return ''
    heads = ['samples', 'arm', *STATS] + (['exceedances'] if exceed else [])
    return (f'<h3>Distributions, {draw.sample_unit(result)}</h3>' +
            grid(heads, rows, text=(1, len(STATS) + 2)))


def counters_table(result):
    """The counters that explain something."""
    arms = result['arms']
    rows = [(esc_name(k), *(str(row[a]) for a in arms))
            for k, row in result['counters'].items()
            if explains(k, [tuple(row.values())])]
    if not rows:
        return ''
    return '<h3>Counters, sums of all rounds</h3>' + grid(('', *arms), rows)


def where_table(result):
    """The longest stretches, and the functions that they went to."""
    rows = [(esc(title), arm, str(best['insns']),
             esc(f"{best['from']} .. {best['to']}"), esc(best['step']),
             esc(' '.join(best['functions'])))
            for kind, title in WHERE.items()
            for arm, best in result.get('where', {}).get(kind, {}).items()]
    if not rows:
        return ''
    return (f'<h3>Where the time went, in {esc(where_unit(result))}</h3>' +
            grid(('', 'arm', 'length', 'disabled .. enabled, or running .. '
                  'requested by', 'step', 'spent in'), rows,
                 text=(1, 3, 4, 5)))


# --- the page -------------------------------------------------------------

def gates_word(result):
    """'pass', 'FAIL', or '' without gates."""
    if not result['gates']:
        return ''
    return 'pass' if all(g['pass'] for g in result['gates']) else 'FAIL'


def overview(results):
    """One line for each result."""
    rows = []
    for r in results:
        verdicts = [row['verdict'] for row in r['metrics'].values()]
        name = esc(stem(r))
        rows.append((f'<a href="#{name}">{name}</a>', str(r['cpus']),
                     esc(r['topology']), esc(r['environment']),
                     ' '.join(r['arms']),
                     f"{r['rounds']}"
                     f"{', partial' if r['partial'] else ''}",
                     str(verdicts.count('better')),
                     str(verdicts.count('worse')), marked(gates_word(r))))
    return grid(('scenario', 'CPUs', 'topology', 'environment', 'arms',
                 'rounds', 'better', 'worse', 'gates'), rows,
                text=(2, 3, 4, 8))


def facts(result):
    """The environment of a result."""
    meta = result['meta']
    pairs = [('machine', machine_text(result)),
             ('rounds', f"{arms_text(result)}; seed {result['seed']}")]
    if result.get('off_is'):
        pairs.append(('off', f"is the {result['off_is']} kernel"))
    pairs += [(k, meta[k]) for k in (
        'kernel', 'uname_v', 'flags', 'cmdline', 'governor', 'isolated',
        'hwlatdetect', 'tracers') if meta.get(k)]
    if meta.get('machine'):
        pairs.insert(1, ('model', meta['machine']))
    return '<dl>' + ''.join(f'<dt>{esc(k)}</dt><dd>{esc(v)}</dd>'
                            for k, v in pairs) + '</dl>'


def section(result, plots, others):
    """Everything about one result."""
    name = stem(result)
    parts = [f'<h2 id="{esc(name)}">{esc(name)}</h2>']
    if result['title']:
        parts.append(f"<p>{esc(result['title'])}</p>")
    if result['environment'] == 'virtual':
        parts.append(f"<p class=\"note\">Virtual: {esc(result['unit'])}. Read "
                     'the ratios; no figure is a time of real hardware.</p>')
    parts.append(facts(result))
    if result['partial']:
        parts.append(f'<p class="bad">{esc(arms_text(result))}</p>')
    parts += [f'<p class="note">Warning: {esc(w)}</p>'
              for w in result['warnings']]
    parts.append(metrics_table(result))
    parts += [f'<p class="bad">gate missed: {esc(gate_line(g))}</p>'
              for g in result['gates'] if not g['pass']]
    parts += [pristine_table(result), counters_table(result),
              where_table(result),
              distributions_table(result),
              plots.draw(draw.histograms(result), name, 'Histograms', True),
              plots.draw(others, name, 'Against CPUs', False)]
    if result['commands']:
        parts.append('<h3>Commands</h3><pre>' +
                     esc('\n'.join(result['commands'])) + '</pre>')
    return '\n'.join(p for p in parts if p)


def page(base, results):
    """The page."""
    plots = Plots()
    sections = []
    seen = set()
    for result in results:
        # A plot over machines once, with the first of them.
        group = draw.comparable(result, results)
        key = (result['scenario'], result['environment'])
        scripts = {} if key in seen else draw.against_cpus(group)
        seen.add(key)
        sections.append(section(result, plots, scripts))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>rtmig: results, base {esc(base)}</title>
<style>
{style()}
</style>
</head>
<body>
<h1>rtmig: results, base {esc(base)}</h1>
<p>Arms: <b>off</b>, the features of the series switched off; <b>on</b>, with
their defaults; <b>pristine</b>, a kernel without the series.
<b>not distinguishable</b> does not say that two arms are equal, only that
these rounds do not tell them apart.  How verdicts come about:
docs/statistics.md.</p>
{overview(results)}
{chr(10).join(sections)}
</body>
</html>
"""


def from_run(run):
    """The main job's run.json in the form of the laboratory's results."""
    def scaled(x):
        return x * 1000 if x is not None else None

    arms = ['off', 'on']
    virtual = run['environment'] == 'virtual'
    metrics = {}
    for name, row in run['metrics'].items():
        unit = {'us': 'virtual us' if virtual else 'us',
                'ns': 'guest ns' if virtual else 'ns'}.get(row['unit'],
                                                           row['unit'])
        metrics[name] = {**{k: row[k] for k in ('off', 'on', 'ratio',
                                                'verdict')},
                         'p': None, 'unit': unit, 'better': 'lower'}
        if not row.get('judged', True):
            metrics[name]['why'] = 'not judged'
    distributions = {}
    for key, by_arm in run['latency_us'].items():
        distributions[key] = {
            a: {'count': d['samples'], 'overflow': d['overflows'],
                **{s: scaled(d[s]) for s in ('min', 'mean', 'p50', 'p99',
                                             'max')},
                'p999': scaled(d['p99.9']),
                'hist': [[scaled(int(us)), n] for us, n in
                         run['latency_us_histogram'][key][a].items()]}
            for a, d in by_arm.items()}
    return {**run, 'title': 'The main job. Its verdicts need every phase of '
            'one arm beyond every phase of the other (scripts/report --help); '
            'it computes no p.',
            'seed': '-', 'arms': arms, 'partial': False, 'metrics': metrics,
            'unit': 'guest ns (1 ns = 1 instruction)' if virtual else 'ns',
            'gates': [{'metric': a['aim'], 'rule': 'run', 'value': a['value'],
                       'pass': a['met']} for a in run['aims']],
            'distributions': distributions, 'warnings': [],
            'meta': run, 'commands': [f"make run BASE={run['base']}"]}
