#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""RocksDB's own test programs, unchanged, with HotRAP off or forced on.

off     every program, with HotRAP compiled in and off
forced  programs whose DBs HotRAP has to do with, with HotRAP on in every DB
        that can have it (HOTRAP_FORCE, db/hotrap_force.h)

Builds each program in build/check, runs it, and goes on to the next. What has
run is not run again: the results lie in build/upstream, one file a program,
and --again drops them. A case that fails among others is tried again alone,
which then counts: several cases change the process they run in.

Prints a table, and exits with 1 if a case failed that is not in the list of
those that cannot pass (test_util/upstream_exclusions.csv), or if nothing was
promoted and retained in the whole of `forced`.
"""

import argparse
import collections
import concurrent.futures
import csv
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECK = ROOT / "build/check"
RESULTS = ROOT / "build/upstream"
EXCLUSIONS = ROOT / "test_util/upstream_exclusions.csv"
# Written by CMake.
PROGRAMS = CHECK / "upstream_programs.txt"

# Programs with DBs for HotRAP to be in.
FORCED = (
    "db_*", "*compact*", "*iterator*", "*transaction*", "backup*",
    "checkpoint*", "*ingest*", "external_sst*", "*blob*", "*wide_column*",
    "column_family*", "*merge*", "version_*", "corruption*", "deletefile*",
    "fault_injection*", "flush_job*", "listener*", "manual_compaction*",
    "obsolete_files*", "perf_context*", "plain_table_db*", "prefix_test",
    "repair*", "import_*", "write_*", "ttl_test", "stackable*",
    "options_file_test", "error_handler*", "seqno_time_test",
    "tiered_*", "range_del*", "wal_*", "point_lock*", "optimistic*",
)
# A case that prints nothing for so long hangs.
SILENT_SECS = 60
# A crash or a hang costs the other cases of its chunk a run of their own.
CHUNKS_PER_JOB = 10


class UpstreamError(Exception):
    """Something to read without a stack trace."""


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def read_exclusions(mode):
    """{pattern of case: reason}; a whole program is `program:*`."""
    with EXCLUSIONS.open(newline="") as file:
        return {f"{row['program']}:{row['case']}": row["reason"]
                for row in csv.DictReader(file)
                if row["mode"] in (mode, "both")}


def build(program, jobs):
    done = subprocess.run(
        ["cmake", "--build", str(CHECK), "-j", str(jobs), "--target",
         program], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UpstreamError(f"{program} does not build:\n{done.stdout[-4000:]}")


def list_cases(program):
    listed = subprocess.run([str(CHECK / program), "--gtest_list_tests"],
                            capture_output=True, text=True, check=True)
    cases, suite = [], None
    for line in listed.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if line and not line.startswith(" ") and name.endswith("."):
            suite = name
        elif line.startswith("  ") and suite:
            cases.append(suite + name.strip())
    return [case for case in cases
            if not any(part.startswith("DISABLED_")
                       for part in case.replace("/", ".").split("."))]


def run_watched(command, environment, folder, log):
    """The exit code of a command, or that it fell silent and was killed."""
    with log.open("wb") as output, subprocess.Popen(
            command, env=environment, cwd=folder, stdout=output,
            stderr=subprocess.STDOUT) as process:
        last_size, silent_since = 0, time.monotonic()
        while process.poll() is None:
            time.sleep(0.05)
            size = log.stat().st_size
            if size != last_size:
                last_size, silent_since = size, time.monotonic()
            elif time.monotonic() - silent_since > SILENT_SECS:
                process.kill()
                process.wait()
                return f"silence for {SILENT_SECS} s"
        return process.returncode


def run_gtest(program, cases, environment):
    """{case: "passed", "skipped" or what went wrong}; cases that a crash
    kept from running are missing."""
    results = {}
    with tempfile.TemporaryDirectory(dir=environment["TEST_TMPDIR"]) as folder:
        report = pathlib.Path(folder) / "report.xml"
        log = pathlib.Path(folder) / "log"
        # Longer than what an argument may be.
        flags = pathlib.Path(folder) / "flags"
        flags.write_text(f"--gtest_output=xml:{report}\n"
                         f"--gtest_filter={':'.join(cases)}\n")
        own = dict(environment, TEST_TMPDIR=folder)
        code = run_watched([str(CHECK / program), f"--gtest_flagfile={flags}"],
                           own, folder, log)
        tail = log.read_bytes()[-3000:].decode(errors="replace")
        if report.exists():
            tree = xml.etree.ElementTree.parse(report)
            for case in tree.iter("testcase"):
                name = f"{case.get('classname')}.{case.get('name')}"
                failures = [f.get("message", "")
                            for f in case.findall("failure")]
                if failures:
                    results[name] = "\n".join(failures)[-3000:]
                elif case.get("status") == "run":
                    results[name] = "passed"
        elif len(cases) == 1:
            results[cases[0]] = f"ended with {code}\n{tail}"
    return results


def chunks(cases, count):
    size = max(1, -(-len(cases) // count))
    return [cases[i:i + size] for i in range(0, len(cases), size)]


def environment_of(mode, notes, folder):
    environment = dict(os.environ, TEST_TMPDIR=str(folder))
    if mode == "forced":
        environment["HOTRAP_FORCE"] = str(notes)
    return environment


def run_program(program, mode, args):
    """Runs the cases that are not excluded and returns the result."""
    start = time.monotonic()
    build(program, args.jobs)
    excluded = read_exclusions(mode)
    cases = list_cases(program)
    left_out = [case for case in cases
                if matches(f"{program}:{case}", excluded)]
    to_run = [case for case in cases if case not in set(left_out)]
    with tempfile.TemporaryDirectory(dir=args.tmp) as folder:
        notes = pathlib.Path(folder) / "notes"
        notes.touch()
        environment = environment_of(mode, notes, folder)
        results = {}
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for part in pool.map(
                    lambda some: run_gtest(program, some, environment),
                    chunks(to_run, args.jobs * CHUNKS_PER_JOB)):
                results.update(part)
            again = [case for case in to_run
                     if results.get(case) != "passed"]
            for part in pool.map(
                    lambda case: run_gtest(program, [case], environment),
                    again):
                results.update(part)
        moved = collections.Counter()
        for line in notes.read_text().splitlines():
            name, number = line.split()
            moved[name] += int(number)
    failed = {case: results.get(case, "did not run") for case in to_run
              if results.get(case) != "passed"}
    return {"program": program, "cases": len(cases),
            "excluded": left_out, "passed": len(to_run) - len(failed),
            "failed": failed, "seconds": time.monotonic() - start,
            "moved": moved}


def table(results, mode):
    print(f"\n{'program':40} {'cases':>6} {'passed':>6} {'failed':>6} "
          f"{'left out':>8} {'secs':>6}"
          + (f" {'promoted':>9} {'retained':>9}" if mode == "forced" else ""))
    total = collections.Counter()
    for result in results:
        moved = result["moved"]
        row = {"cases": result["cases"], "passed": result["passed"],
               "failed": len(result["failed"]),
               "left out": len(result["excluded"]),
               "secs": result["seconds"],
               "promoted":
               moved.get("rocksdb.hotrap.flush.promoted.records", 0) +
               moved.get("rocksdb.hotrap.compaction.promoted.records", 0),
               "retained": moved.get("rocksdb.hotrap.retained.records", 0)}
        total.update(row)
        print_row(result["program"], row, mode)
    print_row(f"{len(results)} programs", total, mode)
    return total


def print_row(name, row, mode):
    print(f"{name:40} {row['cases']:6} {row['passed']:6} {row['failed']:6} "
          f"{row['left out']:8} {row['secs']:6.0f}"
          + (f" {row['promoted']:9} {row['retained']:9}"
             if mode == "forced" else ""))


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("off", "forced"))
    parser.add_argument("--only", nargs="+", default=["*"],
                        help="patterns of programs")
    parser.add_argument("--again", action="store_true",
                        help="run also what has a result")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tmp", type=pathlib.Path,
                        default=CHECK / "test_tmp",
                        help="where the tests make their DBs")
    return parser.parse_args()


def main():
    args = parse_args()
    args.tmp.mkdir(parents=True, exist_ok=True)
    folder = RESULTS / args.mode
    folder.mkdir(parents=True, exist_ok=True)
    programs = [program for program in PROGRAMS.read_text().split()
                if matches(program, args.only) and
                (args.mode == "off" or matches(program, FORCED))]
    results = []
    for number, program in enumerate(programs, 1):
        path = folder / f"{program}.json"
        if args.again or not path.exists():
            result = run_program(program, args.mode, args)
            part = path.with_suffix(".part")
            part.write_text(json.dumps(result, indent=1))
            part.replace(path)
            print(f"[{number} of {len(programs)}] {program}: "
                  f"{result['passed']} passed, {len(result['failed'])} "
                  f"failed, {result['seconds']:.0f} s", flush=True)
        results.append(json.loads(path.read_text()))
    total = table(results, args.mode)
    for result in results:
        for case, what in result["failed"].items():
            print(f"FAILED {result['program']}: {case}\n    "
                  + what.strip().splitlines()[0])
    if args.mode == "forced" and total["cases"]:
        print(f"{1 - total['left out'] / total['cases']:.1%} of the cases ran")
    if total["failed"]:
        sys.exit(1)
    if args.mode == "forced" and not (total["promoted"] and
                                      total["retained"]):
        sys.exit("nothing was promoted or retained: HotRAP was not exercised")


if __name__ == "__main__":
    try:
        main()
    except (UpstreamError, OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"check_upstream: {failure}")
