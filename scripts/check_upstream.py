#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs RocksDB's own test programs, unchanged, with HotRAP off or forced on.

off     every program, with HotRAP compiled in and off
forced  programs whose DBs are relevant for HotRAP, with HotRAP on in every DB
        that supports it (HOTRAP_FORCE, test_util/hotrap_force.h). In half of
        the cases everything is worth promoting; in the other half RALT
        decides. A case's half depends only on its name.

Builds the programs in build/check, one ahead of those that run. The results
are in build/upstream, one file per program, written as they come in. Cases
that passed are not run again, cases that failed are; --again drops all
results. With --record a table is also kept in a file, which may be moved
between machines: programs that passed there are not run again either. A case
that fails among others is run again alone, and that result counts, because
several cases change their process; the first failure is recorded with it.

Prints a table. Exits with 1 if a case failed that is not in the list of cases
that cannot pass (test_util/upstream_exclusions.csv), if fewer than 97 % of all
cases ran in the whole of `forced`, or if they promoted or retained nothing.
"""

import argparse
import collections
import concurrent.futures
import csv
import fcntl
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zlib

from base import BASE, BUILD, ROOT

CHECK = BUILD / "check"
RESULTS = BUILD / "upstream"
EXCLUSIONS = ROOT / "test_util/upstream_exclusions.csv"
# Written by CMake.
PROGRAMS = CHECK / "upstream_programs.txt"

# Programs with DBs that can have HotRAP.
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
LEAST_SHARE_RUN = 0.97
# A case hangs if it neither prints nor computes for this long, or if it prints
# nothing for the longer time even if it computes.
IDLE_SECS = 60
SILENT_SECS = 1200
# After a crash or a hang, the other cases of the chunk must run again.
CHUNK_CASES = 10
STARTED = "[ RUN      ]"
PROMOTED = ("rocksdb.hotrap.flush.promoted.records",
            "rocksdb.hotrap.compaction.promoted.records")
RETAINED = "rocksdb.hotrap.retained.records"


class UpstreamError(Exception):
    """An error to print without a stack trace."""


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def read_exclusions(mode):
    """Returns patterns of cases; a whole program is `program:*`."""
    with EXCLUSIONS.open(newline="") as file:
        return [f"{row['program']}:{row['case']}"
                for row in csv.DictReader(file)
                if row["mode"] in (mode, "both") and
                row["base"] in (BASE, "all")]


def build(program, jobs):
    # Two runs may be active, and ninja does not lock the folder.
    with (CHECK / "upstream_build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
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


def cpu_secs(process):
    try:
        stat = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return 0
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run_watched(command, environment, folder, log):
    """Returns the exit code of a command, or that it hung and was killed."""
    with log.open("wb") as output, subprocess.Popen(
            command, env=environment, cwd=folder, stdout=output,
            stderr=subprocess.STDOUT) as process:
        last_size, last_cpu = 0, 0
        idle_since = silent_since = time.monotonic()
        while process.poll() is None:
            time.sleep(0.05)
            now = time.monotonic()
            size, cpu = log.stat().st_size, cpu_secs(process)
            if size != last_size:
                last_size, silent_since = size, now
            # A small share, because a busy machine may give no more.
            if silent_since == now or cpu > last_cpu + 0.2:
                last_cpu, idle_since = cpu, now
            if (now - idle_since > IDLE_SECS or
                    now - silent_since > SILENT_SECS):
                process.kill()
                process.wait()
                return f"silence for {now - silent_since:.0f} s"
        return process.returncode


def run_gtest(program, cases, environment):
    """Returns {case: "passed" or the failure}; cases that did not run because
    of a crash are missing."""
    results = {}
    with tempfile.TemporaryDirectory(dir=environment["TEST_TMPDIR"],
                                     ignore_cleanup_errors=True) as folder:
        report = pathlib.Path(folder) / "report.xml"
        log = pathlib.Path(folder) / "log"
        # The list may be longer than an argument.
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
        else:
            # The others of the chunk did not run, or their results are unknown.
            started = [line[len(STARTED):].strip()
                       for line in tail.splitlines()
                       if line.startswith(STARTED)]
            if len(cases) == 1 or (started and started[-1] in cases):
                case = cases[0] if len(cases) == 1 else started[-1]
                results[case] = f"ended with {code}\n{tail}"
    return results


def everything_is_hot(program, case):
    return zlib.crc32(f"{program}:{case}".encode()) % 2 == 1


def chunks(program, cases):
    """Splits the cases into parts; each part runs in one process."""
    for hot in (False, True):
        some = [case for case in cases
                if everything_is_hot(program, case) == hot]
        for i in range(0, len(some), CHUNK_CASES):
            yield some[i:i + CHUNK_CASES]


class Run:
    """A program in one mode: its cases' results, kept in a file."""

    def __init__(self, program, args):
        self.program = program
        self.mode = args.mode
        self.jobs = args.jobs
        self.tmp = args.tmp
        self.path = RESULTS / args.mode / f"{program}.json"
        # `first` has the failures of cases that then passed alone.
        self.known = {"cases": [], "results": {}, "first": {}, "seconds": 0,
                      "moved": {}}
        if args.again:
            self.path.unlink(missing_ok=True)
        elif self.is_known():
            self.known.update(json.loads(self.path.read_text()))
        self.patterns = read_exclusions(args.mode)
        self.recorded = {}

    def left_out(self):
        return [case for case in self.known["cases"]
                if matches(f"{self.program}:{case}", self.patterns)]

    def wanted(self):
        left_out = set(self.left_out())
        return [case for case in self.known["cases"] if case not in left_out]

    def failed(self):
        return {case: self.known["results"].get(case, "did not run")
                for case in self.wanted()
                if self.known["results"].get(case) != "passed"}

    def is_known(self):
        return self.path.exists()

    def is_complete(self):
        if self.is_known():
            return not self.failed()
        return self.program in self.recorded and not self.row()["failed"]

    def save(self):
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.known, indent=1))
        part.replace(self.path)

    def run(self):
        """REQUIRES: the program is built."""
        self.known["cases"] = list_cases(self.program)
        to_run = list(self.failed())
        first = list(chunks(self.program, to_run))
        self.run_parts(first)
        failed = self.failed()
        again = [case for case in to_run if case in failed]
        if self.run_parts([[case] for case in again]):
            self.known["first"].update(
                {case: failed[case] for case in again
                 if self.known["results"].get(case) == "passed"})
        self.save()

    def run_parts(self, parts):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            start = time.monotonic()
            for results, moved in pool.map(self.run_part, parts):
                self.known["results"].update(results)
                for name, number in moved.items():
                    self.known["moved"][name] = (
                        self.known["moved"].get(name, 0) + number)
                self.known["seconds"] += time.monotonic() - start
                start = time.monotonic()
                self.save()
        return bool(parts)

    def run_part(self, cases):
        """Returns the results of some cases, and what HotRAP moved."""
        moved = collections.Counter()
        with tempfile.TemporaryDirectory(
                dir=self.tmp, ignore_cleanup_errors=True) as folder:
            notes = pathlib.Path(folder) / "notes"
            notes.touch()
            environment = dict(os.environ, TEST_TMPDIR=folder)
            if self.mode == "forced":
                hot = everything_is_hot(self.program, cases[0])
                environment.update(HOTRAP_FORCE=str(notes),
                                   HOTRAP_FORCE_HOT=str(int(hot)))
            results = run_gtest(self.program, cases, environment)
            for line in notes.read_text().splitlines():
                name, number = line.split()
                moved[name] += int(number)
        return results, moved

    def row(self):
        if not self.is_known() and self.program in self.recorded:
            return self.recorded[self.program]
        moved = self.known["moved"]
        failed, left_out = len(self.failed()), len(self.left_out())
        return {"cases": len(self.known["cases"]),
                "passed": len(self.known["cases"]) - failed - left_out,
                "failed": failed, "left out": left_out,
                "secs": self.known["seconds"],
                "promoted": sum(moved.get(name, 0) for name in PROMOTED),
                "retained": moved.get(RETAINED, 0)}


FIGURES = ("cases", "passed", "failed", "left out", "secs", "promoted",
           "retained")


class Record:
    """The table as a file: a row per mode and program, with the commit."""

    def __init__(self, path):
        self.path = path
        self.rows = {}
        if path and path.exists():
            with path.open(newline="") as file:
                self.rows = {(row["mode"], row["program"]): row
                             for row in csv.DictReader(file)}

    def of_mode(self, mode):
        return {program: {name: int(row[name]) for name in FIGURES}
                for (its_mode, program), row in self.rows.items()
                if its_mode == mode}

    def add(self, run):
        if not self.path:
            return
        commit = subprocess.run(
            ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"],
            capture_output=True, text=True, check=True).stdout.strip()
        row = {name: round(value) for name, value in run.row().items()}
        known = self.rows.get((run.mode, run.program))
        if known and all(int(known[name]) == row[name] for name in FIGURES):
            return
        self.rows[run.mode, run.program] = {
            "mode": run.mode, "program": run.program, **row, "commit": commit}
        part = self.path.with_suffix(".part")
        with part.open("w", newline="") as file:
            writer = csv.DictWriter(file, ("mode", "program", *FIGURES,
                                           "commit"), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows[key] for key in sorted(self.rows))
        part.replace(self.path)


def table(runs, mode):
    print(f"\n{'program':40} {'cases':>6} {'passed':>6} {'failed':>6} "
          f"{'left out':>8} {'secs':>6}"
          + (f" {'promoted':>9} {'retained':>9}" if mode == "forced" else ""))
    total = collections.Counter()
    for run in runs:
        row = run.row()
        total.update(row)
        print_row(run.program, row, mode)
    print_row(f"{len(runs)} programs", total, mode)
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
                        help="patterns of programs, run in this order")
    parser.add_argument("--again", action="store_true",
                        help="also run what has passed")
    parser.add_argument("--table", action="store_true",
                        help="run nothing, show the known results")
    parser.add_argument("--record", type=pathlib.Path,
                        help="CSV file for the table, read and written")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tmp", type=pathlib.Path,
                        default=CHECK / "test_tmp",
                        help="where the tests create their DBs")
    return parser.parse_args()


def selected(args):
    names = [name for name in PROGRAMS.read_text().split()
             if args.mode == "off" or matches(name, FORCED)]
    # In the order of the patterns, each once.
    return list(dict.fromkeys(name for pattern in args.only
                              for name in fnmatch.filter(names, pattern)))


def run_all(runs, record, args):
    todo = [run for run in runs if not run.is_complete()]
    with concurrent.futures.ThreadPoolExecutor(1) as builder:
        ahead = {}
        try:
            for number, run in enumerate(todo, 1):
                for later in todo[number - 1:number + 1]:
                    if later.program not in ahead:
                        ahead[later.program] = builder.submit(
                            build, later.program, args.jobs)
                ahead[run.program].result()
                run.run()
                record.add(run)
                row = run.row()
                print(f"[{number} of {len(todo)}] {run.program}: "
                      f"{row['passed']} passed, {row['failed']} failed, "
                      f"{row['secs']:.0f} s", flush=True)
        finally:
            builder.shutdown(cancel_futures=True)


def main():
    args = parse_args()
    args.tmp.mkdir(parents=True, exist_ok=True)
    (RESULTS / args.mode).mkdir(parents=True, exist_ok=True)
    runs = [Run(program, args) for program in selected(args)]
    record = Record(args.record)
    if not args.again:
        recorded = record.of_mode(args.mode)
        for run in runs:
            run.recorded = recorded
    if not args.table:
        run_all(runs, record, args)
    for run in runs:
        # The exclusions may have changed since.
        if run.is_known():
            record.add(run)
    total = table(runs, args.mode)
    for run in runs:
        if not run.is_known() and run.program not in run.recorded:
            print(f"NOT RUN {run.program}")
        for case, what in run.failed().items():
            print(f"FAILED {run.program}: {case}\n    "
                  + (what.strip().splitlines() or ["?"])[0])
    whole = args.mode == "forced" and args.only == ["*"]
    share = 1 - total["left out"] / max(1, total["cases"])
    if args.mode == "forced":
        print(f"{share:.1%} of the cases ran")
    if total["failed"] or not all(run.is_complete() for run in runs):
        sys.exit(1)
    if whole and share < LEAST_SHARE_RUN:
        sys.exit("too many cases are left out")
    if whole and not (total["promoted"] and total["retained"]):
        sys.exit("nothing was promoted or retained: HotRAP was not exercised")


if __name__ == "__main__":
    try:
        main()
    except (UpstreamError, OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"check_upstream: {failure}")
