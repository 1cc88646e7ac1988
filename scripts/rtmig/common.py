# SPDX-License-Identifier: GPL-2.0-only
"""Reading whole files, writing whole files, one line for what is wrong."""

import argparse
import math
import os
import re
import sys


class BadInput(Exception):
    """One file is not what it has to be; the text says what to do."""


# --- reading --------------------------------------------------------------

def read_text(path):
    """The text of a file that has to be there and has to be text."""
    try:
        with open(path, 'rb') as f:
            data = f.read()
    except FileNotFoundError:
        raise BadInput('not found; the guest did not get that far, look at '
                       'its console and run it again') from None
    except OSError as e:
        raise BadInput(f'cannot be read ({e.strerror}); check its type and '
                       'permissions') from None
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        raise BadInput('not text; the file is damaged, run the guest '
                       'again') from None


def read_whole(path):
    """Like read_text(), for files that end in a newline if they are whole."""
    text = read_text(path)
    if not text.strip():
        raise BadInput('empty; the guest ended while it was written, run it '
                       'again')
    if not text.endswith('\n'):
        raise BadInput('cut short, its last line has no end; run the guest '
                       'again')
    return text


def is_number(x):
    """Whether x, from JSON, is a finite number and not negative."""
    return type(x) in (int, float) and math.isfinite(x) and x >= 0


def is_count(x):
    """Whether x, from JSON, is a whole number and not negative."""
    return type(x) is int and x >= 0


# --- figures and lines ----------------------------------------------------

def rounded(x):
    """x with every figure in it at four decimals, whole ones as integers."""
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    if isinstance(x, list):
        return [rounded(v) for v in x]
    if isinstance(x, float):
        x = round(x, 4)
        return int(x) if x == int(x) else x
    return x


def count(n):
    """A number of events in at most nine characters."""
    return str(n) if n < 10 ** 8 else f'{n / 10 ** 6:.0f}M'


def cut(text, width=80):
    """The text in one line of the terminal."""
    return text if len(text) <= width else text[:width - 3] + '...'


def has_rt(meta):
    """Whether the kernel measured calls itself PREEMPT_RT."""
    return 'PREEMPT_RT' in meta['uname_v']


# --- counters -------------------------------------------------------------

# These counters are shown whenever they are not zero, others when the arms
# differ by a tenth and by ten events; sums of times never.
ROUTING_KEY = re.compile(r'rout|push|pull|^rto_|lost|unknown')
SUM_KEY = re.compile(r'_sum_ns$')
# No counter but a maximum since the last reset: no difference makes sense.
GAUGE_KEY = re.compile(r'_max(_ns)?$')


def explains(key, rows):
    """Whether a counter is worth a line; rows: its sums per arm, in groups."""
    if SUM_KEY.search(key):
        return False
    return any(max(row) - min(row) >= 10 and
               (max(row) - min(row)) * 10 > max(row) or
               ROUTING_KEY.search(key) and any(row) for row in rows)


# --- writing --------------------------------------------------------------

def write(path, data):
    """All of the file or nothing of it."""
    part = f'{path}.part'
    with open(part, 'wb') as f:
        f.write(data)
    os.replace(part, path)


def show(lines, paint):
    """Print the lines, through paint() on a terminal that has colours."""
    colour = (sys.stdout.isatty() and 'NO_COLOR' not in os.environ and
              os.environ.get('TERM') != 'dumb')
    try:
        for line in lines:
            print(paint(line) if colour else line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def complain(problems):
    """Print a line for each of the first problems; the exit status."""
    for text in problems[:20]:
        print(f'rtmig: {text}', file=sys.stderr)
    if len(problems) > 20:
        print(f'rtmig: and {len(problems) - 20} more of this kind',
              file=sys.stderr)
    return 1


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line and status 2."""

    def error(self, message):
        self.exit(2, f'rtmig: {self.prog}: {message}; '
                  f'see {self.prog} --help\n')
