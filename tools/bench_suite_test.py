#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests of what the suite of benchmarks computes; needs no libraries."""

import collections
import pathlib
import tempfile
import unittest

from bench_runner import BenchError
from bench_suite import metrics, profile, runs, store, targets

RECORD_BYTES = 100


def io(**counts):
    return {tier: dict.fromkeys(metrics.IO_COUNTS, 0) | counts
            for tier in metrics.TIERS}


def point(secs, throughput, hit_rate=0.0, cpu_secs=1.0, **counts):
    return {"secs": secs, "throughput": throughput, "fast_hit_rate": hit_rate,
            "cpu_secs": cpu_secs, "hotspot_bytes": 1000, "io": io(**counts)}


def row(system, throughput, repeat=1):
    return {"group": "main", "dataset": "1KiB-x3", "workload": "RO-hotspot",
            "system": system, "repeat": repeat, "throughput": throughput}


class Runs(unittest.TestCase):
    def setUp(self):
        self.runs = runs.all_runs(runs.Scale())

    def test_names_are_unique(self):
        counts = collections.Counter(run.name for run in self.runs)
        self.assertEqual(counts.most_common(1)[0][1], 1)

    def test_runs_on_the_same_data_stand_together(self):
        changes = sum(one.dataset != other.dataset
                      for one, other in zip(self.runs, self.runs[1:]))
        self.assertEqual(changes + 1, len({run.dataset for run in self.runs}))

    def test_targets_ask_for_runs_there_are(self):
        there = {(run.group, run.dataset.name, run.workload)
                 for run in self.runs} | {
            ("twitter", f"cluster{number}", f"cluster{number}")
            for number in runs.TWITTER_CLUSTERS}

        class Asked(targets.Measured):
            def by_repeat(self, field, *where):
                asked.add(where[:3])
                return {}
        asked = set()
        for target in targets.TARGETS:
            target.judge(Asked([], []))
        self.assertLessEqual(asked, there)

    def test_a_small_suite_has_no_cache_that_does_not_fit(self):
        names = {run.system.name for run in runs.all_runs(runs.Scale(0.01))}
        self.assertNotIn("persistent-cache", names)
        self.assertIn("persistent-cache",
                      {run.system.name for run in self.runs})


class Metrics(unittest.TestCase):
    def test_rates_are_of_the_final_tenth(self):
        timeline = [point(secs, 10, reads=secs) for secs in range(1, 21)]
        points = metrics.final_points({"timeline": timeline, "secs": 20.5})
        self.assertEqual([one["secs"] for one in points], [19, 20])
        self.assertEqual(metrics.rates(points, timeline)["slow_reads"], 19.5)

    def test_what_bounds_a_run(self):
        rate = {"cpus": 0.5, "slow_reads": 9900.0, "slow_read_bytes": 0.0,
                "slow_written_bytes": 0.0}
        self.assertIn("slow disk's reads",
                      metrics.bound_of(rate, 2, "gp3", False, 0.3))
        self.assertIn("none alone; most: CPU",
                      metrics.bound_of(rate, 2, "gp3", True, 0.1))

    def test_reads_until_hot(self):
        points = [point(1, 10), point(2, 10, 0.9), point(3, 10, 1.0),
                  point(4, 10, 1.0)]
        # The mean of three points is 0.9 or more at the fourth.
        self.assertAlmostEqual(metrics.reads_until(points, RECORD_BYTES), 4)
        self.assertIsNone(metrics.reads_until(points[:3], RECORD_BYTES))


class Targets(unittest.TestCase):
    TARGET = targets.over_fat("x", "5.6", 5.6, 5, "main", "1KiB-x3",
                              "RO-hotspot")

    def judge(self, *rows):
        return self.TARGET.judge(targets.Measured(rows, []))

    def test_what_was_not_run_is_not_judged(self):
        judged = self.judge(row("hotrap", 60))
        self.assertEqual(judged["shown"], "not run")
        self.assertIsNone(judged["holds"])

    def test_repetitions_are_compared_with_their_own(self):
        judged = self.judge(row("hotrap", 60), row("fat", 10),
                            row("hotrap", 80, 2), row("fat", 20, 2),
                            row("hotrap", 10, 3))
        self.assertEqual(judged["shown"], "5 (4 to 6)")
        self.assertTrue(judged["holds"])
        self.assertAlmostEqual(judged["ratio"], 5 / 5.6)


class Profile(unittest.TestCase):
    def test_a_sample_counts_for_its_innermost_part(self):
        shares = profile.shares([
            ["rocksdb::RaltImpl::HotKeys", "rocksdb::CompactionJob::Run"],
            ["crc32", "rocksdb::CompactionJob::Run"],
            ["rocksdb::DBImpl::GetImpl", "Client::Read"],
            ["schedule"]])
        self.assertEqual(
            [shares[part] for part in ("RALT", "compaction", "read", "other")],
            [0.25] * 4)
        self.assertIsNone(profile.shares([]))


class Store(unittest.TestCase):
    def test_results_of_another_scale_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            run = runs.all_runs(runs.Scale())[0]
            first = store.ResultStore(pathlib.Path(folder), {"data": 1})
            first.save(run, 2, {}, {"errors": 0})
            self.assertTrue(first.has(run.name, 2))
            self.assertFalse(first.has(run.name, 1))
            first.check_scale()
            with self.assertRaises(BenchError):
                store.ResultStore(pathlib.Path(folder),
                                  {"data": 2}).check_scale()


if __name__ == "__main__":
    unittest.main()
