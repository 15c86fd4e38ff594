#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests of what the report says and of bench_all.py; run by
tools/bench_suite_test.py."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import bench_all
from bench_runner import BenchError
from bench_suite import (ablation, also, coverage, metrics, missed, runs, store,
                         suite, systems, targets)
from bench_suite.fakes import result_of, row


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
        self.assertEqual(judged["bounds"], ["CPU 99%"])

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

    def test_both_blocks_must_have_run(self):
        rows = (row("hotrap", 90, cpu_micros=12),
                row("fd", 80, cpu_micros=10))
        self.assertEqual(self.judge(*rows, target=targets.share_of_fd(
            "x", targets.RO, 0.95))["shown"], "not run")
        self.assertEqual(self.judge(*rows, target=targets.share_of_fd(
            "x", targets.RO, 0.95, limits=("fd",)))["here"], 90 / 80)

    def test_says_what_the_rest_of_the_machine_did(self):
        for others_cpu, noisy in ((0.05, False), (0.2, True)):
            judged = self.judge(
                row("hotrap", 60, others_cpu=0.01),
                row("fat", 10, others_cpu=others_cpu), row(
                    "fd", 10, others_cpu=0.9))
            self.assertEqual(judged["noisy"], noisy)
            self.assertIn(f"up to {others_cpu:.0%}", judged["note"])
        # Each target has its own runs.
        measured = targets.Measured(
            [row(system, 1, others_cpu=0.5) for system in ("fd", "fd-4k")] +
            [row(system, 1, others_cpu=0.0) for system in ("hotrap", "fat")],
            [])
        self.assertTrue(targets.share_of_fd("x", targets.RO, 1).judge(
            measured)["noisy"])
        self.assertFalse(self.TARGET.judge(measured)["noisy"])

    def test_what_misses_by_little_is_told_from_the_limit(self):
        def shown(value, limit=1):
            return targets.digits(value, limit)
        self.assertEqual([shown(1.002), shown(1), shown(1.002, None),
                          shown(1.000001), shown(12.345)],
                         ["1.002", "1", "1", "1", "12.3"])

    def test_memory_is_shown(self):
        judged = self.judge(
            row("hotrap", 1, peak_rss_bytes=150e6, allowed_memory_bytes=100e6),
            row("fat", 1, peak_rss_bytes=100e6),
            target=targets.memory_over_allowed("x", targets.RO, 1))
        self.assertEqual(judged["here"], 0.5)
        self.assertEqual(judged["note"],
                         "hotrap 150 MB, fat 100 MB, allowed 100 MB")

    def test_sizes_are_compared_if_one_machine_ran_both(self):
        def judge(*origins):
            return self.judge(
                *(row("hotrap", 1, dataset=f"1KiB-x{factor}", cpu_micros=factor,
                      origin=origin)
                  for factor, origin in zip((1, 10), origins)),
                target=targets.cost_by_size("x", "cpu_micros"))
        self.assertEqual(judge("a", "a")["here"], 10)
        self.assertEqual(judge("a", "b")["shown"],
                         "of different machines or programs")
        self.assertIsNone(judge("a", "b")["here"])
        self.assertEqual(judge("a")["shown"], "not run")

    def test_an_origin_is_a_machine_and_a_program(self):
        def origin(program, **machine):
            return metrics.of_result({"program": program, "machine": machine,
                                      "result": {}})["origin"]
        one = origin("a", cpu="x", system="y")
        self.assertEqual(one, origin("a", cpu="x", system="y", commit="z"))
        for other in (origin("b", cpu="x", system="y"),
                      origin("a", cpu="z", system="y"),
                      origin("a", cpu="x", system="z")):
            self.assertNotEqual(one, other)

    def test_cached_reads_are_those_of_this_build(self):
        def of(system, ratio):
            return {"name": f"cached {system}", "group": "cached",
                    "dataset": "cached", "workload": "cached", "repeat": 1,
                    "system": system, "result": {"uniform": {"Gets/s": {
                        "ratio": ratio, "standard_error": 0.004}}}}
        saved = [of("hotrap", 0.98), of("prototype", 0.5)]
        judged = next(target for target in targets.TARGETS
                      if target.measure is targets.cached_ratio).judge(
                          targets.Measured(saved, saved))
        self.assertEqual(judged["here"], 0.98)
        self.assertIn("uniform: 0.980 +- 0.004", judged["note"])

    def test_clusters_are_ranked_by_reads_of_sunk_and_hot_records(self):
        def of(number, system, throughput, share):
            name = f"cluster{number}"
            return {"group": "twitter", "dataset": name, "workload": name,
                    "system": system, "repeat": 1, "throughput": throughput,
                    "sunk_and_hot_reads": share, "slow_get_share": 0.5,
                    "bound": f"of {number}"}
        measured = targets.Measured(
            [of(number, system, throughput, share)
             for number, share, gain in ((17, 0.9, 5), (11, 0.8, 4),
                                         (29, 0.1, 1))
             for system, throughput in (("hotrap", gain), ("fat", 1))], [])
        two, all_ = (targets.over_fat_in_clusters("x", 3, count=count)
                     for count in (2, None))
        self.assertEqual(two.judge(measured)["here"], 4)
        self.assertEqual(two.judge(measured)["bounds"], ["of 11"])
        self.assertEqual(all_.judge(measured)["here"], 1)
        # Not while clusters are missing.
        self.assertEqual(all_.judge(measured)["shown"], "1, 3 of 7 ran")
        self.assertIsNone(all_.judge(measured)["holds"])
        with mock.patch.object(suite, "TWITTER_CLUSTERS", (17, 11, 29)):
            self.assertFalse(all_.judge(measured)["holds"])
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
    def setUp(self):
        try:
            import pandas
            from bench_suite import plots
        except ImportError:
            self.skipTest("drawing takes pandas and matplotlib")
        self.plots = plots
        self.frame = pandas.DataFrame

    def test_latencies_of_runs_that_only_read(self):
        figure = self.plots.latency(self.frame([{
            "group": "main", "dataset": "1KiB-x3", "workload": "RO-hotspot",
            "system": "hotrap", "read_p50": 1.0, "insert_p50": None}]),
            "1KiB-x3")
        self.assertEqual(len(figure.axes), 1)

    def test_clusters_that_ran_on_one_side_only(self):
        figure = self.plots.twitter_gain(self.frame([
            {"group": "twitter", "workload": f"cluster{number}",
             "system": system, "throughput": throughput, "sunk_reads": 0.5,
             "hot_reads": 0.5}
            for number, system, throughput in (
                (10, "hotrap", 1.0), (11, "hotrap", 6.0), (11, "fat", 2.0),
                (17, "fat", 1.0))]))
        self.assertEqual([text.get_text() for text in figure.axes[0].texts],
                         [" cluster11: 3.00"])


class Coverage(unittest.TestCase):
    def setUp(self):
        dataset = runs.Dataset("x", 1000, ())
        self.jobs = tuple((runs.Run("main", dataset, workload, system), repeat)
                          for workload in ("RO-hotspot", "RW-hotspot")
                          for system in systems.COMPARED for repeat in (1, 2))
        self.plan = coverage.Plan(self.jobs, ("twitter",))

    def saved(self, number, **change):
        run, repeat = self.jobs[number]
        return {"name": run.name, "group": run.group, "repeat": repeat,
                "told": run.told, "started": f"2026-01-0{number + 1}"} | change

    def test_results_of_other_runs_are_left_out(self):
        saved = [self.saved(0), self.saved(1, told="else"),
                 self.saved(2, name="main/x/no-more/fat"),
                 self.saved(3, name="twitter/x/y/fat", group="twitter")]
        good, stale = coverage.split(saved, self.plan)
        self.assertEqual(good, [saved[0], saved[3]])
        self.assertEqual(stale, ["main/x/RO-hotspot/hotrap@2",
                                 "main/x/no-more/fat"])

    def test_says_what_is_missing(self):
        summary = coverage.summary([self.saved(0), self.saved(2)], [],
                                   self.plan, {"data": 0.5})
        self.assertEqual(
            list(coverage.sentences(summary)),
            ["Scale: data x 0.5.",
             "Measured from 2026-01-01 to 2026-01-03 (when the first and the "
             "last run began).",
             "2 of 8 runs; missing: main/x/RO-hotspot/hotrap@2, "
             "main/x/RO-hotspot/fat@2, main/x/RW-hotspot/*.",
             "Not among them, as their files were not there: twitter."])

    def test_commands_are_of_the_checkout(self):
        found = coverage.commands([
            {"name": "x", "repeat": 1, "result": {}, "load_command": ["load"],
             "command": ["/a/b/tools/slow_disk.sh", "exec", "/a/b/c",
                         "/a/b/build/release/hotrap_bench", "--slow=/a/b/c/d",
                         "--trace=/a/traces/t", "--other=/z/a/b/c"]},
            {"name": "y", "repeat": 1, "result": {},
             "command": ["/b/tools/x.py", "--out=/b/build/y",
                         "--bench=/b/build/release/hotrap_bench"]}])
        self.assertEqual(found, {
            "load 1": "load",
            "x": "tools/slow_disk.sh exec c build/release/hotrap_bench "
                 "--slow=c/d --trace=../traces/t --other=/z/a/b/c",
            "y": "tools/x.py --out=build/y --bench=build/release/hotrap_bench"
        })

    def test_commits_of_one_program_stand_together(self):
        try:
            from bench_suite import tables
        except ImportError:
            self.skipTest("tables take pandas")
        saved = [{"machine": {"commit": commit, "fast_disk": {"reads": reads}},
                  "build": build, "program": build, "result": {}}
                 for commit, build, reads in (("a", "stock", 5),
                                              ("b", "stock", 7),
                                              ("b", "release", 7))]
        table = tables.provenance(saved)
        column = table.headings.index("runs")
        self.assertEqual([row[column:column + 3] for row in table.rows],
                         [("2", "a, b", "5 to 7"), ("1", "b", "7")])


class Missed(unittest.TestCase):
    def test_reasons_are_of_targets(self):
        missed.read(bench_all.MISSED)
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "missed.toml"
            for text in ('"no target" = "x"', '"x'):
                path.write_text(text)
                with self.assertRaises(BenchError):
                    missed.read(path)

    def test_only_what_is_missed_is_explained(self):
        judged = missed.explain(
            [{"what": name, "holds": holds} for name, holds in
             (("a", True), ("b", False), ("c", False), ("d", None))],
            {"a": "text a", "b": "text b"})
        self.assertEqual(missed.lines(judged),
                         ["b: text b", f"c: {missed.UNEXPLAINED}"])


class Report(unittest.TestCase):
    def test_a_report_of_a_few_runs(self):
        try:
            from bench_suite import page, report, summary
        except ImportError:
            self.skipTest("the report takes pandas and matplotlib")
        plan = coverage.Plan(tuple(suite.jobs_of(suite.all_runs(
            runs.Scale()))))
        names = ("main/1KiB-x3/RO-hotspot/hotrap",
                 "main/1KiB-x3/RO-hotspot/fat",
                 "profile/1KiB-x3/RO-hotspot/fd")
        with tempfile.TemporaryDirectory() as name, \
                contextlib.redirect_stdout(io.StringIO()):
            out = pathlib.Path(name)
            results = store.ResultStore(out / "results", {"data": 1})
            for run in (run for run, repeat in plan.jobs
                        if run.name in names and repeat == 1):
                results.save(run, 1, {
                    "machine": {"cpus": 2}, "started": "2026-01-01",
                    "cpu_shares": {"read": 1}, "command": ["run", run.name]},
                    result_of(run))
            content = report.gather(results, plan, [], {})
            report.write(out, content, results)
            html = (out / "report.html").read_text()
            found = json.loads((out / "report.json").read_text())
            (out / "summary.json").write_text(
                summary.dumps(summary.gather(content)))
            small = summary.read(out / "summary.json")
        self.assertEqual(found["done"], 3)
        self.assertEqual(found["scale"], {"data": 1})
        self.assertEqual(found["commands"][names[0]], f"run {names[0]}")
        self.assertEqual([row["what"] for row in found["parts"]],
                         ["CPU", "fast disk"])
        for words in (f"3 of {len(plan.jobs)} runs", missed.UNEXPLAINED,
                      "CPU and I/O an operation by part", "Scale: data",
                      f"run {names[0]}"):
            self.assertIn(words, html)
        self.assertEqual(small.values("throughput", *names[0].split("/")),
                         (10, 10, 10))
        self.assertEqual(small.over_fat, {
            ("main", "1KiB-x3", "RO-hotspot"): (1, 1, 1)})
        self.assertEqual(len(small.curve("hotrap")["secs"]), 2)
        text = page.markdown(small, {})
        for words in ("| 1, **missed** |", missed.UNEXPLAINED, "not run"):
            self.assertIn(words, text)


class Command(unittest.TestCase):
    def main(self, *flags, failed=0, error=None):
        """(whether docs/ was to be written, what went wrong)"""
        out = self.enterContext(tempfile.TemporaryDirectory())
        package = mock.MagicMock(missed=missed)
        with mock.patch("sys.argv", ["x", f"--out={out}", "--docs", *flags]), \
                mock.patch.dict("sys.modules", {"bench_suite": package}), \
                mock.patch.object(bench_all, "write_docs") as docs, \
                mock.patch.object(bench_all, "measure", return_value=failed,
                                  side_effect=error), \
                contextlib.redirect_stderr(io.StringIO()):
            try:
                bench_all.main()
                wrong = ""
            except (BenchError, KeyboardInterrupt, SystemExit) as why:
                wrong = repr(why)
        return docs.called, wrong

    def test_docs_are_of_a_normal_end(self):
        self.assertEqual(self.main(), (True, ""))
        self.assertEqual(self.main("--no-runs", error=KeyboardInterrupt),
                         (True, ""))
        self.assertEqual(self.main(error=KeyboardInterrupt),
                         (False, "KeyboardInterrupt()"))
        for flag in ("--quick", "--scale=2", "--also=."):
            self.assertEqual(self.main(flag), (False, "SystemExit(2)"))

    def test_docs_are_of_a_whole_suite(self):
        for name in ("missing", "left_out"):
            content = mock.MagicMock(
                summary={"missing": [], "left_out": []} | {name: ["a/b"]})
            with self.assertRaisesRegex(BenchError, "a/b"):
                bench_all.write_docs(content, {})

    def test_results_of_another_scale_are_refused(self):
        with mock.patch.object(store.ResultStore, "check_scale",
                               side_effect=BenchError("of another scale")):
            docs, wrong = self.main("--no-runs")
        self.assertFalse(docs)
        self.assertIn("of another scale", wrong)

    def test_runs_that_failed_are_an_error(self):
        docs, wrong = self.main(failed=2)
        self.assertFalse(docs)
        self.assertIn("2 runs failed", wrong)

    def test_a_pattern_without_a_run_is_an_error(self):
        self.assertIn("no-such/*", self.main("--only", "main/*",
                                             "no-such/*")[1])


class Also(unittest.TestCase):
    def test_plain_results_are_of_the_run_they_are_named_after(self):
        def result(**config):
            return {"config": {"mix": "RO", "threads": 16} | config}
        saved = [{"name": f"{group}/x1/RO-hotspot/hotrap", "group": group,
                  "dataset": "x1", "workload": "RO-hotspot", "disk": disk,
                  "system": "hotrap", "data_bytes": 1, "repeat": 1,
                  "machine": {"cpu": "mine", "cpus": 2}, "scale": {},
                  "result": result(block_cache_bytes=9)}
                 for group, disk in (("main", "gp3"), ("hdd", "hdd"),
                                     ("old", "gp3"))]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "prototype"
            for group, cache_bytes in (("hdd", 9), ("main", 8), ("else", 9)):
                path = folder / group / "x1" / "RO-hotspot.json"
                path.parent.mkdir(parents=True)
                path.write_text(json.dumps(
                    result(block_cache_bytes=cache_bytes)))
            ours = saved[0] | {"system": "fat", "all_fast": False}
            for name, one in (
                    ("fat", ours), ("scale", ours | {"scale": {"data": 2}}),
                    ("other", ours | {"system": "hotrap", "result":
                                      result(block_cache_bytes=8)}),
                    ("stray", [1]), ("lacking", {"result": {}})):
                (folder / f"{name}.json").write_text(json.dumps(one))
            (folder / "broken.json").write_text("{")
            old = folder / "old/x1/RO-hotspot.json"
            old.parent.mkdir(parents=True)
            old.write_text(json.dumps(result(block_cache_bytes=9) |
                                      {"timeline": []}))
            with contextlib.redirect_stdout(io.StringIO()) as words:
                found = also.read(folder, saved, {})
        # What is left out, also for its block cache or name, is named.
        for name in ("main/x1/RO-hotspot", "else/x1/RO-hotspot", "scale",
                     "old/x1/RO-hotspot", "other", "stray", "lacking",
                     "broken"):
            self.assertIn(f"{folder / name}.json: left out", words.getvalue())
        self.assertIn("stray.json: left out: no result", words.getvalue())
        self.assertEqual(
            [(one["system"], one["group"], one["disk"], one["machine"]["cpu"])
             for one in found],
            [("prototype fat", "main", "gp3", "mine"),
             ("prototype", "hdd", "hdd", "unknown")])
