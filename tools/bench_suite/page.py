#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""docs/benchmarks.md, made of the summary of a set of runs and of
docs/benchmarks_missed.toml."""

import collections
import re
import textwrap

from bench_suite import missed

COLUMNS = 125
LEARNT = "hit rate 0.9 from cold: bytes read by the hotspot's"
LEARNT_ANEW = ("hit rate 0.9 after the hotspot moved: bytes read by the "
               "hotspot's")
RO = ("main", "1KiB-x3", "RO-hotspot")
WH = ("main", "1KiB-x3", "WH-hotspot")
UNIFORM = ("main", "1KiB-x3", "RO-uniform")
CLUSTER17 = ("twitter", "cluster17", "cluster17")

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
    ("**RALT's share of all CPU**, RW hotspot, 200 B",
     "RW hotspot-5 %, 200 B: RALT's share of CPU (Figure 12)"),
    ("RALT's share of all disk I/O, the same",
     "RW hotspot-5 %, 200 B: RALT's share of I/O (Figure 13)"),
    ("**Memory beyond RocksDB-fat's**, by what is allowed, only reads",
     "RO hotspot-5 %: peak RSS beyond RocksDB-fat's, by what is allowed"),
)


def bound_of(bounds):
    """metrics.bound_of of several runs in a few words."""
    shares = collections.defaultdict(list)
    for words in bounds:
        found = re.fullmatch(r"(none alone; most: )?(.+) (-?\d+)%", words)
        if found:
            shares[bool(found[1]), found[2]].append(int(found[3]))
    words = []
    for alone in (True, False):
        group = [f"{what} {ends(percent, '{:d}')} %"
                 for (none, what), percent in shares.items() if none != alone]
        if group:
            words.append("nothing alone; " * (not alone) + ", ".join(group))
    return "; or ".join(words)


def ends(values, form):
    """From the least to the most."""
    found = sorted(values)
    if not found:
        return "not run"
    return " to ".join(dict.fromkeys(form.format(value) for value in
                                     (found[0], found[-1])))


def shown(found, what):
    """What a target was measured to be."""
    row = found.targets[what]
    words = row["shown"] + best_rival(row) + ", noisy" * row["noisy"]
    return f"{words}, **missed**" if row["holds"] is False else words


def best_rival(row):
    """Of targets.over_second_best: the one that HotRAP is least ahead of."""
    ratios = re.findall(r"([\w-]+): ([\d.]+)", row["note"])
    if not row["what"].endswith("over the second best") or not ratios:
        return ""
    name, _ = min(ratios, key=lambda pair: float(pair[1]))
    return f", {name.replace('-', ' ')}"


def bound(found, what):
    return bound_of(found.targets[what]["bounds"])


def table(found):
    yield "| HotRAP | paper | here | runs | wanted | what bounds it |"
    yield "|---|---|---|---|---|---|"
    for label, what in ROWS:
        row = found.targets[what]
        yield (f"| {label} | {row['paper']} | {shown(found, what)} | "
               f"{row['runs'] or ''} | {row['wanted']} | "
               f"{bound(found, what)} |")


def number(triple, unit=1):
    """The median of several runs with the spread."""
    if triple is None:
        return "not run"
    middle, low, high = (digits(value / unit) for value in triple)
    return middle if low == high else f"{middle} ({low} to {high})"


def digits(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def of_run(found, column, *run, unit=1):
    return number(found.values(column, *run), unit)


def over_fat(found, *case):
    return number(found.over_fat.get(case))


def check(found, what):
    """Of the ablations."""
    return next((row["shown"] for row in found.found["ablation_checks"]
                 if row["what"] == what), "not run")


def reads_a_get(found, *run):
    """Of both disks, in the final tenth."""
    fast, slow, gets = (found.median(column, *run) for column in
                        ("fast_reads", "slow_reads", "throughput"))
    return f"{(fast + slow) / gets:.2f}" if gets else "not run"


def share(found, words):
    """In percent, of all targets of that name."""
    return ends([row["here"] * 100 for what, row in found.targets.items()
                 if words in what and row["here"] is not None],
                "{:.1f}") + " %"


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


def least(found):
    """Of the figure `mixes`."""
    cases = {case: triple for case, triple in found.over_fat.items()
             if case[0] == "main"}
    if not cases:
        return "not run"
    case = min(cases, key=lambda one: cases[one][0])
    cpu = [of_run(found, "cpu_micros", *case, system)
           for system in ("hotrap", "fat")]
    return (f"{number(cases[case])} ({case[2]}, {case[1].partition('-')[0]}) "
            f"at {cpu[0]} us of CPU an operation, RocksDB-fat's {cpu[1]}")


def section(heading, name, words, *paragraphs):
    yield f"## {heading}"
    yield f"![{words}](figures/{name}.png)"
    yield from paragraphs


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
        "change those runs were repeated that it could touch; what changed "
        "later is not in these figures.")
    yield (
        "- **RocksDB-fat** fills the fast budget with its upper levels. "
        f"At its peak it takes {peak('fat')} of it (RW, hotspot), HotRAP "
        f"{peak('hotrap')}. **RocksDB(FD)** has all data on the fast disk and "
        "is the limit: with blocks of 16 or of 4 KiB, whichever is faster, as "
        "HotRAP has blocks of 4 KiB there. The **persistent cache** is "
        "RocksDB's, in 63 % of the fast budget. The paper's rivals are other "
        "systems.")


def claims(found):
    yield from section(
        "Hot records reach the fast disk, and reads become as fast as it is",
        "hit_rate", "hit rate and throughput over time, HotRAP off and on",
        "Only reads, HotRAP starts with nothing known. Nine of ten reads are "
        "fast when the hotspot's bytes have been read "
        f"{shown(found, LEARNT)} times. **Bound**: while it learns, the slow "
        "disk's reads a second and the rule that a record is promoted at its "
        f"second read; then {bound(found, LEARNT)} of the probe.")
    yield from section(
        "With a hotspot HotRAP is ahead of the other uses of the two disks",
        "systems", "throughput of five systems and four mixes",
        "Hotspot of 5 %; lines go from the least to the most of several runs. "
        "HotRAP can be ahead of all data on the fast disk, as it takes fewer "
        f"disk reads a Get: {reads_a_get(found, *RO, 'hotrap')}, RocksDB(FD) "
        f"with the same blocks {reads_a_get(found, *RO, 'fd-4k')} (only "
        "reads). **Bound**: HotRAP as the table says; RocksDB-fat and the row "
        "cache by the slow disk's reads, except with updates, which keep hot "
        "records on the fast disk by themselves.")
    yield from section(
        "It gains where hot records have sunk to the slow disk",
        "mixes", "throughput over RocksDB-fat by mix and distribution",
        "RO: only reads, RW: 25 % inserts, WH: 50 % inserts, UH: 50 % "
        "updates; 3.4 GB of 1 KiB, 1.1 GB of 200 B. The least is "
        f"{least(found)}: updates keep hot records on the fast disk by "
        "themselves, so little is gained. With uniform reads nothing is: "
        f"{of_run(found, 'hit_rate', *UNIFORM, 'hotrap')} of them are fast, "
        f"RocksDB-fat's {of_run(found, 'hit_rate', *UNIFORM, 'fat')}, as "
        "HotRAP leaves room for RALT and for a compaction. **Bound**: reads "
        "that are Zipf-like or uniform by the slow disk. At a hit rate h no "
        "system does more than 10,000 / (1 - h) a second.",
        "YCSB A to F over RocksDB-fat (1.1 GB, one run each): " + ", ".join(
            f"{mix} {over_fat(found, 'ycsb', '1KiB-x1', mix)}"
            for mix in "ABCDEF") + ". D reads the newest records, most of which "
        "are on the fast disk anyway; E scans, and scans promote nothing.")
    yield from section(
        "Real workloads gain by their reads of hot records that have sunk",
        "twitter", "Twitter clusters, throughput over RocksDB-fat",
        "Traces of 1.1 GB, generated from the clusters' published statistics, "
        "which do not say how recent the keys are that are read. Where the "
        "hottest records fit into memory a row cache is the better choice: in "
        "cluster 17 one of 19 MB does "
        f"{of_run(found, 'throughput', *CLUSTER17, 'row-cache', unit=1e3)} "
        "thousand operations/s, HotRAP "
        f"{of_run(found, 'throughput', *CLUSTER17, 'hotrap', unit=1e3)}. A "
        "replayed trace of a disk (CloudPhysics, 0.45 GB, one run): "
        f"{over_fat(found, 'trace', 'cloudphysics', 'cloudphysics')} times "
        "RocksDB-fat. **Bound**: in cluster 17 the fast disk, in cluster 19 "
        "the slow one's reads.")
    yield from section(
        "The hot set follows the workload",
        "dynamic", "the hot set, its limit and the hit rate over time",
        "Uniform reads of 1.1 GB, then hotspots of 1, 3 and 5 %, another one "
        "of 5 %, and 4 and 2 % inside that. After the move nine of ten reads "
        f"are fast again when {shown(found, LEARNT_ANEW)} times the new "
        "hotspot was read. **Bound**: the rule of the second read, which "
        "comes to 4.93 by calculation "
        "([why](design/2026-11-22-second-reads.md)).")
    yield from section(
        "Tails follow the queue of the slow disk, then the wait for a CPU",
        "tails", "latency of reads and inserts, half of each",
        "Half reads, half inserts. At full speed HotRAP does "
        f"{over_fat(found, *WH)} times as many operations, and its inserts' "
        f"p99 is {of_run(found, 'insert_p99', *WH, 'hotrap', unit=1e3)} ms, "
        "RocksDB-fat's "
        f"{of_run(found, 'insert_p99', *WH, 'fat', unit=1e3)} ms. **Bound**: "
        "its clients wait for one of two CPUs, RocksDB-fat's for the slow "
        "disk. The kernel throttles in slices of 100 ms: latencies compare, "
        "but are not those of a device.")
    yield from section(
        "What it costs",
        "costs", "CPU and disk bytes of an operation by part",
        f"RALT takes {share(found, 'share of CPU (')} of the CPU and "
        f"{share(found, 'share of I/O (')} of the disks' bytes in four "
        "workloads of 200 B (paper: 3.1 to 12.3 %, 6.1 to 15.5 %). Of memory "
        "it may take two promotion caches, `access_buffer_bytes` and 0.1 % of "
        "the data more than RocksDB-fat.",
        "Without its parts (one run each; RW until as much is inserted as was "
        "loaded): without retention the hit rate is lower by "
        + check(found, "RW: hit rate above no_retain's") +
        " (paper: 0.225), and "
        + check(found, "RW: promoted by no_retain to promoted") +
        " times as much is promoted (6). Without the hotness check uniform "
        "reads promote "
        + check(found, "uniform: promoted by no_hotness_check to promoted") +
        " times as much (210). Without promotion by compaction compactions "
        "move "
        + check(found,
                "RW: compaction bytes of no_by_compaction to HotRAP's") +
        " times as many bytes (1.06).")


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
        "Words in bold hold for the rows below. *What bounds it*: the most "
        "that HotRAP's runs used of anything; from 85 % on it bounds them. "
        "The fast disk was probed with reads of 16 KiB, of 4 KiB it does "
        "more.",
        *claims(found), *misses(found, reasons), REPEAT, RESULTS])
