#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests of the page in docs/ and of the summary that it is made of; run by
tools/bench_suite_test.py."""

import json
import pathlib
import re
import tempfile
import unittest

import bench_all
from bench_suite import missed, page, page_words, summary, targets

SUMMARY = bench_all.DOCS / "benchmarks.json"
# Evidence in proportion: the tree holds no archives and no large files of it.
MAX_BYTES = 100000


class Docs(unittest.TestCase):
    def test_the_page_is_that_of_the_summary(self):
        text = page.markdown(summary.read(SUMMARY),
                             missed.read(bench_all.MISSED))
        self.assertEqual((bench_all.DOCS / "benchmarks.md").read_text(), text,
                         "tools/bench_all.py --report-only writes it anew")

    def test_figures_are_those_of_the_page(self):
        text = (bench_all.DOCS / "benchmarks.md").read_text()
        shown = set(re.findall(r"\(figures/([^)]+)\)", text))
        files = {path.name for path in (bench_all.DOCS / "figures").iterdir()}
        self.assertEqual(shown, files)

    def test_the_readme_has_the_figures_of_the_summary(self):
        found = summary.read(SUMMARY)
        text = (bench_all.ROOT / "README.md").read_text().replace("*", "")
        for words in (
                *(page_words.over_fat(found, *case) for case in (
                    ("main", "1KiB-x3", "RO-hotspot"),
                    ("hdd", "1KiB-x1", "RO-hotspot"),
                    ("main", "1KiB-x3", "RW-hotspot"),
                    ("main", "1KiB-x3", "WH-hotspot"),
                    ("main", "1KiB-x3", "UH-hotspot"),
                    ("main", "1KiB-x3", "RO-zipf"),
                    ("main", "1KiB-x3", "UH-zipf"),
                    ("main", "200B-x1", "UH-zipf"),
                    ("main", "1KiB-x3", "RO-uniform"),
                    ("main", "200B-x1", "RO-uniform"),
                    ("twitter", "cluster17", "cluster17"),
                    ("ycsb", "1KiB-x1", "E"))),
                *(found.targets[what]["shown"] for what in (
                    "RO hotspot-5 %, 1 KiB: over the second best",
                    "Twitter clusters: the worst over RocksDB-fat",
                    "fully cached reads, on to off"))):
            self.assertIn(words, text)

    def test_files_are_small(self):
        for path in (SUMMARY, *(bench_all.DOCS / "figures").iterdir()):
            self.assertLess(path.stat().st_size, MAX_BYTES, path)

    def test_figures_can_be_drawn(self):
        try:
            from bench_suite import figures
        except ImportError:
            self.skipTest("drawing takes matplotlib")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            figures.write(summary.read(SUMMARY), folder)
            self.assertEqual({path.stem for path in folder.iterdir()},
                             set(figures.ALL))
            # What can't be drawn goes.
            found = json.loads(SUMMARY.read_text())
            figures.write(summary.Summary(found | {
                name: type(found[name])() for name in
                ("runs", "over_fat", "oracles", "parts", "stages",
                              "curves")}), folder)
            self.assertEqual(list(folder.iterdir()), [])


class Page(unittest.TestCase):
    def test_all_that_is_wanted_is_in_the_table(self):
        rows = {what for _, what in page.ROWS}
        for target in targets.TARGETS:
            if target.limit is not None:
                self.assertIn(target.what, rows)
        self.assertLessEqual(rows, {target.what for target in targets.TARGETS})

    def test_bounds_of_several_runs_are_told_together(self):
        none = "none alone; most: "
        for bounds, words in (
                (["fast disk 90%"], "fast disk 90 %"),
                (["fast disk 121%", "fast disk 117%"],
                 "fast disk 117 to 121 %"),
                ([none + "CPU 70%", none + "CPU 71%", none + "fast disk 80%"],
                 "nothing alone; CPU 70 to 71 %, fast disk 80 %"),
                (["fast disk 90%", none + "CPU 70%"],
                 "fast disk 90 %; or nothing alone; CPU 70 %"),
                ([], "")):
            self.assertEqual(page_words.bound_of(bounds), words)

    def test_the_best_rival_is_named(self):
        note = "fat: 6.4, row-cache: 4.7, fat-4k: not run; CPU of others: 5%"
        for what, words in (("x: over the second best", ", row cache"),
                            ("x: over RocksDB-fat", "")):
            self.assertEqual(
                page_words.best_rival({"what": what, "note": note}), words)

    def test_paragraphs_are_filled_and_points_stand_together(self):
        text = page.filled(["# a", "b " * 100, "- c", "- d", "| e |", "f"])
        self.assertTrue(all(len(line) <= page.COLUMNS
                            for line in text.splitlines()))
        self.assertIn("\n\n- c\n- d\n\n| e |\n\nf\n", text)


class Summary(unittest.TestCase):
    def test_spreads(self):
        self.assertEqual(
            [summary.spread(values) for values in
             ([], [None], [3], [3, 3], [1, None, 3, 5])],
            [None, None, 3, 3, [3, 1, 5]])

    def test_values_are_rounded(self):
        self.assertEqual(
            summary.rounded({"a": [1.23456, 123456789, True, "x", None],
                             "b": (float("inf"), 2.0)}),
            {"a": [1.235, 123500000, True, "x", None], "b": [None, 2]})

    def test_a_row_has_a_line(self):
        text = summary.dumps({"a": [[1, [2]], {"b": [3]}], "c": {}, "d": 1})
        self.assertEqual(text, '{\n"a": [\n[1,[2]],\n{"b":[3]}\n],\n'
                         '"c": {},\n"d": 1\n}\n')
        self.assertEqual(json.loads(text)["a"][1], {"b": [3]})

    def test_origins_are_counted_by_program(self):
        def one(commit, started, reads):
            return {"machine": {"cpu": "x", "commit": commit,
                                "fast_disk": {"reads": reads}},
                    "build": "release", "program": "p", "started": started}
        found = list(summary.origins_of([
            one("b", "2", 7), one("a", "1", 5), one("b", "3", 6)]))
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["commits"], ["a", "b"])
        self.assertEqual(found[0]["runs"], 3)
        self.assertEqual(found[0]["fast_disk_reads_a_sec"], [5, 7])
