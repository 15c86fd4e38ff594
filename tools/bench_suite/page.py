#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""docs/benchmarks.md, made of the summary of a set of runs and of
docs/benchmarks_missed.toml."""

import collections
import re
import textwrap

from bench_suite import missed
from bench_suite.page_claims import claims
from bench_suite.page_oracle import oracle_section
from bench_suite.page_words import (LEARNT, LEARNT_ANEW, RO, bound, ends,
                                    of_run, shown)

COLUMNS = 125
# The table: words for people, and the targets that a row shows. All that is
# wanted of HotRAP is in it.
ROWS = (
    ("**Only reads, hotspot of 5 %**: over RocksDB-fat",
     "RO hotspot-5 %, 1 KiB: over RocksDB-fat"),
    ("over the best rival",
     "RO hotspot-5 %, 1 KiB: over the second best"),
    ("share of RocksDB(FD)", "RO hotspot-5 %, 1 KiB: share of RocksDB(FD), "
     "the faster of both blocks"),
    ("CPU a read, over RocksDB(FD)'s", "RO hotspot-5 %, 1 KiB: CPU a read over "
     "RocksDB(FD)'s, the faster of both blocks"),
    ("11 GB of data: over RocksDB-fat",
     "RO hotspot-5 %, 1 KiB x10: over RocksDB-fat"),
    ("11 GB: share of RocksDB(FD), 16 KiB blocks only",
     "RO hotspot-5 %, 1 KiB x10: share of RocksDB(FD), blocks of 16 KiB only"),
    ("11 GB: CPU a read, over the same", "RO hotspot-5 %, 1 KiB x10: CPU a "
     "read over RocksDB(FD)'s, blocks of 16 KiB only"),
    ("200 B: over RocksDB-fat", "RO hotspot-5 %, 200 B: over RocksDB-fat"),
    ("hard disk as the slow one: over RocksDB-fat",
     "hdd, RO hotspot-5 % (Figure 16): over RocksDB-fat"),
    ("hard disk: slow reads for a Get that needs one",
     "hdd, RO hotspot-5 %: slow-tier reads a cold Get"),
    ("**75 % reads, 25 % inserts, hotspot**: over RocksDB-fat",
     "RW hotspot-5 %: over RocksDB-fat"),
    ("over the best rival",
     "RW hotspot-5 %: over the second best"),
    ("share of RocksDB(FD)", "RW hotspot-5 % (Figure 14): share of "
     "RocksDB(FD), the faster of both blocks"),
    ("**50 % reads, 50 % inserts, hotspot**: over RocksDB-fat",
     "WH hotspot-5 %: over RocksDB-fat"),
    ("over the best rival",
     "WH hotspot-5 %: over the second best"),
    ("p99 of reads, over RocksDB-fat's",
     "WH hotspot-5 %: read, p99 over RocksDB-fat's"),
    ("p99 of inserts, over RocksDB-fat's",
     "WH hotspot-5 %: insert, p99 over RocksDB-fat's"),
    ("**50 % reads, 50 % updates**, hotspot: over RocksDB-fat",
     "UH hotspot-5 %: over RocksDB-fat"),
    ("Zipf 0.99: over RocksDB-fat", "UH Zipf: over RocksDB-fat"),
    ("**Only reads, Zipf 0.99**: over RocksDB-fat",
     "RO Zipf 0.99: over RocksDB-fat"),
    ("over the best rival", "RO Zipf 0.99: over the second best"),
    ("**Only reads, uniform**: over RocksDB-fat",
     "RO uniform: over RocksDB-fat"),
    ("our build with HotRAP off: over RocksDB-fat",
     "RO uniform: our build with HotRAP off, over RocksDB-fat"),
    ("**Reads from the block cache**: HotRAP on, over off",
     "fully cached reads, on to off"),
    ("**Twitter**, cluster 17: over RocksDB-fat",
     "Twitter cluster17 (Figure 11): over RocksDB-fat"),
    ("cluster 17: over the best rival",
     "Twitter cluster17 (Figure 11): over the second best"),
    ("cluster 19, the second by reads of hot records that sank",
     "Twitter clusters (Figure 11): the worse of the two with most reads of "
     "sunk and hot records, over RocksDB-fat"),
    ("the worst of seven clusters",
     "Twitter clusters: the worst over RocksDB-fat"),
    ("**Learning** a hotspot: its bytes to be read until 90 % of the reads "
     "are fast, in hotspots", LEARNT),
    ("the same after the hotspot has moved", LEARNT_ANEW),
    ("**Percentage points below the oracle**, only reads, hotspot",
     "RO hotspot-5 %, 1 KiB: points below the oracle"),
    ("only reads, Zipf 0.99", "RO Zipf 0.99: points below the oracle"),
    ("only reads, Zipf 0.8", "RO Zipf 0.8: points below the oracle"),
    ("25 % inserts, Zipf 0.99", "RW Zipf: points below the oracle"),
    ("the farthest of seven Twitter clusters",
     "Twitter clusters: points below the oracle, the farthest"),
    ("**RALT's share of all CPU**, RW hotspot, 200 B",
     "RW hotspot-5 %, 200 B: RALT's share of CPU (Figure 12)"),
    ("RALT's share of all disk I/O, the same",
     "RW hotspot-5 %, 200 B: RALT's share of I/O (Figure 13)"),
    ("**Memory beyond RocksDB-fat's**, by what is allowed, only reads",
     "RO hotspot-5 %: peak RSS beyond RocksDB-fat's, by what is allowed"),
)


def table(found):
    yield "| HotRAP | paper | here | runs | wanted | what bounds it |"
    yield "|---|---|---|---|---|---|"
    for label, what in ROWS:
        # A target may be younger than the summary.
        row = found.targets.get(what)
        if row is None:
            continue
        yield (f"| {label} | {row['paper']} | {shown(found, what)} | "
               f"{row['runs'] or ''} | {row['wanted']} | "
               f"{bound(found, what)} |")


def engines(found):
    """Commits of the programs, and how many runs are of each."""
    runs, commits = collections.Counter(), {}
    for row in found.found["origins"]:
        if row["build"] == "release":
            runs[row["program"]] += row["runs"]
            commits[row["program"]] = row["commits"][-1].partition("-")[0]
    return ", ".join(f"`{commits[program]}` ({count} runs)"
                     for program, count in runs.most_common())


def machines(found):
    runs, sizes = collections.Counter(), {}
    for row in found.found["origins"]:
        runs[row["cpu"]] += row["runs"]
        sizes[f"{row['cpus']} CPUs, {row['memory_gb']:.0f} GB"] = True
    return (" or ".join(sizes) + " (" + ", ".join(
        f"{cpu}: {count} runs" for cpu, count in runs.most_common()) + ")")


def probes(found, what, unit):
    return ends([value / unit for row in found.found["origins"]
                 for value in row[f"fast_disk_{what}_a_sec"] or ()], "{:,.0f}")


def introduction(found):
    def memory(system):
        return of_run(found, "peak_rss_bytes", *RO, system, unit=1e6)

    def peak(system):
        return of_run(found, "peak_fast_share", "main", "1KiB-x3",
                      "RW-hotspot", system)
    coverage = found.found["coverage"]
    first, last = (str(coverage[name])[:10]
                   for name in ("first_started", "last_started"))
    yield "# Benchmarks"
    yield (
        "HotRAP beside an unpatched RocksDB 10.4.2. Each ratio is of two "
        "systems that ran one after the other on one machine, through one "
        "driver, over the same data, with the same fast budget, block cache "
        "and memtables. What HotRAP takes beside them comes on top: its "
        f"process had {memory('hotrap')} MB at its peak, RocksDB-fat's "
        f"{memory('fat')}, and with a row cache of 1.7 % of the data "
        f"{memory('row-cache')} (only reads, hotspot).")
    yield (
        "[benchmarks.json](benchmarks.json) has medians and spreads of all "
        f"{sum(row['runs'] for row in found.found['origins'])} runs; this page "
        "and its figures are made of it. "
        "[hotrap_bench.md](hotrap_bench.md) has the driver and the rules.")
    yield (
        f"- **Machine**: virtual, {machines(found)}. Fast disk: "
        f"{probes(found, 'reads', 1)} reads of 16 KiB a second, "
        f"{probes(found, 'read_bytes', 1e6)} MB/s. Slow disk: an image on it, "
        "held by the kernel to 10,000 reads a second and 1,000 MiB/s. The "
        "paper had 8 CPUs, two disks and 110 GB of data.")
    yield (
        "- **Set-up**: 3.4 GB of records of 24 + 1,000 B unless said "
        "otherwise, a tenth of it on the fast disk, block cache 0.8 % of the "
        "data, 16 threads, direct I/O, no compression. Figures are those of "
        "the final tenth of a run: the median of the repetitions (least to "
        "most).")
    yield (
        f"- **When**: {first} to {last}, HotRAP at {engines(found)}. After a "
        "change, the runs that it could affect were repeated; later changes "
        "are not in these figures.")
    yield (
        "- **RocksDB-fat** fills the fast budget with its upper levels. "
        f"At its peak it takes {peak('fat')} of it (RW, hotspot), HotRAP "
        f"{peak('hotrap')}. **RocksDB(FD)** has all data on the fast disk and "
        "is the limit: with blocks of 16 or of 4 KiB, whichever is faster, as "
        "HotRAP has blocks of 4 KiB there. The **persistent cache** is "
        "RocksDB's, in 63 % of the fast budget. The paper's rivals are other "
        "systems.")


def misses(found, reasons):
    """`reasons` are those of missed.read."""
    yield "## What is missed"
    judged = missed.explain(found.found["targets"], reasons)
    labels = dict(full_labels())
    points = [f"- **{labels[row['what']]}**: {row['shown']}, wanted "
              f"{row['wanted']}. {row['why']}" for row in judged if row["why"]]
    yield from points or ["Nothing."]


def full_labels():
    """Pairs of a target and what its row says with the words in bold, which
    hold for the rows below, too."""
    group = ""
    for label, what in ROWS:
        bold = re.match(r"\*\*(.+)\*\*", label)
        if bold:
            group = bold[1]
            yield what, label.replace("**", "")
        else:
            yield what, f"{group}: {label}"


REPEAT = """\
## How to repeat

    make demo                             # five minutes: the first figure
    make bench                            # seven hours; goes on where it was
    make bench BENCH_FLAGS="--only 'main/1KiB-x3/RO-*'"
    make bench BENCH_FLAGS=--docs         # then makes this page of the results
    tools/bench_all.py --report-only      # makes this page of benchmarks.json
"""
RESULTS = (
    "Results are left in `build/bench`: a file a run in `results`, and "
    "`report.html`, which shows them all. The runs behind this page are in "
    "the history of this repository, as archives in `docs/benchmark_results` "
    "of commit 3e79b75.")


def filled(blocks):
    """Paragraphs of lines; the points of a list follow each other."""
    lines = []
    for block in blocks:
        point = block.startswith("- ")
        if lines and not (point and lines[-1].startswith(("- ", "  "))):
            lines.append("")
        lines += (block.splitlines() if block.startswith(("#", "!", "|")) else
                  textwrap.wrap(block, COLUMNS, break_long_words=False,
                                break_on_hyphens=False,
                                subsequent_indent="  " * point))
    return "\n".join(lines) + "\n"


def markdown(found, reasons):
    """The page. `reasons` are those of missed.read."""
    return filled([
        *introduction(found), "\n".join(table(found)),
        "A phrase in bold applies to its row and to those below, up to the "
        "next one. What bounds it is the resource that was used most; from "
        "85 % of its capacity it is the bottleneck. The fast disk was probed "
        "with reads of 16 KiB; of 4 KiB it does more a second.",
        *claims(found), *oracle_section(found), *misses(found, reasons),
        REPEAT, RESULTS])
