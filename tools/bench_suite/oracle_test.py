#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests of the oracle in the report and on the page in docs/; run by
tools/bench_suite_test.py."""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

import bench_all
from bench_runner import BenchError
from bench_suite import (coverage, metrics, oracle, page_oracle, profile,
                         runner, runs, suite, summary, systems, targets)
from bench_suite.fakes import result_of, row

ORACLE = {"basis": "distribution",
          "whole": {"hit_rate": 0.5},
          "final": {"hit_rate": 0.8, "block_cache_hit_rate":
                    {"4096": 0.7, "16384": 0.6}},
          "final_points_below": 3}
# As hotrap_bench would.
PROGRAM = """#!/bin/sh
for flag in "$@"; do case $flag in --json=*) out=${flag#--json=};; esac; done
echo "$@" >> "$0.log"
case "$*" in *--phases*) echo '{"phases": [{}, {"oracle": %s}]}' > "$out";;
*E*) echo '{}' > "$out";; *fail*) echo no >&2; exit 1;;
*) echo '{"oracle": %s}' > "$out";; esac
""" % ((json.dumps(ORACLE),) * 2)


class Results(unittest.TestCase):
    def test_a_row_has_the_final_tenth(self):
        wanted = {"oracle": 0.8, "points_below_oracle": 3,
                  "block_cache_4k": 0.7, "block_cache_16k": 0.6}
        self.assertEqual(oracle.of_result({"oracle": ORACLE}), wanted)
        # What is being inserted lies in no known block; only planned.
        self.assertEqual(
            oracle.of_result({"oracle": {"final": {"hit_rate": 0.9}}}),
            dict.fromkeys(wanted) | {"oracle": 0.9})
        self.assertEqual(oracle.of_result({}), {})

    def test_only_runs_on_two_disks_have_one(self):
        dataset = runs.Dataset("x", 1000, ())
        for system, there in ((systems.FAT, True), (systems.FD, False)):
            run = runs.Run("main", dataset, "RO", system)
            found = metrics.whole_run({
                "result": result_of(run) | {"oracle": ORACLE},
                "all_fast": system.all_fast, "data_bytes": 1000})
            self.assertEqual("oracle" in found, there)

    def test_the_summary_has_each_case_once(self):
        def of(system, value, group="main", **more):
            return row(system, 1, group=group, oracle=value,
                       block_cache_4k=None, block_cache_16k=0.5) | more
        rows = [of("hotrap", 0.7), of("hotrap", 0.9), of("fat", 0.1),
                of("hotrap", 0.8, group="profile"),
                row("hotrap", 1) | {"dataset": "cached"}]
        self.assertEqual(list(summary.oracles_of(rows)),
                         [["main", "1KiB-x3", "RO-hotspot", 0.8, None, 0.5]])


class Targets(unittest.TestCase):
    def test_points_below_are_judged(self):
        target = targets.below_oracle("x", targets.RO, 2)
        for points, holds in ((1.9, True), (5.8, False), (-0.1, True)):
            judged = target.judge(targets.Measured(
                [row("hotrap", 1, points_below_oracle=points)], []))
            self.assertEqual(judged["holds"], holds)
        self.assertEqual(target.judge(targets.Measured(
            [row("hotrap", 1)], []))["shown"], "not run")

    def test_the_farthest_cluster_counts(self):
        def of(number, system, throughput, points):
            name = f"cluster{number}"
            return row(system, throughput, group="twitter", dataset=name,
                       workload=name, sunk_and_hot_reads=0.5,
                       slow_get_share=0.5, bound=f"of {number}",
                       points_below_oracle=points)
        target = targets.clusters_below_oracle("x", 3)
        self.assertEqual(target.judge(targets.Measured([], []))["runs"], 0)
        measured = targets.Measured(
            [of(number, system, 1, points)
             for number, points in ((17, 1), (11, 4), (29, 2))
             for system in ("hotrap", "fat")], [])
        with mock.patch.object(suite, "TWITTER_CLUSTERS", (17, 11, 29)):
            judged = target.judge(measured)
        self.assertEqual(judged["here"], 4)
        self.assertFalse(judged["holds"])
        self.assertEqual(judged["bounds"], ["of 11"])
        self.assertIn("cluster17: 1.0, cluster11: 4.0", judged["note"])


class Computed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "hotrap_bench"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.dataset = runs.Dataset("x1", 1000, ("--records=10",))

    def run_of(self, workload, system=systems.HOTRAP, **more):
        return runs.Run("main", self.dataset, workload, system,
                        (f"--mix={workload}",), cache_share=0.25, **more)

    def test_each_case_is_computed_once_with_its_budget(self):
        phases = runs.Run("dynamic", self.dataset, "P", systems.HOTRAP,
                          ("--phases=x",))
        found = oracle.compute_all(self.program, [(run, 1) for run in (
            self.run_of("RO"), self.run_of("RO"), self.run_of("E"),
            self.run_of("WH", systems.FAT), phases,
            self.run_of("S", script=("x.py",)))])
        self.assertEqual(found, [["main", "x1", "RO", 0.8, 0.7, 0.6],
                                 ["dynamic", "x1", "P", 0.8, 0.7, 0.6]])
        calls = (self.folder / "hotrap_bench.log").read_text().splitlines()
        self.assertEqual(len(calls), 3)
        for flag in ("--oracle_only", "--records=10", "--mix=RO",
                     "--fast_bytes=100", "--block_cache_bytes=250"):
            self.assertIn(flag, calls[0].split())

    def test_a_trace_that_time_cut_is_not_known(self):
        def run_of(*flags, group="twitter"):
            return runs.Run(group, runs.Dataset("c", 1000, (
                "--twitter_cluster=c",)), "c", systems.HOTRAP, flags)
        by_ops = run_of("--run_ops=1000", "--run_secs=10")
        self.assertTrue(oracle.is_known(by_ops, 300))
        self.assertFalse(oracle.is_known(by_ops, 100))
        self.assertFalse(oracle.is_known(run_of("--run_secs=10"), 1e9))
        self.assertTrue(oracle.is_known(self.run_of("RO"), 1))
        self.assertEqual(oracle.compute_all(self.program, [(by_ops, 100)]), [])

    def test_a_program_that_fails_is_an_error(self):
        with self.assertRaisesRegex(BenchError, "main/x1/fail/hotrap: no"):
            oracle.compute(self.program, self.run_of("fail"))

    def test_the_summary_gets_those_of_its_runs(self):
        path = self.folder / "benchmarks.json"
        path.write_text(json.dumps({
            "columns": ["throughput"], "targets": [],
            "runs": [["main", "x1", "RO", "hotrap", 1, [], 5]],
            "oracles": [["old"]], "over_fat": []}))
        plan = coverage.Plan(((self.run_of("RO"), 1), (self.run_of("RO"), 2),
                              (self.run_of("WH"), 1)))
        with mock.patch.object(bench_all, "DOCS", self.folder):
            bench_all.write_oracles(plan, self.program)
        self.assertEqual(json.loads(path.read_text())["oracles"],
                         [["main", "x1", "RO", 0.8, 0.7, 0.6]])

    def test_a_profile_has_no_samples_of_it(self):
        commands = []
        found = mock.MagicMock(spec=runner.Runner, out=self.folder,
                               slow_disk=mock.MagicMock(), loaded={})
        found.load.return_value = {}
        found.bench_command.return_value = ["program"]
        found.pace_flags.return_value = []
        found.slow_disk.throttled = lambda command: command
        found.watch = lambda run, repeat, command, log: (
            commands.append(command), self.fail_early())
        for profiled in (False, True):
            with mock.patch.object(profile, "is_usable", lambda: True), \
                    self.assertRaises(BenchError):
                runner.Runner.measure(found, self.run_of(
                    "RO", profile=profiled), 1, None)
        self.assertEqual(["--oracle_max_keys=0" in command
                          for command in commands], [False, True])

    @staticmethod
    def fail_early():
        raise BenchError("no result")


class Page(unittest.TestCase):
    FOUND = {"targets": [], "columns": ["hit_rate"], "over_fat": [],
             "runs": [["main", "1KiB-x3", "RO-zipf", "hotrap", 1, [],
                       [0.79, 0.7, 0.8]]],
             "oracles": [["main", "1KiB-x3", "RO-zipf", 0.848, 0.7781, None]]}

    def test_distances_stand_beside_the_rates(self):
        text = list(page_oracle.oracle_section(summary.Summary(self.FOUND)))
        self.assertIn("| only reads, Zipf 0.99 | 0.848 | 0.790 (5.8) | not run "
                      "| 0.778 |  |", text[2].splitlines())
        self.assertEqual(len(text[2].splitlines()), 3)

    def test_says_what_is_measured_and_has_none(self):
        other = ["main", "1KiB-x3", "RO-uniform", "hotrap", 1, [], 0.1]
        text = list(page_oracle.oracle_section(summary.Summary(
            self.FOUND | {"runs": self.FOUND["runs"] + [other]})))
        self.assertTrue(text[-1].endswith("known: only reads, uniform."))

    def test_a_summary_without_oracles_has_no_section(self):
        self.assertEqual(list(page_oracle.oracle_section(
            summary.Summary(self.FOUND | {"oracles": []}))), [])

    def test_cases_are_of_the_suite(self):
        there = {run.case for run in suite.all_runs(runs.Scale())}
        for _, case in page_oracle.CASES:
            if case[0] not in (suite.NEEDING_TABLE, suite.NEEDING_TRACE):
                self.assertIn(case, there)
