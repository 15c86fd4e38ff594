#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Kills RocksDB's db_stress over two paths with HotRAP on, and checks that
every key has the right value.

db_stress compares a DB with an expected state, and checks everything when it
is restarted after a kill. Its flags are drawn as in RocksDB's db_crashtest.py,
with sizes so small that data crosses the tiers all the time. Blackbox kills
come from outside at a random time, whitebox kills from within at a kill point:
mostly at one of HotRAP's, chosen at random, because the others are passed far
more often. After a few kills the DB is closed and reopened a few times under
load, verified again, removed, and created anew with other flags.

Also drawn for each DB: whether the tiers are in separate folders, whether
HotRAP is switched off and on and its options are changed all the time, whether
there is a compaction filter, whether files are ingested often, and how many
keys are deleted by single deletes. The fast budget is drawn for each run. In
some DBs it is small and flushes and compactions are slow, so that a full fast
tier slows writes and stops them.

Prints the number of kills, how many were at each of HotRAP's kill points, and
how many while the fast budget slowed writes or had stopped them, the verified
reopens, the keys verified, the records promoted and retained, and how often
options were changed.
Exits with 1 after the first failure, and keeps its DB, log and command. Also
if nothing was promoted or nothing retained, or if a campaign of 100 kills or
more missed one of the kill points.
"""

import argparse
import collections
import importlib.util
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import types

from base import BUILD

DB_CRASHTEST = BUILD / "rocksdb/tools/db_crashtest.py"
SLOW_SUFFIX = ".slow"
KILLS_PER_DB = 6
# The share of DBs whose tiers are in separate folders.
TWO_FOLDERS = 0.7
# The share of DBs in which HotRAP is switched at run time, and how many new
# SuperVersions of a column family there are per switch.
SWITCHED = 0.5
SWITCH_ONE_IN = (2, 5, 20)
# How often these copies are made of DBs in separate folders.
COPIED = {"backup_one_in": 2000, "checkpoint_one_in": 1000}
# In units of max_bytes_for_level_base.
FAST_BUDGETS = (2, 2.5, 3, 4)
# The share of DBs in which a full fast tier slows writes: they have the
# smallest levels and budget, most operations write, and flushes and compactions
# write little. No thread waits for a manual compaction or a copy.
STALLED = 0.25
STALLS = {"rate_limiter_bytes_per_sec": 512 << 10, "rate_limit_bg_reads": 0,
          "rate_limit_user_ops": 0, "rate_limit_auto_wal_flush": 0,
          "write_buffer_size": 64 << 10, "target_file_size_base": 32 << 10,
          "max_bytes_for_level_base": 128 << 10,
          "writepercent": 90, "readpercent": 5, "prefixpercent": 0,
          "iterpercent": 1, "delpercent": 4, "delrangepercent": 0,
          # db_stress refills the limiter each millisecond, and a page of direct
          # I/O would be more than that.
          "use_direct_reads": 0, "use_direct_io_for_flush_and_compaction": 0,
          # RocksDB's own stalls would come first.
          "level0_slowdown_writes_trigger": 1000,
          "level0_stop_writes_trigger": 1000,
          "compact_range_one_in": 0, "compact_files_one_in": 0,
          "checkpoint_one_in": 0, "backup_one_in": 0}
# As forced_mode.h notes it.
WRITE_STATES = ("free", "slowed", "stopped")
# With 2, a stock RocksDB's flush for a checkpoint or CompactRange() may wait
# forever beside another flush (RocksDB's issues 12094, 12166 and 13280, open).
# hotrap_metamorphic merges memtables.
STOCK_HANGS = {"min_write_buffer_number_to_merge": 1}
# What HotRAP refuses to work with. Not every base of ours knows it.
REFUSED = ("read_triggered_compaction_threshold",)
# Modes for which db_crashtest.py omits compaction filters and ingestions.
ALL_SYNCED = {
    "test_batches_snapshots": 0,
    "sync_fault_injection": 0,
    "disable_wal": 0,
    "manual_wal_flush_one_in": 0,
}
# The share of DBs with a compaction filter; and of the others in these modes,
# the share into which files are ingested often.
FILTERED = 0.1
FILTER = {"enable_compaction_filter": 1, **ALL_SYNCED}
INGESTING_MODES = ("", "simple")
INGESTING = 0.4
INGEST = {"ingest_external_file_one_in": 200, **ALL_SYNCED}
# The percentage of keys that are never overwritten, and thus deleted by single
# deletes.
SINGLE_DELETES = (1, 20, 50)
# The share of DBs with transactions that use the most common policy.
WRITE_COMMITTED = 0.5
# Flags for runs that are not killed and must end. If reads fail while the DB is
# opened, db_stress waits for compactions that may never succeed. If one read in
# 32 fails later, writes may wait for a compaction of 40 files, which was seen
# to fail 11,000 times. db_stress also waits at open until no compaction is due,
# and with a period of a second there always is one.
ENDS = {"open_read_fault_one_in": 0, "read_fault_one_in": 0,
        "periodic_compaction_seconds": 0}
REOPENING = {"reopen": 3, "ops_per_thread": 2000, **ENDS}
VERIFYING = {"verification_only": 1, "skip_verifydb": 0, **ENDS}
# Measured from the start, which verifies the DB.
BLACKBOX_SECS = (6.0, 14.0)
# Time within which a kill point must have been met.
WHITEBOX_SECS = 40.0
VERIFY_SECS = 600.0
TERMINATE_SECS = 60.0
# One kill in this many passages of a kill point, drawn for each run.
KILL_ODDS = (400, 2000, 10000)
# This share of whitebox runs kills at one of these points, this often.
AT_OWN_POINTS = 0.75
OWN_KILL_ODDS = (2, 10, 50)
OWN_KILL_POINTS = (
    "PromotionJob::Sealed", "PromotionJob::Built", "PromotionJob::Installed",
    "RelocationJob::Opened", "RelocationJob::Synced",
    "RelocationJob::Installed",
    "BufferFlusher::Flush", "TreeKeeper::RunMerge", "RaltManifest::Save")
OTHER_KILL_POINTS = (
    "WritableFileWriter", "NewWritableFile", "PosixWritableFile",
    "PosixMmapFile", "SetCurrentFile", "SyncManifest", "VersionSet")
# With this many kills, each point must be met.
KILLS_OF_A_CAMPAIGN = 100

MODES = ("", "cf_consistency", "txn", "optimistic_txn", "simple")
SMALL = {
    "compaction_style": 0,
    "column_families": 3,
    "max_key": 30000,
    "num_levels": 6,
    "write_buffer_size": 128 << 10,
    "target_file_size_base": 64 << 10,
    "target_file_size_multiplier": 1,
    "max_bytes_for_level_base": 512 << 10,
    "max_bytes_for_level_multiplier": 4,
    "db_write_buffer_size": 0,
    "max_write_buffer_number": 3,
    "cache_size": 1 << 20,
    "compact_range_one_in": 2000,
    "ops_per_thread": 100000000,
    "threads": 8,
    "test_secondary": 0,
    "preserve_internal_time_seconds": 0,
    # During off-peak hours, stock RocksDB compacts every file again and again
    # if the next off-peak begins after the end of this period, and
    # WaitForCompact never returns.
    "daily_offpeak_time_utc": "",
    # A two-tier cache sometimes ends with a complaint that its reservations
    # differ, because a thread of db_stress changes them all the time.
    "compressed_secondary_cache_size": 0,
    # HotRAP is inactive with these.
    "preclude_last_level_data_seconds": 0,
    "user_timestamp_size": 0,
}
VERIFIED = ("Crash-recovery verification passed", "Verification successful")


class CrashTestError(Exception):
    """A failed run."""


def load_db_crashtest():
    spec = importlib.util.spec_from_file_location("db_crashtest", DB_CRASHTEST)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Campaign:
    def __init__(self, args):
        self.args = args
        self.upstream = None
        self.counts = collections.Counter()
        self.stalled = False
        self.start = time.monotonic()
        self.db = args.folder / "db"
        self.expected = args.folder / "expected"
        self.log = args.folder / "log"
        self.notes = args.folder / "notes"
        self.environment = dict(os.environ, TEST_TMPDIR=str(args.folder))
        # stdbuf preloads a library, which AddressSanitizer rejects.
        self.environment.setdefault("ASAN_OPTIONS", "verify_asan_link_order=0")

    def done(self):
        return (self.counts["kills"] >= self.args.kills or
                time.monotonic() - self.start > self.args.seconds)

    def run(self):
        combinations = itertools.cycle(
            (test_type, mode) for mode in self.args.modes
            for test_type in self.args.types)
        for test_type, mode in combinations:
            if self.done():
                return
            self.run_db(test_type, mode)

    def remove_db(self):
        for folder in (self.db, pathlib.Path(f"{self.db}{SLOW_SUFFIX}"),
                       self.expected):
            shutil.rmtree(folder, ignore_errors=True)

    def draw_flags(self, test_type, mode):
        """Draws flags for the lifetime of a DB; db_crashtest.py draws the
        others anew for every run."""
        names = ("simple", "cf_consistency", "txn", "optimistic_txn",
                 "test_best_efforts_recovery", "enable_ts",
                 "test_multiops_txn", "test_tiered_storage")
        options = types.SimpleNamespace(
            test_type=test_type, **{name: name == mode for name in names})
        params = self.upstream.gen_cmd_params(options)
        for name in (*names, "test_type"):
            params.pop(name, None)
        params.update(SMALL)
        params.update({name: 0 for name in REFUSED if name in params})
        params.update(STOCK_HANGS)
        params.update({"db": str(self.db), "reopen": 0,
                       "expected_values_dir": str(self.expected)})
        if mode == "cf_consistency" or test_type == "whitebox":
            params["disable_wal"] = 0
        self.draw_feature(params, mode)
        if mode == "txn" and random.random() < WRITE_COMMITTED:
            params["txn_write_policy"] = 0
        if params["nooverwritepercent"]:
            params["nooverwritepercent"] = random.choice(SINGLE_DELETES)
        return params

    def draw_feature(self, params, mode):
        # If it is not drawn, the mode does not use a filter.
        filterable = callable(params["enable_compaction_filter"])
        if filterable:
            params["enable_compaction_filter"] = 0
        if filterable and random.random() < FILTERED:
            params.update(FILTER)
            self.counts["DBs with a filter"] += 1
        elif mode in INGESTING_MODES and random.random() < INGESTING:
            params.update(INGEST)
            self.counts["DBs with ingestions"] += 1

    def draw_hotrap(self, params):
        """Draws the variables that test_util/forced_mode.h reads."""
        drawn = {"HOTRAP_FORCE": str(self.notes), "HOTRAP_FORCE_BRAKE": "1"}
        if self.args.off:
            drawn["HOTRAP_FORCE_OFF"] = "1"
        self.stalled = not self.args.off and random.random() < STALLED
        if self.stalled:
            params.update(STALLS)
            self.counts["DBs with budget stalls"] += 1
        if random.random() < TWO_FOLDERS:
            # So often that kills meet them, where db_crashtest.py has them.
            params.update({name: one_in for name, one_in in COPIED.items()
                           if params.get(name)})
            drawn["HOTRAP_FORCE_SLOW"] = SLOW_SUFFIX
        if random.random() < SWITCHED:
            drawn["HOTRAP_FORCE_SWITCH"] = str(random.choice(SWITCH_ONE_IN))
            self.counts["DBs switched"] += 1
        self.environment = {
            name: value for name, value in self.environment.items()
            if not name.startswith("HOTRAP_FORCE")} | drawn

    def run_db(self, test_type, mode):
        self.remove_db()
        self.db.mkdir(parents=True)
        self.expected.mkdir()
        random.seed(f"{self.args.seed} {self.counts['dbs']}")
        # The module draws some flags when it is loaded.
        self.upstream = load_db_crashtest()
        self.upstream.stress_cmd = str(self.args.stress_cmd)
        params = self.draw_flags(test_type, mode)
        if self.args.off != "one":
            self.draw_hotrap(params)
        params.update(self.args.set)
        for _ in range(KILLS_PER_DB):
            if self.done():
                break
            if test_type == "blackbox":
                self.run_once(params, {}, random.uniform(*BLACKBOX_SECS))
            else:
                self.run_until_kill_point(params)
            self.counts[test_type] += 1
        self.run_once(params, REOPENING, None)
        self.run_once(params, VERIFYING, None)
        self.counts["dbs"] += 1
        self.remove_db()

    def run_until_kill_point(self, params):
        if random.random() > AT_OWN_POINTS or self.args.off:
            self.run_once(params,
                          {"kill_random_test": random.choice(KILL_ODDS)},
                          WHITEBOX_SECS)
            return
        point = random.choice(OWN_KILL_POINTS)
        others = [name for name in OTHER_KILL_POINTS + OWN_KILL_POINTS
                  if name != point]
        if self.run_once(params,
                         {"kill_random_test": random.choice(OWN_KILL_ODDS),
                          "kill_exclude_prefixes": ",".join(others)},
                         WHITEBOX_SECS):
            self.counts[f"at {point}"] += 1

    def run_once(self, params, more, kill_after):
        """Returns whether it was killed from within."""
        self.environment["HOTRAP_FORCE_BUDGET"] = str(
            FAST_BUDGETS[0] if self.stalled else random.choice(FAST_BUDGETS))
        noted = self.notes.stat().st_size if self.notes.exists() else 0
        # Line buffered, because a killed process loses what it has not written.
        command = self.upstream.gen_cmd({**params, **more}, [])
        if isinstance(command, tuple):
            command, _ = command  # from RocksDB 11 on, also the flags
        command = ["stdbuf", "-oL", *command]
        with self.log.open("wb") as out, \
                (self.args.folder / "errors").open("w+b") as errors:
            process = subprocess.Popen(command, stdout=out, stderr=errors,
                                       env=self.environment)
            killed = False
            try:
                code = process.wait(kill_after or VERIFY_SECS)
            except subprocess.TimeoutExpired:
                if kill_after is None:
                    self.fail(command, "the verification does not end",
                              process)
                process.send_signal(signal.SIGKILL)
                code = process.wait(TERMINATE_SECS)
                killed = True
            except BaseException:
                process.kill()
                process.wait()
                raise
            errors.seek(0)
            complaints = errors.read().decode(errors="replace").strip()
        self_killed = "kill_random_test" in more and code == -signal.SIGTERM
        if complaints or (code != 0 and not killed and not self_killed):
            self.fail(command, f"ended with {code}: {complaints[-2000:]}")
        self.counts["runs"] += 1
        if kill_after is not None:
            self.counts["kills"] += killed or self_killed
            state = self.writes_since(noted)
            if (killed or self_killed) and state != WRITE_STATES[0]:
                self.counts[f"kills while writes were {state}"] += 1
        text = self.log.read_text(errors="replace")
        if any(sign in text for sign in VERIFIED):
            self.counts["verified reopens"] += 1
            # db_crashtest.py may have changed the requested flags.
            flags = dict(word.removeprefix("--").split("=", 1)
                         for word in command if word.startswith("--"))
            self.counts["keys verified"] += (int(flags["max_key"]) *
                                             int(flags["column_families"]))
        self.show()
        return self_killed

    def fail(self, command, what, process=None):
        if process is not None:
            # Where all threads are, if there is a debugger.
            if shutil.which("gdb"):
                with (self.args.folder / "stacks").open("wb") as stacks:
                    subprocess.run(
                        ["gdb", "-batch", "-p", str(process.pid), "-ex",
                         "thread apply all backtrace"],
                        stdout=stacks, stderr=subprocess.STDOUT, check=False)
            # The stack traces go to the log.
            process.send_signal(signal.SIGABRT)
            process.wait(TERMINATE_SECS)
        (self.args.folder / "command").write_text(
            " ".join(f"'{word}'" for word in command) + "\n")
        raise CrashTestError(
            f"{what}\nafter {dict(self.counts)}\n{self.args.folder} keeps the "
            "DB, the log, the errors and the command")

    def writes_since(self, noted):
        """Returns whether the fast budget held writes up at last, by what was
        noted from this place on."""
        state = 0
        if self.notes.exists():
            for line in self.notes.read_bytes()[noted:].splitlines():
                name, _, value = line.rpartition(b" ")
                if name == b"writes:" + bytes(self.db) and value.isdigit():
                    state = int(value)
        return WRITE_STATES[state]

    def moved(self):
        total = collections.Counter()
        if self.notes.exists():
            for line in self.notes.read_text().splitlines():
                words = line.split()
                # A kill may truncate the last line.
                if len(words) == 2 and words[1].isdigit():
                    total[words[0]] += int(words[1])
        return {
            "records promoted by flush":
                total["rocksdb.hotrap.flush.promoted.records"],
            "records promoted by compaction":
                total["rocksdb.hotrap.compaction.promoted.records"],
            "records retained": total["rocksdb.hotrap.retained.records"],
            "crossing compactions":
                total["rocksdb.hotrap.crossing.compactions"],
            "changes of options": total["switches"],
        }

    def summary(self):
        return {**self.counts, **self.moved(),
                "seconds": round(time.monotonic() - self.start)}

    def show(self):
        print("[{seconds} s] {text}".format(
            seconds=self.summary()["seconds"],
            text=", ".join(f"{name} {value:,}" for name, value in
                           {**self.counts, **self.moved()}.items())),
            flush=True)


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="end earlier, after the current kill")
    parser.add_argument("--seed", default=str(time.time_ns()),
                        help="seed of the flags; thread scheduling stays "
                        "random")
    parser.add_argument("--types", nargs="+", default=["blackbox", "whitebox"],
                        choices=("blackbox", "whitebox"))
    parser.add_argument("--modes", nargs="+", default=list(MODES),
                        choices=MODES)
    parser.add_argument("--set", nargs="+", default=[], metavar="FLAG=VALUE",
                        type=lambda word: tuple(word.split("=", 1)),
                        help="flags for db_stress that are not drawn")
    parser.add_argument("--off", choices=("one", "two"),
                        help="stock behaviour, over one path or two")
    parser.add_argument("--stress-cmd", type=pathlib.Path,
                        default=BUILD / "check/db_stress_tool/db_stress")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=BUILD / "crash_test")
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    return args


def main():
    args = parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    args.folder.mkdir(parents=True)
    print(f"seed {args.seed}", flush=True)
    campaign = Campaign(args)
    try:
        campaign.run()
    except CrashTestError as failure:
        sys.exit(f"crash_test: {failure}")
    summary = campaign.summary()
    shutil.rmtree(args.folder, ignore_errors=True)
    args.folder.mkdir(parents=True)
    (args.folder / "result.json").write_text(json.dumps(summary, indent=1))
    for name, value in summary.items():
        print(f"{name:32} {value:>14,}")
    if args.off:
        return
    if not (summary["records retained"] and
            summary["records promoted by flush"] +
            summary["records promoted by compaction"]):
        sys.exit("crash_test: nothing was promoted or nothing retained")
    not_met = [point for point in OWN_KILL_POINTS
               if not summary.get(f"at {point}")]
    if (not_met and "whitebox" in args.types and
            summary["kills"] >= KILLS_OF_A_CAMPAIGN):
        sys.exit(f"crash_test: no kill at {', '.join(not_met)}")


if __name__ == "__main__":
    main()
