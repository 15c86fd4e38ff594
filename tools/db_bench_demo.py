#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The demo (demo.py) with RocksDB's db_bench: `make demo-db-bench`.

The same data, sizes, disks and share of hot records, read by 16 threads with
HotRAP off and then on. db_bench has no hotspot of scattered records. mixgraph
comes close: of KEY_RANGES ranges of keys, the hottest gets HOT_SHARE of the
reads, and two thirds of its keys (5 % of all) are read; --keys_per_prefix
scatters each range over all blocks. Each run is ten calls of mixgraph, of which
the last one is compared, like the demo's final tenth.

Prints the factor, and writes result.json. Needs root, for a disk that the
kernel throttles. Exits with 1 if the factor is not within TOLERANCE of
--demo-factor.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

import bench_runner
from bench_runner import (BLOCK_CACHE_SHARE, FAST_SHARE, KEY_BYTES, THREADS,
                          BenchError)
from demo import (RECORD_BYTES, SLOW_DISK_ROOM, SLOW_PROFILE, VALUE_BYTES)

# The hottest range has 1 / 13 of the keys, of which 1 - 1 / e are read.
KEY_RANGES = 13
HOT_SHARE = 0.95
TENTHS = 10
TOLERANCE = 0.10
RESULT = re.compile(r"^mixgraph +: +[\d.]+ micros/op (\d+) ops/sec",
                    re.MULTILINE)
REPORT = re.compile(r"^HotRAP after mixgraph: hit rate ([\d.]+) .*"
                    r"promoted \d+ records, ([\d.]+) MB", re.MULTILINE)


def shape(fast_bytes, hotrap):
    """Levels as hotrap_bench has them for two fast levels below L0
    (bench/level_shape.cc)."""
    filling = fast_bytes // 12
    base = filling // 4 * 3 if hotrap else filling
    write_buffer = max(1 << 20, min(filling // 4, 64 << 20))
    debt = int(fast_bytes * 6.4)
    return [
        f"--max_bytes_for_level_base={base}",
        "--max_bytes_for_level_multiplier=10",
        "--max_bytes_for_level_multiplier_additional=1,1,2,1,1,1,1",
        "--level_compaction_dynamic_level_bytes=false",
        f"--write_buffer_size={write_buffer}",
        f"--target_file_size_base={base // 8 if hotrap else write_buffer}",
        f"--target_file_size_multiplier={2 if hotrap else 1}",
        f"--soft_pending_compaction_bytes_limit={debt}",
        f"--hard_pending_compaction_bytes_limit={4 * debt}",
    ]


def distribution():
    """mixgraph's share of range i is a * exp(b * i), from the last range on,
    and is counted in units of the smallest one. The first has HOT_SHARE."""
    # All other ranges alike: c * exp(0), and a * exp(b) for the first.
    others = (1 - HOT_SHARE) / (KEY_RANGES - 1)
    steep = -30.0
    return [f"--keyrange_num={KEY_RANGES}",
            f"--keyrange_dist_a={(HOT_SHARE - others) * math.exp(-steep)}",
            f"--keyrange_dist_b={steep}", f"--keyrange_dist_c={others}",
            "--keyrange_dist_d=0"]


class Demo:
    def __init__(self, args, slow_disk):
        self.args = args
        self.slow_disk = slow_disk
        self.fast_path = args.out / "fast"
        self.data_bytes = args.records * RECORD_BYTES
        self.fast_bytes = int(self.data_bytes * FAST_SHARE)

    def bench(self, name, benchmarks, flags, hotrap=False):
        range_size = self.args.records // KEY_RANGES
        command = self.slow_disk.throttled([
            str(self.args.bench),
            f"--benchmarks={benchmarks}",
            f"--db={self.fast_path}",
            f"--db_paths={self.fast_path}:{self.fast_bytes},"
            f"{self.slow_disk.path}",
            f"--num={range_size * KEY_RANGES}",
            f"--key_size={KEY_BYTES}", f"--value_size={VALUE_BYTES}",
            "--prefix_size=8", f"--keys_per_prefix={KEY_RANGES}",
            "--compression_type=none", "--block_size=16384", "--bloom_bits=10",
            f"--cache_size={round(self.data_bytes * BLOCK_CACHE_SHARE)}",
            "--use_direct_reads", "--use_direct_io_for_flush_and_compaction",
            "--max_background_jobs=8", "--max_write_buffer_number=4",
            "--seed=1", *shape(self.fast_bytes, hotrap), *flags])
        print(f"\n== {name} ==", flush=True)
        with open(self.args.out / f"{name}.log", "w", encoding="utf-8") as log:
            code = subprocess.run(command, stdout=log, stderr=log,
                                  check=False).returncode
        output = (self.args.out / f"{name}.log").read_text(errors="replace")
        if code != 0:
            raise BenchError(f"db_bench ended with {code}:\n{output[-2000:]}")
        for rate in RESULT.findall(output):
            print(f"{rate} reads/s")
        return output

    def load(self):
        self.bench("load", "filluniquerandom,flush,waitforcompaction",
                   ["--threads=1", "--disable_wal"])

    def read(self, name, secs, hotrap=False):
        flags = ["--use_existing_db", f"--threads={THREADS}",
                 f"--duration={secs // TENTHS}",
                 "--mix_get_ratio=1", "--mix_put_ratio=0",
                 "--mix_seek_ratio=0", "--sine_mix_rate=false",
                 f"--key_dist_a={KEY_RANGES / self.args.records}",
                 "--key_dist_b=1", *distribution()]
        if hotrap:
            flags.append("--hotrap={enabled=true;}")
        output = self.bench(name, ",".join(["mixgraph"] * TENTHS), flags,
                            hotrap)
        rates = [int(rate) for rate in RESULT.findall(output)]
        if len(rates) != TENTHS:
            raise BenchError(f"{len(rates)} results of mixgraph")
        return {"reads_per_sec": rates, "output": output}


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=bench_runner.DEFAULT_BENCH.with_name(
                            "db_bench"))
    parser.add_argument("--out", type=pathlib.Path,
                        default=bench_runner.TOOLS.parent /
                        "build/demo_db_bench")
    parser.add_argument("--records", type=int,
                        default=int(os.environ.get("DEMO_RECORDS", 4000000)))
    parser.add_argument("--off-secs", type=int, default=40)
    parser.add_argument("--on-secs", type=int, default=200)
    parser.add_argument("--demo-factor", type=float,
                        help="what `make demo` shows; compares with it")
    return bench_runner.parse_paths(parser)


def main():
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    room_bytes = int(args.records * RECORD_BYTES * SLOW_DISK_ROOM) + (1 << 30)
    disk_folder = args.out / "disk"
    bench_runner.remove_slow_disk(disk_folder)
    shutil.rmtree(args.out / "fast", ignore_errors=True)
    bench_runner.check_room(args.out, room_bytes,
                            "DEMO_RECORDS makes it smaller")
    try:
        with bench_runner.SlowDisk(disk_folder, room_bytes,
                                   SLOW_PROFILE) as slow_disk:
            if not slow_disk.in_kernel:
                raise BenchError("db_bench needs a disk that the kernel "
                                 "throttles: run this as root")
            demo = Demo(args, slow_disk)
            demo.load()
            off = demo.read("off", args.off_secs)
            on = demo.read("on", args.on_secs, hotrap=True)
    finally:
        with bench_runner.ignoring_signals():
            bench_runner.remove_slow_disk(disk_folder)
            shutil.rmtree(args.out / "fast", ignore_errors=True)
    factor = on["reads_per_sec"][-1] / off["reads_per_sec"][-1]
    reports = REPORT.findall(on["output"])
    (args.out / "result.json").write_text(json.dumps(
        {"off": off["reads_per_sec"], "on": on["reads_per_sec"],
         "hit_rates": [float(rate) for rate, _ in reports],
         "promoted_megabytes": sum(float(size) for _, size in reports),
         "factor": factor}, indent=1))
    print(f"\nfactor: {factor:.2f} (last of {TENTHS} calls of mixgraph); hit "
          f"rate with HotRAP {reports[-1][0]}")
    if args.demo_factor and abs(factor / args.demo_factor - 1) > TOLERANCE:
        sys.exit(f"not within {TOLERANCE:.0%} of the demo's "
                 f"{args.demo_factor:.2f}")


if __name__ == "__main__":
    bench_runner.main_of(main, "db_bench_demo")
