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
    """What draw() takes."""
    rows = result["dynamic"]["series"]
    return ("accesses (millions)", [row["accesses"] / 1e6 for row in rows],
            [row["stage"] for row in rows],
            [row["hit_rate"] for row in rows], sizes_of(rows))


def from_hotrap_bench(result):
    rows = result["timeline"]
    names = [phase["name"] for phase in result.get("phases", [])] or [""]
    # A name may occur twice; the number distinguishes the phases.
    return ("seconds", [row["secs"] for row in rows],
            [f"{row['phase'] + 1}: {names[row['phase']]}" for row in rows],
            [row["fast_hit_rate"] for row in rows], sizes_of(rows))


def sizes_of(rows):
    return [[row[column] / MEGABYTE for row in rows] for column, *_ in CURVES]


def draw(unit, positions, stages, hit_rates, megabytes):
    """The figure: what the x axis counts, its values, stage and hit rate at
    each, and the values of each of CURVES."""
    figure, (sizes, rates) = pyplot.subplots(
        2, 1, sharex=True, figsize=(9, 5), height_ratios=(2, 1))
    for (_, label, style), values in zip(CURVES, megabytes):
        sizes.plot(positions, values, style, label=label)
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
    for number, (stage, start) in enumerate(starts.items()):
        for axes in (sizes, rates):
            axes.axvline(start, color="0.85", zorder=0)
        # By turns on two lines: short stages have long names.
        rates.text(start, 0.04 + 0.16 * (number % 2), f" {stage}", fontsize=7)
    figure.tight_layout()
    return figure


def read(path):
    """What draw() takes, of a file of either program."""
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    return (from_hotrap_bench if result.get("benchmark") == "hotrap_bench"
            else from_ralt_bench)(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="output of either program with --json")
    parser.add_argument("png", help="the picture")
    arguments = parser.parse_args()
    draw(*read(arguments.json)).savefig(arguments.png, dpi=100)


if __name__ == "__main__":
    main()
