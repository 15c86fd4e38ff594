#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests of what the suite of benchmarks computes; needs no libraries."""

import collections
import json
import pathlib
import tempfile
import unittest

from bench_runner import BenchError
from bench_suite import (ablation, also, disk_probe, machine, metrics,
                         profile, runner, runs, store, suite, systems, targets)

RECORD_BYTES = 100
TABLE = """\
cluster,key_bytes,value_bytes,wss_mb_no_ttl,operations
""" + "".join(f'cluster{number},20,80,40000,"get:0.75 set:0.25"\n'
              for number in suite.TWITTER_CLUSTERS)


def io(**counts):
    return {tier: dict.fromkeys(metrics.IO_COUNTS, 0) | counts
            for tier in metrics.TIERS}


def point(secs, throughput, hit_rate=0.0, cpu_secs=1.0, **counts):
    return {"secs": secs, "throughput": throughput, "fast_hit_rate": hit_rate,
            "cpu_secs": cpu_secs, "hotspot_bytes": 1000, "io": io(**counts)}


def row(system, throughput, repeat=1, **more):
    return {"group": "main", "dataset": "1KiB-x3", "workload": "RO-hotspot",
            "system": system, "repeat": repeat,
            "throughput": throughput} | more


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
        self.assertEqual(counts["main/1KiB-x3/RO-hotspot/hotrap"], 3)
        self.assertEqual(counts["main/1KiB-x3/RO-zipf/hotrap"], 2)

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
                self.assertIn(f"--run_ops={suite.WRITE_OPS}", run.flags)

    def test_every_system_has_data_to_run_on(self):
        for run in self.runs:
            self.assertIn(run.system.loaded_as, systems.LOADS)

    def test_twitter_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.csv"
            table.write_text(TABLE)
            run = next(suite.twitter_runs(runs.Scale(), table))
        # 110 GB hold 2.75 working sets of 40 GB.
        self.assertIn("--twitter_copies=3", run.dataset.flags)
        keys = run.dataset.data_bytes // 100
        self.assertEqual(keys % 3, 0)
        self.assertIn(f"--twitter_loaded_keys={keys}", run.dataset.flags)
        self.assertEqual(run.written_bytes,
                         suite.TWITTER_REQUESTS * 100 // 4)


class Room(unittest.TestCase):
    def test_data_is_counted_once_for_the_systems_that_share_it(self):
        dataset = runs.Dataset("x", 1000, ())
        chosen = [runs.Run("main", dataset, "RO", system)
                  for system in (systems.HOTRAP, systems.FAT, systems.FD,
                                 systems.ROW_CACHE)]
        one_set = 1000 + 100 + 300 + runner.DISK_ROOM_BYTES
        self.assertEqual(runner.room_for(dataset, chosen, True), one_set)
        self.assertEqual(runner.room_for(dataset, chosen, False),
                         one_set + 1000)

    def test_what_is_written_is_counted(self):
        dataset = runs.Dataset("x", 1000, ())
        run = runs.Run("main", dataset, "WH", systems.FAT, written_bytes=4000)
        self.assertEqual(run.room_bytes, 1500 + 6000)


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
                "slow_written_bytes": 0.0}
        saved = {"machine": {"cpus": 2, "fast_disk": {
            "reads": 1000, "read_bytes": 1e9, "written_bytes": 1e9}},
            "disk": "gp3", "all_fast": False, "machine_rates": {
                "busy_cpus": 1.0, "disk_reads": 100, "disk_read_bytes": 3e8,
                "disk_written_bytes": 6e8}}
        self.assertIn("slow disk's reads", metrics.bound_of(rate, saved))
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


class Targets(unittest.TestCase):
    TARGET = targets.over_fat("x", targets.RO, 5, "5.6", 5.6)

    def judge(self, *rows, target=TARGET):
        return target.judge(targets.Measured(rows, []))

    def test_what_was_not_run_is_not_judged(self):
        judged = self.judge(row("hotrap", 60))
        self.assertEqual(judged["shown"], "not run")
        self.assertIsNone(judged["holds"])

    def test_says_what_bounds_hotrap(self):
        judged = self.judge(row("hotrap", 60, bound="CPU 99%"),
                            row("fat", 10, bound="slow disk"))
        self.assertEqual(judged["bound"], "CPU 99%")

    def test_repetitions_are_compared_with_their_own(self):
        judged = self.judge(row("hotrap", 60), row("fat", 10),
                            row("hotrap", 80, 2), row("fat", 20, 2),
                            row("hotrap", 10, 3))
        self.assertEqual(judged["shown"], "5 (4 to 6)")
        self.assertEqual(judged["runs"], 2)
        self.assertTrue(judged["holds"])
        self.assertAlmostEqual(judged["ratio"], 5 / 5.6)

    def test_the_limit_is_the_faster_of_both_blocks(self):
        rows = (row("hotrap", 90, cpu_micros=12),
                row("fd", 80, cpu_micros=10), row("fd-4k", 100, cpu_micros=11))
        judged = self.judge(*rows, target=targets.share_of_fd(
            "x", targets.RO, 0.95))
        self.assertEqual(judged["here"], 0.9)
        self.assertFalse(judged["holds"])
        self.assertEqual(judged["note"], "fd: 1.12, fd-4k: 0.9")
        # CPU is compared with that of the faster one, too.
        self.assertAlmostEqual(self.judge(*rows, target=targets.cpu_over_fd(
            "x", targets.RO, 1.08))["here"], 12 / 11)

    def test_the_second_best_is_of_repetitions_with_all_rivals(self):
        judged = self.judge(
            row("hotrap", 60), row("fat", 10), row("row-cache", 20),
            row("fd", 99), row("hotrap", 60, 2), row("fat", 10, 2),
            target=targets.over_second_best("x", targets.RO, "5.6", 5.6))
        self.assertEqual(judged["shown"], "3")
        self.assertIsNone(judged["holds"])
        self.assertEqual(judged["wanted"], "")

    def test_clusters_are_ranked_by_reads_of_sunk_and_hot_records(self):
        def of(number, system, throughput, share):
            name = f"cluster{number}"
            return {"group": "twitter", "dataset": name, "workload": name,
                    "system": system, "repeat": 1, "throughput": throughput,
                    "sunk_and_hot_reads": share, "slow_get_share": 0.5}
        measured = targets.Measured(
            [of(number, system, throughput, share)
             for number, share, gain in ((17, 0.9, 5), (11, 0.8, 4),
                                         (29, 0.1, 1))
             for system, throughput in (("hotrap", gain), ("fat", 1))], [])
        self.assertEqual(targets.worst_of_clusters(2)(measured), [4])
        self.assertEqual(targets.worst_of_clusters()(measured), [1])
        self.assertTrue(targets.clusters_note(measured).startswith(
            "cluster17: 5.00 (sunk and hot 0.90, slow gets of fat 0.50)"))


class Ablation(unittest.TestCase):
    def test_checks_stand_beside_the_paper(self):
        def result(promoted, read):
            return {"promoted_bytes": promoted, "compaction_promoted_bytes": 0,
                    "compaction_read_bytes": read,
                    "compaction_written_bytes": 0,
                    "final_fast_hit_rate": 0.9}
        checks = {check["what"]: check for check in ablation.judge(
            {"rw": result(10, 100), "rw_no_retain": result(20, 150)})}
        promoted = checks["RW: promoted by no_retain to promoted"]
        self.assertEqual(promoted["measured"], 2)
        self.assertFalse(promoted["holds"])
        self.assertAlmostEqual(promoted["ratio"], 2 * 5.9 / 35.2)
        self.assertIsNone(checks[
            "RW: compaction bytes of no_retain to HotRAP's"]["holds"])
        self.assertFalse(any("uniform" in what for what in checks))


class Plots(unittest.TestCase):
    def test_latencies_of_runs_that_only_read(self):
        try:
            import pandas
            from bench_suite import plots
        except ImportError:
            self.skipTest("drawing takes pandas and matplotlib")
        figure = plots.latency(pandas.DataFrame([{
            "group": "main", "dataset": "1KiB-x3", "workload": "RO-hotspot",
            "system": "hotrap", "read_p50": 1.0, "insert_p50": None}]),
            "1KiB-x3")
        self.assertEqual(len(figure.axes), 1)


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
        self.assertTrue(self.store.has(self.run.name, 2))
        self.assertFalse(self.store.has(self.run.name, 1))

    def test_a_program_is_what_it_is_built_from(self):
        root = self.path / "root"
        for name in ("tools/bench/a.cc", "db/b.cc", "db/b_test.cc"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
        for name in store.SOURCES["release"]:
            if not (root / name).exists():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()

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


class Also(unittest.TestCase):
    def test_plain_results_are_of_the_run_they_are_named_after(self):
        def result(**config):
            return {"config": {"mix": "RO", "threads": 16} | config}
        saved = [{"name": f"{group}/x1/RO-hotspot/hotrap", "group": group,
                  "dataset": "x1", "workload": "RO-hotspot", "disk": disk,
                  "system": "hotrap", "data_bytes": 1, "repeat": 1,
                  "machine": {"cpu": "mine", "cpus": 2},
                  "result": result(block_cache_bytes=9)}
                 for group, disk in (("main", "gp3"), ("hdd", "hdd"))]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "prototype"
            for group, cache_bytes in (("hdd", 9), ("main", 8), ("else", 9)):
                path = folder / group / "x1" / "RO-hotspot.json"
                path.parent.mkdir(parents=True)
                path.write_text(json.dumps(
                    result(block_cache_bytes=cache_bytes)))
            (folder / "fat.json").write_text(json.dumps(
                saved[0] | {"system": "fat", "all_fast": False}))
            found = also.read(folder, saved)
        # One has another block cache, one is named after no run.
        self.assertEqual(
            [(one["system"], one["group"], one["disk"], one["machine"]["cpu"])
             for one in found],
            [("prototype fat", "main", "gp3", "mine"),
             ("prototype", "hdd", "hdd", "unknown")])


if __name__ == "__main__":
    unittest.main()
