#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Measures what HotRAP costs a Get that finds everything in the block cache.

Loads a small DB and reads it in one process, through a block cache that holds
everything, alternating short slices with HotRAP off and on. Both have the same
tree and the same memory, and if the machine is slow for a while, it slows both.
The order changes from pair to pair.

For each workload, prints the mean over the pairs of slices, and its standard
error, of the ratio of Gets answered with HotRAP on and off, including RALT's
background work, and of the CPU time per Get in its own thread.
"""

import argparse
import json
import pathlib
import shutil
import statistics

import bench_runner
from bench_runner import FAST_SHARE, KEY_BYTES, THREADS

# The cache must also hold what promotion writes.
CACHE_TIMES_DATA = 2
# Both with HotRAP's level targets.
# Both folders may be on one disk.
VARIANTS = {"off": "hotrap={enabled=false}",
            "on": "hotrap={enabled=true;promote_only_if_slower=false}"}
MEASURES = {
    "Gets/s": lambda r: r["throughput"],
    "client CPU, ns": lambda r: r["client_cpu_secs"] / r["gets"] * 1e9,
}
WANTED_GETS = 0.97


def bench_command(args, threads):
    data_bytes = args.records * (KEY_BYTES + args.value_bytes)
    return [
        str(args.bench), f"--fast_path={args.out}/fast",
        f"--slow_path={args.out}/slow",
        f"--fast_bytes={int(data_bytes * FAST_SHARE)}",
        f"--records={args.records}", f"--key_bytes={KEY_BYTES}",
        f"--value_bytes={args.value_bytes}", f"--threads={threads}",
        f"--block_cache_bytes={data_bytes * CACHE_TIMES_DATA}",
    ]


def order(pair):
    names = list(VARIANTS)
    return names if pair % 2 == 0 else names[::-1]


def phases(args, distribution):
    # Uniform reads fill the cache with all data. Then HotRAP learns.
    yield f"distribution=uniform;ops={args.warm_ops}"
    yield (f"distribution={distribution};secs={args.learn_secs};"
           f"options={{{VARIANTS['on']}}}")
    for pair in range(args.pairs):
        for variant in order(pair):
            yield (f"distribution={distribution};secs={args.slice_secs};"
                   f"name={variant};options={{{VARIANTS[variant]}}}")


def measure(args, name, distribution, threads):
    """Returns the pairs of slices, each {variant: measurements of the
    phase}."""
    result = bench_runner.run_bench(
        bench_command(args, threads) + [
            "--existing_db", "--mix=RO", f"--options={VARIANTS['off']}",
            "--phases=" + ":".join(
                f"{{{phase}}}" for phase in phases(args, distribution))],
        args.out / "run.json", name)
    slices = result["phases"][-2 * args.pairs:]
    cached = (sum(one["gets_without_io"] for one in slices) /
              sum(one["gets"] for one in slices))
    if cached < args.wanted_cached:
        raise bench_runner.BenchError(
            f"{name}: only {cached:.4f} of the Gets were cached")
    return [dict(zip(order(pair), slices[2 * pair:2 * pair + 2]))
            for pair in range(args.pairs)]


def summarize(pairs):
    rows = {}
    for measure_name, value in MEASURES.items():
        row = {variant: statistics.mean(value(pair[variant])
                                        for pair in pairs)
               for variant in VARIANTS}
        ratios = [value(pair["on"]) / value(pair["off"]) for pair in pairs]
        row["ratio"] = statistics.mean(ratios)
        row["standard_error"] = statistics.stdev(ratios) / len(ratios) ** 0.5
        row["median"] = statistics.median(ratios)
        row["ratios"] = ratios
        rows[measure_name] = row
    return rows


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=bench_runner.DEFAULT_BENCH)
    parser.add_argument("--out", type=pathlib.Path,
                        default=bench_runner.TOOLS.parent /
                        "build/cached_get_cost")
    # With small budgets RALT flushes often, and its files' fixed costs matter.
    parser.add_argument("--records", type=int, default=1000000)
    parser.add_argument("--value-bytes", type=int, default=1000)
    parser.add_argument("--warm-ops", type=int, default=4000000)
    parser.add_argument("--learn-secs", type=int, default=6)
    parser.add_argument("--slice-secs", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=120,
                        help="at least 2; of slices, a workload")
    parser.add_argument("--threads", type=int, nargs="+", default=[THREADS])
    parser.add_argument("--distributions", nargs="+",
                        default=["uniform", "hotspot"])
    parser.add_argument("--wanted-cached", type=float, default=0.98,
                        help="share of the Gets that must do no I/O")
    args = parser.parse_args()
    if args.pairs < 2:
        parser.error("--pairs must be at least 2")
    args.bench = args.bench.resolve()
    args.out = args.out.resolve()
    return args


def main():
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    summary = {}
    try:
        for distribution in args.distributions:
            for threads in args.threads:
                name = f"{distribution}, {threads} threads"
                # Load again, because HotRAP has promoted from the data.
                remove_db(args)
                bench_runner.run_bench(
                    bench_command(args, THREADS) +
                    ["--norun", f"--options={VARIANTS['off']}"],
                    args.out / "run.json", f"load for {name}")
                summary[name] = summarize(
                    measure(args, name, distribution, threads))
    finally:
        with bench_runner.ignoring_signals():
            remove_db(args)
    (args.out / "result.json").write_text(json.dumps(summary, indent=1))
    print(f"\n{'means':40} {'off':>9} {'on':>9} on/off  error")
    for name, rows in summary.items():
        for measure_name, row in rows.items():
            print(f"{name + ': ' + measure_name:40} {row['off']:9.0f} "
                  f"{row['on']:9.0f} {row['ratio']:6.3f}  "
                  f"{row['standard_error']:.3f}")
        if rows["Gets/s"]["ratio"] < WANTED_GETS:
            print(f"    below {WANTED_GETS}")


def remove_db(args):
    for tier in ("fast", "slow"):
        shutil.rmtree(args.out / tier, ignore_errors=True)


if __name__ == "__main__":
    bench_runner.main_of(main, "cached_get_cost")
