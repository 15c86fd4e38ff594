#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs RocksDB's own JUnit tests, all of them and unchanged.

stock   with rocksdbjni as it is published, for comparison
off     with the add-on jar before rocksdbjni's classes, HotRAP off
forced  the same, with HotRAP on in every DB that supports it, over two folders
        (libhotrap_forced.so, test_util/forced_mode.h). In half of the classes
        everything is worth promoting; in the other half RALT decides. A class's
        half depends only on its name. A thread settles each DB: it flushes,
        compacts down and reads, so that even a few records are promoted.

Each class runs in a JVM of its own. What fails is run again alone, and that
result counts, because tests with short waits fail on a busy machine; the first
failure is printed, too.

Prints a table. Exits with 1 if a test failed that passes with `stock`, unless
java/upstream/exclusions.csv lists it with a reason (mode "settled": it runs,
but its DB is not settled, because it counts files or the like), if a test of
`stock` did not run, or if `forced` promoted nothing. `make check-java` builds
what this needs.
"""

import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib

from base import BASE, BUILD, ROOT

JARS = BUILD / "release/java"
LIBRARIES = BUILD / "rocksdb/java/test-libs"
STOCK = BUILD / "java/stock"
RUNNER = BUILD / "java/upstream-runner"
FORCED = BUILD / "release/libhotrap_forced.so"
EXCLUSIONS = ROOT / "java/upstream/exclusions.csv"
MODES = ("stock", "off", "forced")
# Classes that use most of a DB, in seconds.
SHORT = ("BackupEngineTest", "CheckPointTest", "ColumnFamilyTest", "FlushTest",
         "MergeTest", "MultiGetTest", "OptimisticTransactionDBTest",
         "RocksDBTest", "SstFileWriterTest", "TransactionDBTest", "TtlDBTest")
# What moves records to the fast tier.
PROMOTED = ("rocksdb.hotrap.flush.promoted.records",
            "rocksdb.hotrap.compaction.promoted.records")
# Pauses of the thread that flushes, compacts down and reads.
SETTLE_MILLIS = "20"
TIMEOUT_SECS = 3600
MAX_TAIL = 3000


class CheckError(Exception):
    """An error to print without a stack trace."""


@dataclasses.dataclass
class Result:
    """Of a class: "passed", "ignored" or the failure by method."""
    tests: dict = dataclasses.field(default_factory=dict)
    promoted: int = 0
    # First failures of what passed when it was run again.
    again: dict = dataclasses.field(default_factory=dict)

    def failed(self):
        return {method: what for method, what in self.tests.items()
                if what not in ("passed", "ignored")}


def one(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise CheckError(f"{folder} has {len(found)} files {pattern}, not one: "
                         "run `make check-java`")
    return found[0]


def test_classes(jar):
    with zipfile.ZipFile(jar) as archive:
        names = [name[:-len(".class")].replace("/", ".")
                 for name in archive.namelist() if name.endswith("Test.class")]
    return sorted(name for name in names
                  if "Abstract" not in name and "$" not in name)


def class_path(mode):
    # The tests' own classes stand before rocksdbjni, as in RocksDB's build.
    jars = [RUNNER, *sorted(LIBRARIES.glob("*.jar")),
            JARS / "rocksdbjni_test_classes.jar"]
    if mode == "stock":
        jars.append(STOCK / f"rocksdbjni-{BASE}-linux64.jar")
    else:
        jars += [one(JARS, f"rocksdb-hotrap-{BASE}-hotrap.*.jar"),
                 STOCK / f"rocksdbjni-{BASE}.jar"]
    for jar in jars:
        if not jar.exists():
            raise CheckError(f"{jar} is missing: run `make check-java`")
    return ":".join(map(str, jars))


def read_exclusions(mode):
    """Returns reasons by class and method."""
    with EXCLUSIONS.open(newline="") as file:
        return {(row["class"], row["method"]): row["reason"]
                for row in csv.DictReader(file)
                if row["mode"] == mode and
                row["base"] in (BASE, "all")}


def methods_of(name, exclusions):
    return [method for its_class, method in exclusions if its_class == name]


def read_results(lines):
    tests, running = {}, None
    for line in lines:
        what, _, rest = line.partition(" ")
        method, _, reason = rest.partition("\t")
        running = method if what == "started" else None
        if what == "failed":
            # The failure of a test comes before that of its cleanup.
            tests.setdefault(method, reason or "no reason")
        elif what in ("passed", "ignored"):
            tests[method] = what
        elif what == "done":
            return tests, None
    return tests, running or "?"


class Suite:
    def __init__(self, mode, args):
        self.mode = mode
        self.args = args
        self.path = class_path(mode)
        self.left_out = read_exclusions(mode)
        self.calm = read_exclusions("settled") if mode == "forced" else {}

    def environment(self, name, notes, settle):
        environment = dict(os.environ)
        if self.mode == "forced":
            hot = zlib.crc32(name.encode()) % 2
            environment.update(LD_PRELOAD=str(FORCED), HOTRAP_FORCE=str(notes),
                               HOTRAP_FORCE_HOT=str(hot),
                               HOTRAP_FORCE_SLOW="/slow",
                               HOTRAP_FORCE_SETTLE=settle)
        return environment

    def run_once(self, name, methods, settle=SETTLE_MILLIS):
        """Runs a JVM. `methods` is ("only" or "without", methods ...). Returns
        the results by method, and the sum of promoted records."""
        with tempfile.TemporaryDirectory(
                dir=self.args.tmp, ignore_cleanup_errors=True) as folder:
            out = pathlib.Path(folder) / "results"
            notes = pathlib.Path(folder) / "notes"
            notes.touch()
            command = ["java", f"-Xmx{self.args.heap}", "-ea", "-Xcheck:jni",
                       "-XX:-UsePerfData", f"-Djava.io.tmpdir={folder}",
                       "-classpath", self.path, "SuiteRunner", str(out), name,
                       *methods]
            log = pathlib.Path(folder) / "log"
            with log.open("wb") as output:
                try:
                    code = subprocess.run(
                        command, cwd=folder, stdout=output,
                        stderr=subprocess.STDOUT, timeout=TIMEOUT_SECS,
                        env=self.environment(name, notes, settle),
                        check=False).returncode
                except subprocess.TimeoutExpired:
                    code = f"no end in {TIMEOUT_SECS} s"
            lines = (out.read_text(errors="replace").splitlines()
                     if out.exists() else [])
            tests, crashed = read_results(lines)
            if crashed is not None or code != 0:
                tail = log.read_bytes()[-MAX_TAIL:].decode(errors="replace")
                tests[crashed or "?"] = f"the JVM ended with {code}: {tail}"
            moved = collections.Counter()
            for line in notes.read_text().splitlines():
                ticker, _, number = line.partition(" ")
                moved[ticker] += int(number)
            return tests, sum(moved[ticker] for ticker in PROMOTED)

    def run_class(self, name):
        left_out = methods_of(name, self.left_out)
        calm = methods_of(name, self.calm)
        tests, promoted = self.run_once(name, ("without", *left_out, *calm))
        if calm:
            more, more_promoted = self.run_once(name, ("only", *calm), "0")
            tests.update(more)
            promoted += more_promoted
        return tests, promoted

    def run(self, name):
        result = Result(*self.run_class(name))
        if result.failed():
            again, promoted = self.run_class(name)
            result.again = {method: what for method, what
                            in result.failed().items()
                            if again.get(method) == "passed"}
            result.promoted += promoted
            result.tests = again
        return result

    def run_all(self, names):
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            results = dict(zip(names, pool.map(self.run, names)))
        return results


def summary(mode, results, stock):
    figures = collections.Counter()
    for name, result in results.items():
        figures["tests"] += len(result.tests)
        figures["promoted"] += result.promoted
        for method, what in result.tests.items():
            figures[what if what in ("passed", "ignored") else "failed"] += 1
        stock_failed = stock[name].failed() if name in stock else {}
        figures["failed on stock too"] += sum(
            method in stock_failed for method in result.failed())
    figures["left out"] = len(read_exclusions(mode))
    return figures


COLUMNS = ("tests", "passed", "ignored", "left out", "failed",
           "failed on stock too", "promoted")


def print_table(all_results):
    print(f"\n{'mode':8}" + "".join(f" {name:>{max(7, len(name))}}"
                                    for name in COLUMNS))
    for mode, results in all_results.items():
        figures = summary(mode, results, all_results.get("stock", {}))
        print(f"{mode:8}" + "".join(
            f" {figures[name]:{max(7, len(name))}}" for name in COLUMNS))


def problems(mode, results, stock, whole):
    """What is wrong, a line each."""
    left_out = read_exclusions(mode)
    for name, result in results.items():
        expected = stock[name] if name in stock else Result()
        for method, what in result.failed().items():
            if method not in expected.failed():
                yield f"{mode}: {name} {method}: {what}"
        for method, what in expected.tests.items():
            if method not in result.tests and (name, method) not in left_out:
                yield f"{mode}: {name} {method} did not run"
    if mode == "forced" and whole and \
            not sum(result.promoted for result in results.values()):
        yield "forced: nothing was promoted, so HotRAP was not exercised"


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--only", nargs="+", default=["*"],
                        help="patterns of classes, without their package")
    parser.add_argument("--short", action="store_true",
                        help="a few classes, without `stock`")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--heap", default="256m", help="of each JVM")
    parser.add_argument("--tmp", type=pathlib.Path,
                        default=BUILD / "java/suite_tmp",
                        help="where the tests create their DBs")
    parser.add_argument("--json", type=pathlib.Path,
                        help="also write the table to this file")
    return parser.parse_args()


def main():
    args = parse_args()
    if args.short:
        args.modes, args.only = ("off", "forced"), SHORT
    shutil.rmtree(args.tmp, ignore_errors=True)
    args.tmp.mkdir(parents=True)
    if "forced" in args.modes and not FORCED.exists():
        raise CheckError(f"{FORCED} is missing: run `make forced BASE={BASE}`")
    names = [name for name in test_classes(JARS / "rocksdbjni_test_classes.jar")
             if any(fnmatch.fnmatchcase(name.rpartition(".")[2], pattern)
                    for pattern in args.only)]
    all_results = {}
    for mode in (mode for mode in MODES if mode in args.modes):
        all_results[mode] = Suite(mode, args).run_all(names)
        for name, result in all_results[mode].items():
            for method, what in result.again.items():
                print(f"{mode}: {name} {method} passed when run again; first: "
                      f"{what}")
        print(f"{mode}: {len(names)} classes, done", flush=True)
    stock = all_results.get("stock", {})
    for name, result in stock.items():
        for method, what in result.failed().items():
            print(f"stock: {name} {method}: {what}")
    wrong = [line for mode, results in all_results.items() if mode != "stock"
             for line in problems(mode, results, stock,
                                  args.short or args.only == ["*"])]
    print_table(all_results)
    if args.json:
        args.json.write_text(json.dumps(
            {mode: summary(mode, results, stock)
             for mode, results in all_results.items()}, indent=1))
    shutil.rmtree(args.tmp, ignore_errors=True)
    for line in wrong:
        print(f"FAILED {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (CheckError, OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"check_java: {failure}")
