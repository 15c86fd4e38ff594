#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The list of all runs: what is measured for which figure of the paper.

A system that learns nothing is in a steady state when its caches are warm;
HotRAP, when it has promoted the hotspot. Read-only runs get the time for that.
Runs that write end after the same number of operations in each system, so that
all have compacted the same; their time is only a limit.
"""

import csv
import dataclasses
import itertools
import math

from bench_runner import KEY_BYTES
from bench_suite import ablation, systems
from bench_suite.runs import Dataset, Run

# x1; the figures of section 4.2 are measured at x3, the largest data is x10.
BASE_BYTES = 1100000 * 1024
VALUE_BYTES = {"1KiB": 1000, "200B": 176}
# The part of a mix that is written.
MIXES = {"RO": 0, "RW": 0.25, "WH": 0.5, "UH": 0.5}
DISTRIBUTIONS = ("hotspot", "zipf", "uniform")

# Of each run that writes. In RW the hotspot is read 9 times over at x3 and 5
# times at 200 B, and 1.5 times the fast budget is inserted at x3. RocksDB-fat,
# which waits for 10,000 slow reads a second, takes 150 s for RW. UH is fast:
# its final tenth would be 3 s.
WRITE_OPS = {"RW": 2000000, "WH": 2000000, "UH": 4000000}
WRITE_LIMIT_SECS = 300
# As planned with; on the fast disk.
WRITE_SECS = {"RW": 120, "WH": 80, "UH": 110}
FAST_WRITE_SECS = 35
# HotRAP's, and those of systems that learn nothing: more where a target hangs
# on a percent.
READ_SECS = {"hotspot": 100, "zipf": 240, "uniform": 100}
READ_SECS_OF_OTHERS = 40
UNIFORM_SECS_OF_COMPARED = 100
REPEATS = 3
# A disk in the cloud at its limit may have two speeds, for some ten seconds at
# a time: what all of it bounds is read for longer, and more often.
REPEATS_AT_THE_LIMIT = 5
# Where a few percent of room on the fast disk count.
HELD_TO_BUDGET = (("RO", "uniform"), ("UH", "hotspot"), ("UH", "zipf"))
# Less skewed than the usual 0.99.
FLAT_THETA = 0.8
# Where tails are compared at equal load: as a part of what fat can do.
PACED_SHARE = 0.8

# Block cache, as a share of the data.
MEMORY_SHARES = (0.001, 0.01, 0.05, 0.25)
NEEDING_TABLE = "twitter"
NEEDING_TRACE = "trace"
TWITTER_CLUSTERS = (17, 11, 53, 16, 19, 10, 29)
# At least so many; of clusters that write little more, until they have written
# as much as was loaded: reads that find most in memory are fast.
TWITTER_REQUESTS = (3000000, 12000000)
TWITTER_LIMIT_SECS = 180
# The paper's data, and its block cache of 128 MiB as a share of that: a larger
# one holds the blocks of the hottest keys.
PAPER_BYTES = 110e9
TWITTER_CACHE_SHARE = (128 << 20) / PAPER_BYTES
CLOUDPHYSICS_DIVISOR = 4
# 48,974 blocks of 36.9 KB.
CLOUDPHYSICS_BYTES = 48974 * 36900 // CLOUDPHYSICS_DIVISOR
# Figure 15: how the hotspot grows, moves and shrinks. The first stage is to
# find that nothing is hot, the fifth to forget a hotspot.
DYNAMIC_PHASES = (
    ("distribution=uniform", 120), ("hotspot_fraction=0.01", 30),
    ("hotspot_fraction=0.03", 45), ("hotspot_fraction=0.05", 45),
    ("hotspot_fraction=0.05;hotspot_start=0.5", 90),
    ("hotspot_fraction=0.04;hotspot_start=0.5", 30),
    ("hotspot_fraction=0.02;hotspot_start=0.5", 30))
SHIFT_PHASE = 4
# As seen on 2 cores, to plan with.
LOAD_BYTES_A_SEC = 60e6
# Of the data: holds all of it, and what promotion writes anew. Uniform reads
# fill it in the first half of the run.
CACHED_SHARE = 2
CACHED_SECS = 60


def synthetic(scale, record, factor):
    record_bytes = KEY_BYTES + VALUE_BYTES[record]
    records = scale.records(BASE_BYTES * factor / record_bytes)
    return Dataset(f"{record}-x{factor}", records * record_bytes,
                   (f"--records={records}", f"--key_bytes={KEY_BYTES}",
                    f"--value_bytes={VALUE_BYTES[record]}"))


def reading(scale, group, dataset, distribution, system, secs, **more):
    secs = scale.secs(secs)
    return Run(group, dataset, f"RO-{distribution}", system,
               ("--mix=RO", f"--distribution={distribution}",
                f"--run_secs={secs}"), secs, **more)


def writing(scale, group, dataset, mix, distribution, system, **more):
    ops = scale.records(WRITE_OPS[mix])
    record_bytes = KEY_BYTES + VALUE_BYTES[dataset.name.split("-")[0]]
    return Run(group, dataset, f"{mix}-{distribution}", system,
               (f"--mix={mix}", f"--distribution={distribution}",
                f"--run_ops={ops}",
                f"--run_secs={scale.secs(WRITE_LIMIT_SECS)}"),
               scale.secs(FAST_WRITE_SECS if system.all_fast
                          else WRITE_SECS[mix]),
               written_bytes=int(ops * MIXES[mix] * record_bytes), **more)


def mixed(scale, group, dataset, mix, distribution, system, hotrap_secs=None,
          other_secs=None, **more):
    """`hotrap_secs` and `other_secs` are those of reading runs."""
    if mix != "RO":
        return writing(scale, group, dataset, mix, distribution, system,
                       **more)
    if system.tracks:
        secs = hotrap_secs or READ_SECS[distribution]
    elif distribution == "uniform" and system in systems.BOUNDS:
        secs = other_secs or UNIFORM_SECS_OF_COMPARED
    elif distribution == "hotspot" and system.all_fast:
        secs = other_secs or READ_SECS[distribution]
    else:
        secs = other_secs or READ_SECS_OF_OTHERS
    return reading(scale, group, dataset, distribution, system, secs, **more)


def systems_of(mix, distribution):
    """Includes the caches only where they can gain most, because they take
    time."""
    chosen = systems.BOUNDS
    if mix == "RO" or distribution == "hotspot":
        chosen += systems.CACHES
    return chosen


def repeats_of(mix, distribution, system):
    """Repetitions for targets that a few percent decide."""
    compared = {
        "hotspot": systems.COMPARED + (
            (systems.FD, systems.FD_SMALL) if mix in ("RO", "RW") else ()),
        "uniform": systems.COMPARED if mix == "RO" else (),
        "zipf": systems.COMPARED if mix == "UH" else (),
    }
    if system not in compared.get(distribution, ()):
        return 1
    at_the_limit = (mix, distribution) == ("RO", "hotspot")
    return REPEATS_AT_THE_LIMIT if at_the_limit else REPEATS


def main_runs(scale):
    """Figures 6, 8 and 14, of 1 KiB."""
    dataset = synthetic(scale, "1KiB", 3)
    for mix, distribution in itertools.product(MIXES, DISTRIBUTIONS):
        chosen = systems_of(mix, distribution)
        if distribution == "hotspot" and mix in ("RO", "RW"):
            chosen += systems.SMALL_BLOCKS
        if mix == "RO" and distribution != "zipf":
            chosen += (systems.OFF,)
        if (mix, distribution) in HELD_TO_BUDGET:
            chosen += (systems.FAT_HELD,)
        for system in chosen:
            yield mixed(scale, "main", dataset, mix, distribution, system,
                        repeats=repeats_of(mix, distribution, system))


def small_record_runs(scale):
    """Figure 7, of 200 B. x1 has five times as many records as with 1 KiB: at
    x3 runs would have to be three times as long."""
    dataset = synthetic(scale, "200B", 1)
    for mix, distribution in itertools.product(MIXES, DISTRIBUTIONS):
        hotspot_reads = (mix, distribution) == ("RO", "hotspot")
        chosen = systems_of(mix, distribution)
        if hotspot_reads:
            chosen += systems.SMALL_BLOCKS
        for system in chosen:
            yield mixed(scale, "main", dataset, mix, distribution, system,
                        hotrap_secs=150 if hotspot_reads else None)


def oracle_runs(scale):
    """Another skew, to see how near the best placement HotRAP comes."""
    dataset = synthetic(scale, "1KiB", 3)
    for system in systems.COMPARED:
        run = mixed(scale, "oracle", dataset, "RO", "zipf", system)
        yield dataclasses.replace(
            run, workload=f"RO-zipf-{FLAT_THETA}",
            flags=(*run.flags, f"--zipf_theta={FLAT_THETA}"))


def paced_runs(scale):
    """Tail latencies of a system at a load that another one can handle."""
    secs = scale.secs(120)
    dataset = synthetic(scale, "1KiB", 3)
    for system in (systems.HOTRAP, systems.FAT):
        run = mixed(scale, "paced", dataset, "WH", "hotspot", system)
        yield dataclasses.replace(
            run, secs=secs, paced_by="main/1KiB-x3/WH-hotspot/fat",
            pace_share=PACED_SHARE,
            flags=("--mix=WH", "--distribution=hotspot", f"--run_secs={secs}"))


def profile_runs(scale):
    """Figures 12 and 13, and flame graphs, also of reads that find everything
    in the cache."""
    dataset = synthetic(scale, "200B", 1)
    for record, factor, mix, distribution in (
            ("200B", 1, "RW", "hotspot"), ("200B", 1, "RO", "hotspot"),
            ("200B", 1, "RW", "uniform"), ("200B", 1, "WH", "hotspot"),
            ("1KiB", 3, "RO", "hotspot"), ("1KiB", 3, "RW", "hotspot")):
        for system in systems.BOUNDS:
            yield mixed(scale, "profile", synthetic(scale, record, factor),
                        mix, distribution, system, profile=True,
                        repeats=REPEATS if mix == "RW" and system.tracks
                        else 1)
    for system in (systems.HOTRAP, systems.OFF_SAME_TREE):
        yield reading(scale, "cached-profile", dataset, "uniform", system,
                      CACHED_SECS, cache_share=CACHED_SHARE, profile=True,
                      profile_delay_secs=scale.secs(CACHED_SECS) // 2)


def size_runs(scale):
    # At x10 there is no room for writes beside the loaded data, nor for a set
    # of data with blocks of 4 KiB. RocksDB(FD)'s reads a second still rose
    # after half a minute there.
    for factor, mix, hotrap_secs, other_secs in (
            (1, "RO", 60, 30), (1, "RW", None, None), (10, "RO", 300, None)):
        dataset = synthetic(scale, "1KiB", factor)
        for system in systems.BOUNDS:
            yield mixed(scale, "main", dataset, mix, "hotspot", system,
                        hotrap_secs, other_secs)


def memory_runs(scale):
    dataset = synthetic(scale, "1KiB", 1)
    for share in MEMORY_SHARES:
        for system in systems.BOUNDS:
            yield dataclasses.replace(
                mixed(scale, "memory", dataset, "RO", "hotspot", system, 50,
                      30, cache_share=share),
                workload=f"RO-hotspot-cache-{share:g}")


def ycsb_runs(scale):
    dataset = synthetic(scale, "1KiB", 1)
    secs = scale.secs(60)
    for mix in "ABCDEF":
        for system in systems.BOUNDS:
            yield Run("ycsb", dataset, mix, system,
                      (f"--mix={mix}", f"--run_secs={secs}"), secs,
                      written_bytes=0 if mix == "C" else dataset.data_bytes)


def hdd_runs(scale):
    """Figure 16. RocksDB(FD) does not use the slow disk, so its runs are at
    x1."""
    dataset = synthetic(scale, "1KiB", 1)
    for mix, hotrap_secs, fat_secs in (("RO", 600, 60), ("RW", 600, 150)):
        for system, secs in ((systems.HOTRAP, hotrap_secs),
                             (systems.FAT, fat_secs)):
            secs = scale.secs(secs)
            # By time: 400 reads a second take an hour for as many operations.
            yield Run("hdd", dataset, f"{mix}-hotspot", system,
                      (f"--mix={mix}", "--distribution=hotspot",
                       f"--run_secs={secs}"), secs, disk="hdd",
                      written_bytes=0 if mix == "RO" else dataset.data_bytes)


def dynamic_runs(scale):
    dataset = synthetic(scale, "1KiB", 1)
    phases = [(phase, scale.secs(secs)) for phase, secs in DYNAMIC_PHASES]
    text = ":".join(f"{{{phase};secs={secs}}}" for phase, secs in phases)
    yield Run("dynamic", dataset, "RO-dynamic", systems.HOTRAP,
              ("--mix=RO", f"--phases={text}"),
              sum(secs for _, secs in phases), repeats=REPEATS)


def ablation_runs(scale):
    """Tables 3 to 5; RW inserts as much as was loaded."""
    dataset = synthetic(scale, "1KiB", 1)
    records = scale.records(BASE_BYTES / (KEY_BYTES + VALUE_BYTES["1KiB"]))
    for name in ablation.IN_TABLES:
        yield ablation.run_of(name, dataset, records)


def twitter_row(table, cluster):
    with open(table, encoding="utf-8") as file:
        return next(row for row in csv.DictReader(file)
                    if row["cluster"] == f"cluster{cluster}")


def write_share(row):
    shares = dict(word.split(":") for word in row["operations"].split())
    return sum(float(share) for name, share in shares.items()
               if name not in ("get", "gets"))


def twitter_runs(scale, table):
    """Figures 9 to 11: the paper repeats a working set until it has the size
    of the DB."""
    least, most = TWITTER_REQUESTS
    for cluster in TWITTER_CLUSTERS:
        row = twitter_row(table, cluster)
        record_bytes = int(row["key_bytes"]) + int(row["value_bytes"])
        written_a_request = write_share(row) * record_bytes
        requests = scale.records(
            most if most * written_a_request <= BASE_BYTES else
            max(least, BASE_BYTES / written_a_request))
        copies = math.ceil(PAPER_BYTES / (float(row["wss_mb_no_ttl"]) * 1e6))
        keys = max(1, scale.records(BASE_BYTES / record_bytes) //
                   copies) * copies
        dataset = Dataset(f"cluster{cluster}", keys * record_bytes, (
            f"--twitter_cluster=cluster{cluster}",
            f"--twitter_table={table}", f"--twitter_loaded_keys={keys}",
            f"--twitter_copies={copies}", f"--trace_requests={requests}"))
        for system in systems.BOUNDS + (systems.ROW_CACHE,):
            yield Run(NEEDING_TABLE, dataset, f"cluster{cluster}", system,
                      (f"--run_ops={requests}",
                       f"--run_secs={scale.secs(TWITTER_LIMIT_SECS)}"),
                      scale.secs(90 if system.tracks else 45),
                      written_bytes=int(requests * written_a_request),
                      repeats=REPEATS if system in systems.COMPARED else 1,
                      cache_share=TWITTER_CACHE_SHARE)


def trace_runs(scale, trace):
    """The trace is replayed repeatedly until the time is up."""
    dataset = Dataset("cloudphysics", CLOUDPHYSICS_BYTES, (
        f"--trace={trace}", "--trace_format=cloudphysics",
        f"--trace_value_divisor={CLOUDPHYSICS_DIVISOR}"))
    secs = scale.secs(45)
    for system in systems.BOUNDS:
        yield Run(NEEDING_TRACE, dataset, "cloudphysics", system,
                  (f"--run_secs={secs}",), secs,
                  written_bytes=dataset.data_bytes)


def cached_runs(scale):
    records = scale.records(1000000)
    pairs = scale.secs(80)
    # Two workloads of pairs of slices of a second.
    yield Run("cached", Dataset("cached", records * 1024, ()), "cached",
              systems.HOTRAP, secs=2 * 2 * pairs, script=(
                  "cached_get_cost.py", f"--records={records}",
                  f"--warm-ops={4 * records}", f"--pairs={pairs}"))


def all_runs(scale, table=None, trace=None):
    """`table` and `trace` may be missing: their runs (NEEDING_TABLE and
    NEEDING_TRACE) are then left out. Runs on the same data stand together, as
    one set is on the disks at a time, and among them the systems that are
    compared: what else the machine does meets them alike."""
    runs = list(main_runs(scale))
    runs += oracle_runs(scale)
    runs += paced_runs(scale)
    runs += small_record_runs(scale)
    runs += profile_runs(scale)
    runs += size_runs(scale)
    runs += hdd_runs(scale)
    runs += dynamic_runs(scale)
    runs += ablation_runs(scale)
    runs += ycsb_runs(scale)
    runs += memory_runs(scale)
    if table is not None:
        runs += twitter_runs(scale, table)
    if trace is not None:
        runs += trace_runs(scale, trace)
    runs += cached_runs(scale)
    runs = [run for run in runs if run.system.fits(run.dataset)]
    datasets = list(dict.fromkeys(run.dataset for run in runs))
    cases = list(dict.fromkeys(run.case for run in runs))
    return sorted(runs, key=lambda run: (datasets.index(run.dataset),
                                         cases.index(run.case)))


def jobs_of(runs, repeat=1):
    """Returns pairs of a run and its repetition. Repetitions of a case follow
    each other, every second one with the systems in reverse order."""
    for _, compared in itertools.groupby(runs, lambda run: run.case):
        compared = list(compared)
        for number in itertools.count(1):
            due = [run for run in compared
                   if max(run.repeats, repeat) >= number]
            if not due:
                break
            for run in due if number % 2 else reversed(due):
                yield run, number


def load_secs(jobs):
    """As planned with: each set of data is loaded once for a kind of levels,
    and copied for the systems that have all of it on the fast disk."""
    loads = {(run.dataset, run.system.loaded_as) for run, _ in jobs
             if not run.script}
    return sum(dataset.data_bytes for dataset, _ in loads) / LOAD_BYTES_A_SEC
