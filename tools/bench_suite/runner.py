#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs everything that has no result yet, one dataset after the other.

Systems with the same level targets share their initial data, which is loaded
without a throttle. Each run gets a copy of it, with links to table files, which
never change. The disks hold one dataset at a time, and a system's data is
removed after the last run that needs it, so that x10 fits.
"""

import datetime
import itertools
import json
import os
import shutil
import subprocess

import bench_runner
from bench_runner import FAST_SHARE, THREADS, BenchError
from bench_suite import (disk_probe, machine, metrics, profile, progress,
                         soundness, store, systems)

ROOT = bench_runner.TOOLS.parent
DISK_ROOM_BYTES = 1 << 30


def room_for(dataset, chosen, all_fast):
    """A dataset on one of the disks. It exists from the first to the last run
    that uses it."""
    most_bytes = 0
    for number, run in enumerate(chosen):
        # Data entirely on the fast disk is a copy of what was loaded on both.
        before, after = (
            {one.system.loaded_as for one in part
             if one.system.all_fast or not all_fast}
            for part in (chosen[:number + 1], chosen[number:]))
        copy_bytes = run.room_bytes if run.system.all_fast == all_fast else 0
        most_bytes = max(most_bytes, copy_bytes +
                         dataset.data_bytes * len(before & after))
    # The fast tier of the loaded sets is in it, the copy's comes to it.
    return (int(most_bytes + dataset.data_bytes * FAST_SHARE) +
            DISK_ROOM_BYTES)


class Runner:
    def __init__(self, out, results, jobs, bench=None):
        """`jobs` are pairs of a run and its repetition; those that have a
        result are skipped. `bench` stands for the programs of all builds."""
        self.out = out
        self.store = results
        self.bench = bench
        self.jobs = [(run, repeat) for run, repeat in jobs
                     if not results.has(run, repeat)]
        self.progress = progress.ProgressLine(self.jobs)
        self.machine = machine.describe(ROOT)
        # By build, of the program.
        self.hashes = {}
        self.slow_disk = None
        self.failed = 0
        # Command of the load by the kind of data that is loaded.
        self.loaded = {}

    def run_all(self):
        self.store.check_scale()
        for build in {run.system.build for run, _ in self.jobs}:
            self.hashes[build] = (
                store.hash_of(self.bench) if self.bench
                else store.hash_of_sources(ROOT, build))
            self.store.check_program(build, self.hashes[build])
        if self.jobs:
            self.machine["fast_disk"] = disk_probe.probe(self.out)
        for dataset, jobs in itertools.groupby(self.jobs,
                                               lambda job: job[0].dataset):
            self.run_dataset(dataset, list(jobs))

    def program(self, build):
        return self.bench or ROOT / "build" / build / "hotrap_bench"

    def run_dataset(self, dataset, jobs):
        chosen = [run for run, _ in jobs]
        room_bytes = {all_fast: room_for(dataset, chosen, all_fast)
                      for all_fast in (True, False)}
        # Data left by a killed run does not belong to this one.
        self.remove_all_data()
        try:
            bench_runner.check_room(self.out, sum(room_bytes.values()),
                                    "less data takes less")
        except BenchError as failure:
            for run, repeat in jobs:
                self.progress.begin(run.name)
                self.fail(run, repeat, str(failure))
            return
        try:
            with bench_runner.SlowDisk(self.disk_folder(), room_bytes[False],
                                       chosen[0].disk) as self.slow_disk:
                self.store.check_slow_disk(self.slow_disk.kind)
                for number, (run, repeat) in enumerate(jobs):
                    self.run_one(run, repeat)
                    if run.system.loaded_as not in {
                            later.system.loaded_as
                            for later, _ in jobs[number + 1:]}:
                        self.remove_loaded(run.system.loaded_as)
        finally:
            with bench_runner.ignoring_signals():
                self.remove_all_data()

    def disk_folder(self):
        return self.out / "disk"

    def remove_all_data(self):
        self.loaded.clear()
        bench_runner.remove_slow_disk(self.disk_folder())
        for name in ("loaded", "copy"):
            shutil.rmtree(self.out / name, ignore_errors=True)

    def run_one(self, run, repeat):
        self.progress.begin(run.name)
        log_path = self.store.log_path(run.name, repeat)
        log_path.parent.mkdir(parents=True, exist_ok=True)
        started = datetime.datetime.now().isoformat(timespec="seconds")
        try:
            with open(log_path, "w", encoding="utf-8") as log:
                context, result = (self.run_script(run, log) if run.script
                                   else self.measure(run, repeat, log))
        # A run may fill the disk by itself; the next one starts with an empty
        # copy.
        except (BenchError, OSError) as failure:
            self.fail(run, repeat, str(failure))
            self.progress.say(f"see {log_path}")
            return
        self.store.save(run, repeat, {
            "machine": self.machine, "started": started,
            "program": self.hashes[run.system.build], **context}, result)

    def fail(self, run, repeat, words):
        self.failed += 1
        self.store.save_failure(run, repeat, words)
        self.progress.say(f"FAILED {run.name}: {words}")

    def paths(self, all_fast, what):
        """Folders of the two tiers, for `loaded/NAME` or `copy`."""
        slow_disk = self.out if all_fast else self.slow_disk.path
        return {"fast": self.out / what / "fast",
                "slow": slow_disk / what / "slow"}

    def bench_command(self, system, dataset, cache_share, folders):
        cache_bytes = int(dataset.data_bytes * cache_share)
        return [str(self.program(system.build)),
                f"--fast_path={folders['fast']}",
                f"--slow_path={folders['slow']}", f"--threads={THREADS}",
                f"--block_cache_bytes={cache_bytes}",
                *dataset.flags, *system.flags(dataset)]

    def remove_copy(self):
        """Links would keep the space of files that are removed elsewhere."""
        for place in (self.out, self.slow_disk.path):
            shutil.rmtree(place / "copy", ignore_errors=True)

    def remove_loaded(self, kind):
        self.remove_copy()
        self.loaded.pop(kind, None)
        for place in (self.out, self.slow_disk.path):
            shutil.rmtree(place / "loaded" / kind, ignore_errors=True)

    def load(self, kind, dataset, log):
        """Not throttled, because loading is not measured."""
        folders = self.paths(False, f"loaded/{kind}")
        if kind not in self.loaded:
            command = self.bench_command(
                systems.LOADS[kind], dataset, bench_runner.BLOCK_CACHE_SHARE,
                folders) + ["--norun"]
            bench_runner.run_bench(
                command, self.out / "run.json", f"load of {kind}", log,
                lambda: self.progress.tick("load"))
            # What the run caches on disk belongs to the run.
            shutil.rmtree(folders["fast"] / "persistent_cache",
                          ignore_errors=True)
            self.loaded[kind] = command
        return folders

    def load_all_fast(self, kind, dataset, log):
        """Copies data for runs with both paths on the fast disk."""
        loaded = self.load(kind, dataset, log)
        folders = self.paths(True, f"loaded/{kind}")
        if not folders["slow"].exists():
            part = folders["slow"].with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(loaded["slow"], part)
            # The run's direct I/O would wait for pending writes.
            os.sync()
            part.rename(folders["slow"])
        return folders

    def measure(self, run, repeat, log):
        if run.profile and not profile.is_usable():
            raise BenchError("perf cannot sample here: it is missing or may "
                             "not (kernel.perf_event_paranoid)")
        self.remove_copy()
        load = self.load_all_fast if run.system.all_fast else self.load
        loaded = load(run.system.loaded_as, run.dataset, log)
        copy = self.paths(run.system.all_fast, "copy")
        for tier, folder in loaded.items():
            bench_runner.clone_db(folder, copy[tier])
        command = self.bench_command(run.system, run.dataset, run.cache_share,
                                     copy) + [
            "--existing_db", f"--seed={repeat}", *run.flags,
            *self.pace_flags(run, repeat),
            # Its computation would be among the samples.
            *(["--oracle_max_keys=0"] if run.profile else [])]
        if not run.system.all_fast:
            self.slow_disk.limit(run.disk)
            command = self.slow_disk.throttled(command)
        context, result = self.watch(run, repeat, command, log)
        faults = soundness.faults_of(result, run.system.tracks)
        if faults:
            raise BenchError("; ".join(faults))
        return {"command": command,
                "load_command": self.loaded[run.system.loaded_as],
                **context}, result

    def pace_flags(self, run, repeat):
        if not run.paced_by:
            return []
        if not self.store.path(run.paced_by, repeat).exists():
            raise BenchError(f"needs the result of {run.paced_by}")
        pace = self.store.read(run.paced_by, repeat)["result"]
        return ["--ops_per_sec="
                f"{int(run.pace_share * pace['final_throughput'])}"]

    def watch(self, run, repeat, command, log):
        """Runs the command. Returns what the machine did in the final tenth,
        and where CPU time went."""
        samples = self.out / "perf.data"
        if run.profile:
            command = profile.command_prefix(
                samples, run.profile_delay_secs) + command
        watched = machine.MachineWatch(self.out)

        def tick():
            watched.sample()
            self.progress.tick()
        try:
            result = bench_runner.run_bench(command, self.out / "run.json",
                                            run.name, log, tick)
            watched.sample()
            stacks = (list(profile.read_stacks(samples)) if run.profile
                      else [])
        finally:
            samples.unlink(missing_ok=True)
        shares = profile.shares(stacks)
        if run.profile:
            profile.check(shares)
            profile.save_folded(stacks,
                                self.store.folded_path(run.name, repeat))
        return {"machine_rates": watched.rates(*metrics.final_window(result)),
                "cpu_shares": shares}, result

    def run_script(self, run, log):
        out = self.out / "script"
        name, *arguments = run.script
        command = ["/usr/bin/python3", str(bench_runner.TOOLS / name),
                   f"--out={out}",
                   f"--bench={self.program(run.system.build)}", *arguments]
        try:
            with subprocess.Popen(command, stdout=log,
                                  stderr=log) as process:
                code = bench_runner.wait_for(process, self.progress.tick)
            if code != 0:
                raise BenchError(f"{name} ended with code {code}")
            result = json.loads((out / "result.json").read_text())
        finally:
            shutil.rmtree(out, ignore_errors=True)
        return {"command": command}, result
