#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Moves a DB from HotRAP to a stock RocksDB of the same version, and back.

HotRAP to stock  hotrap_bench writes over two paths, with promotions and
                 retention, and is closed or killed. A stock RocksDB opens the
                 same paths and finds every key right, ldb checkconsistency
                 passes, and scans of both agree.
stock to HotRAP  the same the other way round. HotRAP promotes from the DB
                 while every read is verified; then stock verifies it again.
the way back     with HotRAP switched off and everything compacted, the DB has
                 no promoted copies, and a stock RocksDB may remove every key
                 by a SingleDelete.
older to newer   on the default base: a DB that HotRAP wrote on an older base,
                 and that was closed or killed, goes on with HotRAP here.
OPTIONS files    HotRAP's load in stock after HotRAP was switched off, and
                 stock's load in HotRAP. With HotRAP on, stock refuses the
                 file: it tolerates unknown options only from newer versions.

hotrap_bench and two_path_ldb must be built with both, as
`make compatibility-check` does.
Exits with 1 after the first failure, and then keeps its folder.
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from base import BASE, BASES, BUILD, DEFAULT, build_folder

OURS = "release"
STOCK = "stock"
# Their release builds.
OLDER = BASES[1:] if BASE == DEFAULT else []
RECORDS = 200_000
FAST_BYTES = 8 << 20
BENCH_FLAGS = (
    f"--records={RECORDS}", f"--fast_bytes={FAST_BYTES}", "--value_bytes=100",
    "--threads=4", "--block_cache_bytes=1048576", "--direct_io=false",
    "--verify")
# Reads that promote, then inserts that make compactions cross the tiers.
WRITING = ("--hotspot_fraction=0.02",
           "--phases={{mix=RO;secs=5}}:{{mix=RW;secs={}}}")
HOTRAP_ON = ("--options=hotrap={enabled=true;promotion_cache_bytes=65536;"
             "promote_only_if_slower=false}")
RUN_SECS = 10
# Time from the load to a kill; with HotRAP, from its first promotion.
KILL_SECS = (0.5, 10.0)
TIMEOUT_SECS = 1800.0
PROMOTED = re.compile(r"HotRAP promoted \d+ records")
# Newer than both.
NEWER_VERSION = "rocksdb_version=99.0.0"


class CompatibilityError(Exception):
    """A difference, or a program that failed."""


def folder_of(build):
    return (build_folder(build) / OURS if build in OLDER else BUILD / build)


class TwoPaths:
    """A DB's folders."""

    def __init__(self, folder):
        self.folder = folder
        self.fast = folder / "fast"
        self.slow = folder / "slow"

    def copy(self, name):
        target = self.folder.with_name(f"{self.folder.name}-{name}")
        shutil.copytree(self.folder, target)
        return TwoPaths(target)

    def has_promoted(self):
        log = self.fast / "LOG"
        return log.exists() and PROMOTED.search(
            log.read_text(errors="replace")) is not None


class Check:
    def __init__(self, args):
        self.args = args
        self.json = args.folder / "result.json"

    # ---- The programs -----------------------------------------------------

    def bench_command(self, build, paths, *flags):
        return [str(folder_of(build) / "hotrap_bench"),
                f"--fast_path={paths.fast}", f"--slow_path={paths.slow}",
                f"--json={self.json}", *BENCH_FLAGS, *flags]

    def bench(self, build, paths, *flags):
        self.json.unlink(missing_ok=True)
        self.run(self.bench_command(build, paths, *flags))
        return json.loads(self.json.read_text())

    def verify(self, build, paths, *flags):
        result = self.bench(build, paths, "--existing_db", "--run=false",
                            *flags)
        return result["verified_keys"]

    def ldb(self, build, paths, *words, succeeds=True):
        return self.run([str(folder_of(build) / "two_path_ldb"),
                         str(paths.fast), str(paths.slow), *words], succeeds)

    def scan(self, build, paths):
        """(number, digest) of all records."""
        lines = self.ldb(build, paths, "scan", "--hex").splitlines()
        records = [line for line in lines if line.startswith("0x")]
        return (len(records),
                hashlib.sha256("\n".join(records).encode()).hexdigest())

    @staticmethod
    def writing(secs):
        return [flag.format(secs) for flag in WRITING]

    @staticmethod
    def run(command, succeeds=True):
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=TIMEOUT_SECS, check=False)
        if (done.returncode == 0) != succeeds:
            raise CompatibilityError(
                f"{' '.join(command)}\nended with {done.returncode}:\n"
                f"{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout if succeeds else done.stdout + done.stderr

    def kill_while_it_runs(self, build, paths, *flags):
        command = self.bench_command(build, paths, *flags,
                                     *self.writing(int(TIMEOUT_SECS)))
        errors = self.args.folder / "killed.log"
        with errors.open("wb") as log, \
                subprocess.Popen(command, stdout=log, stderr=log) as process:
            try:
                started = time.monotonic()
                while not (paths.has_promoted() if build != STOCK else
                           b"run   [" in errors.read_bytes()):
                    if (process.poll() is not None or
                            time.monotonic() - started > TIMEOUT_SECS):
                        raise CompatibilityError(
                            f"{' '.join(command)}\nnever came to be killed:\n"
                            f"{errors.read_text(errors='replace')[-3000:]}")
                    time.sleep(0.05)
                time.sleep(random.uniform(*KILL_SECS))
            finally:
                process.kill()
        if process.returncode != -signal.SIGKILL:
            raise CompatibilityError(
                f"{' '.join(command)}\nended with {process.returncode}")

    # ---- The checks --------------------------------------------------------

    def same_scans(self, paths):
        for build in (STOCK, OURS):
            answer = self.ldb(build, paths, "checkconsistency").strip()
            if not answer.endswith("OK"):
                raise CompatibilityError(f"{build}'s checkconsistency of "
                                         f"{paths.folder}: {answer}")
        scans = {build: self.scan(build, paths) for build in (STOCK, OURS)}
        if scans[STOCK] != scans[OURS]:
            raise CompatibilityError(f"{paths.folder}: scans differ: {scans}")
        return scans[STOCK][0]

    def same_keys(self, what, counts):
        if len(set(counts.values())) != 1 or min(counts.values()) < RECORDS:
            raise CompatibilityError(f"{what}: {counts}")
        print(f"{what}: {min(counts.values()):,} records, the same for both",
              flush=True)

    def hotrap_to_stock(self, what, paths):
        copy = paths.copy("ours")
        self.same_keys(f"HotRAP to stock, {what}", {
            "scan": self.same_scans(paths),
            "stock": self.verify(STOCK, paths),
            "ours": self.verify(OURS, copy, HOTRAP_ON)})
        shutil.rmtree(copy.folder)

    def stock_to_hotrap(self, what, paths):
        records = self.same_scans(paths)
        result = self.bench(OURS, paths, "--existing_db", HOTRAP_ON,
                            "--mix=RO", "--hotspot_fraction=0.02",
                            f"--run_secs={RUN_SECS}")
        if not result["promoted_records"]:
            raise CompatibilityError(f"stock to HotRAP, {what}: nothing was "
                                     "promoted")
        self.same_keys(f"stock to HotRAP, {what}, and back", {
            "scan": records, "ours": result["verified_keys"],
            "stock": self.verify(STOCK, paths)})

    def older_to_newer(self, base, what, paths):
        # The scan opens the DB, which recovers one that was killed.
        before = self.scan(base, paths)
        copies = int(self.ldb(base, paths, "promoted_copies"))
        result = self.bench(OURS, paths, "--existing_db", HOTRAP_ON,
                            "--mix=RO", "--hotspot_fraction=0.02",
                            f"--run_secs={RUN_SECS}")
        if not copies or not result["promoted_records"]:
            raise CompatibilityError(
                f"HotRAP on {base} to {BASE}, {what}: {copies} copies, "
                f"{result['promoted_records']} records promoted afterwards")
        after = self.scan(OURS, paths)
        if before != after:
            raise CompatibilityError(f"{paths.folder}: scans differ: on {base} "
                                     f"{before}, on {BASE} {after}")
        self.same_keys(f"HotRAP on {base} to {BASE}, {what}", {
            "scan": after[0], "ours": result["verified_keys"]})

    def options_with_hotrap(self, paths):
        copy = paths.copy("options")
        for how in ("load_options", "load_options_ignoring"):
            answer = self.ldb(STOCK, copy, how, succeeds=False)
            if "hotrap" not in answer:
                raise CompatibilityError(f"stock does not say why: {answer}")
        # As if a newer RocksDB had written the file.
        for file in copy.fast.glob("OPTIONS-*"):
            file.write_text(re.sub(r"rocksdb_version=\S+", NEWER_VERSION,
                                   file.read_text()))
        self.ldb(STOCK, copy, "load_options", succeeds=False)
        self.ldb(STOCK, copy, "load_options_ignoring")
        shutil.rmtree(copy.folder)
        print("OPTIONS with HotRAP on: stock refuses it by name, and puts up "
              "with it from a newer version", flush=True)

    def way_back(self, paths):
        copy = paths.copy("back")
        copies = [int(self.ldb(OURS, copy, "promoted_copies"))]
        self.ldb(OURS, copy, "compact")
        copies.append(int(self.ldb(OURS, copy, "promoted_copies")))
        if copies[0] == 0 or copies[1] != 0:
            raise CompatibilityError(f"promoted copies before and after a full "
                                     f"compaction: {copies}")
        answer = self.ldb(STOCK, copy, "single_delete_all")
        if ", 0 are back" not in answer:
            raise CompatibilityError(f"after the way back: {answer}")
        shutil.rmtree(copy.folder)
        print(f"way back: {copies[0]:,} copies, then none; in stock "
              f"{answer.strip()}", flush=True)

    def options_load(self, what, build, paths):
        newest = max(paths.fast.glob("OPTIONS-*"))
        if "hotrap" in newest.read_text():
            raise CompatibilityError(f"{newest} speaks of HotRAP")
        self.ldb(build, paths, "load_options")
        print(f"OPTIONS {what} loads in build/{build}", flush=True)

    # ---- Everything --------------------------------------------------------

    def new_paths(self, name):
        paths = TwoPaths(self.args.folder / name)
        paths.folder.mkdir()
        return paths

    def all(self):
        closed = self.new_paths("closed")
        result = self.bench(OURS, closed, HOTRAP_ON, *self.writing(RUN_SECS))
        moved = {name: result[name] for name in
                 ("promoted_records", "compaction_promoted_records",
                  "retained_records")}
        print(f"written with HotRAP on: {moved}", flush=True)
        if not all(moved.values()):
            raise CompatibilityError("it did not promote and retain")
        self.options_with_hotrap(closed)
        self.way_back(closed)
        switched_off = closed.copy("off")
        # Verification would reopen it with HotRAP on.
        self.bench(OURS, switched_off, "--existing_db", "--verify=false",
                   HOTRAP_ON, "--mix=RO", "--phases={ops=1000}:{ops=1000;"
                   "options={hotrap={enabled=false}}}")
        self.options_load("of HotRAP, switched off live,", STOCK, switched_off)
        shutil.rmtree(switched_off.folder)
        self.hotrap_to_stock("closed", closed)

        for kill in range(self.args.kills):
            killed = self.new_paths(f"killed-{kill}")
            self.kill_while_it_runs(OURS, killed, HOTRAP_ON)
            self.hotrap_to_stock("killed", killed)
            shutil.rmtree(killed.folder)

        stock = self.new_paths("stock")
        self.bench(STOCK, stock, *self.writing(RUN_SECS))
        self.options_load("of stock", OURS, stock)
        self.stock_to_hotrap("closed", stock)
        killed = self.new_paths("stock-killed")
        self.kill_while_it_runs(STOCK, killed)
        self.stock_to_hotrap("killed", killed)

        for base in OLDER:
            closed = self.new_paths(f"{base}-closed")
            self.bench(base, closed, HOTRAP_ON, *self.writing(RUN_SECS))
            self.older_to_newer(base, "closed", closed)
            killed = self.new_paths(f"{base}-killed")
            self.kill_while_it_runs(base, killed, HOTRAP_ON)
            self.older_to_newer(base, "killed", killed)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=3,
                        help="for the writer with HotRAP on")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=BUILD / "compatibility")
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    shutil.rmtree(args.folder, ignore_errors=True)
    args.folder.mkdir(parents=True)
    try:
        Check(args).all()
    except (CompatibilityError, subprocess.TimeoutExpired) as failure:
        sys.exit(f"compatibility_check: {failure}\n{args.folder} keeps the "
                 "DBs")
    shutil.rmtree(args.folder)


if __name__ == "__main__":
    main()
