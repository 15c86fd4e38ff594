#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Checks at a small scale what the person on call relies on; prints figures.

    scripts/check_operable.py [part...]

Named parts run, or all. Each is a program of its own; its output is shown, and
its exit code decides. To add a part, add a line to PARTS.
"""

import argparse
import subprocess
import sys
import time

from base import BUILD, ROOT

# What it shows, and the command.
PARTS = {
    "metrics": ("each metric is documented",
                ("scripts/metrics_page.py", "--check")),
    "see": ("heat, hit rates, latencies, events, protection of RALT's files",
            tuple(f"{BUILD}/check/plugin/hotrap/{test}" for test in (
                "hotrap_properties_test", "heat_test", "events_test",
                "encrypted_ralt_test", "hit_rate_sample_test",
                "hit_rate_model_test"))),
    "advise": ("the advised hit rate against runs at other budgets",
               ("tools/advise_bench.py", "--small", f"--build={BUILD}/check")),
    "budget": ("the fast path holds its budget",
               ("tools/budget_bench.py", "--small", f"--build={BUILD}/check")),
    "prometheus": ("each panel of the dashboard has an answer",
                   ("scripts/check_prometheus.py",)),
}


def commands(part):
    """A part's command, or several programs without arguments."""
    words = PARTS[part][1]
    if all(word.endswith("_test") for word in words):
        return [(word, "--gtest_brief=1") for word in words]
    return [words]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part",
                        help=f"one of {', '.join(PARTS)}")
    options = parser.parse_args()
    if set(options.parts) - set(PARTS):
        parser.error(f"parts are {', '.join(PARTS)}")
    failed = []
    for part in options.parts or PARTS:
        print(f"== {part}: {PARTS[part][0]}", flush=True)
        start = time.monotonic()
        for command in commands(part):
            if subprocess.run(command, cwd=ROOT, check=False).returncode:
                failed.append(part)
        result = "failed" if part in failed else "as it should be"
        print(f"   {part}: {result}, {time.monotonic() - start:.0f} s",
              flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(dict.fromkeys(failed))}")


if __name__ == "__main__":
    main()
