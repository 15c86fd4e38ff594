#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Makes docs/metrics.md from the lists of what HotRAP measures.

    scripts/metrics_page.py          writes the page
    scripts/metrics_page.py --check  says whether the page is as the lists are

scripts/lint.py checks the page, too.
"""

import argparse
import re
import sys

from base import ROOT

PAGE = ROOT / "docs/metrics.md"
COUNTERS = "db/state/hotrap_counters.inc"
FIGURES = "db/state/tier_figures.inc"
SOURCES = "db/state/read_sources.inc"
RALT = "ralt/ralt_stats.h"
TICKERS = "include/rocksdb/hotrap.h"

HEAD = """\
# Metrics

What HotRAP counts and measures, one by one. `scripts/metrics_page.py` makes
this page from the lists in the source; [operating.md](operating.md) says what
to do about which.

- The property `rocksdb.hotrap.stats` of a column family has all fields below,
  as a string or as a map. Each whole number is also an integer property,
  `rocksdb.hotrap.stats.` followed by the field's name, which costs no more than
  that one number; `GetAggregatedIntProperty()` returns the sum over the column
  families.
- A counter starts at 0 when the DB is opened, or when HotRAP is first switched
  on, and only grows. A gauge says what is so now.
- In C++, `HotRapMetrics()` (`rocksdb/hotrap_metrics.h`) has names, kinds, units
  and meanings; from other languages, the property `rocksdb.hotrap.metrics`.
- To Prometheus they go as `rocksdb_hotrap_<field>`, counters with `_total`
  behind ([monitoring](operating.md#monitoring)).
- Bytes of records are HotRAP bytes: key plus value of the user's record, before
  compression. File bytes are called so.
"""


def literals(text):
    """Joins neighbouring C string literals."""
    return re.sub(r'"\s*"', "", re.sub(r"\s*\\\n\s*", " ", text))


def read(name):
    return literals((ROOT / name).read_text())


def counters():
    """Yields name, ticker, unit and meaning of each counter."""
    yield from re.findall(
        r'^COUNTER\(\w+, "(\w+)", (\w+), (\w+),\s*"([^"]*)"\)',
        read(COUNTERS), re.MULTILINE)


def figures(name=FIGURES, macro="FIGURE"):
    """Yields name, unit and meaning."""
    yield from re.findall(rf'^{macro}\("(\w+)", (\w+),\s*"([^"]*)"\)',
                          read(name), re.MULTILINE)


def ralt():
    """Yields kind, name, unit and meaning."""
    yield from re.findall(
        r'X\(\w+, (counter|gauge), (\w+), (\w+),\s*"([^"]*)"\)', read(RALT))


def tickers():
    """Yields symbol and name."""
    yield from re.findall(r'TICKER\((HOTRAP_\w+), "([\w.]+)"\)', read(TICKERS))


def problems():
    """Lines of the lists that the page cannot show."""
    for name, macro, rows in ((COUNTERS, "COUNTER", list(counters())),
                              (FIGURES, "FIGURE", list(figures()))):
        lines = len(re.findall(rf"^{macro}\(", read(name), re.MULTILINE))
        if lines != len(rows):
            yield (f"{name}: {lines - len(rows)} lines without a unit and a "
                   "meaning, or not as the others are")


def table(*heads):
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]


def page():
    names = dict(tickers())
    lines = HEAD.splitlines()
    lines += ["", "## State", "", "Gauges and texts of one column family.", ""]
    lines += table("field", "unit", "meaning")
    lines += [f"| `{name}` | {unit} | {meaning} |"
              for name, unit, meaning in figures()]
    lines += ["", "## Counters", "",
              "A counter with a ticker counts there, too: for the whole DB, in "
              "`Statistics`.", ""]
    lines += table("field", "unit", "meaning", "ticker")
    lines += [f"| `{name}` | {unit} | {meaning} | " +
              (f"`{names[ticker]}`" if ticker in names else "") + " |"
              for name, ticker, unit, meaning in counters()]
    lines += ["", "## RALT", "",
              "Fields begin with `ralt_`. Counters start at 0 when RALT is "
              "opened. They are there while `ralt_open` is 1.", ""]
    lines += table("field", "kind", "unit", "meaning")
    lines += [f"| `ralt_{name}` | {kind} | {unit} | {meaning} |"
              for kind, name, unit, meaning in ralt()]
    lines += ["", "## Latencies of Get", "",
              "The property `rocksdb.hotrap.get-latency`, as a map or a "
              "string, in", "microseconds: each of these names, followed by "
              "`.count`, `.average`, `.p50`,",
              "`.p95`, `.p99`, `.p999` or `.max`. Measured where "
              "`DBOptions::statistics` has a",
              "level with timers (above `kExceptTimers`). What memtables "
              "answer is not in", "it, nor is MultiGet.", ""]
    lines += table("name", "answered by")
    lines += [f"| `{name}` | {meaning} |" for name, meaning in re.findall(
        r'^SOURCE\(\w+, "(\w+)",\s*"([^"]*)"\)', read(SOURCES), re.MULTILINE)]
    return "\n".join(lines) + "\n"


def stale():
    """Yields what is wrong with the page, as (line, message)."""
    for problem in problems():
        yield 1, problem
    wanted, found = page().splitlines(), PAGE.read_text().splitlines()
    for number, line in enumerate(found, 1):
        if line not in wanted:
            yield number, "not in the lists: run scripts/metrics_page.py"
    for line in wanted:
        if line not in found:
            yield 1, f"missing, run scripts/metrics_page.py: {line}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        found = list(stale())
        for number, message in found:
            print(f"docs/metrics.md:{number}: {message}")
        return 1 if found else 0
    for problem in problems():
        sys.exit(problem)
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
