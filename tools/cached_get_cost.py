#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What HotRAP costs a Get that finds everything in the block cache.

Loads a small DB, then reads it with HotRAP off and on in turn, each time from
a fresh copy, through a block cache that holds it all. Prints the medians of
the CPU time a Get takes: of its own thread, and of the whole process, which
adds RALT's background work; and with one thread its mean latency, which
leaves out what the driver does between two Gets.
"""

import argparse
import json
import pathlib
import shutil
import statistics

import bench_runner

KEY_BYTES = 24
# The cache must also hold what promotion writes anew.
CACHE_TIMES_DATA = 2
# Both with HotRAP's level targets.
VARIANTS = {"off": "hotrap={enabled=false}", "on": "hotrap={enabled=true}"}
MEASURES = {
    "client CPU": lambda r: r["client_cpu_secs"] / r["gets"] * 1e9,
    "process CPU": lambda r: sum(r["cpu_secs"].values()) / r["gets"] * 1e9,
    "mean latency": lambda r: r["latency_micros"]["read"]["mean"] * 1e3,
}
WANTED_RATIO = 1.03


def bench_command(args, fast, slow, threads):
    data_bytes = args.records * (KEY_BYTES + args.value_bytes)
    return [
        str(args.bench), f"--fast_path={fast}", f"--slow_path={slow}",
        f"--fast_bytes={data_bytes // 10}", f"--records={args.records}",
        f"--key_bytes={KEY_BYTES}", f"--value_bytes={args.value_bytes}",
        f"--threads={threads}",
        f"--block_cache_bytes={data_bytes * CACHE_TIMES_DATA}",
    ]


def measure(args, name, distribution, threads, variant):
    """One run; its measured phase comes after one that fills the cache."""
    for tier in ("fast", "slow"):
        bench_runner.clone_db(args.out / "loaded" / tier, args.out / tier)
    command = bench_command(args, args.out / "fast", args.out / "slow",
                            threads) + [
        "--existing_db", "--mix=RO", f"--options={VARIANTS[variant]}",
        # Uniform reads fill the cache with all of the data.
        f"--phases={{distribution=uniform;ops={args.warm_ops}}}:"
        f"{{distribution={distribution};ops={args.warm_ops}}}:"
        f"{{distribution={distribution};ops={args.ops}}}",
    ]
    result = bench_runner.run_bench(command, args.out / "run.json", name)
    phase = result["phases"][-1]
    phase["variant"] = variant
    cached = phase["gets_without_io"] / phase["gets"]
    if cached < args.wanted_cached:
        raise bench_runner.BenchError(
            f"{name}: only {cached:.4f} of the Gets were cached")
    return phase


def summarize(runs):
    """Medians by variant, and how much more `on` takes."""
    rows = {}
    for measure_name, value in MEASURES.items():
        row = {variant: statistics.median(
            value(run) for run in runs if run["variant"] == variant)
            for variant in VARIANTS}
        row["ratio"] = row["on"] / row["off"]
        rows[measure_name] = row
    return rows


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=bench_runner.DEFAULT_BENCH)
    parser.add_argument("--out", type=pathlib.Path,
                        default=bench_runner.TOOLS.parent /
                        "build/cached_get_cost")
    # Small budgets let RALT flush often: its files' fixed costs then count.
    parser.add_argument("--records", type=int, default=1000000)
    parser.add_argument("--value-bytes", type=int, default=1000)
    parser.add_argument("--warm-ops", type=int, default=2000000)
    parser.add_argument("--ops", type=int, default=3000000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--distributions", nargs="+",
                        default=["uniform", "hotspot"])
    parser.add_argument("--wanted-cached", type=float, default=0.98,
                        help="share of the Gets that must do no I/O")
    args = parser.parse_args()
    args.bench = args.bench.resolve()
    args.out = args.out.resolve()
    return args


def main():
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    folders = [args.out / name for name in ("loaded", "fast", "slow")]
    summary = {}
    try:
        load = bench_command(args, args.out / "loaded/fast",
                             args.out / "loaded/slow", 16)
        bench_runner.run_bench(load + [
            "--norun", f"--options={VARIANTS['off']}"],
            args.out / "run.json", "load")
        for distribution in args.distributions:
            for threads in args.threads:
                name = f"{distribution}, {threads} threads"
                runs = [measure(args, f"{name}, {variant}", distribution,
                                threads, variant)
                        for _ in range(args.rounds) for variant in VARIANTS]
                summary[name] = summarize(runs)
    finally:
        with bench_runner.ignoring_signals():
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
    (args.out / "result.json").write_text(json.dumps(summary, indent=1))
    print(f"\n{'nanoseconds a Get, medians':40} {'off':>8} {'on':>8} ratio")
    for name, rows in summary.items():
        for measure_name, row in rows.items():
            verdict = "" if row["ratio"] <= WANTED_RATIO else "  above 1.03"
            print(f"{name + ': ' + measure_name:40} {row['off']:8.0f} "
                  f"{row['on']:8.0f} {row['ratio']:.3f}{verdict}")


if __name__ == "__main__":
    bench_runner.main_of(main, "cached_get_cost")
