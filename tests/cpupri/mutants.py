#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutants.py: wrong versions of the tree's cpupri.c, for tests/cpupri/run

usage: mutants.py list | mutants.py write NAME CPUPRI.C OUT | mutants.py command NAME

write prints nothing and fails if the text to be changed is not there exactly once.
"""
import sys

# name: (the program that has to find it, what is replaced, by what)
MUTANTS = {
    "a writer clears the level bit": (
        "interleave 2 0",
        "\t\tclear_bit(bit, &leaf->cpus[oldpri]);\n",
        "\t{\n\t\tclear_bit(bit, &leaf->cpus[oldpri]);\n"
        "\t\tif (!READ_ONCE(leaf->cpus[oldpri]))\n"
        "\t\t\tclear_bit(oldpri, leaf->levels);\n\t}\n"),
    "the level bits are read once": (
        "interleave 2 0",
        "\tunsigned long cpus;\n\n\tfor (probes = 0; probes < CPUPRI_PROBES; probes++) {\n",
        "\tunsigned long cpus;\n"
        "\tunsigned long once[] = { leaf->levels[0], leaf->levels[1] };\n"
        "#define levels once\n\n"
        "\tfor (probes = 0; probes < CPUPRI_PROBES; probes++) {\n",
        "level = find_next_bit(leaf->levels, s->level, level + 1);",
        "level = find_next_bit(once, s->level, level + 1);\n#undef levels"),
    "a scan reads downwards": (
        "interleave 2 0",
        "\t\t\tcpus = leaf_level(leaf, level);\n"
        "\t\t\tcpus |= leaf_level(leaf, level + 1);\n"
        "\t\t\tcpus |= leaf_level(leaf, level + 2);\n"
        "\t\t\tcpus |= leaf_level(leaf, level + 3);\n",
        "\t\t\tcpus = leaf_level(leaf, level + 3);\n"
        "\t\t\tcpus |= leaf_level(leaf, level + 2);\n"
        "\t\t\tcpus |= leaf_level(leaf, level + 1);\n"
        "\t\t\tcpus |= leaf_level(leaf, level);\n"),
    "NORMAL is read last": (
        "interleave 2 0",
        "\tsearch_normal(own, &s);\n\tif (!s.leaf) {\n\t\tsearch_rt(own, &s);\n",
        "\tsearch_rt(own, &s);\n\tsearch_normal(own, &s);\n\tif (!s.leaf) {\n"),
    "the old level goes before the new one comes": (
        "interleave 2 0",
        "\tif (likely(newpri != CPUPRI_INVALID)) {\n",
        "\tif (likely(oldpri != CPUPRI_INVALID))\n"
        "\t\tclear_bit(bit, &leaf->cpus[oldpri]);\n"
        "\tif (likely(newpri != CPUPRI_INVALID)) {\n",
        "\t\tsmp_mb__before_atomic(); /* see above */\n\t\tclear_bit(bit, &leaf->cpus[oldpri]);\n",
        "\t\tsmp_mb__before_atomic(); /* see above */\n"),
    "no barrier behind the CPU's bit": (
        "interleave 2 1 enters-a-level-while-it",
        "\t\t */\n\t\tsmp_mb__after_atomic();\n\t\t/*\n\t\t * The bit of a level stays",
        "\t\t */\n\t\t/*\n\t\t * The bit of a level stays"),
    "no barrier before the old level goes": (
        "interleave 1 1",
        "\t\tsmp_mb__before_atomic(); /* see above */\n\t\tclear_bit(bit, &leaf->cpus[oldpri]);\n",
        "\t\tclear_bit(bit, &leaf->cpus[oldpri]);\n"),
    "no barrier in the sweep": (
        "interleave 2 1 over-levels-that-are-swept",
        "\t\tsmp_mb__after_atomic();\n\t\tif (READ_ONCE(leaf->cpus[level]))\n",
        "\t\tif (READ_ONCE(leaf->cpus[level]))\n"),
    "the sweep does not look again": (
        "interleave 2 0",
        "\t\tif (READ_ONCE(leaf->cpus[level]))\n\t\t\tset_bit(level, leaf->levels);\n",
        ""),
    "the sweep is not counted": (
        "interleave 3 0 over-levels-that-are-swept",
        "if (unlikely((sweeps & 1) || atomic_read(&leaf->sweeps) != sweeps))",
        "if (sweeps < 0)"),
    "a sweep that has begun is not seen": (
        "interleave 3 0 over-levels-that-are-swept",
        "if (unlikely((sweeps & 1) || atomic_read(&leaf->sweeps) != sweeps))",
        "if (unlikely(atomic_read(&leaf->sweeps) != sweeps))"),
    "cpu_active_mask is forgotten": (
        "check random 1 20000",
        "READ_ONCE(cpumask_bits(cpu_active_mask)[word])", "~0UL"),
    "a NORMAL CPU outside the affinity ends the search": (
        "check random 1 20000",
        "\t\tif (cpus && leaf_take(leaf, CPUPRI_NORMAL, cpus, s))\n\t\t\treturn;\n",
        "\t\tif (cpus)\n\t\t\tleaf_take(leaf, CPUPRI_NORMAL, cpus, s);\n"
        "\t\tif (READ_ONCE(leaf->cpus[CPUPRI_NORMAL])) {\n"
        "\t\t\ts->level = CPUPRI_NORMAL;\n\t\t\treturn;\n\t\t}\n"),
    "topology beats priority": (
        "check random 1 20000",
        "\t\t\tleaf_search(leaf, allowed, s);\n",
        "\t\t\tleaf_search(leaf, allowed, s);\n\t\tif (s->leaf)\n\t\t\treturn;\n"),
    "a leaf takes the CPUs of another cache": (
        "check leaves",
        "!cpus_share_leaf(cpu, other))", "!cpus_share_leaf(cpu, cpu))"),
    "the leaf of CPUs without a cache takes others too": (
        "check leaves",
        "\t\treturn !cpu_cache_mask(b);\n", "\t\treturn true;\n"),
    "a search begins in the first leaf": (
        "check leaves",
        "cp->cpu_to_leaf[task_cpu(p)]", "cp->cpu_to_leaf[0]"),
    "fitness counts before the affinity": (
        "check random 1 20000",
        "\tif (s->fitness_fn)\n\t\tcpus = leaf_fit(leaf, cpus, s);\n"
        "\tif (!cpus)\n\t\treturn false;\n",
        "\tif (s->fitness_fn && leaf_fit(leaf, cpus, s))\n"
        "\t\tcpus = leaf_fit(leaf, cpus, s);\n"),
}


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(MUTANTS))
    elif len(sys.argv) == 3 and sys.argv[1] == "command":
        print(MUTANTS[sys.argv[2]][0])
    elif len(sys.argv) == 5 and sys.argv[1] == "write":
        with open(sys.argv[3], encoding="utf-8") as f:
            text = f.read()
        changes = MUTANTS[sys.argv[2]][1:]
        for old, new in zip(changes[::2], changes[1::2]):
            if text.count(old) != 1:
                sys.exit(f"{text.count(old)} times in the source: {old!r}")
            text = text.replace(old, new)
        with open(sys.argv[4], "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.exit(__doc__)


main()
