#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests the computations of the benchmark suite; needs no libraries."""

import collections
import contextlib
import dataclasses
import io
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import bench_runner
from bench_runner import BenchError
from bench_suite import (disk_probe, machine, metrics, oracle_test, page_test,
                         parts, profile, report_test, runner, runs, soundness,
                         store, suite, systems, targets)
from bench_suite.fakes import io_of, point

RECORD_BYTES = 100
TABLE = """\
cluster,key_bytes,value_bytes,wss_mb_no_ttl,operations
""" + "".join(f'cluster{number},20,80,40000,"get:0.75 set:0.25"\n'
              for number in suite.TWITTER_CLUSTERS)


class Runs(unittest.TestCase):
    def setUp(self):
        self.runs = suite.all_runs(runs.Scale())
        self.jobs = list(suite.jobs_of(self.runs))

    def test_names_are_unique(self):
        counts = collections.Counter(run.name for run in self.runs)
        self.assertEqual(counts.most_common(1)[0][1], 1)

    def test_runs_on_the_same_data_stand_together(self):
        changes = sum(one.dataset != other.dataset
                      for one, other in zip(self.runs, self.runs[1:]))
        self.assertEqual(changes + 1, len({run.dataset for run in self.runs}))

    def test_systems_of_a_case_stand_together(self):
        changes = sum(one.case != other.case for (one, _), (other, _)
                      in zip(self.jobs, self.jobs[1:]))
        self.assertEqual(changes + 1, len({run.case for run in self.runs}))

    def test_every_second_repetition_is_in_reverse(self):
        names = {number: [run.system.name for run, repeat in self.jobs
                          if run.case == ("main", "1KiB-x3", "RW-hotspot")
                          and repeat == number] for number in (1, 2, 3, 4)}
        self.assertEqual(names[2], ["fd-4k", "fd", "fat", "hotrap"])
        self.assertEqual(names[3], names[2][::-1])
        self.assertLess(set(names[2]), set(names[1]))
        self.assertEqual(names[4], [])

    def test_repeat_adds_to_what_is_repeated_anyway(self):
        counts = collections.Counter(
            run.name for run, _ in suite.jobs_of(self.runs, 2))
        self.assertEqual(counts["main/1KiB-x3/RO-hotspot/hotrap"],
                         suite.REPEATS_AT_THE_LIMIT)
        self.assertEqual(counts["main/1KiB-x3/RO-zipf/hotrap"], 2)

    def test_what_targets_hang_on_is_repeated(self):
        repeats = {run.name: run.repeats for run in self.runs}
        for name in ("dynamic/1KiB-x1/RO-dynamic/hotrap",
                     "profile/200B-x1/RW-hotspot/hotrap",
                     "profile/1KiB-x3/RW-hotspot/hotrap",
                     "main/1KiB-x3/RO-uniform/fat"):
            self.assertEqual(repeats[name], 3, name)
        self.assertEqual(repeats["profile/1KiB-x3/RO-hotspot/fd"], 1)

    def test_reads_take_as_long_as_what_they_are_compared_with(self):
        secs = {run.name: run.secs for run in self.runs}
        for name, wanted in (("zipf/hotrap", 240), ("zipf/fat", 40),
                             ("uniform/hotrap", 100), ("uniform/fat", 100),
                             ("uniform/fd", 100), ("uniform/row-cache", 40)):
            self.assertEqual(secs[f"main/1KiB-x3/RO-{name}"], wanted, name)

    def test_a_run_of_other_flags_is_another_one(self):
        run = self.runs[0]
        told = {dataclasses.replace(run, **change).told for change in (
            {}, {"flags": ("--mix=RW",)}, {"cache_share": 0.5},
            {"disk": "hdd"}, {"script": ("x.py", "--n=1")},
            {"system": dataclasses.replace(run.system, options="x")},
            {"dataset": dataclasses.replace(run.dataset, flags=("--x",))})}
        self.assertEqual(len(told), 7)
        here, there, other = (
            dataclasses.replace(run, flags=(f"--trace={path}",)).told
            for path in ("/a/x.csv", "/b/x.csv", "/a/y.csv"))
        self.assertEqual(here, there)
        self.assertNotEqual(here, other)

    def test_targets_ask_for_runs_there_are(self):
        there = {targets.Case(*run.case) for run in self.runs} | {
            targets.Case("twitter", f"cluster{number}", f"cluster{number}")
            for number in suite.TWITTER_CLUSTERS}

        class Asked(targets.Measured):
            def by_repeat(self, field, case, system):
                asked.add(case)
                return {}
        asked = set()
        for target in targets.TARGETS:
            target.judge(Asked([], []))
        self.assertLessEqual(asked, there)

    def test_the_run_that_sets_a_pace_comes_before(self):
        order = [run.name for run, _ in self.jobs]
        paced = [run for run in self.runs if run.paced_by]
        self.assertTrue(paced)
        for run in paced:
            self.assertLess(order.index(run.paced_by), order.index(run.name))

    def test_a_small_suite_has_no_cache_that_does_not_fit(self):
        names = {run.system.name for run in suite.all_runs(runs.Scale(0.01))}
        self.assertNotIn("persistent-cache", names)
        self.assertIn("persistent-cache",
                      {run.system.name for run in self.runs})

    def test_systems_that_write_write_the_same(self):
        for run in self.runs:
            if run.group == "main" and run.written_bytes:
                mix = run.workload.split("-")[0]
                self.assertIn(f"--run_ops={suite.WRITE_OPS[mix]}", run.flags)

    def test_every_system_has_data_to_run_on(self):
        for run in self.runs:
            self.assertIn(run.system.loaded_as, systems.LOADS)

    def test_twitter_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.csv"
            table.write_text(TABLE)
            clusters = list(suite.twitter_runs(runs.Scale(), table))
            table.write_text(TABLE.replace(",80,", ",9000,"))
            large = list(suite.twitter_runs(runs.Scale(), table))
        run = clusters[0]
        self.assertEqual(
            [(one.system.name, one.repeats) for one in clusters[:4]],
            [("hotrap", 3), ("fat", 3), ("fd", 1), ("row-cache", 1)])
        # 110 GB hold 2.75 working sets of 40 GB.
        self.assertIn("--twitter_copies=3", run.dataset.flags)
        keys = run.dataset.data_bytes // 100
        self.assertEqual(keys % 3, 0)
        self.assertIn(f"--twitter_loaded_keys={keys}", run.dataset.flags)
        self.assertEqual(run.written_bytes,
                         suite.TWITTER_REQUESTS[1] * 100 // 4)
        self.assertIn(f"--run_ops={suite.TWITTER_REQUESTS[0]}",
                      large[0].flags)


class Room(unittest.TestCase):
    def test_data_is_counted_once_for_the_systems_that_share_it(self):
        dataset = runs.Dataset("x", 1000, ())
        chosen = [runs.Run("main", dataset, "RO", system)
                  for system in (systems.HOTRAP, systems.FAT, systems.FD,
                                 systems.ROW_CACHE)]
        one_set = 1000 + 100 + 300 + runner.DISK_ROOM_BYTES
        self.assertEqual(runner.room_for(dataset, chosen, True), one_set)
        # HotRAP's set has gone when fat's comes, but HotRAP may rewrite it.
        self.assertEqual(runner.room_for(dataset, chosen, False),
                         one_set + 900)
        self.assertEqual(runner.room_for(dataset, chosen + chosen[:1], False),
                         one_set + 1000)

    def test_what_is_written_is_counted(self):
        dataset = runs.Dataset("x", 1000, ())
        run = runs.Run("main", dataset, "WH", systems.FAT, written_bytes=4000)
        self.assertEqual(run.room_bytes, 1500 + 6000)


class Running(unittest.TestCase):
    """Without a disk and without programs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.program = self.out / "program"
        self.program.touch()
        self.events = []
        disk = mock.MagicMock(kind="kernel", path=self.out / "mnt")
        disk.__enter__.return_value = disk
        for place, name, stand_in in (
                (bench_runner, "SlowDisk", lambda *_: disk),
                (bench_runner, "remove_slow_disk", lambda _: None),
                (disk_probe, "probe", lambda _: None)):
            patch = mock.patch.object(place, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def run_all(self, *chosen, run_one=None):
        results = store.ResultStore(self.out / "results", {})
        found = runner.Runner(self.out, results, [(run, 1) for run in chosen],
                              self.program)
        found.run_one = run_one or (
            lambda run, _: self.events.append(run.name))
        found.remove_loaded = lambda kind: self.events.append(f"-{kind}")
        with contextlib.redirect_stdout(io.StringIO()):
            found.run_all()
        return found

    def test_a_dataset_without_room_leaves_the_others_alone(self):
        large, small = (runs.Run("g", runs.Dataset(name, size, ()), "RO",
                                 systems.FAT)
                        for name, size in (("large", 10**18), ("small", 10)))
        with mock.patch.object(runner, "DISK_ROOM_BYTES", 0):
            found = self.run_all(large, small)
        self.assertEqual(self.events, ["g/small/RO/fat", "-fat"])
        self.assertEqual(found.failed, 1)
        self.assertIn("GB free", found.store.failures()["g/large/RO/fat"])

    def test_data_goes_after_its_last_run(self):
        dataset = runs.Dataset("x", 10, ())
        with mock.patch.object(runner, "DISK_ROOM_BYTES", 0):
            self.run_all(*(runs.Run("g", dataset, "RO", system) for system in
                           (systems.HOTRAP, systems.FAT, systems.FD)))
        self.assertEqual(self.events, [
            "g/x/RO/hotrap", "-hotrap", "g/x/RO/fat", "g/x/RO/fd", "-fat"])

    def test_data_of_a_run_that_was_killed_is_not_used(self):
        left = self.out / "loaded/fat/slow/000009.sst"
        left.parent.mkdir(parents=True)
        left.touch()
        run = runs.Run("g", runs.Dataset("x", 10, ()), "RO", systems.FD)
        with mock.patch.object(runner, "DISK_ROOM_BYTES", 0):
            self.run_all(run, run_one=lambda *_: self.assertFalse(
                left.exists()))

    def test_a_copy_is_on_the_disk_before_a_run(self):
        found = self.run_all()
        loaded, target = self.out / "source", self.out / "target"
        loaded.mkdir()
        found.load = lambda *_: {"slow": loaded}
        found.paths = lambda *_: {"slow": target}
        with mock.patch.object(os, "sync", lambda: self.events.append(
                "copied" if target.with_suffix(".part").exists() else "none")):
            found.load_all_fast("fat", None, None)
        self.assertEqual(self.events, ["copied"])
        self.assertTrue(target.exists())

    def test_a_profile_takes_a_perf_that_may_sample(self):
        run = runs.Run("g", runs.Dataset("x", 10, ()), "RO", systems.FAT,
                       profile=True)
        found = self.run_all()
        with mock.patch.object(profile, "is_usable", lambda: False), \
                self.assertRaisesRegex(BenchError, "perf"):
            found.measure(run, 1, None)


class Soundness(unittest.TestCase):
    SOUND = {"config": {"mix": "RW"}, "gets": 10, "gets_found": 10,
             "hotrap": {"active": 1, "ralt_open": 1, "ralt_paused": 0,
                        "ralt_background_errors": 0, "dropped_error": 0},
             "engine_agreement": {"difference": 0.005}}

    def faults(self, stats=(), tracks=True, **change):
        return soundness.faults_of(self.SOUND | change | {
            "hotrap": self.SOUND["hotrap"] | dict(stats)}, tracks)

    def test_gets_find_what_was_loaded(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(gets_found=9, tracks=False),
                         ["1 of 10 Gets found no record"])
        for config in ({"mix": "D"}, {"trace": "x"}):
            self.assertEqual(self.faults(gets_found=9, config=config), [])

    def test_hotrap_did_its_work(self):
        for name, value in (("active", 0), ("ralt_open", 0),
                            ("ralt_paused", 1), ("ralt_background_errors", 2),
                            ("dropped_error", 3)):
            self.assertEqual(len(self.faults({name: value})), 1, name)
            self.assertEqual(self.faults({name: value}, tracks=False), [])

    def test_both_count_hits_alike(self):
        apart = {"engine_agreement": {"difference": 0.02}}
        self.assertIn("0.0200", self.faults(**apart)[0])
        # A wrong filter makes a Get that finds nothing read the slow tier.
        self.assertEqual(self.faults(config={"trace": "x"}, **apart), [])


class Metrics(unittest.TestCase):
    def test_rates_are_of_the_final_tenth(self):
        timeline = [point(secs, 10, reads=secs) for secs in range(1, 21)]
        # By operations: the final tenth took 2.5 s.
        points = metrics.final_points({"timeline": timeline, "secs": 20.5,
                                       "final_secs": 2.5})
        self.assertEqual([one["secs"] for one in points], [19, 20])
        self.assertEqual(metrics.rates(points, timeline)["slow_reads"], 19.5)

    def test_what_bounds_a_run(self):
        rate = {"cpus": 0.5, "slow_reads": 9900.0, "slow_read_bytes": 0.0,
                "slow_writes": 0.0, "slow_written_bytes": 0.0}
        saved = {"machine": {"cpus": 2, "fast_disk": {
            "reads": 1000, "read_bytes": 1e9, "written_bytes": 1e9}},
            "disk": "gp3", "all_fast": False, "machine_rates": {
                "busy_cpus": 1.0, "disk_reads": 100, "disk_read_bytes": 3e8,
                "disk_written_bytes": 6e8}}
        self.assertIn("slow disk's reads", metrics.bound_of(rate, saved))
        writing = rate | {"slow_reads": 0, "slow_writes": 9000.0}
        self.assertEqual(metrics.bound_of(writing, saved),
                         "slow disk's writes a second 90%")
        saved["all_fast"] = True
        self.assertEqual(metrics.bound_of(rate, saved),
                         "none alone; most: fast disk 60%")
        # Others keep the CPUs busy.
        saved["machine_rates"]["busy_cpus"] = 1.9
        self.assertEqual(metrics.bound_of(rate, saved), "CPU 95%")

    def test_limits_of_the_slow_disks(self):
        self.assertEqual(metrics.limits_of("hdd")["reads"], 400)
        self.assertEqual(metrics.limits_of("gp3")["written_bytes"],
                         1000 << 20)

    def test_memory_of_access_buffers(self):
        header = (bench_runner.TOOLS.parent /
                  "include/rocksdb/hotrap.h").read_text()
        default = re.search(r"access_buffer_bytes = (\d+)ull << 20", header)
        self.assertEqual(metrics.access_buffer_bytes("hotrap={enabled=true}"),
                         int(default[1]) << 20)
        self.assertEqual(metrics.access_buffer_bytes(
            "hotrap={enabled=true;access_buffer_bytes=1000}"), 1000)

    def test_parts_of_an_operation(self):
        result = {"operations": 100, "cpu_secs": {"user": 2e-3, "system": 0},
                  "io": io_of()}
        result["io"]["slow"]["by_purpose"]["ralt"]["written_bytes"] = 500
        one = {"group": "profile", "dataset": "x", "workload": "RW",
               "system": "hotrap", "all_fast": False, "result": result,
               "cpu_shares": {"read": 0.75, "checker": 0.25}}
        cpu, _, slow = parts.measure([one])
        self.assertEqual(cpu["parts"]["read"], 15)
        self.assertEqual(cpu["parts"]["promotion"], 5)
        self.assertEqual(slow["parts"]["RALT"], 5)

    def test_reads_until_hot(self):
        # Each second reads as many bytes as the hotspot has.
        points = [point(1, 10, 0.7), point(2, 10, 1.0), point(3, 10, 0.7),
                  point(4, 10, 0.8), point(5, 10, 1.0), point(6, 10, 1.0)]
        # One second alone does not count; 0.9 lies half way between the
        # middles of the fourth and the fifth.
        self.assertAlmostEqual(metrics.reads_until(points, RECORD_BYTES), 4)
        self.assertAlmostEqual(metrics.reads_until(points[4:], RECORD_BYTES),
                               0.5)
        self.assertIsNone(metrics.reads_until(points[:4], RECORD_BYTES))

    def test_the_probe_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            found = disk_probe.probe(folder, size=4 << 20, secs=0.05)
            self.assertEqual(list(folder.iterdir()), [])
        # Not every file system takes direct I/O.
        self.assertTrue(found is None or min(found.values()) > 0)

    def test_rates_of_the_machine(self):
        watched = machine.MachineWatch(pathlib.Path("/"))
        watched.samples = [(secs, {"busy_cpus": secs * secs})
                           for secs in range(10)]
        # Between the samples at 6 and 8.
        self.assertEqual(watched.rates(6.4, 8.2), {"busy_cpus": 14})
        self.assertIsNone(watched.rates(6.4, 6.45))


class Profile(unittest.TestCase):
    def test_a_sample_counts_for_its_innermost_part(self):
        shares = profile.shares([
            ["rocksdb::ralt::RunIndex::Find", "rocksdb::CompactionJob::Run"],
            ["crc32", "rocksdb::CompactionJob::Run"],
            ["rocksdb::DBImpl::GetImpl", "Client::Read"],
            ["schedule"]])
        self.assertEqual(
            [shares[part] for part in ("RALT", "compaction", "read", "other")],
            [0.25] * 4)
        self.assertIsNone(profile.shares([]))

    def test_folded_stacks_come_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.folded"
            profile.save_folded([["f(int, int)", "main"]] * 2, path)
            self.assertEqual(list(profile.read_folded(path)),
                             [(["main", "f(int, int)"], 2)])


    def test_samples_that_say_nothing_are_refused(self):
        for stacks in ([], [["schedule"]]):
            with self.assertRaises(BenchError):
                profile.check(profile.shares(stacks))
        profile.check(profile.shares([["schedule"],
                                      ["rocksdb::DBImpl::Get"]]))


class Store(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.run = suite.all_runs(runs.Scale())[0]
        self.store = store.ResultStore(self.path, {"data": 1})
        self.store.save(self.run, 2, {"program": "a"},
                        {"errors": 0, "slow_disk": "kernel"})

    def test_a_result_is_of_its_repetition(self):
        self.assertTrue(self.store.has(self.run, 2))
        self.assertFalse(self.store.has(self.run, 1))

    def test_a_result_is_of_what_the_run_was_told(self):
        self.assertFalse(self.store.has(
            dataclasses.replace(self.run, flags=("--mix=WH",)), 2))

    def test_a_program_is_what_it_is_built_from(self):
        root = self.path / "root"
        for name in ("tools/bench/a.cc", "db/b.cc", "db/b_test.cc"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
        for name in store.SOURCES["release"]:
            if not (root / name).exists():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
        flags = {}
        for build in store.SOURCES:
            flags[build] = root / "build" / build / "hotrap-flags"
            flags[build].parent.mkdir(parents=True)
            flags[build].write_text('-DF="-O2 -g" -DWITH_JNI=OFF')

        def hashes():
            return [store.hash_of_sources(root, build)
                    for build in ("stock", "release")]
        before = hashes()
        (root / "db/b_test.cc").write_text("1")
        self.assertEqual(hashes(), before)
        (root / "db/b.cc").write_text("2")
        self.assertEqual(hashes()[0], before[0])
        self.assertNotEqual(hashes()[1], before[1])
        (root / "tools/bench/a.cc").write_text("3")
        self.assertNotEqual(hashes()[0], before[0])
        # Only such flags matter that make another program.
        before = hashes()
        (root / "Makefile").write_text("new-target:")
        flags["stock"].write_text('-DF="-O2 -g" -DWITH_JNI=ON')
        self.assertEqual(hashes(), before)
        flags["stock"].write_text('-DF="-O3 -g" -DWITH_JNI=ON')
        self.assertNotEqual(hashes()[0], before[0])

    def test_results_of_another_kind_are_refused(self):
        self.store.check_scale()
        with self.assertRaises(BenchError):
            store.ResultStore(self.path, {"data": 2}).check_scale()
        self.store.check_program("release", "a")
        self.store.check_program("stock", "b")
        with self.assertRaises(BenchError):
            self.store.check_program("release", "b")
        self.store.check_slow_disk("kernel")
        with self.assertRaises(BenchError):
            self.store.check_slow_disk("wrapper")


def load_tests(loader, tests, _):
    for module in (report_test, page_test, oracle_test):
        tests.addTests(loader.loadTestsFromModule(module))
    return tests


if __name__ == "__main__":
    unittest.main()
