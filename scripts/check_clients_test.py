#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests how check_clients.py runs tests, reads results and judges them."""

import pathlib
import tempfile
import unittest

import check_clients  # noqa: F401  (finds the package)
from clients import passes, rust
from clients.client import PASSED

MOVED = {passes.PROMOTED[0]: 3}


class FakeClient:
    """Its program dies in the test `dies`, before those that follow."""
    settles = True

    def __init__(self, *tests):
        self.names = list(tests)
        self.runs = []

    def tests(self, kind):
        return self.names

    def run(self, kind, tests, env, folder):
        self.runs.append((tuple(tests), env))
        results = {}
        for test in tests:
            if test == "dies":
                break
            results[test] = PASSED
            if test == "fails":
                results[test] = "wrong"
            if test == "fails_once" and sum(
                    "fails_once" in names for names, _ in self.runs) == 1:
                results[test] = "late"
        if "HOTRAP_FORCE" in env:
            pathlib.Path(env["HOTRAP_FORCE"]).write_text(
                f"{passes.PROMOTED[0]} 2\n{passes.RETAINED} 1\n" * 2)
        return results


def exclusions(*rows):
    names = ("mode", "test", "reason")
    return passes.Exclusions([dict(zip(names, row)) for row in rows])


class RunnerTest(unittest.TestCase):
    def run_mode(self, mode, client, *rows, quick=True):
        with tempfile.TemporaryDirectory() as tmp:
            return passes.Runner(client, exclusions(*rows), "preload", tmp,
                                 quick).run(mode)

    def test_those_after_a_crash_run_alone(self):
        client = FakeClient("a", "dies", "z")
        outcome = self.run_mode("plain", client)
        self.assertEqual(outcome.tests, {"a": PASSED, "z": PASSED})

    def test_failures_are_repeated(self):
        client = FakeClient("fails", "fails_once")
        outcome = self.run_mode("plain", client)
        self.assertEqual(outcome.tests,
                         {"fails": "wrong", "fails_once": PASSED})
        self.assertEqual(outcome.once, {"fails_once": "late"})

    def test_sums_what_was_moved(self):
        outcome = self.run_mode("forced", FakeClient("a"), quick=False)
        # In two runs, two lines each.
        self.assertEqual(outcome.promoted(), 8)
        self.assertEqual(outcome.retained(), 4)

    def test_exclusions(self):
        client = FakeClient("a", "counts_files", "one_path")
        outcome = self.run_mode("forced", client,
                                ("settled", "counts_*", ""),
                                ("both", "one_path", ""))
        self.assertEqual(outcome.left_out, ["one_path"])
        self.assertEqual([(tests, env["HOTRAP_FORCE_SETTLE"])
                          for tests, env in client.runs],
                         [(("a",), "5"), (("counts_files",), "0")])


class JudgementTest(unittest.TestCase):
    def test_what_fails_on_stock_too_is_no_problem(self):
        stock = passes.Outcome({"a": PASSED, "b": "wrong"})
        ours = passes.Outcome({"a": "wrong\nmore", "b": "wrong"})
        self.assertEqual(list(passes.problems("plain", ours, stock)),
                         ["plain: a: wrong"])
        row = passes.figures(ours, stock)
        self.assertEqual((row["failed"], row["failed on stock too"]), (1, 1))

    def test_what_does_not_run_is_a_problem(self):
        stock = passes.Outcome({"a": PASSED, "b": PASSED})
        ours = passes.Outcome({}, left_out=["b"])
        self.assertEqual(list(passes.problems("off", ours, stock)),
                         ["off: a did not end"])

    def test_nothing_promoted_is_a_problem(self):
        ours = passes.Outcome({"a": PASSED})
        self.assertEqual(len(list(passes.problems("forced", ours, None))), 1)
        ours.moved = MOVED
        self.assertEqual(list(passes.problems("forced", ours, None)), [])


class RustTest(unittest.TestCase):
    def test_reads_libtest(self):
        output = ("running 3 tests\ntest a::b ... ok\ntest c - should panic "
                  "... ok\ntest d ... FAILED\n\nfailures:\n\n---- d stdout "
                  "----\nleft is right\n\nfailures:\n    d\n")
        results = rust.outcomes("p", 101, output)
        self.assertEqual(results["p:a::b"], PASSED)
        self.assertEqual(results["p:c"], PASSED)
        self.assertIn("left is right", results["p:d"])


if __name__ == "__main__":
    unittest.main()
