#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""`make demo`: RocksDB reads the same data without and with HotRAP.

Loads records onto a fast and a slow disk with HotRAP off, reads them with
HotRAP off and then on, and shows the two runs side by side. Leaves only
result.json and hit_rate.png in the output folder, even after Ctrl-C or an
error.
"""

import argparse
import json
import os
import pathlib
import shutil
import time

import bench_runner
from bench_runner import (BLOCK_CACHE_SHARE, FAST_SHARE, HOTRAP_ON, KEY_BYTES,
                          THREADS, BenchError, smoothed)

VALUE_BYTES = 1000
RECORD_BYTES = KEY_BYTES + VALUE_BYTES
SLOW_PROFILE = "gp3"

# The slow disk holds all data, plus inputs and outputs of compactions at the
# same time.
SLOW_DISK_ROOM = 2.5
WANTED_HIT_RATE = 0.90
WANTED_SPEEDUP = 4.0


def run_bench(args, slow_disk, fast_path, name, flags):
    """Runs hotrap_bench and returns its result."""
    data_bytes = args.records * RECORD_BYTES
    command = slow_disk.throttled([
        str(args.bench),
        f"--fast_path={fast_path}",
        f"--slow_path={slow_disk.path}",
        f"--fast_bytes={int(data_bytes * FAST_SHARE)}",
        f"--records={args.records}",
        f"--key_bytes={KEY_BYTES}",
        f"--value_bytes={VALUE_BYTES}",
        "--mix=RO",
        "--distribution=hotspot",
        "--hotspot_fraction=0.05",
        f"--threads={THREADS}",
        "--block_bytes=16384",
        f"--block_cache_bytes={round(data_bytes * BLOCK_CACHE_SHARE)}",
        "--direct_io",
        *flags,
    ])
    return bench_runner.run_bench(command, args.out / "run.json", name)


def climb(timeline):
    """Returns one line on how fast the hit rate rose."""
    rates = smoothed([point["fast_hit_rate"] for point in timeline])
    steps = []
    for wanted in (0.5, 0.8, 0.9, 0.95):
        reached = next((point["secs"] for point, rate in zip(timeline, rates)
                        if rate >= wanted), None)
        if reached is not None:
            steps.append(f"{wanted:.2f} after {reached:.0f} s")
    return "fast hit rate: " + (", ".join(steps) or "never reached 0.50")


def print_table(off, on):
    def latency(result, quantile):
        return result["final_latency_micros"]["read"][quantile]

    rows = [
        ("throughput, final tenth", "reads/s", "{:,.0f}",
         lambda r: r["final_throughput"]),
        ("throughput, whole run", "reads/s", "{:,.0f}",
         lambda r: r["throughput"]),
        ("fast hit rate, final tenth", "", "{:.3f}",
         lambda r: r["final_fast_hit_rate"]),
        ("fast hit rate, whole run", "", "{:.3f}",
         lambda r: r["fast_hit_rate"]),
        ("read p50, final tenth", "us", "{:,.0f}",
         lambda r: latency(r, "p50")),
        ("read p99, final tenth", "us", "{:,.0f}",
         lambda r: latency(r, "p99")),
        ("promoted", "MB", "{:,.1f}",
         lambda r: bench_runner.promoted_bytes(r) / 1e6),
        ("retained", "MB", "{:,.1f}", lambda r: r["retained_bytes"] / 1e6),
        ("compaction written", "MB", "{:,.1f}",
         lambda r: r["compaction_written_bytes"] / 1e6),
        ("fast path, peak", "MB", "{:,.1f}",
         lambda r: r["peak_path_bytes"]["fast"] / 1e6),
        ("CPU a read", "us", "{:.1f}",
         lambda r: sum(r["cpu_secs"].values()) / r["operations"] * 1e6),
        ("memory, peak", "MB", "{:,.1f}", lambda r: r["peak_rss_bytes"] / 1e6),
        ("errors", "", "{}", lambda r: r["errors"]),
    ]
    print(f"\n{'':28} {'HotRAP off':>12} {'HotRAP on':>12}")
    for name, unit, form, value in rows:
        print(f"{name:28} {form.format(value(off)):>12} "
              f"{form.format(value(on)):>12} {unit}")


def draw(off, on, path):
    from bench_suite import figures  # pylint: disable=import-outside-toplevel
    curves = [(label, colour,
               {column: [point[column] for point in result["timeline"]]
                for column in ("secs", "fast_hit_rate", "throughput")})
              for result, label, colour in (
                  (off, "HotRAP off", "tab:gray"),
                  (on, "HotRAP on", figures.HOTRAP_COLOUR))]
    figures.climb(curves, "Reads of a 5 % hotspot, fast tier a tenth of the "
                  f"data (slow disk: {on['slow_disk']}, {SLOW_PROFILE})"
                  ).savefig(path, dpi=120)


def measure(args, slow_disk, fast_path):
    load = run_bench(args, slow_disk, fast_path, "load", ["--norun"])
    off = run_bench(args, slow_disk, fast_path, "HotRAP off",
                    ["--existing_db", f"--run_secs={args.off_secs}"])
    # The runs only read, so the second one finds the same data as the first.
    on = run_bench(args, slow_disk, fast_path, "HotRAP on",
                   ["--existing_db", f"--run_secs={args.on_secs}",
                    f"--options={HOTRAP_ON}"])
    for result in (off, on):
        result["load"] = load["load"]
    return off, on


def report(args, off, on):
    """Prints and writes the results."""
    speedup = on["final_throughput"] / off["final_throughput"]
    (args.out / "result.json").write_text(
        json.dumps({"off": off, "on": on, "speedup": speedup}, indent=1))
    draw(off, on, args.out / "hit_rate.png")
    print_table(off, on)
    print(f"\n{climb(on['timeline'])}")
    print(f"speedup: {speedup:.2f} (final tenth of the runs; "
          f"slow disk: {on['slow_disk']})")
    print(f"{args.out}/result.json and hit_rate.png hold the details")
    for name, value, wanted in (
            ("final fast hit rate", on["final_fast_hit_rate"],
             WANTED_HIT_RATE),
            ("speedup", speedup, WANTED_SPEEDUP)):
        if value < wanted:
            print(f"below the goal: {name} {value:.2f} < {wanted:.2f} "
                  "(is the machine busy with something else?)")
    if bench_runner.promoted_bytes(on) == 0:
        raise BenchError("nothing was promoted")


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=bench_runner.DEFAULT_BENCH)
    parser.add_argument("--out", type=pathlib.Path,
                        default=bench_runner.TOOLS.parent / "build/demo")
    parser.add_argument("--records", type=int,
                        default=int(os.environ.get("DEMO_RECORDS", 4000000)))
    parser.add_argument("--off-secs", type=int, default=40)
    parser.add_argument("--on-secs", type=int, default=200)
    return bench_runner.parse_paths(parser)


def main():
    args = parse_args()
    start = time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    data_bytes = args.records * RECORD_BYTES
    room_bytes = int(data_bytes * SLOW_DISK_ROOM) + (1 << 30)
    disk_folder = args.out / "disk"
    fast_path = args.out / "fast"
    bench_runner.remove_slow_disk(disk_folder)
    bench_runner.check_room(args.out, room_bytes,
                            "DEMO_RECORDS makes it smaller")
    try:
        with bench_runner.SlowDisk(disk_folder, room_bytes,
                                   SLOW_PROFILE) as slow_disk:
            off, on = measure(args, slow_disk, fast_path)
        report(args, off, on)
    finally:
        with bench_runner.ignoring_signals():
            bench_runner.remove_slow_disk(disk_folder)
            shutil.rmtree(fast_path, ignore_errors=True)
    print(f"the demo took {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    bench_runner.main_of(main, "demo")
