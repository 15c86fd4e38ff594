#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Draws a dynamic workload like the paper's Figure 15: from ralt_bench, or from
the phases of a run of hotrap_bench."""

import argparse
import json

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (the backend comes first)

MEGABYTE = 1e6
CURVES = (
    ("hotspot_bytes", "hotspot of the workload", "k:"),
    ("hot_set_limit_bytes", "hot set limit", "C1-"),
    ("hot_set_bytes", "hot set", "C0-"),
)


def from_ralt_bench(result):
    """Returns (label of the x axis, its values, stage and hit rate of each row,
    rows)."""
    rows = result["dynamic"]["series"]
    return ("accesses (millions)", [row["accesses"] / 1e6 for row in rows],
            [row["stage"] for row in rows],
            [row["hit_rate"] for row in rows], rows)


def from_hotrap_bench(result):
    rows = result["timeline"]
    names = [phase["name"] for phase in result.get("phases", [])] or [""]
    # A name may occur twice; the number distinguishes the phases.
    return ("seconds", [row["secs"] for row in rows],
            [f"{row['phase'] + 1}: {names[row['phase']]}" for row in rows],
            [row["fast_hit_rate"] for row in rows], rows)


def draw(result):
    """The figure."""
    read = (from_hotrap_bench if result.get("benchmark") == "hotrap_bench"
            else from_ralt_bench)
    unit, positions, stages, hit_rates, rows = read(result)
    figure, (sizes, rates) = pyplot.subplots(
        2, 1, sharex=True, figsize=(10, 6), height_ratios=(2, 1))
    for column, label, style in CURVES:
        sizes.plot(positions, [row[column] / MEGABYTE for row in rows], style,
                   label=label)
    sizes.set_ylabel("MB")
    sizes.set_ylim(bottom=0)
    sizes.legend(loc="upper left")
    rates.plot(positions, hit_rates, "C2-")
    rates.set_ylabel("hit rate")
    rates.set_ylim(0, 1)
    rates.set_xlabel(unit)
    starts = {}
    for stage, position in zip(stages, positions):
        starts.setdefault(stage, position)
    for stage, start in starts.items():
        for axes in (sizes, rates):
            axes.axvline(start, color="0.85", zorder=0)
        rates.text(start, 0.04, f" {stage}", fontsize=8)
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="output of either program with --json")
    parser.add_argument("png", help="the picture")
    arguments = parser.parse_args()
    with open(arguments.json, encoding="utf-8") as file:
        result = json.load(file)
    draw(result).savefig(arguments.png, dpi=100)


if __name__ == "__main__":
    main()
