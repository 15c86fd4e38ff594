#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The summary of a set of runs, docs/benchmarks.json: medians and spreads, the
machines and the engine's commits. The page in docs/ and its figures are made of
it, and of nothing else.

It is a dict of JSON:

  coverage    coverage.summary: the scale, when, how many runs
  origins     machines and programs, how many runs are of each, and what
              their fast disks did when they were probed: [least, most]
  targets     Target.judge: what the paper has, what is wanted, what was
              measured, and what bounds HotRAP
  columns     names of the values of each run
  runs        a row for each run: group, dataset, workload, system, how many
              repetitions, what bounds it, and for each column its value; where
              repetitions differ [median, least, most]. None: not measured
  over_fat    a row for each case: group, dataset, workload, HotRAP's throughput
              over RocksDB-fat's of the same repetition
  oracles     a row for each case: group, dataset, workload, and what
              oracle.COLUMNS says, of HotRAP's runs
  parts       parts.measure: CPU and I/O by part of the engine
  stages      metrics.stages: the dynamic workload, medians of the repetitions
  ablations, ablation_checks
              HotRAP without its parts
  curves      what each second of the runs in CURVES had; bytes in MB
"""

import json
import math
import statistics

from bench_suite import ablation, metrics, oracle, targets

COLUMNS = ("throughput", "hit_rate", "read_p50", "read_p99", "read_p99.9",
           "insert_p99", "update_p99", "cpu_micros", "slow_reads",
           "fast_reads", "write_amplification", "peak_fast_share",
           "peak_rss_bytes", "others_cpu", "sunk_and_hot_reads",
           "slow_get_share")
KEY = ("group", "dataset", "workload", "system")
DIGITS = 4
# Of ratios: those of targets are rounded once, from the measured value.
RATIO_DIGITS = 6

# The points of the timeline of one repetition: (run, columns).
CURVES = {
    "hotrap": (("main", "1KiB-x3", "RO-hotspot", "hotrap"),
               ("secs", "throughput", "fast_hit_rate")),
    "off": (("main", "1KiB-x3", "RO-hotspot", "off"),
            ("secs", "throughput", "fast_hit_rate")),
    "dynamic": (("dynamic", "1KiB-x1", "RO-dynamic", "hotrap"),
                ("secs", "phase", "fast_hit_rate", "hotspot_bytes",
                 "hot_set_bytes", "hot_set_limit_bytes")),
}


def rounded(value, digits=DIGITS):
    """To a few digits; JSON knows no NaN."""
    if isinstance(value, dict):
        return {name: rounded(part, digits) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part, digits) for part in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short


def spread(values):
    """[median, least, most]; where all are the same, that value."""
    found = [value for value in values if value is not None]
    if len(set(found)) < 2:
        return found[0] if found else None
    return [statistics.median(found), min(found), max(found)]


def runs_of(rows):
    """Rows of metrics.of_result, the repetitions of a run together."""
    by_run = {}
    for row in rows:
        if "throughput" in row:
            by_run.setdefault(tuple(row[name] for name in KEY), []).append(row)
    return [[*key, len(several),
             list(dict.fromkeys(row["bound"] for row in several
                                if row.get("bound"))),
             *(spread(row.get(name) for row in several) for name in COLUMNS)]
            for key, several in by_run.items()]


def origins_of(saved):
    """More than one program of a build is a mix."""
    by_origin = {}
    for one in saved:
        host = one["machine"]
        origin = by_origin.setdefault(
            (host.get("cpu", "unknown"), one.get("build", ""),
             one.get("program", "")), {
                 "cpus": host.get("cpus"),
                 "memory_gb": host.get("memory_bytes", 0) / 1e9,
                 "compiler": host.get("compiler", ""), "runs": 0,
                 "commits": {}, "disks": []})
        origin["runs"] += 1
        # The oldest first.
        origin["commits"][host.get("commit", "")] = min(
            one.get("started", ""),
            origin["commits"].get(host.get("commit", ""), "9"))
        # Probed anew in each session.
        origin["disks"].append(host.get("fast_disk") or {})
    for (cpu, build, program), origin in by_origin.items():
        disks = origin.pop("disks")
        yield {"cpu": cpu, "build": build, "program": program} | origin | {
            "commits": sorted(origin["commits"], key=origin["commits"].get)
        } | {f"fast_disk_{name}_a_sec": ends(
            disk[name] for disk in disks if name in disk)
            for name in ("reads", "read_bytes", "written_bytes")}


def over_fat(rows):
    """As the targets are judged: the ratio is taken within a repetition."""
    measured = targets.Measured(rows, [])
    for case in dict.fromkeys(targets.Case(*(row[name] for name in KEY[:3]))
                              for row in rows if row["system"] == "hotrap"):
        ratios = measured.ratios("throughput", case, ("fat",))
        if ratios:
            yield [case.group, case.dataset, case.workload, spread(ratios)]


def oracles_of(rows):
    """HotRAP has the whole budget; its repetitions differ by little."""
    by_case = {}
    for row in rows:
        if row["system"] == "hotrap" and row.get("oracle") is not None and \
                row["group"] not in oracle.REPEATED_GROUPS:
            by_case.setdefault(tuple(row[name] for name in KEY[:3]),
                               []).append(row)
    for case, several in by_case.items():
        found = [[row[name] for row in several if row[name] is not None]
                 for name in oracle.COLUMNS]
        yield [*case, *(statistics.median(values) if values else None
                        for values in found)]


def ends(values):
    found = sorted(values)
    return [found[0], found[-1]] if found else None


def stages_of(rows):
    """Rows of metrics.stages, medians of the repetitions."""
    by_stage = {}
    for row in rows:
        by_stage.setdefault((row["system"], row["stage"]), []).append(row)
    return [{"system": system, "stage": stage, "runs": len(several)} |
            {name: spread(row[name] for row in several)
             for name in (*metrics.STAGE_FIELDS, "reads_until_hot",
                          "converged_after_secs")}
            for (system, stage), several in by_stage.items()]


def of_point(point, column):
    """A figure shows no more: MB, whole seconds, three digits."""
    value = point[column]
    if column.endswith("_bytes"):
        return round(value / 1e6, 1)
    return round(value) if column == "secs" else float(f"{value:.3g}")


def curves_of(saved):
    first = {tuple(one[name] for name in KEY): one["result"] for one in saved
             if one["repeat"] == 1}
    return {name: [[of_point(point, column) for column in columns]
                   for point in first[run]["timeline"]
                   if set(columns) <= set(point)]
            for name, (run, columns) in CURVES.items() if run in first}


def gather(content):
    """Of report.Content."""
    results = ablation.results_of(content.saved)
    found = rounded({
        "coverage": content.summary,
        "origins": list(origins_of(content.saved)),
        "targets": [{name: value for name, value in row.items()
                     if name != "why"} for row in content.judged],
        "columns": COLUMNS,
        "runs": runs_of(content.rows),
        "oracles": list(oracles_of(content.rows)),
        "parts": content.parts,
        "stages": stages_of(content.stages),
        "ablations": {name: ablation.figures_of(result)
                      for name, result in results.items()},
        "ablation_checks": ablation.judge(results),
        "curves": curves_of(content.saved)})
    return found | {
        "over_fat": rounded(list(over_fat(content.rows)), RATIO_DIGITS)}


def dumps(summary):
    """A line for each row, so that a change shows what has changed."""
    def lines(value, depth=0):
        if not value or depth == 2 or not isinstance(value, (dict, list)) or \
                not any(isinstance(part, (dict, list)) for part in
                        (value.values() if isinstance(value, dict) else
                         value)):
            return json.dumps(value, separators=(",", ":"))
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        parts = ([f"{json.dumps(name)}: {lines(part, depth + 1)}"
                  for name, part in value.items()]
                 if isinstance(value, dict) else
                 [lines(part, depth + 1) for part in value])
        return opening + "\n" + ",\n".join(parts) + "\n" + closing
    return lines(summary) + "\n"


def triple(value):
    """Of what spread() gives: (median, least, most)."""
    return tuple(value) if isinstance(value, list) else (value,) * 3


class Summary:
    """Looks up what the page and the figures need."""

    def __init__(self, found):
        self.found = found
        self.targets = {row["what"]: row for row in found["targets"]}
        self.runs = {tuple(row[:len(KEY)]): row for row in found["runs"]}
        self.over_fat = {tuple(case): triple(value)
                         for *case, value in found["over_fat"]}
        self.oracles = {tuple(row[:3]): dict(zip(oracle.COLUMNS, row[3:]))
                        for row in found["oracles"]}

    def values(self, column, *run):
        """(median, least, most), or None where it was not measured."""
        row = self.runs.get(run)
        value = row and row[len(KEY) + 2 +
                            self.found["columns"].index(column)]
        return None if value is None else triple(value)

    def median(self, column, *run):
        found = self.values(column, *run)
        return found and found[0]

    def curve(self, name):
        """Its columns as lists, or None."""
        points = self.found["curves"].get(name)
        return points and {column: [point[i] for point in points]
                           for i, column in enumerate(CURVES[name][1])}


def read(path):
    return Summary(json.loads(path.read_text()))
