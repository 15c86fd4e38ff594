#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The targets: what the paper has, what is wanted, what was measured."""

import dataclasses
import math
import statistics
import typing

from bench_suite import metrics, runs

LOW = "at most"
HIGH = "at least"


class Measured:
    """Looks up the rows of metrics.of_result."""

    def __init__(self, rows, saved):
        self.rows = rows
        self.saved = saved

    def by_repeat(self, field, group, dataset, workload, system):
        return {row["repeat"]: row[field] for row in self.rows
                if (row["group"], row["dataset"], row["workload"],
                    row["system"]) == (group, dataset, workload, system)
                and row.get(field) is not None}

    def values(self, field, *where):
        return list(self.by_repeat(field, *where).values())

    def ratios(self, field, group, dataset, workload, system, to):
        """Of the same repetition: those were measured side by side."""
        above = self.by_repeat(field, group, dataset, workload, system)
        below = self.by_repeat(field, group, dataset, workload, to)
        return [above[repeat] / below[repeat] for repeat in above
                if below.get(repeat)]

    def results(self, group, system=None):
        return [saved["result"] for saved in self.saved
                if saved["group"] == group and
                system in (None, saved["system"])]


@dataclasses.dataclass(frozen=True)
class Target:
    what: str
    paper: str
    # Of the paper, where it has one; the ratio is taken to it.
    paper_value: typing.Optional[float]
    limit: float
    # HIGH or LOW.
    side: str
    measure: typing.Callable[[Measured], list]

    def judge(self, measured):
        values = self.measure(measured)
        row = {"what": self.what, "paper": self.paper,
               "wanted": f"{self.side} {self.limit:g}"}
        if not values:
            return row | {"here": None, "shown": "not run", "ratio": None,
                          "holds": None}
        here = statistics.median(values)
        if math.isinf(here):
            return row | {"here": None, "shown": "never", "ratio": None,
                          "holds": False}
        shown = f"{here:.3g}"
        if len(values) > 1:
            shown += f" ({min(values):.3g} to {max(values):.3g})"
        holds = here >= self.limit if self.side == HIGH else here <= self.limit
        return row | {
            "here": here, "shown": shown, "holds": holds,
            "ratio": here / self.paper_value if self.paper_value else None}


def ratio(field, group, dataset, workload, to):
    return lambda measured: measured.ratios(field, group, dataset, workload,
                                            "hotrap", to)


def value(field, group, dataset, workload):
    return lambda measured: measured.values(field, group, dataset, workload,
                                            "hotrap")


def reads_after_shift(measured):
    """Of the dynamic run: from where the hotspot moved."""
    found = []
    for result in measured.results("dynamic", "hotrap"):
        config = result["config"]
        points = [point for point in result["timeline"]
                  if point["phase"] == runs.SHIFT_PHASE]
        if points:
            reads = metrics.reads_until(
                points, config["key_bytes"] + config["value_bytes"])
            found.append(float("inf") if reads is None else reads)
    return found


def reads_until_hot(measured):
    """A run that never came to be hot counts as infinite."""
    found = measured.by_repeat("reads_until_hot", "main", "1KiB-x3",
                               "RO-hotspot", "hotrap")
    ran = measured.by_repeat("throughput", "main", "1KiB-x3", "RO-hotspot",
                             "hotrap")
    return [found.get(repeat, float("inf")) for repeat in ran]


def cluster_speedups(measured):
    """By cluster: (share of reads on sunk and hot records, over fat)."""
    found = {}
    for cluster in runs.TWITTER_CLUSTERS:
        where = ("twitter", f"cluster{cluster}", f"cluster{cluster}")
        speedups = measured.ratios("throughput", *where, "hotrap", "fat")
        shares = measured.values("sunk_and_hot_reads", *where, "hotrap")
        if speedups and shares:
            found[cluster] = (statistics.median(shares),
                              statistics.median(speedups))
    return found


def worst_cluster(measured):
    speedups = [speedup for _, speedup in cluster_speedups(measured).values()]
    return [min(speedups)] if speedups else []


def worst_of_promising_clusters(measured, count=2):
    """The paper calls two clusters high in reads on sunk and hot records."""
    by_share = sorted(cluster_speedups(measured).values(), reverse=True)
    return [min(speedup for _, speedup in by_share[:count])] if by_share \
        else []


def cached_ratio(measured):
    return [min(rows["Gets/s"]["ratio"] for rows in result.values())
            for result in measured.results("cached")]


def memory_over_allowed(measured):
    where = ("main", "1KiB-x3", "RO-hotspot")
    hotrap = measured.by_repeat("peak_rss_bytes", *where, "hotrap")
    fat = measured.by_repeat("peak_rss_bytes", *where, "fat")
    allowed = measured.by_repeat("allowed_memory_bytes", *where, "hotrap")
    return [(hotrap[repeat] - fat[repeat]) / allowed[repeat]
            for repeat in hotrap if repeat in fat and repeat in allowed]


def read_only_targets(dataset):
    where = ("main", dataset, "RO-hotspot")
    name = f"RO hotspot-5 %, {dataset}"
    return (
        Target(f"{name}: share of RocksDB(FD)", "near 1 (prototype 0.75)",
               1, 0.95, HIGH, ratio("throughput", *where, "fd")),
        Target(f"{name}: over RocksDB-fat", "5.6 (prototype 4.1)",
               5.6, 5, HIGH, ratio("throughput", *where, "fat")),
        Target(f"{name}: CPU a read over RocksDB(FD)'s", "prototype 1.45",
               1.45, 1.08, LOW, ratio("cpu_micros", *where, "fd")),
    )


def over_fat(name, paper, paper_value, limit, group, dataset, workload):
    return Target(f"{name}: over RocksDB-fat", paper, paper_value, limit, HIGH,
                  ratio("throughput", group, dataset, workload, "fat"))


MAIN = ("main", "1KiB-x3")
HDD = ("hdd", "1KiB-x1-hdd")

TARGETS = read_only_targets("1KiB-x3") + read_only_targets("1KiB-x10") + (
    over_fat("RW hotspot-5 %", "3.7", 3.7, 4, *MAIN, "RW-hotspot"),
    Target("RW hotspot-5 %: share of RocksDB(FD)", "", None, 0.85, HIGH,
           ratio("throughput", *MAIN, "RW-hotspot", "fd")),
    over_fat("WH hotspot-5 %", "ahead", None, 1.5, *MAIN, "WH-hotspot"),
    Target("WH hotspot-5 %: p99 of reads over RocksDB-fat's", "worse", None,
           1, LOW, ratio("read_p99", *MAIN, "WH-hotspot", "fat")),
    Target("WH hotspot-5 %: p99 of inserts over RocksDB-fat's", "worse", None,
           1, LOW, ratio("insert_p99", *MAIN, "WH-hotspot", "fat")),
    over_fat("UH hotspot-5 %", "competitive", 1, 0.98, *MAIN, "UH-hotspot"),
    over_fat("UH Zipf", "competitive", 1, 0.98, *MAIN, "UH-zipf"),
    over_fat("RO Zipf 0.99", "ahead of all", None, 3, *MAIN, "RO-zipf"),
    over_fat("RO uniform", "0.984", 0.984, 0.985, *MAIN, "RO-uniform"),
    over_fat("RO hotspot-5 %, 200 B", "as 1 KiB", 5.6, 5,
             "main", "200B-x3", "RO-hotspot"),
    over_fat("hdd, RO hotspot-5 %", "110", 110, 15, *HDD, "RO-hotspot"),
    Target("hdd, RO hotspot-5 %: slow-tier reads a cold Get", "", None, 1.1,
           LOW, value("slow_reads_a_cold_get", *HDD, "RO-hotspot")),
    Target("RALT's share of CPU (RW, 200 B)", "0.031 to 0.123", None, 0.05,
           LOW, value("cpu_RALT", "profile", "200B-x3", "RW-hotspot")),
    Target("RALT's share of I/O (RW, 200 B)", "0.061 to 0.155", None, 0.08,
           LOW, value("ralt_io_share", "profile", "200B-x3", "RW-hotspot")),
    Target("hit rate 0.9 from cold: bytes read by the hotspot's",
           "prototype 7", 7, 5, LOW, reads_until_hot),
    Target("hit rate 0.9 after the hotspot moved: bytes read by the hotspot's",
           "prototype 7", 7, 5, LOW, reads_after_shift),
    Target("Twitter clusters: the worst over RocksDB-fat", "", None, 0.98,
           HIGH, worst_cluster),
    Target("Twitter clusters: the worse of the two with most reads on sunk "
           "and hot records, over RocksDB-fat", "5.59 (cluster 17)", 5.59, 3,
           HIGH, worst_of_promising_clusters),
    Target("fully cached reads, on to off", "", None, 0.97, HIGH,
           cached_ratio),
    Target("peak RSS beyond RocksDB-fat's, by what is allowed", "", None, 1,
           LOW, memory_over_allowed),
)
