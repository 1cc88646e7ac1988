# SPDX-License-Identifier: GPL-2.0-only
"""The result of a scenario: what scripts/analyse writes as JSON."""

import json
import math
import os
import re

from rtmig.common import BadInput, read_text, rounded
from rtmig.compare import equivalence, judge
from rtmig.distribution import Distribution, STATS, merged
from rtmig.scenario import join_key, split_key

FORMAT = 1
# What the main job's run.json calls its format (scripts/report).
RUN_VERSION = 1
# The machine whose results need no topology in their name.
DEFAULT_TOPOLOGY = '2x2x2'
# Without these no result can be shown.
KEYS = ('base', 'environment', 'cpus', 'topology', 'title', 'unit', 'seed',
        'rounds', 'complete', 'arms', 'partial', 'metrics', 'missing', 'gates',
        'distributions', 'counters', 'warnings', 'meta', 'commands')
UNITS = {'guest-ns': 'guest ns (1 ns = 1 instruction)', 'ns': 'ns'}


# --- figures --------------------------------------------------------------

def round_value(rnd, metric, step):
    """The metric of one round; None where its samples are too few."""
    if 'of' not in metric:
        return rnd.values[join_key(metric['name'], step)]
    return rnd.sets[join_key(metric['of'], step)].stat(metric['stat'])


def arm_value(rounds, metric, step):
    """The metric of an arm: of all its samples, or the mean of its values."""
    if not rounds:
        return None
    if 'of' in metric:
        key = join_key(metric['of'], step)
        return merged(r.sets[key] for r in rounds).stat(metric['stat'])
    values = [round_value(r, metric, step) for r in rounds]
    return math.fsum(values) / len(values)


def steps_of(rounds, metric):
    """The steps of a metric in their order; BadInput if a round lacks one."""
    source = metric.get('of', metric['name'])
    kind = 'sets' if 'of' in metric else 'values'
    found = {}
    for rnd in rounds:
        for key in getattr(rnd, kind):
            name, step = split_key(key)
            if name == source:
                found.setdefault(step, set()).add(rnd.name)
    for step, names in found.items():
        for rnd in rounds:
            if rnd.name not in names:
                raise BadInput(f'round {rnd.name} has no '
                               f'{join_key(source, step)}, but others do; '
                               'measure again')
    return list(found)


def ratio(over, under):
    """over / under; None where that is none."""
    return over / under if over is not None and under else None


def aim_of(metric, step):
    """The ratio to reach at this step, or None."""
    aim = metric.get('aim')
    return aim.get(step) if isinstance(aim, dict) else aim


# --- judging --------------------------------------------------------------

def measure(every, scenario):
    """({metric's name: (description, step, {arm: value}, {arm: rounds})},
    the names of metrics that no round has)."""
    result, missing = {}, []
    for metric in scenario['metrics']:
        # What only the tracepoints of the series tell, pristine has not.
        arms = {a: rounds for a, rounds in every.items()
                if a != 'pristine' or len(every) == 1 or
                steps_of(rounds, metric)}
        steps = steps_of([r for rounds in arms.values() for r in rounds],
                         metric)
        if not steps:
            missing.append(metric['name'])
        for step in steps:
            result[join_key(metric['name'], step)] = (
                metric, step,
                {a: arm_value(rounds, metric, step)
                 for a, rounds in arms.items()},
                {a: [round_value(r, metric, step) for r in rounds]
                 for a, rounds in arms.items()})
    return result, missing


def judge_all(measured, reference):
    """{name: verdict, p, maybe why} of on against the reference arm."""
    rows = {}
    for name, (metric, _, values, rounds) in measured.items():
        if metric['better'] != 'none':
            rows[name] = {'off': rounds.get(reference, []),
                          'on': rounds.get('on', []),
                          'better': metric['better'],
                          'figures': (values.get(reference),
                                      values.get('on'))}
    return judge(rows)


def build_metrics(measured, reference, unit):
    """{name: the row of the result}, figures not rounded."""
    verdicts = judge_all(measured, reference)
    result = {}
    for name, (metric, step, values, rounds) in measured.items():
        off, on = values.get(reference), values.get('on')
        row = {'off': off, 'on': on, 'ratio': ratio(on, off),
               **verdicts.get(name, {'verdict': 'same', 'p': None,
                                     'why': 'not judged'}),
               'unit': 'guest ns' if (metric['unit'], unit) ==
                       ('ns', 'guest-ns') else metric['unit'],
               'better': metric['better'], 'gate': metric['gate']}
        if aim_of(metric, step) is not None:
            row['aim'] = aim_of(metric, step)
        if metric['doc']:
            row['doc'] = metric['doc']
        if 'pristine' in values:
            other = 'off' if 'off' in values else 'on'
            row['pristine'] = values['pristine']
            if other in values:
                row['pristine_ratio'] = ratio(values[other],
                                              values['pristine'])
                row['equivalence'] = equivalence(
                    rounds['pristine'], rounds[other], metric['margin'],
                    metric.get('allow'))
        row['rounds'] = rounds
        result[name] = row
    return result


def gates_of(metrics, missing, scenario):
    """[{'metric', 'rule', 'pass', ...}]: what the scenario has to reach."""
    gates = [{'metric': m['name'], 'rule': 'measured', 'pass': False}
             for m in scenario['metrics']
             if m['gate'] and m['name'] in missing]
    for name, row in metrics.items():
        if not row['gate']:
            continue
        if row['off'] is not None and row['on'] is not None:
            gates.append({'metric': name, 'rule': 'not worse',
                          'value': row['verdict'],
                          'pass': row['verdict'] != 'worse'})
            if 'aim' in row:
                gates.append({'metric': name, 'rule': 'aim',
                              'aim': row['aim'], 'value': row['ratio'],
                              'pass': reaches(row)})
        equal = row.get('equivalence')
        if equal and 'allow' in equal:
            gates.append({'metric': name, 'rule': 'allowance',
                          'aim': equal['allow'], 'value': equal['high'],
                          'pass': equal['verdict'] in ('equivalent',
                                                       'identical')})
    return gates


def reaches(row):
    """Whether the aim is reached, and not by chance."""
    if row['ratio'] is None:
        return False
    lower = row['better'] == 'lower'
    met = row['ratio'] <= row['aim'] if lower else row['ratio'] >= row['aim']
    # An aim on the good side of 1 claims a gain.
    claims = row['aim'] < 1 if lower else row['aim'] > 1
    return met and (not claims or row['verdict'] == 'better')


# --- the rest -------------------------------------------------------------

def summary(dist, limits):
    """A distribution for the result."""
    result = {name: dist.stat(name) for name in STATS}
    result['overflow'] = dist.overflows
    if limits:
        result['exceedances'] = {str(x): dist.above(x) for x in limits}
    result['hist'] = [[v, dist.hist[v]] for v in sorted(dist.hist)]
    return result


def sum_sets(arms):
    """{sample set: {arm: Distribution over its rounds}}."""
    keys = list(dict.fromkeys(k for rounds in arms.values() for r in rounds
                              for k in r.sets))
    return {k: {a: merged(r.sets[k] for r in rounds if k in r.sets)
                for a, rounds in arms.items()} for k in keys}


def sum_counters(arms):
    """{counter: {arm: by how much it rose in all rounds}}."""
    keys = sorted({k for rounds in arms.values() for r in rounds
                   for k in r.counters})
    return {k: {a: sum(r.counters.get(k, 0) for r in rounds)
                for a, rounds in arms.items()} for k in keys}


def longest(arms):
    """{kind: {arm: the longest stretch of all rounds and steps}}."""
    found = {}
    for arm, rounds in arms.items():
        for rnd in rounds:
            for key, words in rnd.where.items():
                kind, step = split_key(key)
                best = found.setdefault(kind, {}).setdefault(arm, None)
                if not best or words[0] > best['insns']:
                    found[kind][arm] = {
                        'insns': words[0], 'cpu': words[1], 'from': words[2],
                        'to': words[3], 'functions': words[4].split(','),
                        'step': step, 'round': rnd.name}
    return found


def build_result(raws, scenario):
    """The result of these folders, every figure rounded."""
    arms = {arm: [r for raw in raws for r in raw.rounds if r.arm == arm]
            for arm in ('off', 'on', 'pristine')
            if any(arm in raw.meta['arms'] for raw in raws)}
    reference = 'off' if 'off' in arms else 'pristine'
    # The kernel that is the subject, where there are two.
    main = max(raws, key=lambda raw: ('on' in raw.meta['arms'],
                                      'off' in raw.meta['arms']))
    traced = [t for raw in raws for t in raw.traced]
    measured, missing = measure(arms, scenario)
    metrics = build_metrics(measured, reference, main.meta['unit'])
    result = {
        'format': FORMAT,
        **{k: main.meta[k] for k in ('scenario', 'base', 'environment', 'cpus',
                                     'topology')},
        'title': scenario['title'],
        'unit': UNITS[main.meta['unit']],
        'seed': main.meta['seed'],
        'rounds': main.meta['rounds'],
        'complete': {a: len(rounds) for a, rounds in arms.items()},
        'arms': list(arms),
        'partial': any(raw.partial for raw in raws),
    }
    if reference == 'pristine' and 'pristine' in arms:
        result['off_is'] = 'pristine'
    result.update({
        'metrics': metrics,
        'missing': missing,
        'gates': gates_of(metrics, missing, scenario),
        'distributions': {
            key: {a: summary(d, scenario['limits'].get(split_key(key)[0]))
                  for a, d in row.items()}
            for key, row in sum_sets(arms).items()},
        'counters': sum_counters(arms),
        'where': longest({a: rounds + [t for t in traced if t.arm == a]
                          for a, rounds in arms.items()}),
        'warnings': list(dict.fromkeys(w for raw in raws
                                       for w in raw.warnings)),
        'meta': main.meta,
        'commands': list(dict.fromkeys(c for raw in raws
                                       for c in raw.commands)),
    })
    others = {'-'.join(raw.meta['arms']): raw.meta for raw in raws
              if raw is not main}
    if others:
        result['meta_of_others'] = others
    return rounded(result)


# --- files ----------------------------------------------------------------

def stem(result):
    """The name of the result's file, without .json."""
    name = result['scenario']
    if result['environment'] == 'hardware':
        return f"{name}@hardware-{result['topology']}"
    if result['topology'] != DEFAULT_TOPOLOGY:
        name += f"@{result['topology']}"
    return name


def dumps(x, indent=0):
    """JSON with an object's members in lines of their own, lists in one."""
    if not isinstance(x, dict) or not x:
        return json.dumps(x, ensure_ascii=False)
    inner = ' ' * (indent + 2)
    members = (f'{inner}{json.dumps(k, ensure_ascii=False)}: '
               f'{dumps(v, indent + 2)}' for k, v in x.items())
    return '{\n' + ',\n'.join(members) + '\n' + ' ' * indent + '}'


def read_result(path):
    """A result file; BadInput unless it is one of this format."""
    try:
        result = json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise BadInput(f'{path}: no valid JSON; remove it or measure '
                       'again') from None
    except BadInput as e:
        raise BadInput(f'{path}: {e}') from None
    if not isinstance(result, dict) or 'scenario' not in result:
        raise BadInput(f'{path}: no result of a scenario; remove it')
    key, known = (('version', RUN_VERSION) if 'version' in result else
                  ('format', FORMAT))
    if result.get(key) != known:
        raise BadInput(f'{path}: {key} {result.get(key)}, known is {known}; '
                       'remove it or measure again')
    lacking = [k for k in KEYS if k not in result]
    if 'format' in result and lacking:
        raise BadInput(f'{path}: is not whole, no {lacking[0]} in it; remove '
                       'it or measure again')
    return result


def result_paths(folder):
    """The result files in a folder, in the order of their names."""
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if re.fullmatch(r'[A-Za-z0-9_][A-Za-z0-9_.x+@-]*\.json', name)]


def distribution(row):
    """The Distribution of a summary in a result."""
    one = Distribution()
    one.count, one.sum = row['count'], (row['mean'] or 0) * row['count']
    one.min, one.max = row['min'], row['max']
    one.hist.update(dict(row['hist']))
    return one
