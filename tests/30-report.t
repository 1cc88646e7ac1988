#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/report: known answers on small raw directories made here.

Prints TAP and runs under prove; no guest and no root are needed. Known answers
are worked out by hand, never with the code under test.
"""

import atexit
import importlib.machinery
import importlib.util
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree

sys.dont_write_bytecode = True
REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..',
                      'scripts', 'report')
loader = importlib.machinery.SourceFileLoader('report', REPORT)
spec = importlib.util.spec_from_loader('report', loader)
report = importlib.util.module_from_spec(spec)
loader.exec_module(report)

CYCLIC = ('idle-float', 'idle-pinned', 'load-float', 'load-pinned')
BURSTS = ('burst-k4-equal', 'burst-k7-equal', 'burst-k4-descending',
          'burst-k7-descending')
ABBA = ('p1-off', 'p2-on', 'p3-on', 'p4-off')

META = """\
base 6.12
kernel 6.12.117-rtmig
uname_v #1 SMP PREEMPT_RT 2026-01-01
environment virtual
cpus 2
topology 1x2x1
cmdline console=ttyS0 tsc=reliable nokaslr
series yes
unit guest-ns
"""

# What rt-migrate-test 2.4 prints: 'rt-migrate-test -l 2 3' on two CPUs.
MIGRATE = """\
Iter:      0       1       2  
   0:    20061      36      63  
 len:    40061   20036   20063  
 loops: 1085622  1057788  1066896  

   1:    20068      90      48  
 len:    40068   20090   20048  
 loops: 1063767  1060570  1060227  

Parent pid: 17998
 Task 0 (prio 2) (pid 17999):
   Max: 20068 us
   Min: 20061 us
   Tot: 40129 us
   Avg: 20064 us

 Task 1 (prio 3) (pid 18000):
   Max: 90 us
   Min: 36 us
   Tot: 126 us
   Avg: 63 us

 Task 2 (prio 4) (pid 18001):
   Max: 63 us
   Min: 48 us
   Tot: 111 us
   Avg: 55 us

"""
# Task 2 of iteration 1 waits for a whole run.
MIGRATE_LATE = MIGRATE.replace('      48  \n', '   20048  \n').replace(
    'Max: 63 us\n   Min: 48', 'Max: 20048 us\n   Min: 63')


def thread(hist, cycles=None, top=None, avg=2.0):
    """One thread of a result of cyclictest."""
    return {'histogram': {str(k): v for k, v in hist.items()},
            'cycles': sum(hist.values()) if cycles is None else cycles,
            'min': min(hist), 'max': max(hist) if top is None else top,
            'avg': avg, 'cpu': 0, 'node': 0}


def cyclictest(*threads, **over):
    """The file that cyclictest 2.4 writes, with its keys as they are."""
    data = {'file_version': 1,
            'cmdline:': 'cyclictest -q -m -p 90 -t 2 -h 400 --json=/tmp/x',
            'rt_test_version:': '2.40',
            'start_time': 'Mon, 30 Nov 2026 17:02:40 +0000',
            'end_time': 'Mon, 30 Nov 2026 17:02:40 +0000',
            'return_code': 0,
            'sysinfo': {'sysname': 'Linux', 'realtime': 0},
            'num_threads': len(threads), 'resolution_in_ns': 0,
            'thread': {str(i): t for i, t in enumerate(threads)}}
    data.update(over)
    return json.dumps(data, indent=2) + '\n'


def situation(rounds=10, count=40, mean=1000, pushes=0, irq=500, more=''):
    return (f'rounds {rounds}\nwake_to_run_count {count}\n'
            f'wake_to_run_mean_ns {mean}\nwake_to_run_p99_ns 2000\n'
            f'wake_to_run_max_ns 3000\npushes {pushes}\n'
            f'waker_irq_mean_ns {irq}\n{more}')


def stats(cpu0, cpu1, missing=(), version=1):
    lines = [f'version {version}']
    for n, values in enumerate((cpu0, cpu1)):
        lines += [f'cpu{n} {k} {v}' for k, v in values.items()]
    lines += [f'missing {m}' for m in missing]
    return '\n'.join(lines) + '\n'


BEFORE = stats({'rto_pushed': 5, 'wakeups': 100},
               {'rto_pushed': 7, 'wakeups': 100})


def good():
    """{relative path: text}: a run that meets every aim."""
    files = {'meta': META}
    for phase in ABBA:
        off = phase.endswith('off')
        for w in CYCLIC:
            files[f'{phase}/{w}.json'] = cyclictest(
                thread({1: 2, 3: 2}), thread({1: 2, 3: 2}))
        for b in BURSTS:
            files[f'{phase}/{b}.txt'] = situation(
                mean=1000 if off else 700, pushes=30 if off else 0)
        files[f'{phase}/dl.txt'] = situation(count=10, mean=900,
                                             pushes=10 if off else 0)
        files[f'{phase}/migrate.txt'] = MIGRATE
        for x in CYCLIC + BURSTS + ('dl', 'migrate'):
            files[f'{phase}/{x}.before'] = BEFORE
            files[f'{phase}/{x}.after'] = BEFORE
    return files


TEMP = tempfile.mkdtemp(prefix='rtmig-report-')
atexit.register(shutil.rmtree, TEMP, ignore_errors=True)
SERIAL = iter(range(10 ** 6))


def build(files):
    raw = os.path.join(TEMP, f'raw{next(SERIAL)}')
    for name, text in files.items():
        path = os.path.join(raw, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(text if isinstance(text, bytes) else text.encode())
    return raw


def run(raw, *options, plots=False, env=None):
    """(completed process, output directory)."""
    out = os.path.join(TEMP, f'out{next(SERIAL)}')
    if not plots:
        options += ('--no-plots',)
    done = subprocess.run([sys.executable, REPORT, *options, '-o', out, raw],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **(env or {})})
    return done, out


def result(files, *options):
    done, out = run(build(files), *options)
    equal(done.returncode, 0, done.stderr)
    with open(os.path.join(out, 'run.json'), encoding='utf-8') as f:
        return json.load(f)


def table(files):
    done, _ = run(build(files))
    equal(done.returncode, 0, done.stderr)
    return done.stdout


def equal(got, want, what=''):
    if got != want:
        raise AssertionError(f'{what}: got {got!r}, want {want!r}')


def true(value, what):
    if not value:
        raise AssertionError(what)


# --- statistics -----------------------------------------------------------

def test_percentile_is_the_nearest_rank():
    def p(permille, hist, cycles=None, top=None):
        one = report.Latency()
        one.hist.update(hist)
        one.count = cycles or sum(hist.values())
        one.max = top or max(hist)
        return one.percentile(permille)

    equal(p(990, {1: 99, 9: 1}), 1, 'rank 99 of 100')
    equal(p(990, {1: 98, 9: 2}), 9, 'rank 99 of 100, one further')
    equal(p(990, {1: 99, 9: 2}), 9, 'rank 100 of 101: rounded up')
    equal(p(990, {7: 1}), 7, 'one sample')
    equal(p(500, {1: 1, 2: 1}), 1, 'median of two is the lower')
    equal(p(999, {1: 999, 4: 1}), 1, 'p99.9, rank 999 of 1000')
    equal(p(990, {1: 98}, cycles=100, top=77), 77,
          'beyond the histogram the maximum stands in')


def test_histograms_are_summed_over_threads_and_phases():
    files = good()
    files['p1-off/idle-float.json'] = cyclictest(
        thread({1: 2, 3: 2}), thread({3: 5, 7: 1}))
    files['p4-off/idle-float.json'] = cyclictest(
        thread({0: 1, 1: 1}, cycles=4, top=950), thread({8: 3}))
    got = result(files)
    equal(got['latency_us_histogram']['idle-float'],
          {'off': {'0': 1, '1': 3, '3': 7, '7': 1, '8': 3},
           'on': {'1': 8, '3': 8}})
    summary = got['latency_us']['idle-float']['off']
    equal((summary['samples'], summary['overflows'], summary['min'],
           summary['max']), (17, 2, 0, 950))
    equal(got['latency_us_histogram']['load-pinned']['off'],
          {'1': 8, '3': 8}, 'another workload')


def test_latency_mean_is_weighted_by_samples():
    files = good()
    # (10 x 2.5 + 30 x 4.5 + 60 x 1.25 + 100 x 9) / 200 = 5.675
    files['p1-off/load-float.json'] = cyclictest(
        thread({2: 10}, avg=2.5), thread({4: 30}, avg=4.5))
    files['p4-off/load-float.json'] = cyclictest(
        thread({1: 60}, avg=1.25), thread({9: 100}, avg=9.0))
    row = result(files)['metrics']['latency_mean[load-float]']
    equal((row['off'], row['on'], row['ratio']), (5.675, 2, 0.3524))


def test_p99_and_max_are_of_the_merged_phases():
    files = good()
    # 200 samples; rank 198 is at 5, the overflow is only in max.
    files['p1-off/idle-pinned.json'] = cyclictest(
        thread({1: 99}, cycles=100, top=700), thread({2: 96, 5: 2, 6: 1}))
    files['p4-off/idle-pinned.json'] = cyclictest(thread({1: 1}))
    metrics = result(files)['metrics']
    equal(metrics['latency_p99[idle-pinned]']['off'], 5)
    equal(metrics['latency_max[idle-pinned]']['off'], 700)
    equal(metrics['latency_max[idle-pinned]']['on'], 3)


def test_situations_are_weighted_by_count_and_rounds():
    files = good()
    files['p2-on/burst-k4-equal.txt'] = situation(
        rounds=10, count=40, mean=1000, pushes=3, irq=600)
    files['p3-on/burst-k4-equal.txt'] = situation(
        rounds=30, count=10, mean=2000, pushes=5, irq=1000)
    files['p2-on/dl.txt'] = situation(rounds=4, count=4, pushes=3)
    files['p3-on/dl.txt'] = situation(rounds=12, count=12, pushes=5, mean=100)
    metrics = result(files)['metrics']
    equal(metrics['wake_to_run_mean[burst-k4-equal]']['on'], 1200)
    equal(metrics['pushes_per_burst[burst-k4-equal]']['on'], 0.2)
    equal(metrics['waker_irq_mean[burst-k4-equal]']['on'], 900)
    equal(metrics['pushes[dl]']['on'], 0.5)
    equal(metrics['wake_to_run_mean[dl]']['on'], 325)


def test_counters_are_differences_summed_over_cpus_and_phases():
    files = good()
    files['p1-off/dl.after'] = stats({'rto_pushed': 9, 'wakeups': 100},
                                     {'rto_pushed': 8, 'wakeups': 130},
                                     missing=('rtmig_push_tp',))
    files['p4-off/dl.after'] = stats({'rto_pushed': 15, 'wakeups': 100},
                                     {'rto_pushed': 7, 'wakeups': 100})
    files['p2-on/migrate.after'] = stats({'rto_pushed': 6, 'wakeups': 100},
                                         {'rto_pushed': 7, 'wakeups': 100})
    got = result(files)
    equal(got['counters'], {'rto_pushed': {'off': 15, 'on': 1},
                            'wakeups': {'off': 30, 'on': 0}})
    equal(got['counters_by_window']['dl'],
          {'rto_pushed': {'off': 15, 'on': 0}, 'wakeups': {'off': 30,
                                                          'on': 0}})
    equal(got['counters_by_window']['idle-float'], {})
    equal(got['missing'], ['rtmig_push_tp'])


def test_verdict_rules():
    def v(off_phases, on_phases, resolution=0):
        return report.verdict(sum(off_phases) / len(off_phases),
                              sum(on_phases) / len(on_phases),
                              off_phases, on_phases, resolution)

    equal(v([100, 102], [80, 81]), 'better', 'apart')
    equal(v([80, 81], [100, 102]), 'worse', 'apart, other side')
    equal(v([100, 90], [85, 92]), 'same', 'one on-phase among the off-phases')
    equal(v([100, 90], [85, 90]), 'same', 'touching')
    equal(v([100, 120], [99, 95]), 'same', 'apart by less than off spreads')
    equal(v([100, 101], [80, 99]), 'same', 'apart by less than on spreads')
    equal(v([1000, 1000], [990, 990]), 'same', 'just 1 %')
    equal(v([1000, 1000], [989, 989]), 'better', 'just over 1 %')
    equal(v([1000, 1000], [1011, 1011]), 'worse', 'just over 1 %, worse')
    equal(v([3, 3], [0, 0]), 'better', 'down to nothing')
    equal(v([0, 0], [1, 1]), 'worse', 'off is 0')
    equal(v([0, 0], [0, 0]), 'same', 'both 0')
    equal(v([100], [50]), 'same', 'one phase each is no repetition')
    equal(v([4, 4], [3, 3], resolution=1), 'same', 'one step of the histogram')
    equal(v([5, 5], [3, 3], resolution=1), 'better', 'two steps')


def test_verdicts_reach_the_report():
    files = good()
    for phase in ('p2-on', 'p3-on'):
        files[f'{phase}/idle-float.json'] = cyclictest(
            thread({9: 4}, avg=9.0), thread({9: 4}, avg=9.0))
    metrics = result(files)['metrics']
    equal(metrics['latency_mean[idle-float]']['verdict'], 'worse')
    equal(metrics['latency_p99[idle-float]']['verdict'], 'worse')
    equal(metrics['latency_mean[load-float]']['verdict'], 'same')
    equal(metrics['wake_to_run_mean[burst-k7-descending]']['verdict'],
          'better')
    equal(metrics['wake_to_run_mean[burst-k7-descending]']['ratio'], 0.7)
    equal(metrics['wake_to_run_mean[dl]']['verdict'], 'same')


def test_a_maximum_is_never_judged():
    files = good()
    for phase in ('p1-off', 'p4-off'):
        files[f'{phase}/idle-float.json'] = cyclictest(
            thread({1: 2, 3: 2}, cycles=5, top=5000))
    row = result(files)['metrics']['latency_max[idle-float]']
    equal((row['off'], row['on'], row['verdict'], row['judged']),
          (5000, 3, 'same', False))
    equal(row['phases'], {'off': [5000, 5000], 'on': [3, 3]})
    true(re.search(r'latency_max +5000 +3 +0\.00  -\n', table(files)),
         'the table has no "-" for it')


def test_ratio_is_null_when_off_is_zero_and_still_judged():
    files = good()
    for phase in ABBA:
        files[f'{phase}/burst-k4-equal.txt'] = situation(
            pushes=0 if phase.endswith('off') else 20)
    row = result(files)['metrics']['pushes_per_burst[burst-k4-equal]']
    equal((row['off'], row['on'], row['ratio'], row['verdict']),
          (0, 2, None, 'worse'))


def test_p99_moves_by_more_than_one_bucket_or_is_same():
    for us, want in ((2, 'same'), (1, 'better')):
        files = good()
        for phase in ('p2-on', 'p3-on'):
            files[f'{phase}/idle-float.json'] = cyclictest(thread({us: 9}))
        equal(result(files)['metrics']['latency_p99[idle-float]']['verdict'],
              want, f'off 3, on {us}')


# --- rt-migrate-test ------------------------------------------------------

def test_migrate_passes_though_task_0_waits():
    equal(report.judge_migrate(MIGRATE, 2), [])
    bar = '\r|' + ' ' * 70 + '|\r|' + '-' * 35 + '\n'
    equal(report.judge_migrate(bar + MIGRATE, 2), [], 'progress bar')
    equal(report.judge_migrate(MIGRATE + '\n Passed!\n', 2), [], '-c')


def test_migrate_fails_on_a_late_task():
    why = report.judge_migrate(MIGRATE_LATE, 2)
    equal(len(why), 1)
    true('iteration 1, task 2' in why[0] and '20048 us' in why[0], why[0])
    late = MIGRATE.replace('      90  ', '    1001  ').replace('Max: 90',
                                                              'Max: 1001')
    true('iteration 1, task 1' in report.judge_migrate(late, 2)[0], 'task 1')
    equal(report.judge_migrate(late, 2, tolerance=1001), [], 'tolerance')
    edge = MIGRATE.replace('      90  ', '    1000  ').replace('Max: 90',
                                                              'Max: 1000')
    equal(report.judge_migrate(edge, 2), [], 'exactly the tolerance')


def test_migrate_that_proves_nothing_fails():
    lines = MIGRATE.splitlines(keepends=True)
    for what, text in {
            'empty': '', 'blank': '\n \n',
            'another program': 'sh: rt-migrate-test: not found\n',
            'no summary': ''.join(lines[:9]),
            'summary cut': ''.join(lines[:-6]),
            'last line cut': MIGRATE.rstrip()[:-4],
            'a row cut': MIGRATE.replace('      63  \n', '\n', 1),
            'an iteration lost': ''.join(lines[:5] + lines[9:]),
            'no iterations': ''.join(lines[:1] + lines[9:]),
            'no real-time priority':
                "Warning, can't set priorities\n" + MIGRATE,
            'task that never ran': MIGRATE.replace('1060227', '      0'),
            'equal priorities': MIGRATE.replace('prio 2', 'prio 3'),
            'its own verdict': MIGRATE + '\n Failed!\n',
            'twice': MIGRATE + MIGRATE}.items():
        true(report.judge_migrate(text, 2), f'{what}: passed')
    true('3 tasks on 8 CPUs' in report.judge_migrate(MIGRATE, 8)[0], 'cpus')
    true('3 tasks on 1 CPUs' in report.judge_migrate(MIGRATE, 1)[0], 'cpus')


def test_migrate_failure_is_named_and_covers_all_phases():
    for phase in ABBA:
        files = good()
        files[f'{phase}/migrate.txt'] = MIGRATE_LATE
        got = result(files)
        equal(got['rt_migrate_test'], 'fail', phase)
        true(got['rt_migrate_failures'][0].startswith(
            f'{phase}: iteration 1, task 2'), got['rt_migrate_failures'])
    text = table(files)
    true('rt-migrate-test  fail' in text, 'not in the table')
    true('p4-off: iteration 1, task 2: started after 20048 us' in text, text)
    equal(result(good())['rt_migrate_test'], 'pass')
    equal(result(files, '--tolerance', '20048')['rt_migrate_test'], 'pass')


def test_empty_migrate_output_is_a_fail_and_no_bad_input():
    for text in ('', b'\xff\xfe', MIGRATE[:200]):
        files = good()
        files['p3-on/migrate.txt'] = text
        got = result(files)
        equal(got['rt_migrate_test'], 'fail', text)
        true(got['rt_migrate_failures'][0].startswith('p3-on: '), text)


# --- gate -----------------------------------------------------------------

def test_gate_passes_when_all_aims_are_met():
    done, _ = run(build(good()), '--gate')
    equal((done.returncode, done.stderr), (0, ''))
    true(all(a['met'] for a in result(good())['aims']), 'aims in run.json')


def test_gate_names_each_aim_that_is_not_met():
    cases = [('rt-migrate-test passes', ('p2-on',),
              {'migrate.txt': MIGRATE_LATE})]
    for b in BURSTS:
        cases += [(f'pushes_per_burst[{b}]', ('p3-on',),
                   {f'{b}.txt': situation(mean=700, pushes=1)}),
                  (f'wake_to_run_mean[{b}]', ('p2-on', 'p3-on'),
                   {f'{b}.txt': situation(mean=801)})]
    cases += [('pushes[dl] on', ('p2-on',), {'dl.txt': situation(pushes=1)}),
              ('pushes[dl] off', ('p4-off',), {'dl.txt': situation(pushes=9)})]
    for name, phases, change in cases:
        files = good()
        files.update({f'{p}/{k}': v for p in phases
                      for k, v in change.items()})
        done, out = run(build(files), '--gate')
        equal(done.returncode, 1, name)
        equal(len(done.stderr.splitlines()), 1, done.stderr)
        true(f'aim not met: {name}' in done.stderr, done.stderr)
        equal(sorted(os.listdir(out)), ['run.json', 'run.txt'],
              'the report is written all the same')
        done, _ = run(build(files))
        equal((done.returncode, done.stderr), (0, ''), 'without --gate')
    files = good()
    for p in ('p2-on', 'p3-on'):
        files[f'{p}/burst-k4-equal.txt'] = situation(mean=800)
    equal(run(build(files), '--gate')[0].returncode, 0, 'just 0.80')


# --- bad input ------------------------------------------------------------

def bad(files, where, *texts):
    """The report of files says one line on where, exits 1, writes nothing."""
    done, out = run(files if isinstance(files, str) else build(files))
    equal(done.returncode, 1, where + ': ' + done.stderr)
    equal(done.stdout, '', where)
    equal(len(done.stderr.splitlines()), 1, done.stderr)
    true(done.stderr.startswith('rtmig: '), done.stderr)
    for text in (where,) + texts:
        true(text in done.stderr, f'no {text!r} in {done.stderr}')
    true(not os.path.exists(out), 'something was written')


def test_bad_input_is_one_line_that_names_the_file():
    w, s, c = 'p2-on/idle-float', 'p3-on/burst-k7-equal', 'p4-off/dl'
    whole = good()
    negative = stats({'rto_pushed': 4, 'wakeups': 100},
                     {'rto_pushed': 7, 'wakeups': 100})
    cases = [
        ('meta', None, 'not found'),
        ('meta', '', 'empty'),
        ('meta', META[:-2], 'cut short'),
        ('meta', META.replace('cpus 2\n', ''), "no 'cpus'"),
        ('meta', META.replace('cpus 2', 'cpus two'), 'not a number'),
        ('meta', META.replace('virtual', 'simulated'), 'simulated'),
        ('meta', META.replace('virtual', 'hardware'), 'guest-ns'),
        ('meta', META.replace('series yes', 'series perhaps'), 'perhaps'),
        (f'{w}.json', '', 'empty'),
        (f'{w}.json', whole[f'{w}.json'][:300], 'no valid JSON'),
        (f'{w}.json', '[1]\n', 'not a result of cyclictest'),
        (f'{w}.json', 'null\n', 'not a result of cyclictest'),
        (f'{w}.json', '[' * 100000, 'no valid JSON'),
        (f'{w}.json', '{"cmdline:": "x"}\n', 'not a result of cyclictest'),
        (f'{w}.json', cyclictest(thread({1: 1}), file_version=2),
         'file_version 2'),
        (f'{w}.json', cyclictest(thread({1: 1}), return_code=1), 'failed'),
        (f'{w}.json', cyclictest(thread({1: 1}), resolution_in_ns=1), '-N'),
        (f'{w}.json', cyclictest(thread({1: 1}), num_threads=2),
         '1 of 2 threads'),
        (f'{w}.json', cyclictest(thread({1: 0}, cycles=0)), 'no samples'),
        (f'{w}.json', cyclictest(thread({1: 1}, avg=float('nan'))),
         'no samples'),
        (f'{w}.json', cyclictest({**thread({1: 1}), 'histogram': {}}),
         'no histogram'),
        (f'{w}.json', cyclictest({**thread({1: 1}), 'histogram': {'-1': 1}}),
         'not a result'),
        (f'{w}.json', cyclictest(thread({1: 1.5}, cycles=2)), 'not a result'),
        (f'{w}.json', cyclictest(thread({1: 5}, cycles=4)), 'contradicts'),
        (f'{w}.json', cyclictest(thread({1: 5, 9: 1}, top=8)), 'contradicts'),
        (f'{w}.json', cyclictest(thread({1: 1}), **{
            'cmdline:': 'cyclictest -q -p 10 --json=/x'}), 'other cyclictest'),
        (f'{s}.txt', None, 'not found'),
        (f'{s}.txt', '', 'empty'),
        (f'{s}.txt', situation()[:-3], 'cut short'),
        (f'{s}.txt', 'rounds 10\n', "no 'wake_to_run_count'"),
        (f'{s}.txt', situation(rounds=0), 'rounds is 0'),
        (f'{s}.txt', 'rounds 10\nwake_to_run_count 0\n',
         'wake_to_run_count is 0'),
        (f'{s}.txt', situation(mean='nan'), 'not a number'),
        (f'{s}.txt', situation(pushes=-1), 'not a number'),
        (f'{s}.txt', situation(more='pushes 2\n'), "'pushes' twice"),
        (f'{s}.txt', b'rounds \xff\n', 'not text'),
        ('p1-off/migrate.txt', None, 'not found'),
        (f'{c}.before', None, 'not found'),
        (f'{c}.after', '', 'empty'),
        (f'{c}.after', stats({'a': 1}, {'a': 1}, version=2),
         "starts with 'version 2'"),
        (f'{c}.after', 'cpu0 rto_pushed 1\n', "starts with 'cpu0"),
        (f'{c}.after', BEFORE[:-2], 'cut short'),
        (f'{c}.after', BEFORE[:BEFORE.index('cpu1 wakeups')],
         'all 2 CPUs'),
        (f'{c}.after', BEFORE[:BEFORE.index('cpu1 rto')], 'all 2 CPUs'),
        (f'{c}.after', BEFORE.replace('cpu1 wakeups 100', 'cpu1 wakeups x'),
         'line 5'),
        (f'{c}.after', BEFORE + 'cpu1 wakeups 100\n', 'line 6'),
        (f'{c}.after', stats({'a': 1}, {'a': 1}), 'other counters'),
        (f'{c}.after', negative, 'rto_pushed went back'),
    ]
    for name, text, want in cases:
        files = good()
        if text is None:
            del files[name]
        else:
            files[name] = text
        bad(files, '/' + name + ': ', want)


def per_cpu(files, workload):
    """files, with a cyclictest for each CPU instead of one for all."""
    files = dict(files)
    for phase in ABBA:
        del files[f'{phase}/{workload}.json']
        for n in range(2):
            files[f'{phase}/{workload}.{n}.json'] = cyclictest(
                thread({n + 1: 4}, avg=n + 1.5),
                **{'cmdline:': f'cyclictest -q -a {n} -h 400'})
    return files


def test_a_cyclictest_per_cpu_is_merged():
    files = per_cpu(good(), 'idle-float')
    files['p4-off/idle-float.1.json'] = cyclictest(
        thread({7: 12}, avg=7.5),
        **{'cmdline:': 'cyclictest -q -a 1 -h 400'})
    got = result(files)
    equal(got['latency_us_histogram']['idle-float'],
          {'off': {'1': 8, '2': 4, '7': 12}, 'on': {'1': 8, '2': 8}})
    # (8 x 1.5 + 4 x 2.5 + 12 x 7.5) / 24
    equal(got['metrics']['latency_mean[idle-float]']['off'], 4.6667)
    equal(got['latency_us']['idle-float']['on']['samples'], 16)


def test_a_lost_cyclictest_of_a_cpu_is_bad_input():
    for n in range(2):
        files = per_cpu(good(), 'load-float')
        del files[f'p2-on/load-float.{n}.json']
        bad(files, f'p2-on/load-float.{n}.json', 'not found')
    files = per_cpu(good(), 'load-float')
    files['p2-on/load-float.2.json'] = files['p2-on/load-float.1.json']
    bad(files, '/p2-on: ', 'load-float.2.json')
    files = per_cpu(good(), 'load-float')
    files['p2-on/load-float.json'] = files['p2-on/load-float.1.json']
    bad(files, '/p2-on: ', 'load-float.json')
    files = good()
    del files['p2-on/idle-float.json']
    bad(files, '/p2-on: ', 'no results of idle-float', 'idle-float.1.json')
    files = per_cpu(good(), 'load-float')
    files['p2-on/load-float.1.json'] = files['p2-on/load-float.0.json']
    bad(files, 'p2-on/load-float.1.json', 'other cyclictest options')
    files = per_cpu(good(), 'load-float')
    for n in range(2):
        del files[f'p2-on/load-float.{n}.json']
    files['p2-on/load-float.json'] = cyclictest(thread({1: 1}))
    bad(files, '/p2-on: ', 'other cyclictest files than in p1-off')


def test_a_maximum_in_stats_is_no_counter():
    files = good()
    for name in files:
        if name.endswith(('.before', '.after')):
            files[name] = stats({'latency_max_ns': 900, 'latency_sum_ns': 1},
                                {'latency_max_ns': 800, 'latency_sum_ns': 2})
    files['p1-off/dl.after'] = stats(
        {'latency_max_ns': 0, 'latency_sum_ns': 1000},
        {'latency_max_ns': 800, 'latency_sum_ns': 2})
    equal(result(files)['counters'], {'latency_sum_ns': {'off': 999, 'on': 0}})
    true('latency_sum_ns' not in table(files), 'a sum of times is no event')


def test_bad_phases_are_one_line():
    bad(os.path.join(TEMP, 'nowhere'), 'nowhere', 'no such directory')
    bad({'meta': META}, 'no phases')

    def renamed(**names):
        return {names.get(k.split('/')[0].replace('-', '_'), k.split('/')[0]) +
                k[len(k.split('/')[0]):]: v for k, v in good().items()}

    without = {k: v for k, v in good().items() if not k.startswith('p3-on/')}
    bad(without, 'p3-off or p3-on is missing')
    bad({k: v for k, v in good().items() if not k.startswith('p4-off/')},
        '1 phases off but 2 on')
    bad(renamed(p4_off='p4-on'), '1 phases off but 3 on')
    bad(renamed(p4_off='p4-maybe'), 'p4-maybe')
    bad(renamed(p4_off='p1-on'), 'same number')


def test_every_problem_is_told_at_once():
    files = good()
    del files['p1-off/dl.txt']
    files['p3-on/load-float.json'] = '{'
    done, _ = run(build(files))
    equal(done.returncode, 1)
    equal(['p1-off/dl.txt' in done.stderr,
           'p3-on/load-float.json' in done.stderr,
           len(done.stderr.splitlines())], [True, True, 2])
    done, _ = run(build({'meta': META, 'p1-off/x': '', 'p2-on/x': ''}))
    equal(len(done.stderr.splitlines()), 21, 'two phases with nothing in them')
    true('more of this kind' in done.stderr, done.stderr)
    raw = build(good())
    os.remove(os.path.join(raw, 'p1-off/migrate.txt'))
    os.mkdir(os.path.join(raw, 'p1-off/migrate.txt'))
    bad(raw, 'migrate.txt', 'cannot be read')
    os.rmdir(os.path.join(raw, 'p1-off/migrate.txt'))
    bad(raw, 'migrate.txt', 'not found')


def test_wrong_usage_exits_2():
    for options in ([], ['raw'], ['-o', 'out'], ['-o', 'out', 'raw', 'more'],
                    ['--nonsense', '-o', 'out', 'raw'],
                    ['--tolerance', 'x', '-o', 'out', 'raw'],
                    ['--tolerance', '0', '-o', 'out', 'raw']):
        done = subprocess.run([sys.executable, REPORT, *options],
                              capture_output=True, text=True, check=False)
        equal(done.returncode, 2, options)
        equal(len(done.stderr.splitlines()), 1, done.stderr)
    done = subprocess.run([sys.executable, REPORT, '--help'], text=True,
                          capture_output=True, check=False)
    equal(done.returncode, 0)
    for word in ('verdict', 'nearest rank', 'tolerance', '--gate'):
        true(word in done.stdout, f'--help does not explain {word}')


def test_output_that_cannot_be_written_is_one_line():
    raw = build(good())
    blocker = os.path.join(TEMP, f'file{next(SERIAL)}')
    with open(blocker, 'w', encoding='utf-8'):
        pass
    for out in (blocker, os.path.join(blocker, 'below')):
        done = subprocess.run([sys.executable, REPORT, '--no-plots', '-o', out,
                               raw],
                              capture_output=True, text=True, check=False)
        equal((done.returncode, done.stdout), (1, ''), out)
        equal(len(done.stderr.splitlines()), 1, done.stderr)
        true(blocker in done.stderr, done.stderr)


def test_a_missing_gnuplot_is_told_before_anything_is_written():
    done, out = run(build(good()), plots=True, env={'PATH': '/nonexistent'})
    equal(done.returncode, 1)
    equal(len(done.stderr.splitlines()), 1, done.stderr)
    true('gnuplot-nox' in done.stderr, done.stderr)
    true(not os.path.exists(out), 'something was written')


# --- output ---------------------------------------------------------------

def test_json_has_what_design_asks_for():
    got = result(good())
    equal({k: got[k] for k in ('version', 'scenario', 'base', 'environment',
                               'kernel', 'cpus', 'topology', 'unit', 'rounds',
                               'cmdline', 'missing', 'rt_migrate_test')},
          {'version': 1, 'scenario': 'run', 'base': '6.12',
           'environment': 'virtual', 'kernel': '6.12.117-rtmig', 'cpus': 2,
           'topology': '1x2x1', 'unit': 'guest instructions (virtual ns)',
           'rounds': 2, 'cmdline': 'console=ttyS0 tsc=reliable nokaslr',
           'missing': [], 'rt_migrate_test': 'pass'})
    want = [f'latency_{m}[{w}]' for w in CYCLIC for m in ('mean', 'p99',
                                                          'max')]
    want += [f'{m}[{b}]' for b in BURSTS for m in (
        'wake_to_run_mean', 'pushes_per_burst', 'waker_irq_mean')]
    want += ['wake_to_run_mean[dl]', 'pushes[dl]', 'waker_irq_mean[dl]']
    equal(sorted(got['metrics']), sorted(want))
    for name, row in got['metrics'].items():
        true({'off', 'on', 'ratio', 'verdict', 'unit'} <= set(row), name)


def test_waker_irq_of_dl_is_optional():
    files = good()
    files['p2-on/dl.txt'] = re.sub('waker_irq.*\n', '', files['p2-on/dl.txt'])
    true('waker_irq_mean[dl]' not in result(files)['metrics'], 'still there')


def test_table_fits_and_has_no_colour_in_a_pipe():
    files = good()
    long = 'a_counter_of_a_really_long_name_that_somebody_thought_up_for_push'
    before = stats({long: 0, 'rto_pulled': 0, 'quiet': 0, 'ticks': 1000},
                   {long: 0, 'rto_pulled': 0, 'quiet': 0, 'ticks': 0})
    after = stats({long: 10 ** 12, 'rto_pulled': 1, 'quiet': 5, 'ticks': 1100},
                  {long: 10 ** 12, 'rto_pulled': 0, 'quiet': 4, 'ticks': 0},
                  missing=('sched_' + 'x' * 90 + '_tp', 'rtmig_route_tp'))
    for name in files:
        if name.endswith(('.before', '.after')):
            files[name] = before
    files['p1-off/dl.after'] = after
    files['meta'] = META.replace('6.12.117-rtmig', '6.12.117-' + 'y' * 90)
    files['p1-off/migrate.txt'] = MIGRATE.replace('48', '20048', 1)
    done, out = run(build(files))
    equal(done.returncode, 0, done.stderr)
    for line in done.stdout.splitlines():
        true(len(line) <= 80, f'{len(line)} columns: {line}')
        equal(line, line.rstrip(), 'blanks at the end')
    true('\033' not in done.stdout, 'colour in a pipe')
    with open(os.path.join(out, 'run.txt'), encoding='utf-8') as f:
        equal(f.read(), done.stdout, 'run.txt')
    true(re.search(r'rto_pulled( +[01]){6}\n', done.stdout), done.stdout)
    true(re.search(r'ticks .* 100 ', done.stdout), 'differs notably')
    true('quiet' not in done.stdout, 'a difference of 9 is none to show')
    true('rtmig_route_tp' in done.stdout, 'missing tracepoint')


def test_table_says_virtual_only_when_it_is():
    note = ('virtual: figures are guest instructions; read the ratios, not '
            'the microseconds')
    text = table(good())
    true(note in text, text)
    for word in ('6.12.117-rtmig', 'PREEMPT_RT', '2 CPUs', 'off on on off',
                 'rt-migrate-test  pass'):
        true(word in text, f'no {word!r} in {text}')
    files = good()
    files['meta'] = META.replace('virtual', 'hardware').replace(
        'guest-ns', 'ns').replace('PREEMPT_RT', 'PREEMPT_DYNAMIC').replace(
        'series yes', 'series no')
    text = table(files)
    true('virtual' not in text and 'hardware' in text, text)
    true('NOT a PREEMPT_RT kernel' in text, text)
    true('not in this kernel' in text, text)
    equal(result(files)['unit'], 'ns')


def test_table_is_coloured_on_a_terminal():
    def on_terminal(**env):
        master, slave = pty.openpty()
        keep = {k: v for k, v in os.environ.items() if k != 'NO_COLOR'}
        subprocess.run([sys.executable, REPORT, '--no-plots', '-o',
                        os.path.join(TEMP, f'out{next(SERIAL)}'), raw],
                       stdout=slave, check=True,
                       env={**keep, 'TERM': 'xterm', **env})
        os.close(slave)
        data = b''
        try:
            while chunk := os.read(master, 65536):
                data += chunk
        except OSError:     # EIO: the other side is closed
            pass
        os.close(master)
        return data.decode()

    raw = build(good())
    text = on_terminal()
    true('\033[32mbetter\033[0m' in text, 'better is not green')
    true('\033' not in re.sub(r'\033\[3[12]m(better|worse)\033\[0m', '', text),
         'colour elsewhere')
    true('\033' not in on_terminal(NO_COLOR='1'), 'NO_COLOR')


def test_a_closed_pipe_is_no_traceback():
    done = subprocess.run(
        ['bash', '-c', 'set -o pipefail; "$@" | head -n 1 >/dev/null', '-',
         sys.executable, REPORT, '--no-plots', '-o',
         os.path.join(TEMP, f'out{next(SERIAL)}'), build(good())],
        capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr), (0, ''))


def test_plots_are_well_formed_and_say_what_they_show():
    files = good()
    files['meta'] = META.replace('6.12.117-rtmig', "6.12<&'>\"$(id)`id`_{x}")
    files['p1-off/load-float.json'] = cyclictest(
        thread({1: 2, 3: 2}, cycles=5, top=4321))
    done, out = run(build(files), plots=True)
    equal((done.returncode, done.stderr), (0, ''))
    for w in CYCLIC:
        with open(os.path.join(out, f'{w}.svg'), encoding='utf-8') as f:
            svg = f.read()
        text = ' '.join(xml.etree.ElementTree.fromstring(svg).itertext())
        text = re.sub(r'[\s\u00a0]+', ' ', text)
        for word in ('2 CPUs (1x2x1), virtual', 'PREEMPT_RT',
                     "6.12<&'>\"$(id)`id`_{x}", 'Number of latency samples',
                     'on: max 3 virtual µs',
                     'off: max 4321 virtual µs →' if w == 'load-float' else
                     'off: max 3 virtual µs'):
            true(word in text, f'{w}.svg: no {word!r} in {text[:2000]}')
        for colour in ('rgb(213,  94,   0)', 'rgb(  0, 114, 178)'):
            true(colour in svg, f'{w}.svg: no curve in {colour}')


def test_step_curve_falls_where_the_samples_end():
    one = report.Latency()
    one.hist.update({2: 5, 3: 5, 4: 7, 9: 1})
    equal(list(report.plot.steps(one.hist)),
          [(0, 0.1), (2, 5), (4, 7), (5, 0.1), (9, 1), (10, 0.1)])


def test_same_input_twice_gives_the_same_bytes():
    files = good()
    many = {f'counter_{n}': n for n in range(20)}
    for name in files:
        if name.endswith(('.before', '.after')):
            files[name] = stats(many, many, missing=('one_tp', 'two_tp', 'x'))
    done = [run(build(files), plots=bool(shutil.which('gnuplot')),
                env={'PYTHONHASHSEED': seed, 'TZ': zone})
            for seed, zone in (('1', 'UTC'), ('2', 'Asia/Tokyo'))]
    equal(done[0][0].stdout, done[1][0].stdout)
    names = [sorted(os.listdir(out)) for _, out in done]
    equal(names[0], names[1])
    for name in names[0]:
        data = []
        for _, out in done:
            with open(os.path.join(out, name), 'rb') as f:
                data.append(f.read())
        equal(data[0], data[1], name)


def main():
    tests = [(name[5:].replace('_', ' '), f) for name, f in globals().items()
             if name.startswith('test_')]
    print(f'1..{len(tests)}')
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        if name.startswith('plots') and not shutil.which('gnuplot'):
            print(f'ok {number} - {name} # SKIP gnuplot is not installed')
            continue
        try:
            test()
            print(f'ok {number} - {name}', flush=True)
        except Exception:   # a broken test is a failed test
            failed += 1
            print(f'not ok {number} - {name}')
            for line in traceback.format_exc().splitlines()[-6:]:
                print(f'# {line[:400]}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
