#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Figures of a summary.Summary in words, as docs/benchmarks.md has them."""

import collections
import re

LEARNT = "hit rate 0.9 from cold: bytes read by the hotspot's"
LEARNT_ANEW = ("hit rate 0.9 after the hotspot moved: bytes read by the "
               "hotspot's")
RO = ("main", "1KiB-x3", "RO-hotspot")
WH = ("main", "1KiB-x3", "WH-hotspot")
UNIFORM = ("main", "1KiB-x3", "RO-uniform")
CLUSTER17 = ("twitter", "cluster17", "cluster17")


def bound_of(bounds):
    """metrics.bound_of of several runs in a few words."""
    shares = collections.defaultdict(list)
    for words in bounds:
        found = re.fullmatch(r"(none alone; most: )?(.+) (-?\d+)%", words)
        if found:
            shares[bool(found[1]), found[2]].append(int(found[3]))
    words = []
    for alone in (True, False):
        group = [f"{what} {ends(percent, '{:d}')} %"
                 for (none, what), percent in shares.items() if none != alone]
        if group:
            words.append("nothing alone; " * (not alone) + ", ".join(group))
    return "; or ".join(words)


def ends(values, form):
    """From the least to the most."""
    found = sorted(values)
    if not found:
        return "not run"
    return " to ".join(dict.fromkeys(form.format(value) for value in
                                     (found[0], found[-1])))


def shown(found, what):
    """What a target was measured to be."""
    row = found.targets[what]
    words = row["shown"] + best_rival(row) + ", noisy" * row["noisy"]
    return f"{words}, **missed**" if row["holds"] is False else words


def best_rival(row):
    """Of targets.over_second_best: the one that HotRAP is least ahead of."""
    ratios = re.findall(r"([\w-]+): ([\d.]+)", row["note"])
    if not row["what"].endswith("over the second best") or not ratios:
        return ""
    name, _ = min(ratios, key=lambda pair: float(pair[1]))
    return f", {name.replace('-', ' ')}"


def bound(found, what):
    return bound_of(found.targets[what]["bounds"])


def number(triple, unit=1):
    """The median of several runs with the spread."""
    if triple is None:
        return "not run"
    middle, low, high = (digits(value / unit) for value in triple)
    return middle if low == high else f"{middle} ({low} to {high})"


def digits(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def of_run(found, column, *run, unit=1):
    return number(found.values(column, *run), unit)


def over_fat(found, *case):
    return number(found.over_fat.get(case))


def check(found, what):
    """Of the ablations."""
    return next((row["shown"] for row in found.found["ablation_checks"]
                 if row["what"] == what), "not run")


def reads_a_get(found, *run):
    """Of both disks, in the final tenth."""
    fast, slow, gets = (found.median(column, *run) for column in
                        ("fast_reads", "slow_reads", "throughput"))
    return f"{(fast + slow) / gets:.2f}" if gets else "not run"


def share(found, words):
    """In percent, of all targets of that name."""
    return ends([row["here"] * 100 for what, row in found.targets.items()
                 if words in what and row["here"] is not None],
                "{:.1f}") + " %"
