#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""HotRAP with and without its parts (paper section 4.5), and its write
amplification beside the analysis of section 3.6.

Loads with HotRAP off and on, runs every variant on a copy of that data, on a
slow disk, and prints a table and the goals. Results that are in the output
folder already, from the same flags, are not measured again. The data is always
removed at the end, even after Ctrl-C or an error.
"""

import argparse
import json
import pathlib

import bench_runner
from bench_suite import ablation, runner, store, write_amplification
from bench_suite.runs import Dataset

EXTRA_LEVEL = "settled_extra_level"


def print_table(results):
    width = max(map(len, ablation.VARIANTS))
    print("\n" + " " * width +
          "".join(f" {name:>11}" for name, *_ in ablation.COLUMNS))
    print(" " * width +
          "".join(f" {unit:>11}" for _, unit, *_ in ablation.COLUMNS))
    for name, result in results.items():
        print(f"{name:{width}}" + "".join(
            f" {form.format(value(result)):>11}"
            for _, _, form, value in ablation.COLUMNS))


def print_analyses(analyses):
    print("\nwrite amplification: plain is with HotRAP's level targets and "
          "nothing hot; p is the measured cold fraction")
    for name, figures in analyses.items():
        print(f"{name}: measured {figures['measured']:.2f}, analysis "
              f"{figures['analysis']:.2f} (plain {figures['plain']:.2f}, "
              f"crossing {figures['crossing_step']:.2f}, "
              f"p {figures['cold_fraction']:.2f}); promotion by flush "
              f"{figures['promotion_written']:.2f}")


def report(args, scale, results):
    print_table(results)
    plain = results.get(ablation.PLAIN)
    analyses = {name: write_amplification.analyse(
        plain, results[name], name == EXTRA_LEVEL)
        for name in ("settled", EXTRA_LEVEL) if plain and name in results}
    print_analyses(analyses)
    checks = ablation.judge(results)
    print()
    for check in checks:
        verdict = {True: "ok  ", False: "MISS", None: ""}[check["holds"]]
        print(f"{verdict:4} {check['what']}: {check['shown']} "
              f"({check['wanted']})")
    (args.out / "summary.json").write_text(json.dumps({
        "scale": scale,
        "checks": checks,
        "write_amplification": analyses,
        "variants": {name: {column: value(result)
                            for column, _, _, value in ablation.COLUMNS}
                     for name, result in results.items()},
    }, indent=1))
    print(f"{args.out}/summary.json and results/ hold the details")


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=bench_runner.DEFAULT_BENCH)
    parser.add_argument("--out", type=pathlib.Path,
                        default=bench_runner.TOOLS.parent / "build/ablations")
    parser.add_argument("--records", type=int, default=4000000)
    parser.add_argument("--value-bytes", type=int, default=1000)
    parser.add_argument("--rw-ops", type=int,
                        help="operations of RW; default: so many that as many "
                        "records are inserted as were loaded")
    parser.add_argument("--ro-ops", type=int,
                        help="operations of RO; default: two for each record")
    parser.add_argument("--seed", type=int, default=1, help="of the runs")
    parser.add_argument("--only", nargs="+", choices=ablation.VARIANTS,
                        default=list(ablation.VARIANTS), metavar="VARIANT",
                        help=f"of {', '.join(ablation.VARIANTS)}")
    return bench_runner.parse_paths(parser)


def main():
    args = parse_args()
    scale = {"records": args.records, "value_bytes": args.value_bytes,
             "rw_ops": args.rw_ops, "ro_ops": args.ro_ops}
    results = store.ResultStore(args.out / "results", scale)
    dataset = Dataset(
        "ablation", args.records * (bench_runner.KEY_BYTES + args.value_bytes),
        (f"--records={args.records}",
         f"--key_bytes={bench_runner.KEY_BYTES}",
         f"--value_bytes={args.value_bytes}"))
    jobs = [(ablation.run_of(name, dataset, args.records, args.rw_ops,
                             args.ro_ops), args.seed) for name in args.only]
    with bench_runner.alone_in(args.out):
        runner.Runner(args.out, results, jobs, args.bench).run_all()
    found = {one["system"]: one["result"] for one in results.read_all()
             if one["repeat"] == args.seed}
    report(args, scale, {name: found[name] for name in ablation.VARIANTS
                         if name in found})


if __name__ == "__main__":
    bench_runner.main_of(main, "ablations")
