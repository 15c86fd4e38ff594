#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Shows the progress of a suite."""

import datetime
import shutil
import sys
import time

from bench_runner import BenchError

# A run hangs if it takes this many times longer than planned, plus this long
# for the load.
PATIENCE = 5
PATIENCE_SECS = 3600


class ProgressLine:
    """One line that is overwritten on a terminal; otherwise one line per
    run."""

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
        """Estimates the time left from how much longer than planned earlier
        runs took."""
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
