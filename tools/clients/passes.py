#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs a client's tests in one mode, and judges modes against each other."""

import collections
import csv
import dataclasses
import fnmatch
import pathlib
import tempfile

from .client import PASSED

# stock   an unpatched build of the same RocksDB
# plain   our library, as it is
# off     forced, but with HotRAP off: what only two paths and settling change
# forced  HotRAP in every DB; once everything is hot, once RALT decides
MODES = ("stock", "plain", "off", "forced")
SETTLE_MILLIS = 5
# A failure that does not come again in this many runs is reported, but counts
# as a matter of time: tests wait for each other on a busy machine.
REPETITIONS = 2
PROMOTED = ("rocksdb.hotrap.flush.promoted.records",
            "rocksdb.hotrap.compaction.promoted.records")
RETAINED = "rocksdb.hotrap.retained.records"
DID_NOT_END = "did not end"


def modes_of(row):
    groups = {"both": ("off", "forced"), "all": MODES}
    return groups.get(row["mode"], (row["mode"],))


@dataclasses.dataclass
class Exclusions:
    """Of one client: reasons by mode and pattern of a test's name.

    One of MODES, both (off and forced) or all: the test does not run there.
    settled: the test counts what settling changes, such as files, flushes or
    bytes of the WAL. It runs in off and forced all the same, without settling.
    """
    rows: list

    @staticmethod
    def read(path, client, base):
        with path.open(newline="") as file:
            return Exclusions([row for row in csv.DictReader(file)
                               if fnmatch.fnmatchcase(client, row["client"])
                               and row["base"] in (base, "all")])

    def has(self, mode, test):
        return any(mode in modes_of(row) and
                   fnmatch.fnmatchcase(test, row["test"])
                   for row in self.rows)


@dataclasses.dataclass
class Outcome:
    """Of a client in one mode. tests has PASSED or the failure."""
    tests: dict = dataclasses.field(default_factory=dict)
    # Failures that did not come again.
    once: dict = dataclasses.field(default_factory=dict)
    left_out: list = dataclasses.field(default_factory=list)
    moved: dict = dataclasses.field(default_factory=dict)

    def failed(self):
        return {test: text for test, text in self.tests.items()
                if text != PASSED}

    def promoted(self):
        return sum(self.moved.get(name, 0) for name in PROMOTED)

    def retained(self):
        return self.moved.get(RETAINED, 0)


def passes(mode, client, tests, exclusions, preload, quick):
    """Yields what to run one after the other: variables, and tests."""
    if mode in ("stock", "plain"):
        yield {}, tests
        return
    settled = [test for test in tests if client.settles and
               not exclusions.has("settled", test)]
    calm = [test for test in tests if test not in set(settled)]
    variants = ({"HOTRAP_FORCE_OFF": "1"},) if mode == "off" else (
        {"HOTRAP_FORCE_HOT": "1"}, {"HOTRAP_FORCE_HOT": "0"})
    for variant in variants[:1] if quick else variants:
        for some, settle in ((settled, SETTLE_MILLIS), (calm, 0)):
            if some:
                yield {"LD_PRELOAD": str(preload),
                       "HOTRAP_FORCE_SETTLE": str(settle), **variant}, some


class Runner:
    def __init__(self, client, exclusions, preload, tmp, quick):
        self.client = client
        self.exclusions = exclusions
        self.preload = preload
        self.tmp = tmp
        self.quick = quick
        self.moved = collections.Counter()

    def run(self, mode):
        kind = "stock" if mode == "stock" else "ours"
        outcome = Outcome()
        known = self.client.tests(kind)
        outcome.left_out = [test for test in known
                            if self.exclusions.has(mode, test)]
        tests = [test for test in known if test not in outcome.left_out]
        self.moved = collections.Counter()
        for env, some in passes(mode, self.client, tests, self.exclusions,
                                self.preload, self.quick):
            for test, text in self.run_pass(kind, some, env,
                                            outcome.once).items():
                # A failure in one pass stays.
                if outcome.tests.get(test, PASSED) == PASSED:
                    outcome.tests[test] = text
        outcome.moved = dict(self.moved)
        return outcome

    def run_pass(self, kind, tests, env, once):
        results = self.run_once(kind, tests, env)
        silent = [test for test in tests if test not in results]
        # The program may have died in one of them.
        crashed = len(silent) < len(tests)
        for test in silent if crashed and len(silent) > 1 else []:
            alone = self.run_once(kind, [test], env)
            if test in alone:
                results[test] = alone[test]
        for test in [test for test in tests
                     if results.get(test, PASSED) != PASSED]:
            again = [self.run_once(kind, [test], env).get(test, DID_NOT_END)
                     for _ in range(REPETITIONS)]
            if all(text == PASSED for text in again):
                once[test] = results[test]
                results[test] = PASSED
        return results

    def run_once(self, kind, tests, env):
        with tempfile.TemporaryDirectory(
                dir=self.tmp, ignore_cleanup_errors=True) as folder:
            notes = pathlib.Path(folder) / "notes"
            notes.touch()
            work = pathlib.Path(folder) / "work"
            work.mkdir()
            if "LD_PRELOAD" in env:
                env = dict(env, HOTRAP_FORCE=str(notes))
            results = self.client.run(kind, tests, env, work)
            for line in notes.read_text().splitlines():
                name, number = line.split()
                self.moved[name] += int(number)
        return results


def problems(mode, outcome, stock):
    """Yields what fails a client in one of our modes, a line each."""
    expected = stock.tests if stock is not None else {}
    for test, text in outcome.failed().items():
        if expected.get(test, PASSED) == PASSED:
            yield f"{mode}: {test}: {(text.strip().splitlines() or ['?'])[0]}"
    for test, text in expected.items():
        if text == PASSED and test not in outcome.tests and \
                test not in outcome.left_out:
            yield f"{mode}: {test} {DID_NOT_END}"
    if mode == "forced" and not outcome.promoted():
        yield "forced: nothing was promoted, so HotRAP was not exercised"


def figures(outcome, stock):
    """A row of the table."""
    failed = outcome.failed()
    on_stock = stock.failed() if stock is not None else {}
    return {"tests": len(outcome.tests) + len(outcome.left_out),
            "passed": len(outcome.tests) - len(failed),
            "failed": sum(test not in on_stock for test in failed),
            "failed on stock too": sum(test in on_stock for test in failed),
            "left out": len(outcome.left_out),
            "promoted": outcome.promoted(), "retained": outcome.retained()}
