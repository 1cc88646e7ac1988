# SPDX-License-Identifier: GPL-2.0-only
"""The description of a scenario, scenarios/NAME/scenario.toml."""

import re
import tomllib

from rtmig.common import BadInput, read_text
from rtmig.compare import MARGIN
from rtmig.distribution import STATS

# NAME or NAME[STEP], as in all files of a raw folder.
KEY = re.compile(r'([A-Za-z0-9_][A-Za-z0-9_.+-]*)'
                 r'(?:\[([A-Za-z0-9_=.,:+-]+)\])?')

NUMBER = (int, float)
SCENARIO_KEYS = {'title': str, 'flags': list, 'rounds': int, 'min_cpus': int,
                 'metric': list, 'limits': dict, 'load': str,
                 'writes': bool, 'counters': bool, 'opt_in': list,
                 'kernel': str}
METRIC_KEYS = {'name': str, 'of': str, 'stat': str, 'better': str,
               'gate': bool, 'aim': NUMBER + (dict,), 'margin': NUMBER,
               'allow': NUMBER, 'unit': str, 'doc': str}
CHOICES = {'stat': STATS, 'better': ('lower', 'higher', 'none'),
           'unit': ('ns', 'count', 'insns', 'percent')}
METRIC_DEFAULTS = {'better': 'lower', 'gate': False, 'margin': MARGIN,
                   'unit': 'ns', 'doc': ''}


def split_key(key):
    """(name, step or ''); BadInput if it is no such key."""
    m = KEY.fullmatch(key)
    if not m:
        raise BadInput(f"'{key[:40]}' is neither NAME nor NAME[STEP]")
    return m[1], m[2] or ''


def join_key(name, step):
    """NAME or NAME[STEP]."""
    return f'{name}[{step}]' if step else name


def check_types(table, keys, where):
    """BadInput unless every key of the table is known and of its type."""
    for key, value in table.items():
        if key not in keys:
            raise BadInput(f"{where}: unknown key '{key}'; known are "
                           f'{" ".join(sorted(keys))}')
        known = keys[key]
        known = known if isinstance(known, tuple) else (known,)
        # bool is an int to python, and to nobody else.
        if type(value) not in known:
            raise BadInput(f"{where}: {key} is {value!r}; it has to be "
                           f'{" or ".join(t.__name__ for t in known)}')


def read_metric(table, number):
    """One [[metric]] with its defaults."""
    if not isinstance(table, dict):
        raise BadInput('metric has to be a list of tables, [[metric]]')
    where = f"metric {table.get('name', number)}"
    check_types(table, METRIC_KEYS, where)
    for key, choices in CHOICES.items():
        if key in table and table[key] not in choices:
            raise BadInput(f"{where}: {key} is '{table[key]}'; it has to be "
                           f'one of {" ".join(choices)}')
    if 'name' not in table or not KEY.fullmatch(table['name']) or (
            '[' in table['name']):
        raise BadInput(f'{where}: it needs a name, of letters, digits and _')
    if ('of' in table) != ('stat' in table):
        raise BadInput(f"{where}: 'of', a sample set, and 'stat' belong "
                       'together')
    aim = table.get('aim')
    if isinstance(aim, dict) and not all(type(v) in NUMBER
                                         for v in aim.values()):
        raise BadInput(f'{where}: aim has to be a number for each step')
    metric = {**METRIC_DEFAULTS, **table}
    if metric['gate'] and metric['better'] == 'none':
        raise BadInput(f'{where}: a gate needs to know what is better')
    return metric


def read_scenario(path):
    """The description as a dict, every metric with its defaults."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as e:
        raise BadInput(f'no valid TOML: {e}; correct it') from None
    check_types(table, SCENARIO_KEYS, 'scenario')
    if not table.get('metric'):
        raise BadInput('no [[metric]] in it; a scenario reports one at least')
    metrics = [read_metric(m, n) for n, m in enumerate(table['metric'], 1)]
    names = [m['name'] for m in metrics]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f'metric {name} is described twice')
    limits = table.get('limits', {})
    for name, values in limits.items():
        if not isinstance(values, list) or not all(type(v) in NUMBER
                                                   for v in values):
            raise BadInput(f'limits: {name} has to be a list of numbers')
    return {'title': table.get('title', ''), 'flags': table.get('flags', []),
            'limits': limits, 'load': table.get('load', 'unknown'),
            'metrics': metrics}
