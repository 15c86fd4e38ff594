#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The list of all runs: what is measured for which figure of the paper.

A run is one process of hotrap_bench (or one script) and leaves one JSON file
of its name. Runs on the same data stand together, and so do the systems that
are compared: what else the machine does meets them alike.
"""

import csv
import dataclasses

import ablations
from bench_suite import systems

KEY_BYTES = 24
# x1; the figures of section 4.2 are measured at x3, the largest data is x10.
BASE_BYTES = 1100000 * 1024
VALUE_BYTES = {"1KiB": 1000, "200B": 176}
FAST_SHARE = 0.1
MIXES = ("RO", "RW", "WH", "UH")
DISTRIBUTIONS = ("hotspot", "zipf", "uniform")
# Block cache, as a share of the data.
MEMORY_SHARES = (0.001, 0.01, 0.05, 0.25)
TWITTER_CLUSTERS = (17, 11, 53, 16, 19, 10, 29)
TWITTER_REQUESTS = 8000000
CLOUDPHYSICS_DIVISOR = 4
# 48,974 blocks of 36.9 KB.
CLOUDPHYSICS_BYTES = 48974 * 36900 // CLOUDPHYSICS_DIVISOR
# Figure 15: how the hotspot grows, moves and shrinks.
DYNAMIC_PHASES = (
    "distribution=uniform", "hotspot_fraction=0.01", "hotspot_fraction=0.03",
    "hotspot_fraction=0.05", "hotspot_fraction=0.05;hotspot_start=0.5",
    "hotspot_fraction=0.04;hotspot_start=0.5",
    "hotspot_fraction=0.02;hotspot_start=0.5")
SHIFT_PHASE = 4
# As seen on 2 cores, to plan with.
ABLATION_OPS_A_SEC = 12000


@dataclasses.dataclass(frozen=True)
class Scale:
    """Of a whole suite: results of another one are not comparable."""
    data: float = 1
    time: float = 1

    def records(self, count):
        return max(1000, round(count * self.data))

    def secs(self, secs):
        return max(5, round(secs * self.time))


@dataclasses.dataclass(frozen=True)
class Dataset:
    """What is loaded, and the disk that the slow part lies on."""
    name: str
    data_bytes: int
    flags: tuple
    disk: str = "gp3"

    @property
    def fast_bytes(self):
        return int(self.data_bytes * FAST_SHARE)


@dataclasses.dataclass(frozen=True)
class Run:
    group: str
    dataset: Dataset
    workload: str
    system: systems.System
    flags: tuple = ()
    # What it takes, for the time that is left; 0: unknown.
    secs: int = 0
    # A part of the block cache, or the usual one.
    cache_share: float = ablations.BLOCK_CACHE_SHARE
    # Where CPU time goes is sampled, at some cost.
    profile: bool = False
    # In place of hotrap_bench: a script of tools/ and its arguments.
    script: tuple = ()

    @property
    def writes(self):
        return not self.workload.startswith("RO-")

    @property
    def name(self):
        return "/".join((self.group, self.dataset.name, self.workload,
                         self.system.name))


def synthetic(scale, record, factor, disk="gp3"):
    record_bytes = KEY_BYTES + VALUE_BYTES[record]
    records = scale.records(BASE_BYTES * factor / record_bytes)
    name = f"{record}-x{factor}" + ("" if disk == "gp3" else f"-{disk}")
    return Dataset(name, records * record_bytes,
                   (f"--records={records}", f"--key_bytes={KEY_BYTES}",
                    f"--value_bytes={VALUE_BYTES[record]}"), disk)


def mixed(group, dataset, mix, distribution, system, secs, **more):
    return Run(group, dataset, f"{mix}-{distribution}", system,
               (f"--mix={mix}", f"--distribution={distribution}",
                f"--run_secs={secs}"), secs, **more)


def main_runs(scale, record, secs):
    """Figures 6 to 8 and 14. The cases of the targets come first."""
    dataset = synthetic(scale, record, 3)
    cases = sorted(((mix, distribution) for mix in MIXES
                    for distribution in DISTRIBUTIONS),
                   key=lambda case: (case[1] != "hotspot", case[0] != "RO"))
    caches = (systems.PERSISTENT_CACHE, systems.ROW_CACHE)
    for among in (systems.BOUNDS, caches):
        for mix, distribution in cases:
            for system in among:
                yield mixed("main", dataset, mix, distribution, system,
                            scale.secs(secs))


def small_block_runs(scale, record, secs):
    """What of HotRAP's lead its smaller blocks would give RocksDB."""
    dataset = synthetic(scale, record, 3)
    for mix in ("RO", "RW"):
        for system in systems.SMALL_BLOCKS:
            yield mixed("main", dataset, mix, "hotspot", system,
                        scale.secs(secs))


def profile_runs(scale, record, secs):
    """Figures 12 and 13."""
    dataset = synthetic(scale, record, 3)
    for mix, distribution in (("RW", "hotspot"), ("RO", "hotspot"),
                              ("RW", "uniform"), ("WH", "hotspot")):
        for system in systems.BOUNDS:
            yield mixed("profile", dataset, mix, distribution, system,
                        scale.secs(secs), profile=True)


def size_runs(scale):
    # At x10 there is no room for writes beside the loaded data.
    for factor, mix, secs in ((1, "RO", 100), (1, "RW", 100),
                              (10, "RO", 300)):
        dataset = synthetic(scale, "1KiB", factor)
        for system in systems.BOUNDS:
            yield mixed("main", dataset, mix, "hotspot", system,
                        scale.secs(secs))


def memory_runs(scale):
    dataset = synthetic(scale, "1KiB", 1)
    secs = scale.secs(100)
    for share in MEMORY_SHARES:
        for system in systems.BOUNDS:
            yield dataclasses.replace(
                mixed("memory", dataset, "RO", "hotspot", system, secs,
                      cache_share=share),
                workload=f"RO-hotspot-cache-{share:g}")


def ycsb_runs(scale):
    dataset = synthetic(scale, "1KiB", 1)
    secs = scale.secs(100)
    for mix in "ABCDEF":
        for system in systems.BOUNDS:
            yield Run("ycsb", dataset, mix, system,
                      (f"--mix={mix}", f"--run_secs={secs}"), secs)


def hdd_runs(scale):
    dataset = synthetic(scale, "1KiB", 1, "hdd")
    for mix in ("RO", "RW"):
        for system in systems.BOUNDS:
            yield mixed("hdd", dataset, mix, "hotspot", system,
                        scale.secs(600))


def dynamic_runs(scale):
    dataset = synthetic(scale, "1KiB", 1)
    secs = scale.secs(60)
    phases = ":".join(f"{{{phase};secs={secs}}}" for phase in DYNAMIC_PHASES)
    yield Run("dynamic", dataset, "RO-dynamic", systems.HOTRAP,
              ("--mix=RO", f"--phases={phases}"), secs * len(DYNAMIC_PHASES))


def ablation_runs(scale):
    """Tables 3 to 5; RW inserts as much as was loaded."""
    dataset = synthetic(scale, "1KiB", 1)
    records = scale.records(BASE_BYTES / (KEY_BYTES + VALUE_BYTES["1KiB"]))
    rw_ops = int(records / ablations.INSERT_SHARE)
    ro_ops = records * ablations.READS_A_RECORD
    for name, variant in ablations.VARIANTS.items():
        system = (systems.without(name, variant.options) if variant.options
                  else dataclasses.replace(systems.OFF, name=name))
        ops = ((2 * rw_ops if variant.settles else rw_ops)
               if variant.mix == "RW" else ro_ops)
        yield Run("ablation", dataset, f"{variant.mix}-{variant.distribution}",
                  system, tuple(variant.flags(rw_ops, ro_ops)),
                  ops // ABLATION_OPS_A_SEC)


def twitter_record_bytes(table, cluster):
    with open(table, encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file)
                   if row["cluster"] == f"cluster{cluster}")
    return int(row["key_bytes"]) + int(row["value_bytes"])


def twitter_runs(scale, table):
    secs = scale.secs(120)
    for cluster in TWITTER_CLUSTERS:
        record_bytes = twitter_record_bytes(table, cluster)
        keys = scale.records(BASE_BYTES / record_bytes)
        dataset = Dataset(f"cluster{cluster}", keys * record_bytes, (
            f"--twitter_cluster=cluster{cluster}",
            f"--twitter_table={table}", f"--twitter_loaded_keys={keys}",
            f"--trace_requests={scale.records(TWITTER_REQUESTS)}"))
        for system in systems.BOUNDS:
            yield Run("twitter", dataset, f"cluster{cluster}", system,
                      (f"--run_secs={secs}",), secs)


def trace_runs(scale, trace):
    """The trace is replayed again and again until the time is over."""
    dataset = Dataset("cloudphysics", CLOUDPHYSICS_BYTES, (
        f"--trace={trace}", "--trace_format=cloudphysics",
        f"--trace_value_divisor={CLOUDPHYSICS_DIVISOR}"))
    secs = scale.secs(60)
    for system in systems.BOUNDS:
        yield Run("trace", dataset, "cloudphysics", system,
                  (f"--run_secs={secs}",), secs)


def cached_runs(scale):
    records = scale.records(1000000)
    pairs = scale.secs(120)
    yield Run("cached", Dataset("cached", records * 1024, ()), "cached",
              systems.HOTRAP, secs=2 * 2 * pairs, script=(
                  "cached_get_cost.py", f"--records={records}",
                  f"--warm-ops={4 * records}", f"--pairs={pairs}"))


def all_runs(scale, table=None, trace=None):
    """`table` and `trace` may be missing: their runs are then left out."""
    runs = list(main_runs(scale, "1KiB", 150))
    runs += small_block_runs(scale, "1KiB", 150)
    runs += main_runs(scale, "200B", 200)
    runs += profile_runs(scale, "200B", 120)
    runs += hdd_runs(scale)
    runs += dynamic_runs(scale)
    if table is not None:
        runs += twitter_runs(scale, table)
    if trace is not None:
        runs += trace_runs(scale, trace)
    runs += cached_runs(scale)
    runs += ablation_runs(scale)
    runs += ycsb_runs(scale)
    runs += memory_runs(scale)
    runs += size_runs(scale)
    runs = [run for run in runs if run.system.fits(run.dataset)]
    # One set of data at a time is on the disks.
    order = list(dict.fromkeys(run.dataset for run in runs))
    return sorted(runs, key=lambda run: order.index(run.dataset))
