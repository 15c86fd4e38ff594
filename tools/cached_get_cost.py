#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What HotRAP costs a Get that finds everything in the block cache.

Loads a small DB, then reads it with HotRAP off and on at the same time, each
on a CPU of its own and from a fresh copy, through a block cache that holds it
all; in the next round they change places. The cache is filled with HotRAP off,
as what is promoted meanwhile changes the tree, and with it what any Get costs;
--warm-on measures that as well. So what else slows the machine for a
while slows both. Prints for each workload the median over the rounds of how
many Gets a CPU answered, RALT's background work included, and of the CPU time
a Get took its own thread.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import statistics

import bench_runner

KEY_BYTES = 24
# The cache must also hold what promotion writes anew.
CACHE_TIMES_DATA = 2
# Both with HotRAP's level targets.
OFF = "hotrap={enabled=false}"
VARIANTS = {"off": OFF, "on": "hotrap={enabled=true}"}
MEASURES = {
    "Gets/s": lambda r: r["throughput"],
    "client CPU, ns": lambda r: r["client_cpu_secs"] / r["gets"] * 1e9,
}
WANTED_GETS = 0.97


def bench_command(args, fast, slow, threads):
    data_bytes = args.records * (KEY_BYTES + args.value_bytes)
    return [
        str(args.bench), f"--fast_path={fast}", f"--slow_path={slow}",
        f"--fast_bytes={data_bytes // 10}", f"--records={args.records}",
        f"--key_bytes={KEY_BYTES}", f"--value_bytes={args.value_bytes}",
        f"--threads={threads}",
        f"--block_cache_bytes={data_bytes * CACHE_TIMES_DATA}",
    ]


def measure(args, name, distribution, threads, variant, cpu):
    """One run; its measured phase comes after two that fill the cache."""
    folder = args.out / variant
    for tier in ("fast", "slow"):
        bench_runner.clone_db(args.out / "loaded" / tier, folder / tier)
    command = ["taskset", "-c", str(cpu)] + bench_command(
        args, folder / "fast", folder / "slow", threads) + [
        "--existing_db", "--mix=RO",
        f"--options={VARIANTS[variant] if args.warm_on else OFF}",
        # Uniform reads fill the cache with all of the data.
        f"--phases={{distribution=uniform;ops={args.warm_ops}}}:"
        f"{{distribution={distribution};secs={args.secs // 4};"
        f"options={{{VARIANTS[variant]}}}}}:"
        f"{{distribution={distribution};secs={args.secs}}}",
    ]
    result = bench_runner.run_bench(command, folder / "run.json",
                                    f"{name}, {variant} on CPU {cpu}")
    phase = result["phases"][-1]
    cached = phase["gets_without_io"] / phase["gets"]
    if cached < args.wanted_cached:
        raise bench_runner.BenchError(
            f"{name}: only {cached:.4f} of the Gets were cached")
    return phase


def measure_pair(args, name, distribution, threads, number):
    """Both variants at once, and who was where changes with the number."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {variant: pool.submit(measure, args, name, distribution,
                                     threads, variant, cpu)
                for variant, cpu in zip(VARIANTS, cpus[::(-1) ** number])}
        return {variant: run.result() for variant, run in runs.items()}


def summarize(pairs):
    """Medians, and that of on to off in the same pair."""
    rows = {}
    for measure_name, value in MEASURES.items():
        row = {variant: statistics.median(value(pair[variant])
                                          for pair in pairs)
               for variant in VARIANTS}
        ratios = [value(pair["on"]) / value(pair["off"]) for pair in pairs]
        row["ratio"] = statistics.median(ratios)
        row["ratios"] = ratios
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
    parser.add_argument("--secs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--distributions", nargs="+",
                        default=["uniform", "hotspot"])
    parser.add_argument("--warm-on", action="store_true",
                        help="fill the cache with HotRAP as it is measured")
    parser.add_argument("--wanted-cached", type=float, default=0.98,
                        help="share of the Gets that must do no I/O")
    args = parser.parse_args()
    args.bench = args.bench.resolve()
    args.out = args.out.resolve()
    return args


def main():
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    folders = [args.out / name for name in ("loaded", *VARIANTS)]
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
                summary[name] = summarize(
                    [measure_pair(args, name, distribution, threads, number)
                     for number in range(args.rounds)])
    finally:
        with bench_runner.ignoring_signals():
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
    (args.out / "result.json").write_text(json.dumps(summary, indent=1))
    print(f"\n{'medians':40} {'off':>9} {'on':>9} on/off  pairs")
    for name, rows in summary.items():
        for measure_name, row in rows.items():
            print(f"{name + ': ' + measure_name:40} {row['off']:9.0f} "
                  f"{row['on']:9.0f} {row['ratio']:6.3f}  "
                  + " ".join(f"{ratio:.2f}" for ratio in row["ratios"]))
        if rows["Gets/s"]["ratio"] < WANTED_GETS:
            print(f"    below {WANTED_GETS}")


if __name__ == "__main__":
    bench_runner.main_of(main, "cached_get_cost")
