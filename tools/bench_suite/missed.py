#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What bounds the targets that are missed: docs/benchmarks_missed.toml, which
says what its form is."""

import tomllib

from bench_runner import BenchError
from bench_suite import targets

UNEXPLAINED = "missed, not explained yet"


def read(path):
    """Returns the texts by the target's `what`."""
    try:
        reasons = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{path}: {error}") from error
    unknown = set(reasons) - {target.what for target in targets.TARGETS}
    if unknown:
        raise BenchError(f"{path}: no target is called "
                         f"{', '.join(sorted(unknown))}")
    return reasons


def explain(judged, reasons):
    """Returns the missed rows, with a `why`."""
    return [row | {"why": reasons.get(row["what"], UNEXPLAINED)
                   if row["holds"] is False else None} for row in judged]


def lines(judged):
    """What stands under the table of the report."""
    return [f"{row['what']}: {row['why']}" for row in judged if row["why"]]
