#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""CPU and disk use per operation, by part of the engine: Figures 12 and 13 of
the paper, from the profiled runs."""

import collections
import statistics

from bench_suite import metrics

PARTS = ("read", "insert", "compaction", "flush", "promotion", "RALT", "other")
# Parts that perf's samples (profile.PARTS) and hotrap_bench's I/O name
# differently.
NAMES = {"checker": "promotion", "ralt": "RALT"}


def cpu(one):
    """Returns microseconds by part; perf samples the whole run."""
    used = one["result"]["cpu_secs"]
    micros = (used["user"] + used["system"]) / one["result"]["operations"] * 1e6
    return {NAMES.get(part, part): share * micros
            for part, share in one["cpu_shares"].items()}


def io(one, tier):
    """Returns bytes read and written by part."""
    return {NAMES.get(part, part):
            (counts["read_bytes"] + counts["written_bytes"]) /
            one["result"]["operations"]
            for part, counts in one["result"]["io"][tier]["by_purpose"].items()}


def resources(one):
    """Returns (what, unit, amounts by part)."""
    if one.get("cpu_shares"):
        yield "CPU", "us", cpu(one)
    for tier in metrics.TIERS[:1] if one["all_fast"] else metrics.TIERS:
        yield f"{tier} disk", "bytes", io(one, tier)


def measure(saved):
    """Returns a row for each profiled run and resource, with medians of
    repetitions."""
    found = collections.defaultdict(list)
    for one in saved:
        if one["group"] == "profile" and one["result"]["operations"]:
            for what, unit, amounts in resources(one):
                found[one["dataset"], one["workload"], one["system"], what,
                      unit].append(amounts)
    return [dict(zip(("dataset", "workload", "system", "what", "unit"), key)) |
            {"runs": len(several), "parts": {
                part: statistics.median(amounts.get(part, 0)
                                        for amounts in several)
                for part in PARTS}}
            for key, several in found.items()]
