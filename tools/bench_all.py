#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The paper's evaluation (section 4) on one machine: runs everything that has
no result yet and writes the report. It can be interrupted at any time and goes
on where it was. docs/hotrap_bench.md says more.
"""

import argparse
import dataclasses
import fnmatch
import json
import pathlib

import bench_runner
from bench_suite import (coverage, missed, oracle, runner, runs, store, suite,
                         summary)

ROOT = bench_runner.TOOLS.parent
TRACES = ROOT.parent / "shared/traces"
# Holds the summary, the page that is made of it, and the page's figures.
DOCS = ROOT / "docs"
MISSED = DOCS / "benchmarks_missed.toml"
QUICK = runs.Scale(data=0.02, time=0.05)


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path,
                        help="default: build/bench, or build/bench-quick")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN",
                        help="names of runs, e.g. 'main/1KiB*/RO-*/*'")
    parser.add_argument("--list", action="store_true",
                        help="print the runs and which are done")
    parser.add_argument("--no-runs", action="store_true",
                        help="only the report, of the results that there are")
    parser.add_argument("--report-only", action="store_true",
                        help="only docs/benchmarks.md and its figures, of "
                        "docs/benchmarks.json; needs no results")
    parser.add_argument("--oracles", nargs="?", type=pathlib.Path,
                        const=bench_runner.DEFAULT_BENCH, metavar="PROGRAM",
                        help="only compute the oracles of the runs in "
                        "docs/benchmarks.json anew, with this hotrap_bench "
                        "(default: build/release's), then as --report-only")
    parser.add_argument("--repeat", type=int, default=1,
                        help="measure everything so many times at least; some "
                        "runs are repeated anyway")
    parser.add_argument("--quick", action="store_true",
                        help="a smoke test; its figures mean nothing")
    parser.add_argument("--scale", type=float, metavar="X",
                        help="X times the data")
    parser.add_argument("--time-scale", type=float, metavar="X",
                        help="X times the duration of each run")
    parser.add_argument("--also", nargs="+", type=pathlib.Path, default=[],
                        metavar="DIR", help="folders with results of another "
                        "build of hotrap_bench, as GROUP/DATA/WORKLOAD.json; "
                        "the folder's name is its name")
    parser.add_argument("--traces", type=pathlib.Path, default=TRACES,
                        help="holds twitter_2020mar.csv, cloudphysics_io.csv")
    parser.add_argument("--docs", action="store_true",
                        help="when all runs have a result, also "
                        "docs/benchmarks.json, and what --report-only makes "
                        "of it")
    args = parser.parse_args()
    args.out = (args.out or ROOT / "build" /
                ("bench-quick" if args.quick else "bench")).resolve()
    scale = QUICK if args.quick else runs.Scale()
    args.scale = runs.Scale(
        scale.data if args.scale is None else args.scale,
        scale.time if args.time_scale is None else args.time_scale)
    if args.docs and (args.scale != runs.Scale() or args.also):
        parser.error("docs/ has figures of the whole size, and of this build "
                     "only, not --also's")
    return args


def if_there(path):
    return path.resolve() if path.is_file() else None


def plan_of(args):
    """Returns all runs of the suite."""
    table = if_there(args.traces / "twitter_2020mar.csv")
    trace = if_there(args.traces / "cloudphysics_io.csv")
    left_out = [group for group, file in ((suite.NEEDING_TABLE, table),
                                          (suite.NEEDING_TRACE, trace))
                if file is None]
    return coverage.Plan(
        tuple(suite.jobs_of(suite.all_runs(args.scale, table, trace),
                            args.repeat)), tuple(left_out))


def chosen_jobs(plan, patterns):
    """Returns pairs of run and repetition."""
    jobs = []
    unmatched = set(patterns)
    for run, repeat in plan.jobs:
        matching = {pattern for pattern in patterns
                    if fnmatch.fnmatch(run.name, pattern)}
        unmatched -= matching
        if matching:
            jobs.append((run, repeat))
    if unmatched:
        raise bench_runner.BenchError(
            f"no run is called {', '.join(sorted(unmatched))}; --list has "
            "their names")
    return jobs


def print_list(jobs, results):
    missing = []
    for run, repeat in jobs:
        done = results.has(run, repeat)
        if not done:
            missing.append((run, repeat))
        print(f"{'done' if done else '-':5}{run.secs:5} s  {run.name}" +
              (f"@{repeat}" if repeat > 1 else ""))
    run_hours = sum(run.secs for run, _ in missing) / 3600
    load_hours = suite.load_secs(missing) / 3600
    print(f"{len(jobs)} runs, {len(missing)} to do: {run_hours:.1f} hours as "
          f"planned, and {load_hours:.1f} hours for the loads")


def measure(args, results, jobs):
    """Runs the jobs and returns how many failed."""
    with bench_runner.alone_in(args.out):
        session = runner.Runner(args.out, results, jobs)
        session.run_all()
    return session.failed


def write_page(reasons):
    """docs/benchmarks.md and its figures, of docs/benchmarks.json."""
    # Only reports need matplotlib.
    from bench_suite import (  # pylint: disable=import-outside-toplevel
        figures, page)
    found = summary.read(DOCS / "benchmarks.json")
    (DOCS / "benchmarks.md").write_text(page.markdown(found, reasons))
    figures.write(found, DOCS / "figures")


def write_oracles(plan, program):
    """Into docs/benchmarks.json: they are computed, not measured."""
    path = DOCS / "benchmarks.json"
    found = json.loads(path.read_text())
    old = summary.Summary(found)
    chosen = [(run, old.median("throughput", *run.case, run.system.name))
              for run, _ in plan.jobs]
    found["oracles"] = summary.rounded(oracle.compute_all(
        program, [pair for pair in chosen if pair[1] is not None]))
    path.write_text(summary.dumps(found))


def write_docs(content, reasons):
    lacking = content.summary["missing"] + content.summary["left_out"]
    if lacking:
        raise bench_runner.BenchError(
            f"docs/ is of a whole suite, without {', '.join(lacking)}: left "
            "as it is")
    (DOCS / "benchmarks.json").write_text(
        summary.dumps(summary.gather(content)))
    write_page(reasons)


def main():
    args = parse_args()
    if args.oracles:
        write_oracles(plan_of(args), args.oracles)
    if args.oracles or args.report_only:
        write_page(missed.read(MISSED))
        return
    results = store.ResultStore(args.out / "results",
                                dataclasses.asdict(args.scale))
    plan = plan_of(args)
    jobs = chosen_jobs(plan, args.only)
    if args.list:
        print_list(jobs, results)
        return
    # Only the report needs pandas and matplotlib.
    from bench_suite import report  # pylint: disable=import-outside-toplevel
    reasons = missed.read(MISSED)

    def write_report():
        content = report.gather(results, plan, args.also, reasons)
        report.write(args.out, content, results)
        return content
    results.check_scale()
    failed = 0
    try:
        if not args.no_runs:
            failed = measure(args, results, jobs)
    except BaseException:
        write_report()
        raise
    content = write_report()
    if failed:
        raise bench_runner.BenchError(f"{failed} runs failed")
    if args.docs:
        write_docs(content, reasons)


if __name__ == "__main__":
    bench_runner.main_of(main, "bench_all")
