#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What docs/benchmarks.md claims: for each claim a figure, a few sentences, and
what bounds it."""

from bench_suite.page_words import (CLUSTER17, LEARNT, LEARNT_ANEW, RO, UNIFORM,
                                    WH, bound, check, number, of_run, over_fat,
                                    reads_a_get, share, shown)


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
            for mix in "ABCDEF") + ". D reads the newest records, which are "
        "mostly on the fast disk anyway; E scans, and scans promote nothing.")
    yield from section(
        "Real workloads gain by their reads of hot records that have sunk",
        "twitter", "Twitter clusters, throughput over RocksDB-fat",
        "Traces of 1.1 GB, generated from the clusters' published statistics, "
        "which do not say how recently a key was used before it is read. "
        "Where the hottest records fit into memory a row cache is the better "
        "choice: in cluster 17 one of 19 MB does "
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
