#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""How near the best placement the systems come: a section of
docs/benchmarks.md."""

from bench_suite import suite
from bench_suite.page_words import CLUSTER17

# Words for people, and a case.
CASES = (
    ("only reads, hotspot of 5 %", ("main", "1KiB-x3", "RO-hotspot")),
    ("only reads, Zipf 0.99", ("main", "1KiB-x3", "RO-zipf")),
    ("only reads, Zipf 0.99, 200 B", ("main", "200B-x1", "RO-zipf")),
    ("only reads, Zipf 0.8", ("oracle", "1KiB-x3", "RO-zipf-0.8")),
    ("only reads, uniform", ("main", "1KiB-x3", "RO-uniform")),
    ("25 % inserts, hotspot", ("main", "1KiB-x3", "RW-hotspot")),
    ("25 % inserts, Zipf 0.99", ("main", "1KiB-x3", "RW-zipf")),
    ("50 % inserts, Zipf 0.99", ("main", "1KiB-x3", "WH-zipf")),
    ("50 % updates, Zipf 0.99", ("main", "1KiB-x3", "UH-zipf")),
    *((f"Twitter, cluster {number}",
       (CLUSTER17[0], f"cluster{number}", f"cluster{number}"))
      for number in suite.TWITTER_CLUSTERS),
    ("a disk's trace, in hindsight", ("trace", "cloudphysics",
                                      "cloudphysics")),
)


def rate(value):
    return "" if value is None else f"{value:.3f}"


def measured(found, case, system, oracle):
    """Medians of the final tenth."""
    value = found.median("hit_rate", *case, system)
    return "not run" if value is None else \
        f"{value:.3f} ({(oracle - value) * 100:.1f})"


def table(found):
    yield ("| hit rate (points below the oracle) | oracle | HotRAP | "
           "RocksDB-fat | clairvoyant block cache, 4 KiB | 16 KiB |")
    yield "|---|---|---|---|---|---|"
    for label, case in CASES:
        row = found.oracles.get(case)
        if row:
            best = row["oracle"]
            yield (f"| {label} | {rate(best)} | "
                   f"{measured(found, case, 'hotrap', best)} | "
                   f"{measured(found, case, 'fat', best)} | "
                   f"{rate(row['block_cache_4k'])} | "
                   f"{rate(row['block_cache_16k'])} |")


def oracle_section(found):
    """Nothing for a summary without oracles."""
    if not found.oracles:
        return
    yield "## How near the best placement it comes"
    yield (
        "The oracle knows how often each record is read, and keeps those that "
        "are read most a byte on the fast disk and in the block cache, whole "
        "and without any overhead. No system with as many bytes can do better "
        "on reads that are drawn independently. Beside it stands a block "
        "cache of the same bytes that knows the same of its blocks: no cache "
        "of blocks on a fast disk does better, whatever it learns. For a "
        "recorded trace it is the placement that is best for the final tenth, "
        "in hindsight. "
        "[The formula and what it assumes](hotrap_bench.md#the-oracle).")
    yield "\n".join(table(found))
    lacking = [label for label, case in CASES if case not in found.oracles
               and found.median("hit_rate", *case, "hotrap") is not None]
    if lacking:
        yield ("Made before the driver computed oracles, and ended by time, so "
               "that the requests they replayed are not known: " +
               "; ".join(lacking) + ".")
