#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs what has no result yet, one set of data after the other.

Every system has data of its own, loaded without a throttle, and each run gets a
copy of it (table files are linked: they never change). The disks hold one set
of data at a time, so that x10 fits.
"""

import datetime
import itertools
import json
import shutil
import subprocess
import sys
import time

import bench_runner
from bench_runner import BenchError
from bench_suite import machine, profile, runs

ROOT = bench_runner.TOOLS.parent
THREADS = 16
# What a run may write beside the loaded data, as a part of that: inserts and
# compactions' outputs, or only what becomes of promoted records.
WRITER_ROOM = 2.5
READER_ROOM = 0.3
DISK_ROOM_BYTES = 1 << 30
# A run that takes so many times longer than planned, and so long for the load,
# has hung.
PATIENCE = 5
PATIENCE_SECS = 3600


class ProgressLine:
    """One line that is written over and over on a terminal, and a line a run
    elsewhere."""

    def __init__(self, jobs):
        self.start = time.monotonic()
        self.planned_secs = [run.secs for run, _ in jobs]
        self.number = 0
        self.name = ""
        self.run_start = self.start
        self.on_terminal = sys.stdout.isatty()

    def begin(self, name):
        self.number += 1
        self.name = name
        self.run_start = time.monotonic()
        if not self.on_terminal:
            print(self.line(), flush=True)

    def left_secs(self):
        """Runs so far show how much longer than planned they take."""
        done = sum(self.planned_secs[:self.number - 1])
        left = sum(self.planned_secs[self.number - 1:])
        spent = self.run_start - self.start
        return left * (spent / done if done else 1.5)

    def line(self, stage="run"):
        left = datetime.timedelta(seconds=round(self.left_secs()))
        secs = time.monotonic() - self.run_start
        total = len(self.planned_secs)
        filled = 20 * (self.number - 1) // total
        return (f"[{'#' * filled}{'.' * (20 - filled)}] "
                f"{self.number} of {total}, about {left} left: {self.name} "
                f"({stage} {secs:.0f} s)")

    def tick(self, stage="run"):
        planned_secs = self.planned_secs[self.number - 1]
        if time.monotonic() - self.run_start > \
                PATIENCE * planned_secs + PATIENCE_SECS:
            raise BenchError("it does not end")
        if self.on_terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{self.line(stage)[:width]:{width}}", end="", flush=True)

    def say(self, words):
        print(("\n" if self.on_terminal else "") + words, flush=True)


def room_for(dataset, chosen):
    """On one of the disks, for the runs on it."""
    if not chosen:
        return DISK_ROOM_BYTES
    sets = len({run.system.loaded_as for run in chosen}) + (
        WRITER_ROOM if any(run.writes for run in chosen) else READER_ROOM)
    # The fast tier of the loaded sets is in it, the copy's comes to it.
    return int(dataset.data_bytes * (sets + runs.FAST_SHARE)) + DISK_ROOM_BYTES


class Runner:
    def __init__(self, out, store, jobs):
        """`jobs` are pairs of a run and its repetition."""
        self.out = out
        self.store = store
        self.jobs = jobs
        self.progress = ProgressLine(jobs)
        self.machine = machine.describe(ROOT)
        self.slow_disk = None
        # Names of the systems whose data is loaded.
        self.loaded = set()

    def run_all(self):
        for dataset, jobs in itertools.groupby(self.jobs,
                                               lambda job: job[0].dataset):
            self.run_dataset(dataset, list(jobs))

    def run_dataset(self, dataset, jobs):
        room_bytes = {all_fast: room_for(dataset, [
            run for run, _ in jobs if run.system.all_fast == all_fast])
            for all_fast in (True, False)}
        bench_runner.check_room(self.out, sum(room_bytes.values()),
                                "--scale makes it smaller")
        disk_folder = self.out / "disk"
        bench_runner.remove_slow_disk(disk_folder)
        try:
            with bench_runner.SlowDisk(disk_folder, room_bytes[False],
                                       dataset.disk) as self.slow_disk:
                for run, repeat in jobs:
                    self.run_one(run, repeat)
        finally:
            with bench_runner.ignoring_signals():
                self.loaded.clear()
                bench_runner.remove_slow_disk(disk_folder)
                for name in ("loaded", "copy"):
                    shutil.rmtree(self.out / name, ignore_errors=True)

    def run_one(self, run, repeat):
        self.progress.begin(run.name)
        log_path = self.store.log_path(run.name, repeat)
        log_path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(log_path, "w", encoding="utf-8") as log:
                context, result = (self.run_script(run, log) if run.script
                                   else self.measure(run, repeat, log))
        except BenchError as failure:
            self.store.save_failure(run, repeat, str(failure))
            self.progress.say(f"FAILED {run.name}: {failure}; see {log_path}")
            return
        self.store.save(run, repeat, {"machine": self.machine, **context},
                        result)

    def paths(self, system, what):
        """Folders of the two tiers, for `loaded/NAME` or `copy`."""
        slow_disk = self.out if system.all_fast else self.slow_disk.path
        return {"fast": self.out / what / "fast",
                "slow": slow_disk / what / "slow"}

    def bench_command(self, run, folders):
        bench = ROOT / "build" / run.system.build / "hotrap_bench"
        cache_bytes = int(run.dataset.data_bytes * run.cache_share)
        return [str(bench), f"--fast_path={folders['fast']}",
                f"--slow_path={folders['slow']}", f"--threads={THREADS}",
                f"--block_cache_bytes={cache_bytes}",
                *run.dataset.flags, *run.system.flags(run.dataset)]

    def load(self, run, log):
        """Not throttled: loading is not what is measured."""
        kind = run.system.loaded_as
        folders = self.paths(run.system, f"loaded/{kind}")
        if kind not in self.loaded:
            # Linked by the copy, it would keep its room.
            shutil.rmtree(self.slow_disk.path / "copy", ignore_errors=True)
            bench_runner.run_bench(
                self.bench_command(run, folders) + ["--norun"],
                self.out / "run.json", f"load for {run.name}", log,
                lambda: self.progress.tick("load"))
            # What is cached on the disk belongs to the run.
            shutil.rmtree(folders["fast"] / "persistent_cache",
                          ignore_errors=True)
            self.loaded.add(kind)
        return folders

    def measure(self, run, repeat, log):
        loaded = self.load(run, log)
        for place in (self.out, self.slow_disk.path):
            shutil.rmtree(place / "copy", ignore_errors=True)
        copy = self.paths(run.system, "copy")
        for tier, folder in loaded.items():
            bench_runner.clone_db(folder, copy[tier])
        command = self.bench_command(run, copy) + [
            "--existing_db", f"--seed={repeat}", *run.flags]
        if not run.system.all_fast:
            command = (self.slow_disk.command_prefix + command +
                       self.slow_disk.bench_flags)
        disk_watch = machine.DiskWatch(self.out)
        cpu_watch = machine.CpuWatch()
        started = datetime.datetime.now().isoformat(timespec="seconds")
        samples = self.out / "perf.data"
        profiled = run.profile and profile.is_there()
        if profiled:
            command = profile.command_prefix(samples) + command
        try:
            result = bench_runner.run_bench(command, self.out / "run.json",
                                            run.name, log, self.progress.tick)
            busy = {"disk_busy_share": disk_watch.busy_share(),
                    "busy_cpus": cpu_watch.busy_cpus()}
            stacks = list(profile.read_stacks(samples)) if profiled else []
        finally:
            samples.unlink(missing_ok=True)
        if stacks:
            profile.save_folded(stacks,
                                self.store.folded_path(run.name, repeat))
        return ({"started": started, **busy,
                 "cpu_shares": profile.shares(stacks)}, result)

    def run_script(self, run, log):
        out = self.out / "script"
        name, *arguments = run.script
        bench = ROOT / "build" / run.system.build / "hotrap_bench"
        command = ["/usr/bin/python3", str(bench_runner.TOOLS / name),
                   f"--out={out}", f"--bench={bench}", *arguments]
        started = datetime.datetime.now().isoformat(timespec="seconds")
        try:
            with subprocess.Popen(command, stdout=log,
                                  stderr=log) as process:
                code = bench_runner.wait_for(process, self.progress.tick)
            if code != 0:
                raise BenchError(f"{name} ended with code {code}")
            result = json.loads((out / "result.json").read_text())
        finally:
            shutil.rmtree(out, ignore_errors=True)
        return {"started": started, "command": command}, result
