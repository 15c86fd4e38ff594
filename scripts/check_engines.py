#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs the MyRocks- and the TiKV-style program over two paths with HotRAP,
kills them, and has them check everything after each kill.

A variant is a program with some of its flags. It gets a folder of its own and
is started, killed at a random time, started again in the same folder, and so
on; the last run ends by itself. A program checks its invariants all the time,
and after a kill that nothing acknowledged is lost; see docs/engines.md. The
sabotaged variants have a record removed behind their model's back, and must say
so.

Prints a table: kills, operations, invariants checked, hits on the fast tier,
records promoted by flush and by compaction, and records retained. Exits with 1
if a program found a violation, ended in another way, or if HotRAP promoted
nothing where it should; then the folder is kept, with the output in run.log.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

from base import BUILD

TAIL_LINES = 15
# A killed run that has not written its report yet is not counted.
REPORT = "report.json"


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    program: str
    flags: tuple = ()
    # False where HotRAP does not promote, by design.
    promotes: bool = True
    # Whether a record is removed behind the model's back: the run must fail.
    sabotaged: bool = False


VARIANTS = (
    Variant("myrocks", "myrocks_style"),
    Variant("tikv", "tikv_style"),
    Variant("tikv-txn-only", "tikv_style",
            ("--raw_ttl=false", "--write_mode=plain", "--db_paths")),
    Variant("tikv-write-gets", "tikv_style",
            ("--write_gets=2", "--write_mode=unordered")),
    Variant("myrocks-write-prepared", "myrocks_style",
            ("--write_policy=write_prepared",), promotes=False),
    Variant("myrocks-sabotaged", "myrocks_style", ("--sabotage",),
            sabotaged=True),
    Variant("tikv-sabotaged", "tikv_style", ("--sabotage",), sabotaged=True),
)
QUICK = ("myrocks", "tikv", "tikv-sabotaged")


class EngineError(Exception):
    """A program failed; the message is for people."""


@dataclasses.dataclass
class Sums:
    kills: int = 0
    secs: float = 0.0
    operations: int = 0
    checked: int = 0
    fast: int = 0
    slow: int = 0
    by_flush: int = 0
    by_compaction: int = 0
    retained: int = 0
    families: dict = dataclasses.field(default_factory=dict)

    def add(self, report):
        self.secs += report["secs"]
        self.operations += sum(report.get("operations", {}).values())
        self.checked += sum(report.get("checked", {}).values())
        for name, figures in report.get("column_families", {}).items():
            family = self.families.setdefault(name, {})
            for key, value in figures.items():
                if isinstance(value, int) and not key.endswith("_bytes"):
                    family[key] = family.get(key, 0) + value
            self.fast += (figures["get_hits_fast"] +
                          figures["get_hits_promotion_cache"])
            self.slow += figures["get_hits_slow"]
            self.by_flush += figures["promoted_records"]
            self.by_compaction += figures["compaction_promoted_records"]
            self.retained += figures["retained_records"]

    def hit_rate(self):
        return self.fast / max(1, self.fast + self.slow)


class Check:
    def __init__(self, args):
        self.args = args
        self.rng = random.Random(args.seed)

    def start(self, variant, folder, secs, log):
        command = [str(self.args.build / variant.program),
                   f"--folder={folder / 'db'}", f"--secs={secs}",
                   f"--seed={self.rng.randrange(1, 1 << 31)}",
                   f"--json={folder / REPORT}", *variant.flags]
        log.write(" ".join(command) + "\n")
        log.flush()
        return subprocess.Popen(command, stdout=log, stderr=log)

    @staticmethod
    def collect(folder, sums):
        report = folder / REPORT
        if report.exists():
            sums.add(json.loads(report.read_text()))
            report.unlink()

    @staticmethod
    def fail(variant, folder, message):
        lines = (folder / "run.log").read_text(errors="replace").splitlines()
        tail = "\n".join("  " + line for line in lines[-TAIL_LINES:])
        raise EngineError(f"{variant.name}: {message}\n{tail}\n"
                          f"{folder} is kept")

    def run(self, variant):
        folder = self.args.folder / variant.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sums = Sums()
        with open(folder / "run.log", "w") as log:
            for _ in range(0 if variant.sabotaged else self.args.kills):
                self.kill_one(variant, folder, sums, log)
            process = self.start(variant, folder, self.args.secs, log)
            # Also time to load, to verify and to compare.
            limit = 8 * self.args.secs + 600
            try:
                code = process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.fail(variant, folder, f"did not end in {limit} s")
        if variant.sabotaged:
            if code != 1 or "VIOLATED" not in (
                    folder / "run.log").read_text(errors="replace"):
                self.fail(variant, folder,
                          f"did not notice the sabotage, ended with {code}")
        elif code != 0:
            self.fail(variant, folder, f"ended with {code}")
        self.collect(folder, sums)
        promoted = sums.by_flush + sums.by_compaction
        if variant.promotes and not variant.sabotaged and promoted == 0:
            self.fail(variant, folder, "nothing was promoted")
        if not self.args.keep:
            shutil.rmtree(folder)
        return sums

    def kill_one(self, variant, folder, sums, log):
        process = self.start(variant, folder, 10 * self.args.secs, log)
        end = time.monotonic() + self.rng.uniform(*self.args.kill_after)
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.05)
        if process.poll() is not None:
            self.fail(variant, folder,
                      f"ended with {process.returncode} before it was killed")
        process.send_signal(signal.SIGKILL)
        process.wait()
        log.write("killed\n")
        log.flush()
        sums.kills += 1
        self.collect(folder, sums)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path,
                        default=BUILD / "release",
                        help="folder of the programs")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=BUILD / "engines",
                        help="for the DBs; deleted before and after")
    secs = os.environ.get("ENGINE_SECS", "")
    parser.add_argument("--secs", type=int, default=int(secs or 15),
                        help="of the last run of each variant; default "
                        "ENGINE_SECS, or 15")
    parser.add_argument("--kills", type=int, default=10 if secs else 2,
                        help="per variant; default 2, or 10 with ENGINE_SECS")
    parser.add_argument("--kill-after", type=float, nargs=2,
                        metavar=("MIN", "MAX"),
                        default=(6, 30) if secs else (5, 9),
                        help="seconds from a start to the kill")
    parser.add_argument("--only", action="append",
                        choices=[variant.name for variant in VARIANTS],
                        help="this variant; default "
                        f"{', '.join(QUICK)}, or all with ENGINE_SECS")
    parser.add_argument("--seed", type=int, default=time.time_ns() % (1 << 31))
    parser.add_argument("--json", type=pathlib.Path,
                        help="write all sums to this file")
    parser.add_argument("--keep", action="store_true",
                        help="keep the folders")
    args = parser.parse_args()
    if args.only is None:
        args.only = [v.name for v in VARIANTS] if secs else list(QUICK)
    return args


def main():
    args = parse_arguments()
    check = Check(args)
    print(f"seed {args.seed}")
    results = {}
    for variant in VARIANTS:
        if not (args.build / variant.program).exists():
            print(f"check_engines: {args.build / variant.program} is not "
                  "there; build it with `make check-engines`",
                  file=sys.stderr)
            return 2
    print(f"{'variant':<24}{'kills':>6}{'secs':>7}{'operations':>12}"
          f"{'checked':>12}{'hits fast':>11}{'by flush':>10}"
          f"{'by compaction':>15}{'retained':>10}", flush=True)
    try:
        for variant in VARIANTS:
            if variant.name not in args.only:
                continue
            sums = check.run(variant)
            results[variant.name] = dict(dataclasses.asdict(sums),
                                         hit_rate=sums.hit_rate())
            print(f"{variant.name:<24}{sums.kills:>6}{sums.secs:>7.0f}"
                  f"{sums.operations:>12}{sums.checked:>12}"
                  f"{sums.hit_rate():>11.3f}{sums.by_flush:>10}"
                  f"{sums.by_compaction:>15}{sums.retained:>10}", flush=True)
    except EngineError as error:
        print(f"check_engines: {error}", file=sys.stderr)
        return 1
    if args.json is not None:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
