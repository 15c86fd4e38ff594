#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The tables of the report. Each has headings and rows of text."""

import collections
import dataclasses

import pandas
from bench_suite import ablation, metrics
from bench_suite import parts as parts_of_engine


@dataclasses.dataclass(frozen=True)
class Table:
    headings: tuple
    rows: list


@dataclasses.dataclass(frozen=True)
class Column:
    heading: str
    form: str
    # What the value is divided by before it is shown.
    unit: float = 1

    def show(self, value):
        return "" if pandas.isna(value) else self.form.format(
            value if self.unit == 1 else value / self.unit)


RUN_COLUMNS = {
    "throughput": Column("operations/s", "{:,.0f}"),
    "hit_rate": Column("fast hit rate", "{:.3f}"),
    "oracle": Column("oracle", "{:.3f}"),
    "points_below_oracle": Column("points below it", "{:.1f}"),
    "block_cache_4k": Column("clairvoyant cache, 4 KiB", "{:.3f}"),
    "block_cache_16k": Column("of 16 KiB", "{:.3f}"),
    **{f"{operation}_{quantile}": Column(f"{operation} {quantile}, us",
                                         "{:,.0f}")
       for operation in ("read", "insert", "update")
       for quantile in metrics.QUANTILES},
    "cpu_micros": Column("CPU us/op", "{:.1f}"),
    "slow_reads": Column("slow reads/s", "{:,.0f}"),
    "fast_reads": Column("fast reads/s", "{:,.0f}"),
    "write_amplification": Column("write amp.", "{:.1f}"),
    "peak_fast_share": Column("peak fast / budget", "{:.2f}"),
    "debt_bytes": Column("debt at the end, MB", "{:,.0f}", 1e6),
    "delayed_share": Column("writes delayed", "{:.0%}"),
    "done": Column("of its operations", "{:.0%}"),
    "peak_rss_bytes": Column("peak RSS, MB", "{:,.0f}", 1e6),
    "hits_disagreement": Column("hits counted differently", "{:.2%}"),
    "others_cpu": Column("CPU of others", "{:.0%}"),
}
SIZE_COLUMNS = {
    "throughput": Column("reads/s", "{:,.0f}"),
    "cpu_micros": Column("CPU us a read", "{:.1f}"),
    "rss_a_kilobyte": Column("RSS, bytes a KiB of data", "{:.1f}"),
    "ralt_disk_a_record": Column("RALT on disk, bytes a record", "{:.2f}"),
    "ralt_memory_a_record": Column("RALT in memory, bytes a record",
                                   "{:.2f}"),
}
VERDICT = {True: "holds", False: "missed", None: ""}


def verdict(row):
    """Of a target."""
    words = [VERDICT[row["holds"]]] + ["noisy"] * row["noisy"]
    return ", ".join(word for word in words if word)


def targets(judged):
    """The ratio is that of here to the paper."""
    return Table(
        ("what", "paper", "here", "ratio", "runs", "wanted", "",
         "HotRAP is bound by", "in detail"),
        [(row["what"], row["paper"], row["shown"],
          "" if row["ratio"] is None else f"{row['ratio']:.2f}",
          row["runs"] or "", row["wanted"], verdict(row),
          "; ".join(row["bounds"]), row["note"]) for row in judged])


def medians(part, columns):
    """Of the repetitions of a run."""
    for name, column in columns.items():
        values = part[name].dropna() if name in part else []
        yield column.show(values.median() if len(values) else float("nan"))


def runs(frame):
    """One row for the repetitions of a run, with the spread of the throughput
    as a share of the median."""
    rows = []
    for key, part in frame.groupby(["group", "dataset", "workload", "system"],
                                   sort=False):
        if "throughput" not in part or part.throughput.isna().all():
            continue
        spread = ((part.throughput.max() - part.throughput.min()) /
                  part.throughput.median())
        rows.append([*key, str(len(part)), *medians(part, RUN_COLUMNS),
                     f"{spread:.1%}" if len(part) > 1 else "",
                     "; ".join(part.bound.dropna().unique())
                     if "bound" in part else ""])
    return Table(("group", "data", "workload", "system", "runs",
                  *(column.heading for column in RUN_COLUMNS.values()),
                  "spread", "bound by"), rows)


def sizes(frame):
    """What a record costs as the data grows."""
    chosen = frame[(frame.group == "main") &
                   (frame.workload == "RO-hotspot") &
                   frame.dataset.str.startswith("1KiB-")]
    return Table(("data", "system",
                  *(column.heading for column in SIZE_COLUMNS.values())),
                 [[*key, *medians(part, SIZE_COLUMNS)]
                  for key, part in chosen.groupby(["dataset", "system"],
                                                  sort=False)])


def ablations(saved):
    """Tables 3 to 5."""
    return Table(
        ("version", *(f"{name} {unit}".strip()
                      for name, unit, *_ in ablation.COLUMNS)),
        [[name] + [form.format(value(result))
                   for _, _, form, value in ablation.COLUMNS]
         for name, result in ablation.results_of(saved).items()])


def ablation_checks(saved):
    return Table(
        ("what", "paper", "here", "ratio", "wanted", ""),
        [(check["what"],
          "" if check["paper"] is None else f"{check['paper']:.3g}",
          check["shown"],
          "" if check["ratio"] is None else f"{check['ratio']:.2f}",
          check["wanted"], VERDICT[check["holds"]])
         for check in ablation.judge(ablation.results_of(saved))])


def parts(rows):
    """Rows of parts.measure."""
    return Table(
        ("data", "workload", "system", "runs", "of an operation",
         *parts_of_engine.PARTS),
        [(row["dataset"], row["workload"], row["system"], str(row["runs"]),
          f"{row['what']}, {row['unit']}",
          *(f"{amount:,.1f}" for amount in row["parts"].values()))
         for row in rows])


STAGE_COLUMNS = {
    "system": Column("system", "{}"),
    "repeat": Column("run", "{}"),
    "stage": Column("stage", "{}"),
    "secs": Column("s", "{:.0f}"),
    "final_throughput": Column("final reads/s", "{:,.0f}"),
    "final_fast_hit_rate": Column("final hit rate", "{:.3f}"),
    "hotspot_bytes": Column("hotspot, MB", "{:,.0f}", 1e6),
    "hot_set_bytes": Column("hot set, MB", "{:,.0f}", 1e6),
    "hot_set_limit_bytes": Column("its limit, MB", "{:,.0f}", 1e6),
    "promoted_bytes": Column("promoted, MB", "{:,.0f}", 1e6),
    "reads_until_hot": Column("hit rate 0.9 after so many hotspots read",
                              "{:.1f}"),
    "converged_after_secs": Column("hot set within 20 % after, s", "{:.0f}"),
}


def stages(rows):
    """Rows of metrics.stages."""
    return Table(tuple(column.heading for column in STAGE_COLUMNS.values()),
                 [[column.show(row[name])
                   for name, column in STAGE_COLUMNS.items()] for row in rows])


def provenance(saved):
    """The origin of results. Several programs of one build are marked as a
    mix."""
    counts = collections.Counter()
    commits = {}
    disks = {}
    for one in saved:
        host = one["machine"]
        row = (
            host.get("cpu", "unknown"), str(host.get("cpus", "")),
            f"{host.get('memory_bytes', 0) / 1e9:.0f} GB",
            host.get("system", ""), host.get("compiler", ""),
            one.get("build", ""), one.get("program", ""),
            one["result"].get("rocksdb_version", ""),
            one["result"].get("slow_disk", ""))
        counts[row] += 1
        commits.setdefault(row, {})[host.get("commit", "")] = True
        # Probed in each session.
        disks.setdefault(row, []).append(host.get("fast_disk") or {})
    return Table(
        ("CPU", "CPUs", "memory", "system", "compiler", "build", "program",
         "RocksDB", "slow disk", "runs", "commits",
         "fast disk: 16 KiB reads/s", "MB/s read", "MB/s written"),
        [(*row, str(count), ", ".join(commits[row]), *probed(disks[row]))
         for row, count in counts.items()])


def probed(disks):
    """The range from the lowest to the highest of the sessions."""
    for name, unit in (("reads", 1), ("read_bytes", 1e6),
                       ("written_bytes", 1e6)):
        found = sorted(disk[name] / unit for disk in disks if name in disk)
        ends = dict.fromkeys(f"{value:,.0f}" for value in found[:1] +
                             found[-1:])
        yield " to ".join(ends)
