#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The paper's values, the targets, and the measurements. Ratios are computed
within a repetition, whose runs were measured side by side."""

import dataclasses
import math
import statistics
import typing

from bench_suite import metrics, suite

# A run does not count if the rest of the machine used more than this.
MAX_OTHERS_CPU = 0.10
LOW = "at most"
HIGH = "at least"

# HotRAP has blocks of 4 KiB on the fast tier, RocksDB(FD) of 16 KiB as in the
# paper. The gain of small blocks alone must not count as HotRAP's, so the limit
# is the faster of both.
LIMITS = ("fd", "fd-4k")
# All systems that are not limits. A row cache is in every comparison like the
# paper's.
RIVALS = ("fat", "row-cache", "persistent-cache", "fat-4k")
RIVALS_NEEDED = ("fat", "row-cache")
COMPARED = ("hotrap", "fat")


@dataclasses.dataclass(frozen=True)
class Case:
    group: str
    dataset: str
    workload: str


class Measured:
    """Looks up rows of metrics.of_result, and records what the rest of the
    machine did during the requested ones."""

    def __init__(self, rows, saved):
        self.rows = rows
        self.saved = saved
        self.others_cpu = []

    def by_repeat(self, field, case, system):
        found = {row["repeat"]: row for row in self.rows
                 if Case(row["group"], row["dataset"], row["workload"]) == case
                 and row["system"] == system and row.get(field) is not None}
        self.others_cpu += [row["others_cpu"] for row in found.values()
                            if row.get("others_cpu") is not None]
        return {repeat: row[field] for repeat, row in found.items()}

    def values(self, field, case, system="hotrap"):
        return list(self.by_repeat(field, case, system).values())

    def ratios(self, field, case, others, system="hotrap", needed=None):
        """Returns ratios to the fastest of the others in the same repetition,
        in which all of `needed` must have run, or one of them."""
        fields = {other: self.by_repeat(field, case, other)
                  for other in others}
        speeds = {other: self.by_repeat("throughput", case, other)
                  for other in others}
        found = []
        for repeat, value in self.by_repeat(field, case, system).items():
            there = [other for other in others if fields[other].get(repeat)
                     and speeds[other].get(repeat)]
            if there and set(needed or ()) <= set(there):
                best = max(there, key=lambda other: speeds[other][repeat])
                found.append(value / fields[best][repeat])
        return found

    def results(self, case, system="hotrap"):
        # Also requests the rows.
        repeats = self.by_repeat("name", case, system)
        return [saved["result"] for saved in self.saved
                if saved["name"] in repeats.values()
                and saved["system"] == system]


def digits(value, limit):
    """Three digits, or as many as distinguish the value from the limit."""
    return next((text for text in (f"{value:.{count}g}" for count in (3, 4, 5))
                 if float(text) != limit or value == limit), f"{value:.6g}")


@dataclasses.dataclass(frozen=True)
class Target:
    """A row of the first table. Without a limit it is only compared with the
    paper."""
    what: str
    measure: typing.Callable[[Measured], list]
    # HIGH or LOW, of the limit.
    side: str = HIGH
    limit: typing.Optional[float] = None
    # The paper's value, and the base of the ratio.
    paper: str = ""
    paper_value: typing.Optional[float] = None
    # What else a reader must know about the measurement.
    note: typing.Optional[typing.Callable[[Measured], str]] = None
    # The run that shows what bounds it: a Case, or a function that finds one.
    case: typing.Union[Case, typing.Callable, None] = None
    system: str = "hotrap"
    # In words. Not judged while runs that it needs are missing.
    lacks: typing.Optional[typing.Callable[[Measured], str]] = None

    def judge(self, measured):
        measured.others_cpu = []
        values = self.measure(measured)
        others_cpu = max(measured.others_cpu, default=None)
        lacks = self.lacks(measured) if self.lacks else ""
        notes = [self.note(measured) if self.note and values else "",
                 "" if others_cpu is None
                 else f"CPU of others: up to {others_cpu:.0%}"]
        row = {"what": self.what, "paper": self.paper, "here": None,
               "ratio": None, "runs": len(values), "holds": None,
               "others_cpu": others_cpu,
               "noisy": bool(values) and (others_cpu or 0) > MAX_OTHERS_CPU,
               "note": "; ".join(filter(None, notes)) if values else "",
               "bounds": self.bounds(measured),
               "wanted": ("" if self.limit is None
                          else f"{self.side} {self.limit:g}")}
        if not values:
            return row | {"shown": lacks or "not run"}
        here = statistics.median(values)
        if math.isinf(here):
            return row | {"shown": "never", "holds": False}
        shown = digits(here, self.limit)
        if len(values) > 1:
            shown += f" ({min(values):.3g} to {max(values):.3g})"
        if lacks:
            shown += f", {lacks}"
        elif self.limit is not None:
            row["holds"] = (here >= self.limit if self.side == HIGH
                            else here <= self.limit)
        return row | {
            "here": here, "shown": shown,
            "ratio": here / self.paper_value if self.paper_value else None}

    def bounds(self, measured):
        """Returns what bounds it, in the words of metrics.bound_of, over all
        repetitions."""
        case = self.case(measured) if callable(self.case) else self.case
        return list(dict.fromkeys(measured.values(
            "bound", case, self.system))) if case else []


def each_of(field, case, others):
    """Returns a note with the ratio to each of several."""
    def note(measured):
        found = {other: measured.ratios(field, case, (other,))
                 for other in others}
        return ", ".join(
            f"{other}: " + (f"{statistics.median(ratios):.3g}" if ratios
                            else "not run")
            for other, ratios in found.items())
    return note


def over_fat(name, case, limit, paper="", paper_value=None, note=None):
    return Target(
        f"{name}: over RocksDB-fat",
        lambda measured: measured.ratios("throughput", case, ("fat",)),
        HIGH, limit, paper, paper_value, note, case)


def over_held(name, case):
    def note(measured):
        peaks = {system: measured.values("peak_fast_share", case, system)
                 for system in ("hotrap", "fat", "fat-held")}
        return "peak of the fast disk, by the budget: " + ", ".join(
            f"{system} {statistics.median(found):.2f}"
            for system, found in peaks.items() if found)
    return Target(
        f"{name}: over RocksDB-fat held to the fast budget",
        lambda measured: measured.ratios("throughput", case, ("fat-held",)),
        note=note, case=case)


def over_second_best(name, case, paper="", paper_value=None):
    return Target(
        f"{name}: over the second best",
        lambda measured: measured.ratios("throughput", case, RIVALS,
                                         needed=RIVALS_NEEDED),
        paper=paper, paper_value=paper_value,
        note=each_of("throughput", case, RIVALS), case=case)


def named(limits):
    return ("the faster of both blocks" if limits == LIMITS
            else "blocks of 16 KiB only")


def share_of_fd(name, case, limit, paper="", limits=LIMITS):
    return Target(
        f"{name}: share of RocksDB(FD), {named(limits)}",
        lambda measured: measured.ratios("throughput", case, limits,
                                         needed=limits),
        HIGH, limit, paper, 1 if paper else None,
        each_of("throughput", case, limits), case)


def cpu_over_fd(name, case, limit, limits=LIMITS):
    return Target(
        f"{name}: CPU a read over RocksDB(FD)'s, {named(limits)}",
        lambda measured: measured.ratios("cpu_micros", case, limits,
                                         needed=limits),
        LOW, limit, note=each_of("cpu_micros", case, limits), case=case)


def latency_over_fat(name, case, field, limit, paper=""):
    what = field.replace("_", ", ")
    return Target(
        f"{name}: {what} over RocksDB-fat's",
        lambda measured: measured.ratios(field, case, ("fat",)), LOW, limit,
        paper, case=case)


def value_of(what, field, case, side=HIGH, limit=None, paper="",
             paper_value=None):
    return Target(what, lambda measured: measured.values(field, case), side,
                  limit, paper, paper_value, case=case)


def reads_after_shift(measured):
    """For the dynamic runs: reads after the hotspot moved."""
    found = []
    for result in measured.results(DYNAMIC):
        config = result["config"]
        points = [point for point in result["timeline"]
                  if point["phase"] == suite.SHIFT_PHASE]
        if points:
            reads = metrics.reads_until(
                points, config["key_bytes"] + config["value_bytes"])
            found.append(float("inf") if reads is None else reads)
    return found


def reads_until_hot(measured):
    """Returns infinity for a run that never became hot."""
    found = measured.by_repeat("reads_until_hot", RO, "hotrap")
    return [found.get(repeat, float("inf"))
            for repeat in measured.by_repeat("throughput", RO, "hotrap")]


@dataclasses.dataclass(frozen=True)
class Cluster:
    name: str
    # The share of reads of sunk and hot records; the speedup over fat; fat's
    # slow reads: if there are few, nothing can be gained.
    share: float
    speedup: float
    slow_gets_of_fat: float


def cluster_case(name):
    return Case("twitter", name, name)


def clusters(measured):
    """Returns the clusters that ran, ordered as in section 4.3: most reads of
    sunk and hot records first."""
    found = []
    for number in suite.TWITTER_CLUSTERS:
        name = f"cluster{number}"
        case = cluster_case(name)
        speedups = measured.ratios("throughput", case, ("fat",))
        shares = measured.values("sunk_and_hot_reads", case)
        slow = measured.values("slow_get_share", case, "fat")
        if speedups and shares and slow:
            found.append(Cluster(name, statistics.median(shares),
                                 statistics.median(speedups),
                                 statistics.median(slow)))
    return sorted(found, key=lambda cluster: -cluster.share)


def clusters_note(measured):
    return "; ".join(
        f"{one.name}: {one.speedup:.2f} (sunk and hot {one.share:.2f}, slow "
        f"gets of fat {one.slow_gets_of_fat:.2f})"
        for one in clusters(measured))


def lacking_clusters(measured):
    ran, there = len(clusters(measured)), len(suite.TWITTER_CLUSTERS)
    return f"{ran} of {there} ran" if ran < there else ""


def worst_cluster(measured, count=None):
    """Returns the worst of the first `count`, or of all, as a list; empty if
    none ran."""
    found = clusters(measured)[:count]
    return [min(found, key=lambda one: one.speedup)] if found else []


def below_oracle(name, case, limit):
    return value_of(f"{name}: points below the oracle", "points_below_oracle",
                    case, LOW, limit)


def points_of_clusters(measured):
    return {f"cluster{number}": statistics.median(points)
            for number in suite.TWITTER_CLUSTERS
            if (points := measured.values(
                "points_below_oracle", cluster_case(f"cluster{number}")))}


def farthest_cluster(measured):
    found = points_of_clusters(measured)
    return cluster_case(max(found, key=found.get)) if found else None


def clusters_below_oracle(name, limit):
    return Target(
        name, lambda measured: [max(points_of_clusters(measured).values())]
        if points_of_clusters(measured) else [], LOW, limit,
        note=lambda measured: ", ".join(
            f"{cluster}: {points:.1f}"
            for cluster, points in points_of_clusters(measured).items()),
        case=farthest_cluster, lacks=lacking_clusters)


def over_fat_in_clusters(name, limit, count=None):
    def case(measured):
        worst = worst_cluster(measured, count)
        return cluster_case(worst[0].name) if worst else None
    return Target(
        name, lambda measured: [one.speedup for one in
                                worst_cluster(measured, count)],
        HIGH, limit, note=clusters_note, case=case, lacks=lacking_clusters)


def cached_ratio(measured):
    return [min(rows["Gets/s"]["ratio"] for rows in result.values())
            for result in measured.results(CACHED)]


def cached_note(measured):
    found = [f"{name}: {rows['Gets/s']['ratio']:.3f} +- "
             f"{rows['Gets/s']['standard_error']:.3f}"
             for result in measured.results(CACHED)
             for name, rows in result.items()]
    return ("on and off by turns in one process, on one tree: " +
            "; ".join(found))


def memory_of(case, measured):
    """Returns (HotRAP's, fat's, allowed difference) of the repetitions that
    have all of them."""
    hotrap, fat = (measured.by_repeat("peak_rss_bytes", case, system)
                   for system in COMPARED)
    allowed = measured.by_repeat("allowed_memory_bytes", case, "hotrap")
    return [(hotrap[repeat], fat[repeat], allowed[repeat])
            for repeat in hotrap if repeat in fat and repeat in allowed]


def memory_over_allowed(name, case, limit):
    def note(measured):
        return "hotrap {:.0f} MB, fat {:.0f} MB, allowed {:.0f} MB".format(
            *(statistics.median(column) / 1e6
              for column in zip(*memory_of(case, measured))))
    return Target(
        f"{name}: peak RSS beyond RocksDB-fat's, by what is allowed",
        lambda measured: [(hotrap - fat) / allowed for hotrap, fat, allowed
                          in memory_of(case, measured)],
        LOW, limit, note=note, case=case)


def of_sizes(measured, field):
    return [measured.values(field, Case("main", f"1KiB-x{factor}",
                                        "RO-hotspot"))
            for factor in (1, 10)]


def differ_in_origin(measured):
    """Returns the cases whose run was continued elsewhere, or that used two
    programs."""
    small, large = (set(values) for values in of_sizes(measured, "origin"))
    return ("of different machines or programs"
            if small and large and len(small | large) > 1 else "")


def cost_by_size(what, field):
    """x10 to x1."""
    def measure(measured):
        small, large = of_sizes(measured, field)
        return [statistics.median(large) / statistics.median(small)] \
            if small and large and not differ_in_origin(measured) else []
    return Target(f"RO hotspot-5 %: {what}, x10 to x1", measure, case=RO_X10,
                  lacks=differ_in_origin)


def main_case(workload, dataset="1KiB-x3"):
    return Case("main", dataset, workload)


def profile_case(workload):
    return Case("profile", "200B-x1", workload)


RO = main_case("RO-hotspot")
RO_X10 = main_case("RO-hotspot", "1KiB-x10")
RO_SMALL = main_case("RO-hotspot", "200B-x1")
RW = main_case("RW-hotspot")
WH = main_case("WH-hotspot")
UH = main_case("UH-hotspot")
UNIFORM = main_case("RO-uniform")
PACED = Case("paced", "1KiB-x3", "WH-hotspot")
HDD = Case("hdd", "1KiB-x1", "RO-hotspot")
DYNAMIC = Case("dynamic", "1KiB-x1", "RO-dynamic")
CACHED = Case("cached", "cached", "cached")
CLUSTER17 = cluster_case("cluster17")

TARGETS = (
    share_of_fd("RO hotspot-5 %, 1 KiB", RO, 0.95, "close to 1"),
    over_fat("RO hotspot-5 %, 1 KiB", RO, 5,
             note=each_of("throughput", RO, ("fat", "fat-4k"))),
    over_second_best("RO hotspot-5 %, 1 KiB", RO, "5.6", 5.6),
    cpu_over_fd("RO hotspot-5 %, 1 KiB", RO, 1.08),
    # Data with blocks of 4 KiB was not loaded at x10.
    share_of_fd("RO hotspot-5 %, 1 KiB x10", RO_X10, 0.95, "close to 1",
                limits=("fd",)),
    over_fat("RO hotspot-5 %, 1 KiB x10", RO_X10, 5),
    cpu_over_fd("RO hotspot-5 %, 1 KiB x10", RO_X10, 1.08, limits=("fd",)),
    over_fat("RW hotspot-5 %", RW, 4,
             note=each_of("throughput", RW, ("fat", "fat-4k"))),
    over_second_best("RW hotspot-5 %", RW, "3.7", 3.7),
    share_of_fd("RW hotspot-5 % (Figure 14)", RW, 0.85, "close to 1"),
    over_fat("WH hotspot-5 %", WH, 1.5, "ahead"),
    over_second_best("WH hotspot-5 %", WH),
    latency_over_fat("WH hotspot-5 %", WH, "read_p99", 1, "worse"),
    latency_over_fat("WH hotspot-5 %", WH, "insert_p99", 1, "worse"),
    latency_over_fat("WH hotspot-5 % at equal load", PACED, "read_p99", None),
    latency_over_fat("WH hotspot-5 % at equal load", PACED, "insert_p99",
                     None),
    over_fat("UH hotspot-5 %", UH, 0.98, "competitive"),
    over_held("UH hotspot-5 %", UH),
    over_second_best("UH hotspot-5 %", UH),
    over_fat("UH Zipf", main_case("UH-zipf"), 0.98, "competitive"),
    over_held("UH Zipf", main_case("UH-zipf")),
    over_fat("RO Zipf 0.99", main_case("RO-zipf"), 3, "ahead of all"),
    over_second_best("RO Zipf 0.99", main_case("RO-zipf")),
    over_fat("RO uniform", UNIFORM, 0.985, "0.984", 0.984),
    over_held("RO uniform", UNIFORM),
    Target("RO uniform: our build with HotRAP off, over RocksDB-fat",
           lambda measured: measured.ratios("throughput", UNIFORM, ("fat",),
                                            "off"),
           case=UNIFORM, system="off"),
    Target("RO hotspot-5 %: our build with HotRAP off, over RocksDB-fat",
           lambda measured: measured.ratios("throughput", RO, ("fat",),
                                            "off"), case=RO, system="off"),
    over_fat("RO hotspot-5 %, 200 B", RO_SMALL, 5,
             note=each_of("throughput", RO_SMALL, ("fat", "fat-4k"))),
    over_second_best("RO hotspot-5 %, 200 B", RO_SMALL),
    share_of_fd("RO hotspot-5 %, 200 B", RO_SMALL, None, "close to 1"),
    over_fat("hdd, RO hotspot-5 % (Figure 16)", HDD, 15, "110", 110),
    value_of("hdd, RO hotspot-5 %: slow-tier reads a cold Get",
             "slow_reads_a_cold_get", HDD, LOW, 1.1),
    value_of("RW hotspot-5 %, 200 B: RALT's share of CPU (Figure 12)",
             "cpu_RALT", profile_case("RW-hotspot"), LOW, 0.05,
             "0.031 to 0.123"),
    *(value_of(f"{workload}, 200 B: RALT's share of CPU (Figure 12)",
               "cpu_RALT", profile_case(workload), paper="0.031 to 0.123")
      for workload in ("RO-hotspot", "RW-uniform", "WH-hotspot")),
    value_of("RW hotspot-5 %, 200 B: RALT's share of I/O (Figure 13)",
             "ralt_io_share", profile_case("RW-hotspot"), LOW, 0.08,
             "0.061 to 0.155"),
    *(value_of(f"{workload}, 200 B: RALT's share of I/O (Figure 13)",
               "ralt_io_share", profile_case(workload), paper="0.061 to 0.155")
      for workload in ("RO-hotspot", "RW-uniform", "WH-hotspot")),
    Target("hit rate 0.9 from cold: bytes read by the hotspot's",
           reads_until_hot, LOW, 5, case=RO),
    Target("hit rate 0.9 after the hotspot moved: bytes read by the hotspot's",
           reads_after_shift, LOW, 5, case=DYNAMIC),
    over_fat_in_clusters("Twitter clusters: the worst over RocksDB-fat", 0.98),
    # The paper calls two clusters high in such reads.
    over_fat_in_clusters(
        "Twitter clusters (Figure 11): the worse of the two with most reads "
        "of sunk and hot records, over RocksDB-fat", 3, count=2),
    over_fat("Twitter cluster17 (Figure 11)", CLUSTER17, None, "5.59", 5.59),
    over_second_best("Twitter cluster17 (Figure 11)", CLUSTER17, "2.0", 2.0),
    Target("fully cached reads, on to off", cached_ratio, HIGH, 0.97,
           note=cached_note, case=CACHED),
    below_oracle("RO hotspot-5 %, 1 KiB", RO, 0.5),
    below_oracle("RO Zipf 0.99", main_case("RO-zipf"), 2),
    below_oracle("RO Zipf 0.8", Case("oracle", "1KiB-x3", "RO-zipf-0.8"), 3),
    below_oracle("RW Zipf", main_case("RW-zipf"), 4),
    clusters_below_oracle(
        "Twitter clusters: points below the oracle, the farthest", 3),
    memory_over_allowed("RO hotspot-5 %", RO, 1),
    memory_over_allowed("RW hotspot-5 %", RW, None),
    memory_over_allowed("WH hotspot-5 %", WH, None),
    cost_by_size("CPU a read", "cpu_micros"),
    cost_by_size("memory a KiB of data", "rss_a_kilobyte"),
    cost_by_size("RALT's files a record", "ralt_disk_a_record"),
)
