#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The figures of the paper's section 4, drawn from the results."""

import matplotlib
import pandas

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (the backend comes first)

import plot_ralt  # noqa: E402
from bench_runner import smoothed  # noqa: E402
from bench_suite import metrics, parts, suite, systems  # noqa: E402

SYSTEM_ORDER = [system.name for system in systems.ALL]
COLOURS = dict(zip(SYSTEM_ORDER,
                   ("tab:red", "tab:gray", "tab:blue", "tab:green",
                    "tab:orange", "tab:olive", "tab:cyan", "black",
                    "tab:brown")))
OTHER_COLOUR = "tab:purple"
IO_PARTS = ("read", "compaction", "flush", "promotion", "ralt", "other")


def ordered(names, order):
    """Orders the list's systems first, other builds last."""
    return [name for name in order if name in names] + \
        sorted(name for name in names if name not in order)


def bars(axes, frame, index, value, title, unit, rows=None):
    """Medians of a value by `index` and system, lines from least to most."""
    frame = frame.dropna(subset=[value])
    if frame.empty:
        # Not of these runs, where only some have been done.
        return
    grouped = frame.groupby([index, "system"])[value]
    table = grouped.median().unstack()
    columns = ordered(table.columns, SYSTEM_ORDER)
    table = table.reindex(index=rows and [row for row in rows
                                          if row in table.index],
                          columns=columns)
    low = grouped.min().unstack().reindex_like(table)
    high = grouped.max().unstack().reindex_like(table)
    errors = [[(table[name] - low[name]).to_numpy(),
               (high[name] - table[name]).to_numpy()] for name in columns]
    table.plot.bar(ax=axes, rot=0, yerr=errors, legend=False, width=0.8,
                   color=[COLOURS.get(name, OTHER_COLOUR)
                          for name in columns])
    axes.set_title(title)
    axes.set_xlabel("")
    axes.set_ylabel(unit)
    axes.grid(axis="y", alpha=0.3)


def figure_of(count, columns=3):
    rows = -(-count // columns)
    figure, axes = pyplot.subplots(rows, min(count, columns), squeeze=False,
                                   figsize=(14, 3.6 * rows))
    return figure, list(axes.flat)


def trim(figure, axes):
    """Removes unused axes."""
    for place in axes:
        if not place.has_data():
            place.remove()
    figure.tight_layout()
    return figure


def finish(figure, axes):
    """Adds one legend for all: the longest."""
    used = [place for place in axes if place.has_data()]
    if used:
        handles, labels = max((place.get_legend_handles_labels()
                               for place in used),
                              key=lambda legend: len(legend[1]))
        used[0].legend(handles, labels, fontsize=8)
    return trim(figure, axes)


def throughput(frame, dataset):
    """Figures 6 and 7."""
    chosen = frame[(frame.group == "main") & (frame.dataset == dataset)]
    if chosen.empty:
        return None
    chosen = chosen.assign(mix=chosen.workload.str.split("-").str[0])
    figure, axes = figure_of(len(suite.DISTRIBUTIONS))
    for place, distribution in zip(axes, suite.DISTRIBUTIONS):
        part = chosen[chosen.workload.str.endswith("-" + distribution)]
        if not part.empty:
            bars(place, part, "mix", "throughput", distribution,
                 "operations/s", list(suite.MIXES))
    return finish(figure, axes)


def latency(frame, dataset):
    """Figure 8."""
    chosen = frame[(frame.group == "main") & (frame.dataset == dataset) &
                   frame.workload.str.endswith("-hotspot")]
    if chosen.empty:
        return None
    chosen = chosen.assign(mix=chosen.workload.str.split("-").str[0])
    figure, axes = figure_of(6)
    for place, quantile in zip(axes, (
            f"{operation}_{quantile}" for operation in ("read", "insert")
            for quantile in ("p50", "p99", "p99.9"))):
        if quantile in chosen:
            bars(place, chosen, "mix", quantile, quantile.replace("_", ", "),
                 "microseconds", list(suite.MIXES))
            if place.has_data():
                place.set_yscale("log")
    return finish(figure, axes)


def twitter_gain(frame):
    """Figures 9 and 10: speedup by the shares of sunk and hot reads."""
    chosen = frame[frame.group == "twitter"]
    if not {"hotrap", "fat"} <= set(chosen.system):
        return None
    columns = ["throughput", "sunk_reads", "hot_reads"]
    by_system = {name: part.groupby("workload")[columns].median()
                 for name, part in chosen.groupby("system")}
    speedup = (by_system["hotrap"].throughput /
               by_system["fat"].throughput).dropna()
    # Not of the clusters where only one of the two has been run.
    hotrap = by_system["hotrap"].loc[speedup.index]
    figure, axes = pyplot.subplots(figsize=(7, 5))
    points = axes.scatter(hotrap.sunk_reads, hotrap.hot_reads, c=speedup,
                          s=120, cmap="viridis")
    for name in hotrap.index:
        axes.annotate(f" {name}: {speedup[name]:.2f}",
                      (hotrap.sunk_reads[name], hotrap.hot_reads[name]))
    axes.set_xlabel("share of reads on sunk records")
    axes.set_ylabel("share of reads on hot records")
    figure.colorbar(points, label="over RocksDB-fat")
    return figure


def group_bars(frame, group, log=False):
    """Figures 11 and 16, and others that the paper has no figure for."""
    return case_bars(frame[frame.group == group], log)


def hdd(frame):
    """Figure 16, with RocksDB(FD), which does not use the slow disk."""
    slow = frame[frame.group == "hdd"]
    fast = frame[(frame.group == "main") & (frame.dataset == "1KiB-x1") &
                 (frame.system == "fd") & frame.workload.isin(slow.workload)]
    return case_bars(pandas.concat([slow, fast]), log=True)


def case_bars(chosen, log):
    if chosen.empty:
        return None
    figure, axes = figure_of(1)
    bars(axes[0], chosen, "workload", "throughput", "", "operations/s")
    if log:
        axes[0].set_yscale("log")
    return finish(figure, axes)


def by_part(rows, unit):
    """Figures 12 and 13: rows of parts.measure, each a stack."""
    chosen = [row for row in rows if row["unit"] == unit]
    if not chosen:
        return None
    names = [", ".join((row["dataset"], row["workload"], row["system"]) +
                       ((row["what"],) if unit == "bytes" else ()))
             for row in chosen]
    figure, axes = pyplot.subplots(figsize=(14, 6))
    bottom = [0] * len(chosen)
    for part in parts.PARTS:
        heights = [row["parts"][part] for row in chosen]
        axes.bar(names, heights, bottom=bottom, label=part)
        bottom = [low + height for low, height in zip(bottom, heights)]
    axes.set_ylabel("CPU microseconds an operation" if unit == "us"
                    else "bytes read and written an operation")
    axes.tick_params(axis="x", rotation=90)
    axes.legend()
    figure.tight_layout()
    return figure


def tiers_of(one):
    return metrics.TIERS[:1] if one["all_fast"] else metrics.TIERS


def over_time(saved, dataset="1KiB-x3", workload="RW-hotspot"):
    """Figure 14: throughput, and the I/O of each device by purpose."""
    chosen = {one["system"]: one for one in saved
              if (one["group"], one["dataset"], one["workload"],
                  one["repeat"]) == ("main", dataset, workload, 1)}
    names = ordered(chosen, SYSTEM_ORDER)
    if not names:
        return None
    pairs = [(name, tier) for name in names for tier in tiers_of(chosen[name])]
    figure, axes = figure_of(1 + len(pairs))
    for name in names:
        points = chosen[name]["result"]["timeline"]
        axes[0].plot([point["secs"] for point in points],
                     smoothed([point["throughput"]
                                       for point in points]),
                     label=name, color=COLOURS.get(name, OTHER_COLOUR))
    axes[0].set_title(f"{workload}: operations/s")
    axes[0].legend(fontsize=8)
    for place, (name, tier) in zip(axes[1:], pairs):
        points = chosen[name]["result"]["timeline"]
        heights = [smoothed([
            (counts["read_bytes"] + counts["written_bytes"]) / 1e6
            for counts in (point["io"][tier]["by_purpose"][part]
                           for point in points)]) for part in IO_PARTS]
        place.stackplot([point["secs"] for point in points], heights,
                        labels=IO_PARTS)
        place.set_title(f"{name}, {tier} disk: MB/s")
        place.legend(fontsize=7)
    return trim(figure, axes)


def dynamic(saved):
    """Figure 15."""
    for one in saved:
        if one["group"] == "dynamic":
            return plot_ralt.draw(*plot_ralt.from_hotrap_bench(one["result"]))
    return None


def memory(frame):
    """Throughput by the share of the data that the block cache can hold."""
    chosen = frame[frame.group == "memory"]
    if chosen.empty:
        return None
    chosen = chosen.assign(
        share=chosen.workload.str.split("-").str[-1].astype(float) * 100)
    figure, axes = figure_of(1)
    bars(axes[0], chosen, "share", "throughput", "", "operations/s")
    axes[0].set_xlabel("block cache, % of the data")
    return finish(figure, axes)


def sizes(frame):
    """What a record costs as the data grows."""
    names = [f"1KiB-x{factor}" for factor in (1, 3, 10)]
    chosen = frame[(frame.group == "main") & frame.dataset.isin(names) &
                   (frame.workload == "RO-hotspot")]
    if chosen.dataset.nunique() < 2:
        return None
    figure, axes = figure_of(3)
    for place, (value, unit) in zip(axes, (
            ("throughput", "operations/s"), ("cpu_micros", "CPU us a read"),
            ("rss_a_kilobyte", "bytes of memory a KiB of data"))):
        bars(place, chosen, "dataset", value, value, unit, names)
    return finish(figure, axes)
