#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""HotRAP with and without its parts: the runs for the paper's Tables 3 to 5 and
the analysis of section 3.6, and their goals."""

import dataclasses

from bench_runner import HOTRAP_ON, compaction_bytes, promoted_bytes
from bench_suite import systems, write_amplification
from bench_suite.runs import Run

INSERT_SHARE = 0.25  # of the mix RW
# Read-only runs: Table 4 of the paper has 206 GB promoted if each read
# promotes, for 110 GB of records of 1 KiB.
READS_A_RECORD = 2
# Throughput of RocksDB on gp3 with nothing hot.
SETTLING_OPS_A_SEC = 10000
# As seen on 2 cores, for planning.
OPS_A_SEC = 12000


@dataclasses.dataclass(frozen=True)
class Variant:
    mix: str
    distribution: str
    # Options of the column family; none means HotRAP's build with HotRAP off.
    options: str
    # Measures only after the same number of operations before, because the
    # analysis assumes levels of their target sizes.
    settles: bool = False
    # A quarter of the operations, at a rate that compactions keep up with:
    # without a limit, the effect of compaction debt on the bytes written is
    # larger than the cost of promotions, most of which happen at the start.
    paced: bool = False

    def ops(self, records):
        """RW inserts as much as was loaded."""
        return int(records / INSERT_SHARE if self.mix == "RW"
                   else records * READS_A_RECORD)

    def flags(self, ops):
        if self.paced:
            limits = (f"--ops_per_sec={SETTLING_OPS_A_SEC}",
                      f"--run_ops={ops // 4}", "--run_secs=0")
        elif self.settles:
            # Levels cannot settle if compactions lag further and further
            # behind.
            limits = (f"--ops_per_sec={SETTLING_OPS_A_SEC}",
                      f"--phases={{name=settle;ops={ops}}}:"
                      f"{{name=settled;ops={ops}}}")
        else:
            limits = (f"--run_ops={ops}", "--run_secs=0")
        return (f"--mix={self.mix}",
                f"--distribution={self.distribution}") + limits


VARIANTS = {
    "rw_off": Variant("RW", "hotspot", ""),
    "rw": Variant("RW", "hotspot", HOTRAP_ON),
    "rw_no_retain": Variant("RW", "hotspot",
                            "hotrap={enabled=true;no_retain=true}"),
    "rw_no_by_compaction": Variant(
        "RW", "hotspot", "hotrap={enabled=true;no_by_compaction=true}"),
    "paced": Variant("RW", "hotspot", HOTRAP_ON, paced=True),
    "paced_no_by_compaction": Variant(
        "RW", "hotspot", "hotrap={enabled=true;no_by_compaction=true}",
        paced=True),
    # RocksDB with HotRAP's level targets, the basis of the analysis.
    "settled_no_tracking": Variant(
        "RW", "hotspot",
        "hotrap={enabled=true;no_tracking=true;extra_level=false}",
        settles=True),
    "settled": Variant("RW", "hotspot",
                       "hotrap={enabled=true;extra_level=false}",
                       settles=True),
    "settled_extra_level": Variant(
        "RW", "hotspot", "hotrap={enabled=true;extra_level=true}",
        settles=True),
    "uniform": Variant("RO", "uniform", HOTRAP_ON),
    "uniform_no_hotness_check": Variant(
        "RO", "uniform", "hotrap={enabled=true;no_hotness_check=true}"),
}
PLAIN = "settled_no_tracking"
# Those of the paper's tables.
IN_TABLES = ("rw", "rw_no_retain", "rw_no_by_compaction", "paced",
             "paced_no_by_compaction", "uniform", "uniform_no_hotness_check")


def run_of(name, dataset, records, rw_ops=None, ro_ops=None):
    """Returns a run with this many operations, or as many as in the paper."""
    variant = VARIANTS[name]
    ops = (rw_ops if variant.mix == "RW" else ro_ops) or variant.ops(records)
    system = (systems.without(name, variant.options) if variant.options
              else dataclasses.replace(systems.OFF, name=name))
    # Of RW.
    times = 0.25 if variant.paced else 2 if variant.settles else 1
    limited = variant.paced or variant.settles
    return Run("ablation", dataset, f"{variant.mix}-{variant.distribution}",
               system, variant.flags(ops),
               int(times * ops / (SETTLING_OPS_A_SEC if limited
                                  else OPS_A_SEC)),
               written_bytes=(0 if variant.mix == "RO"
                              else int(times * dataset.data_bytes)))


COLUMNS = (
    ("hit rate", "", "{:.3f}", lambda r: r["final_fast_hit_rate"]),
    ("final", "ops/s", "{:,.0f}", lambda r: r["final_throughput"]),
    ("by flush", "MB", "{:,.0f}", lambda r: r["promoted_bytes"] / 1e6),
    ("by compact.", "MB", "{:,.0f}",
     lambda r: r["compaction_promoted_bytes"] / 1e6),
    ("retained", "MB", "{:,.0f}", lambda r: r["retained_bytes"] / 1e6),
    ("crossings", "", "{:,.0f}", lambda r: r["crossing_compactions"]),
    ("hot found", "MB", "{:,.0f}", lambda r: r["hot_bytes_found"] / 1e6),
    ("estimated", "MB", "{:,.0f}", lambda r: r["hot_bytes_estimated"] / 1e6),
    ("compaction", "GB", "{:,.2f}", lambda r: compaction_bytes(r) / 1e9),
    ("write amp.", "", "{:.2f}", lambda r: r["write_amplification"]),
)


def results_of(saved):
    """By variant."""
    return {one["system"]: one["result"] for one in saved
            if one["group"] == "ablation" and one["repeat"] == 1}


def figures_of(result):
    """By column."""
    return {f"{column} {unit}".strip(): value(result)
            for column, unit, _, value in COLUMNS}


def ratio(top, bottom):
    return top / bottom if bottom else float("inf")


def of_hotrap(value):
    """A variant's value divided by HotRAP's."""
    return lambda hotrap, variant: ratio(value(variant), value(hotrap))


def to_analysis(extra_level):
    return lambda plain, result: write_amplification.analyse(
        plain, result, extra_level)["measured_to_analysis"]


@dataclasses.dataclass(frozen=True)
class Check:
    what: str
    # The variants for which `value` is computed.
    needs: tuple
    value: object
    # Of the paper's Tables 3 to 5; None where it has no figure.
    paper: float = None
    at_least: float = None
    at_most: float = None

    @property
    def wanted(self):
        return " and ".join(
            f"{side} {limit:g}" for side, limit in
            (("at least", self.at_least), ("at most", self.at_most))
            if limit is not None)

    def judge(self, results):
        here = self.value(*(results[name] for name in self.needs))
        holds = None
        if self.wanted:
            holds = ((self.at_least is None or here >= self.at_least) and
                     (self.at_most is None or here <= self.at_most))
        return {"what": self.what, "paper": self.paper, "measured": here,
                "shown": f"{here:.3g}", "wanted": self.wanted,
                "ratio": here / self.paper if self.paper else None,
                "holds": holds}


CHECKS = (
    Check("RW: final fast hit rate", ("rw",),
          lambda r: r["final_fast_hit_rate"], 0.945, at_least=0.93),
    Check("RW: hit rate above no_retain's", ("rw", "rw_no_retain"),
          lambda r, without: r["final_fast_hit_rate"] -
          without["final_fast_hit_rate"], 0.945 - 0.72, at_least=0.15),
    Check("RW: promoted by no_retain to promoted", ("rw", "rw_no_retain"),
          of_hotrap(promoted_bytes), 35.2 / 5.9, at_least=3),
    Check("RW: compaction bytes of no_retain to HotRAP's",
          ("rw", "rw_no_retain"), of_hotrap(compaction_bytes),
          3156.5 / 2530.6),
    Check("uniform: promoted by no_hotness_check to promoted",
          ("uniform", "uniform_no_hotness_check"), of_hotrap(promoted_bytes),
          209.9, at_least=50),
    Check("uniform: compaction bytes of no_hotness_check to HotRAP's",
          ("uniform", "uniform_no_hotness_check"),
          of_hotrap(compaction_bytes), 285.8),
    Check("RW: compaction bytes of no_by_compaction to HotRAP's",
          ("rw", "rw_no_by_compaction"), of_hotrap(compaction_bytes), 1.06),
    Check("paced RW: compaction bytes of no_by_compaction to HotRAP's",
          ("paced", "paced_no_by_compaction"), of_hotrap(compaction_bytes),
          at_least=1),
    Check("settled: write amplification to the analysis", (PLAIN, "settled"),
          to_analysis(False), at_least=0.85, at_most=1.15),
    Check("settled_extra_level: write amplification to the analysis",
          (PLAIN, "settled_extra_level"), to_analysis(True),
          at_least=0.85, at_most=1.15),
)


def judge(results):
    """Returns the checks that have results, by variant."""
    return [check.judge(results) for check in CHECKS
            if all(name in results for name in check.needs)]
