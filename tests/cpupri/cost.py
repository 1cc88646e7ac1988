#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cost.py: the table of docs/cpupri.md: what a change and a search cost, by the
pristine vectors, the tree's bitmap and two alternatives that are not shipped

usage: cost.py [-t MS] [-r ROUNDS] FOLDER

Prints Markdown; the programs and what they said stay in the folder.  -t 0 leaves out
the two threads, whose figures depend on the machine and on what else it does.
environment: BASE, BUILD, as for make
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMMON = ["gcc", "-std=gnu11", "-pthread", "-Wall", "-Wno-unused-function",
          "-Wno-maybe-uninitialized", f"-I{HERE}/shim", f"-I{HERE}"]
KINDS = ("vectors", "bitmap", "bytes", "planes")
SIZES = (8, 64, 255, 1024, 4096)

# a row: its name, and the metric
INSNS = (
    ("search, an allowed CPU at NORMAL in the own cache", "find_normal", ""),
    ("search, all at level 1", "find_fresh", ",level=1"),
    ("search, all at level 10, nothing ever below", "find_fresh", ",level=10"),
    ("search, all at level 97, nothing ever below", "find_fresh", ",level=97"),
    ("search, all at 97, every level below was used: the first", "find_used_first", ",level=97"),
    ("search, all at 97, every level below was used: later ones", "find_used_later", ",level=97"),
    ("search, all at 97, and others of the cache, not allowed, below", "find_foreign", ",level=97"),
    ("search, nobody is lower", "find_none", ""),
    ("change, NORMAL to 50", "set_up", ""),
    ("change, 50 to NORMAL", "set_down", ""),
    ("change, to a level never used", "set_new", ""),
)
LINES = (
    ("writes a change, to lines that other caches write", "global_writes_per_set", ""),
    ("writes a change, to lines that CPUs of the cache write", "cache_writes_per_set", ""),
    ("lines read by a search, NORMAL in the own cache", "lines_find_normal", ""),
    ("lines read by a search, all at level 97", "lines_find_97", ""),
)


def run(*command, **more):
    """its output; what fails ends it all"""
    return subprocess.run([str(c) for c in command], check=True, text=True,
                          stdout=subprocess.PIPE, **more).stdout


def sources(linux, where):
    """the folder of each kind's cpupri.c and cpupri.h"""
    folders = {"bytes": HERE / "bytes", "planes": HERE / "planes"}
    for kind, take in (("vectors", "base:kernel/sched/"), ("bitmap", "")):
        folder = folders[kind] = where / kind
        folder.mkdir(exist_ok=True)
        for name in ("cpupri.c", "cpupri.h"):
            text = (run("git", "-C", linux, "show", take + name) if take else
                    (linux / "kernel/sched" / name).read_text(encoding="utf-8"))
            (folder / name).write_text(text, encoding="utf-8")
    return folders


def build(kind, folder, where):
    """the program, and the one that counts lines"""
    header = (folder / "cpupri.h").read_text(encoding="utf-8")
    flags = [f"-I{folder}"]
    if re.search(r"^struct cpupri_cpus\b", header, re.M):
        flags.append("-DCPUPRI_WORD")
    program, lines = where / f"cost.{kind}", where / f"lines.{kind}"
    run(*COMMON, *flags, "-O2", "-fcf-protection=none", "-fno-stack-protector",
        HERE / "cost.c", "-o", program)
    run(*COMMON, *flags, "-O1", "-DCOST_LINES", "-fsanitize=thread", "-Wno-tsan",
        "-c", HERE / "cost.c", "-o", f"{lines}.o")
    run("gcc", "-O2", "-Wno-builtin-declaration-mismatch", "-c",
        HERE / "cost_lines.c", "-o", f"{lines}.stubs.o")
    run("gcc", "-pthread", f"{lines}.o", f"{lines}.stubs.o", "-o", lines)
    return program, lines


def values(text):
    """metric: value"""
    return {k: v for k, v in (line.split() for line in text.splitlines())}


def table(title, rows, found):
    """all kinds below each other, a column for each number of CPUs"""
    print(f"| {title} | | " + " | ".join(map(str, SIZES)) + " |")
    print("| --- | --- |" + " ---: |" * len(SIZES))
    for name, metric, more in rows:
        for kind in KINDS:
            print(f"| {name if kind == KINDS[0] else ''} | {kind} | " + " | ".join(
                found[kind].get(f"{metric}[cpus={n}{more}]", "-") for n in SIZES) + " |")
    print()


def threads(programs, milliseconds, rounds):
    """the kinds in turn, so that what else the machine does meets them alike"""
    seen = {}
    for _ in range(rounds):
        for kind, program in programs.items():
            for metric, value in values(run(program, "threads", milliseconds)).items():
                seen.setdefault((metric, kind), []).append(float(value))
    print("| two threads, millions a second, median | " + " | ".join(programs) + " |")
    print("| --- |" + " ---: |" * len(programs))
    for metric, name in (("two_threads_one_leaf", "CPUs of one cache"),
                         ("two_threads_two_leaves", "CPUs of two caches")):
        middle = {k: statistics.median(seen[metric, k]) for k in programs}
        print(f"| {name} | " + " | ".join(
            f"{v / 1e6:.2f} ({v / middle['vectors']:.2f} x)" for v in middle.values()) + " |")


def main():
    """see the head of the file"""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-t", type=int, default=500, metavar="MS")
    parser.add_argument("-r", type=int, default=5, metavar="ROUNDS")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()

    base = os.environ.get("BASE", "6.12")
    top = pathlib.Path(os.environ.get("BUILD", HERE.parent.parent / "build"))
    linux = top / base / "linux"
    where = args.folder.resolve()
    where.mkdir(parents=True, exist_ok=True)
    folders = sources(linux, where)
    built = {kind: build(kind, folders[kind], where) for kind in KINDS}
    running = {(kind, what): subprocess.Popen(
        [built[kind][what == "lines"], what], stdout=subprocess.PIPE, text=True)
        for kind in KINDS for what in ("insns", "lines")}
    found = {}
    for (kind, what), process in running.items():
        text = process.communicate()[0]
        if process.returncode == 4:
            sys.exit("instructions are counted on x86-64 only")
        if process.returncode:
            sys.exit(f"{kind}: cost {what} failed with {process.returncode}")
        (where / f"{kind}.{what}").write_text(text, encoding="utf-8")
        found.setdefault(kind, {}).update(values(text))
    table("instructions / CPUs", INSNS, found)
    table("lines of 64 bytes / CPUs", LINES, found)
    if args.t:
        threads({k: built[k][0] for k in KINDS}, args.t, args.r)


main()
