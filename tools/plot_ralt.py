#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Draws ralt_bench's dynamic workload like the paper's Figure 15."""

import argparse
import json

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (the backend comes first)

MEGABYTE = 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="what ralt_bench --json wrote")
    parser.add_argument("png", help="the picture")
    arguments = parser.parse_args()
    with open(arguments.json, encoding="utf-8") as file:
        rows = json.load(file)["dynamic"]["series"]

    accesses = [row["accesses"] / 1e6 for row in rows]
    figure, (sizes, rates) = pyplot.subplots(
        2, 1, sharex=True, figsize=(10, 6), height_ratios=(2, 1))
    for column, label, style in (
            ("hotspot_bytes", "hotspot of the workload", "k:"),
            ("hot_set_limit_bytes", "hot set limit", "C1-"),
            ("hot_set_bytes", "hot set", "C0-")):
        sizes.plot(accesses, [row[column] / MEGABYTE for row in rows], style,
                   label=label)
    sizes.set_ylabel("MB")
    sizes.legend(loc="upper left")
    rates.plot(accesses, [row["hit_rate"] for row in rows], "C2-")
    rates.set_ylabel("hit rate")
    rates.set_ylim(0, 1)
    rates.set_xlabel("accesses (millions)")
    starts = {}
    for row, start in zip(rows, accesses):
        starts.setdefault(row["stage"], start)
    for stage, start in starts.items():
        for axes in (sizes, rates):
            axes.axvline(start, color="0.85", zorder=0)
        rates.text(start, 0.04, f" {stage}", fontsize=8)
    figure.tight_layout()
    figure.savefig(arguments.png, dpi=100)


if __name__ == "__main__":
    main()
