#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The figures of docs/benchmarks.md, one for each claim, drawn from the summary
of a set of runs. Each function takes a summary.Summary and returns a figure, or
None if the runs that it is of were not made."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (the backend comes first)

import plot_ralt  # noqa: E402
from bench_runner import smoothed  # noqa: E402
from bench_suite import parts, suite  # noqa: E402

DOTS_AN_INCH = 90
HOTRAP_COLOUR = "tab:red"
COLOURS = {"hotrap": HOTRAP_COLOUR, "fat": "tab:gray",
           "persistent-cache": "tab:green", "row-cache": "tab:orange",
           "fd": "tab:blue"}
NAMES = {"hotrap": "HotRAP", "fat": "RocksDB-fat",
         "persistent-cache": "persistent cache", "row-cache": "row cache",
         "fd": "all on the fast disk"}
WORKLOADS = {"RO": "reads only", "RW": "75 % reads,\n25 % inserts",
             "WH": "50 % reads,\n50 % inserts",
             "UH": "50 % reads,\n50 % updates"}
# As short as the stages of the dynamic workload are.
STAGES = {"hotspot 1 %": "1 %", "hotspot 3 %": "3 %", "hotspot 5 %": "5 %",
          "hotspot 5 % at 50 %": "5 %, elsewhere",
          "hotspot 4 % at 50 %": "4 %", "hotspot 2 % at 50 %": "2 %"}
PART_COLOURS = {"read": "tab:blue", "insert": "tab:orange",
                "compaction": "tab:green", "flush": "tab:olive",
                "promotion": "tab:purple", "RALT": "tab:red",
                "other": "tab:gray"}
RECORDS = {"1KiB-x3": "1 KiB", "200B-x1": "200 B"}


def climb(curves, title):
    """Hit rate and throughput over time. `curves` are (label, colour, columns
    of the timeline as lists)."""
    figure, (hits, speed) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 5))
    for label, colour, columns in curves:
        hits.plot(columns["secs"], smoothed(columns["fast_hit_rate"]),
                  label=label, color=colour)
        speed.plot(columns["secs"],
                   smoothed([value / 1000 for value in
                             columns["throughput"]]),
                   label=label, color=colour)
    hits.set_title(title)
    hits.set_ylabel("reads without\nthe slow disk, %")
    hits.set_ylim(0, 1)
    hits.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    speed.set_ylabel("thousand reads/s")
    speed.set_ylim(bottom=0)
    speed.set_xlabel("seconds")
    for axes in (hits, speed):
        axes.grid(alpha=0.3)
        axes.set_xlim(left=0)
    hits.legend(loc="center right")
    figure.tight_layout()
    return figure


def hit_rate(found):
    on, off = found.curve("hotrap"), found.curve("off")
    if not on or not off:
        return None
    return climb((("HotRAP off (a shorter run)", "tab:gray", off),
                  ("HotRAP on", HOTRAP_COLOUR, on)),
                 "5 % of the records get 95 % of the reads; "
                 "a tenth of the data fits the fast disk")


def bars(axes, places, triples, width, **style):
    """Medians, and lines from least to most where there are several runs."""
    axes.bar(places, [middle for middle, *_ in triples], width, **style)
    for place, (_, low, high) in zip(places, triples):
        if low < high:
            axes.plot([place, place], [low, high], color="black", linewidth=1.5,
                      marker="_", markersize=5)


def systems(found):
    """Throughput with a hotspot, all systems."""
    figure, axes = pyplot.subplots(figsize=(8, 3.6))
    width = 0.8 / len(NAMES)
    for number, (system, name) in enumerate(NAMES.items()):
        # Whichever size of blocks is faster, as the targets have it.
        rivals = ("fd", "fd-4k") if system == "fd" else (system,)
        places, triples = [], []
        for place, mix in enumerate(WORKLOADS):
            values = [found.values("throughput", "main", "1KiB-x3",
                                   f"{mix}-hotspot", rival)
                      for rival in rivals]
            if any(values):
                places.append(place + (number - 2) * width)
                triples.append([value / 1000 for value in
                                max(filter(None, values))])
        if triples:
            bars(axes, places, triples, width, label=name,
                 color=COLOURS[system])
    if not axes.has_data():
        return None
    axes.set_ylim(top=axes.get_ylim()[1] * 1.15)
    axes.set_xticks(range(len(WORKLOADS)), list(WORKLOADS.values()))
    axes.set_ylabel("thousand operations/s")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=8, ncol=len(NAMES), loc="upper center")
    figure.tight_layout()
    return figure


def mixes(found):
    """Over RocksDB-fat by workload."""
    figure, places = pyplot.subplots(1, 3, sharey=True, figsize=(9, 3.2))
    for axes, distribution in zip(places, suite.DISTRIBUTIONS):
        for number, (dataset, record) in enumerate(RECORDS.items()):
            cases = [(place + (number - 0.5) * 0.4, found.over_fat[case])
                     for place, case in enumerate(
                         ("main", dataset, f"{mix}-{distribution}")
                         for mix in suite.MIXES) if case in found.over_fat]
            if cases:
                bars(axes, *zip(*cases), 0.4, label=record,
                     color=(HOTRAP_COLOUR, "tab:pink")[number])
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_title({"hotspot": "hotspot of 5 %", "zipf": "Zipf 0.99",
                        "uniform": "uniform"}[distribution])
        axes.set_xticks(range(len(suite.MIXES)), list(suite.MIXES))
        axes.grid(axis="y", alpha=0.3)
    if not places[0].patches:
        return None
    places[0].set_ylabel("over RocksDB-fat")
    places[-1].legend(fontsize=8)
    figure.tight_layout()
    return figure


def twitter(found):
    """Over RocksDB-fat, and the share of reads that HotRAP can help."""
    cases = []
    for (group, name, _), triple in found.over_fat.items():
        if group == suite.NEEDING_TABLE:
            run = (group, name, name)
            share = found.median("sunk_and_hot_reads", *run, "hotrap")
            slow = found.median("slow_get_share", *run, "fat")
            cases.append((share, f"{name.removeprefix('cluster')}\n"
                          f"{share:.0%}\n{slow:.0%}", triple))
    if not cases:
        return None
    cases.sort(reverse=True)
    figure, axes = pyplot.subplots(figsize=(7, 3.4))
    bars(axes, range(len(cases)), [triple for *_, triple in cases], 0.6,
         color=HOTRAP_COLOUR)
    for place, (*_, triple) in enumerate(cases):
        axes.annotate(f"{triple[0]:.3g}", (place, triple[2]), xytext=(0, 4),
                      textcoords="offset points", ha="center", fontsize=8)
    axes.set_yscale("log", base=2)
    axes.set_ylim(0.5, 32)
    ticks = (0.5, 1, 2, 4, 8, 16)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(cases)), [label for _, label, _ in cases])
    axes.set_xlabel("cluster; its reads of hot records that sank to the slow "
                    "disk;\nRocksDB-fat's reads that waited for the slow disk")
    axes.set_ylabel("over RocksDB-fat")
    axes.grid(axis="y", alpha=0.3)
    figure.tight_layout()
    return figure


def dynamic(found):
    """The paper's Figure 15."""
    columns = found.curve("dynamic")
    if not columns:
        return None
    names = [STAGES.get(row["stage"], row["stage"])
             for row in found.found["stages"] if row["system"] == "hotrap"]
    return plot_ralt.draw(
        "seconds", columns["secs"],
        [f"{phase + 1}: {names[phase]}"
         for phase in map(int, columns["phase"])], columns["fast_hit_rate"],
        [columns[name] for name, *_ in plot_ralt.CURVES])


def costs(found):
    """CPU and disk bytes of an operation, by part of the engine."""
    rows = [row for row in found.found["parts"]
            if row["system"] in ("fat", "hotrap")]
    if not rows:
        return None
    figure, places = pyplot.subplots(1, 2, figsize=(9, 3.8), sharey=True)
    shown = list(dict.fromkeys((row["dataset"], row["workload"],
                                row["system"]) for row in rows))[::-1]
    labels = [f"{workload}, {RECORDS[dataset]}: {NAMES[system]}"
              for dataset, workload, system in shown]
    for axes, unit, title in zip(
            places, ("us", "bytes"),
            ("CPU, us an operation", "both disks, KB an operation")):
        left = [0] * len(shown)
        for part in parts.PARTS:
            lengths = [sum(row["parts"][part] for row in rows
                           if row["unit"] == unit and run == (
                               row["dataset"], row["workload"],
                               row["system"])) /
                       (1000 if unit == "bytes" else 1) for run in shown]
            axes.barh(labels, lengths, left=left, label=part,
                      color=PART_COLOURS[part])
            left = [start + length for start, length in zip(left, lengths)]
        axes.set_title(title, fontsize=10)
        axes.tick_params(axis="y", labelsize=8)
    places[1].legend(fontsize=7)
    figure.tight_layout()
    return figure


def tails(found):
    """Latency of the write-heavy workload."""
    figure, places = pyplot.subplots(1, 2, figsize=(8, 3), sharey=True)
    shown = ("read_p50", "read_p99", "insert_p99")
    for axes, (group, title) in zip(places, (
            ("main", "each as fast as it can"),
            ("paced", "both at four fifths of RocksDB-fat's rate"))):
        for number, system in enumerate(("fat", "hotrap")):
            values = [found.values(column, group, "1KiB-x3", "WH-hotspot",
                                   system) for column in shown]
            if all(values):
                triples = [[part / 1000 for part in value]
                           for value in values]
                bars(axes, [place + (number - 0.5) * 0.4
                            for place in range(len(shown))], triples, 0.4,
                     label=NAMES[system], color=COLOURS[system])
        axes.set_title(title, fontsize=10)
        axes.set_yscale("log")
        axes.set_ylim(0.01, 100)
        axes.set_xticks(range(len(shown)),
                        [name.replace("_", " ") for name in shown])
        axes.grid(axis="y", alpha=0.3)
    if not places[0].patches:
        return None
    ticks = (0.01, 0.1, 1, 10, 100)
    places[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    places[0].set_ylabel("milliseconds")
    places[0].legend(fontsize=8)
    figure.tight_layout()
    return figure


# By the name of the file.
ALL = {"hit_rate": hit_rate, "systems": systems, "mixes": mixes,
       "twitter": twitter, "dynamic": dynamic, "tails": tails, "costs": costs}


def write(found, folder):
    """Files NAME.png; one that can't be drawn goes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in ALL.items():
        path = folder / f"{name}.png"
        figure = draw(found)
        if figure is None:
            path.unlink(missing_ok=True)
            continue
        # The same figure is the same file.
        figure.savefig(path, dpi=DOTS_AN_INCH, metadata={"Software": None})
        pyplot.close(figure)
