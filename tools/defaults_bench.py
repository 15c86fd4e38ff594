#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Compares HotRAP with RocksDB's defaults with the demo's settings.

For each size of records and number of threads, the same data is loaded and read
twice: with what the demo sets by hand (level sizes, blocks, filters, threads of
compactions), and with `enabled=true`, two paths and otherwise what RocksDB has.
Between these, --only=NAME sets one of the demo's settings, which shows what
each of them is worth. Prints a line for each run, and writes result.json.

RocksDB's max_bytes_for_level_base needs a fast budget of 512 MiB: with less
data than ten times that, the base is given as a twelfth of the budget in all
runs, and the line says so.
"""

import argparse
import json
import pathlib
import shutil

import bench_runner
from bench_runner import BLOCK_CACHE_SHARE, FAST_SHARE, KEY_BYTES, BenchError

DEFAULT_BASE_BYTES = 256 << 20
TOLERANCE = 0.10

# What the demo sets, by name: flags of hotrap_bench, and what RocksDB has.
FLAGS = {
    "blocks": (["--block_bytes=16384", "--block_align"],
               ["--block_bytes=4096", "--noblock_align"]),
    "filters": (["--bloom_bits_per_key=10"], ["--bloom_bits_per_key=0"]),
    "jobs": (["--max_background_jobs=8"], ["--max_background_jobs=2"]),
}
# The same for options of the column family; the demo's come from the driver.
LEVELS = "levels"


def default_levels(fast_bytes):
    """Returns options, and whether the base is RocksDB's."""
    fits = fast_bytes >= 2 * DEFAULT_BASE_BYTES
    base = DEFAULT_BASE_BYTES if fits else fast_bytes // 12
    return (f"max_bytes_for_level_base={base};"
            "max_bytes_for_level_multiplier=10;"
            "max_bytes_for_level_multiplier_additional=1;"
            f"target_file_size_base={min(64 << 20, base)};"
            "target_file_size_multiplier=1;"
            f"write_buffer_size={min(64 << 20, base)};"
            "max_write_buffer_number=2;"), fits


class Comparison:
    def __init__(self, args, slow_disk):
        self.args = args
        self.slow_disk = slow_disk
        self.fast_path = args.out / "fast"

    def run(self, value_bytes, threads, by_hand):
        """Loads and reads. `by_hand` are the demo's settings in use."""
        records = self.args.data_bytes // (KEY_BYTES + value_bytes)
        fast_bytes = int(self.args.data_bytes * FAST_SHARE)
        flags = []
        for name, (demo, default) in FLAGS.items():
            flags += demo if name in by_hand else default
        options = "hotrap={enabled=true}"
        if LEVELS not in by_hand:
            options = default_levels(fast_bytes)[0] + options
        command = self.slow_disk.throttled([
            str(self.args.bench), f"--fast_path={self.fast_path}",
            f"--slow_path={self.slow_disk.path}",
            f"--fast_bytes={fast_bytes}", f"--records={records}",
            f"--key_bytes={KEY_BYTES}", f"--value_bytes={value_bytes}",
            "--mix=RO", "--distribution=hotspot", "--hotspot_fraction=0.05",
            f"--threads={threads}", f"--run_secs={self.args.secs}",
            "--block_cache_bytes="
            f"{round(self.args.data_bytes * BLOCK_CACHE_SHARE)}",
            "--direct_io", f"--options={options}", *flags])
        name = f"{value_bytes} B, {threads} threads, " + (
            "+".join(sorted(by_hand)) or "defaults")
        try:
            result = bench_runner.run_bench(command, self.args.out / "run.json",
                                            name)
        finally:
            for path in (self.fast_path, *self.slow_disk.path.glob("*")):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                elif path.suffix in (".sst", ".blob"):
                    path.unlink()
        return {"reads_per_sec": result["final_throughput"],
                "fast_hit_rate": result["final_fast_hit_rate"],
                "read_p99_micros":
                    result["final_latency_micros"]["read"]["p99"]}

    def compare(self, value_bytes, threads):
        everything = {*FLAGS, LEVELS}
        runs = {"by_hand": everything, "defaults": set()}
        for name in self.args.only:
            runs[name] = {name}
        results = {name: self.run(value_bytes, threads, by_hand)
                   for name, by_hand in runs.items()}
        best = results["by_hand"]["reads_per_sec"]
        for name, result in results.items():
            share = result["reads_per_sec"] / best
            print(f"{value_bytes:>6} B {threads:>3} threads {name:>10}: "
                  f"{result['reads_per_sec']:>10,.0f} reads/s ({share:.2f}), "
                  f"hit rate {result['fast_hit_rate']:.3f}, "
                  f"p99 {result['read_p99_micros']:,.0f} us", flush=True)
        return {"value_bytes": value_bytes, "threads": threads,
                "base_is_default":
                    default_levels(int(self.args.data_bytes * FAST_SHARE))[1],
                "share": results["defaults"]["reads_per_sec"] / best,
                "results": results}


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=bench_runner.DEFAULT_BENCH)
    parser.add_argument("--out", type=pathlib.Path,
                        default=bench_runner.TOOLS.parent /
                        "build/defaults_bench")
    parser.add_argument("--data-bytes", type=int, default=1 << 30)
    parser.add_argument("--secs", type=int, default=60)
    parser.add_argument("--value-bytes", type=int, nargs="+",
                        default=[176, 1000, 16360])
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 16, 64])
    parser.add_argument("--only", nargs="*", default=[],
                        choices=[*FLAGS, LEVELS])
    return bench_runner.parse_paths(parser)


def main():
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    room_bytes = int(args.data_bytes * 2.5) + (1 << 30)
    disk_folder = args.out / "disk"
    bench_runner.remove_slow_disk(disk_folder)
    bench_runner.check_room(args.out, room_bytes,
                            "--data-bytes makes it smaller")
    try:
        with bench_runner.SlowDisk(disk_folder, room_bytes,
                                   "gp3") as slow_disk:
            comparison = Comparison(args, slow_disk)
            results = [comparison.compare(value_bytes, threads)
                       for value_bytes in args.value_bytes
                       for threads in args.threads]
    finally:
        with bench_runner.ignoring_signals():
            bench_runner.remove_slow_disk(disk_folder)
            shutil.rmtree(args.out / "fast", ignore_errors=True)
    (args.out / "result.json").write_text(json.dumps(results, indent=1))
    worst = min(results, key=lambda result: result["share"])
    print(f"least: {worst['share']:.2f} of what is set by hand, with "
          f"{worst['value_bytes']} B and {worst['threads']} threads")
    if worst["share"] < 1 - TOLERANCE:
        raise BenchError(f"not within {TOLERANCE:.0%}")


if __name__ == "__main__":
    bench_runner.main_of(main, "defaults_bench")
