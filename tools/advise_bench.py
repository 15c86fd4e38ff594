#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Checks what `ldb hotrap advise` says of other budgets by runs with them.

    tools/advise_bench.py [--small] [--build=build/release] [--folder=DIR]

For each workload, the same data and reads run with half, once and twice a
budget. The run with the budget itself says what the others will give. Fails if
that is wrong by more than 3 points, with --small by more than 5.
Hit rates are of the last accesses of a run, as RALT weighs them: reads that a
table on the fast path answered, of those that a table answered.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "scripts"))
from base import BUILD  # noqa: E402

FACTORS = (0.5, 1, 2)
WORKLOADS = {
    "hotspot": ("--distribution=hotspot", "--hotspot_fraction=0.06",
                "--hotspot_ops=0.9"),
    "zipf": ("--distribution=zipf", "--zipf_theta=0.99"),
    "uniform": ("--distribution=uniform",),
}


class Scale:
    def __init__(self, small):
        self.tolerance = 0.05 if small else 0.03
        self.records = 50_000 if small else 1_000_000
        # Of a tenth of the data.
        self.budget = self.records * 1000 // 10
        self.ops = self.records * (8 if small else 20)


def bench(build, folder, scale, factor, flags):
    """Returns what `advise` says after a run with `factor` times the budget."""
    fast, slow = folder / "fast", folder / "slow"
    shutil.rmtree(folder, ignore_errors=True)
    for path in (fast, slow):
        path.mkdir(parents=True)
    command = (build / "hotrap_bench", f"--fast_path={fast}",
               f"--slow_path={slow}",
               f"--fast_bytes={scale.budget * factor:.0f}",
               f"--records={scale.records}", f"--run_ops={scale.ops}",
               "--run_secs=0", "--mix=RO", "--threads=2", "--direct_io=false",
               "--block_cache_bytes=1000000",
               "--options=hotrap={enabled=true;cached_hit_sampling=1;"
               "promote_only_if_slower=false;}", *flags)
    run = subprocess.run(command, text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{run.stdout}")
    said = subprocess.run(
        (build / "tools/ldb", f"--db={fast}", "hotrap", "advise", "--json"),
        text=True, check=False, capture_output=True)
    if said.returncode:
        sys.exit(f"ldb hotrap advise: {said.stdout}{said.stderr}\n{run.stdout}")
    shutil.rmtree(folder)
    return next(iter(json.loads(said.stdout).values()))


def at(advice, budget):
    return min(advice["points"],
               key=lambda point: abs(point["budget_bytes"] - budget))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD / "release")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--workloads", nargs="*", default=list(WORKLOADS))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    scale = Scale(options.small)
    wrong, results = [], {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in options.workloads:
            runs = {factor: bench(options.build, pathlib.Path(folder) / "db",
                                  scale, factor, WORKLOADS[name])
                    for factor in FACTORS}
            results[name] = runs
            for factor in FACTORS:
                said = at(runs[1], scale.budget * factor)
                measured = runs[factor]["measured_hit_rate"]
                off = abs(said["hit_rate"] - measured)
                print(f"{name:8} x{factor:<4} advised "
                      f"{said['hit_rate']:.3f} +- {said['error']:.3f}, "
                      f"measured {measured:.3f}, off by {off:.3f}", flush=True)
                if off > scale.tolerance:
                    wrong.append(f"{name} x{factor}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    if wrong:
        sys.exit(f"advise was wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
