#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Draws what the fast path holds over time, against its budget: while ten
budgets are loaded at full speed, while records are read and written as fast as
the DB takes it, while a hotspot is read, and while the DB is backed up.

    tools/budget_bench.py [--small] [--build=build/release] [--folder=DIR]
                          [--plot=FILE] [--json=FILE]

Tables, whole or not, and RALT's files count, every 100 ms. Fails if a sample is
above the budget plus the largest output of a compaction within the fast tier,
as the LOG has it.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "scripts"))
from base import BUILD  # noqa: E402

RECORD_BYTES = 1024
INTERVAL_SECS = 0.1
EVENT = re.compile(r"EVENT_LOG_v1 (\{.*\})")


class Sampler:
    """Notes (seconds, bytes, phase) of a folder until it is stopped."""

    def __init__(self, folder):
        self.folder, self.samples, self.phase = folder, [], ""
        self._start, self._done = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def bytes(self):
        total = 0
        for path in (*self.folder.glob("*.sst"),
                     *self.folder.glob("hotrap.ralt.*/*")):
            try:
                total += path.stat().st_size
            except FileNotFoundError:
                pass  # deleted meanwhile
        return total

    def _run(self):
        while not self._done.wait(INTERVAL_SECS):
            if self.phase:
                self.samples.append((time.monotonic() - self._start,
                                     self.bytes(), self.phase))


def run(command):
    done = subprocess.run([str(word) for word in command], text=True,
                          check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


def largest_output(folder, first_slow_level):
    """Returns the bytes of the largest output within the fast tier."""
    largest = 0
    for log in folder.glob("LOG*"):
        for line in log.read_text(errors="replace").splitlines():
            match = EVENT.search(line)
            event = json.loads(match[1]) if match else {}
            if event.get("event") == "compaction_finished" and \
                    event["output_level"] < first_slow_level:
                largest = max(largest, event["total_output_size"])
    return largest


def phases(options, folder):
    """Returns the samples, the limit, and the results of hotrap_bench."""
    fast, slow = folder / "fast", folder / "slow"
    for path in (fast, slow):
        path.mkdir(parents=True)
    bench = [options.build / "hotrap_bench", f"--fast_path={fast}",
             f"--slow_path={slow}", f"--fast_bytes={options.budget}",
             f"--records={10 * options.budget // RECORD_BYTES}",
             "--direct_io=false", "--distribution=hotspot", "--threads=4",
             "--run_ops=0",
             # Both folders may be on one disk.
             "--options=hotrap={enabled=true;promote_only_if_slower=false;}"]
    results = {}
    with Sampler(fast) as sampler:
        def bench_phase(name, *flags):
            result = folder / f"{name}.json"
            sampler.phase = name
            run((*bench, *flags, f"--json={result}"))
            sampler.phase = ""
            results[name] = json.loads(result.read_text())

        bench_phase("load", "--run=false")
        bench_phase("steady", "--existing_db", "--mix=RO",
                    f"--run_secs={options.secs}")
        bench_phase("burst", "--existing_db", "--mix=WH",
                    f"--run_secs={options.secs}")
        sampler.phase = "backup"
        run((options.build / "tools/ldb", f"--db={fast}",
             f"--backup_dir={folder / 'backup'}", "backup"))
    stats = subprocess.run(
        (options.build / "tools/ldb", f"--db={fast}", "hotrap", "stats"),
        text=True, check=True, capture_output=True).stdout
    level = int(re.search(r"first_slow_level\W+(\d+)", stats)[1])
    return (sampler.samples, options.budget + largest_output(fast, level),
            results)


def draw(samples, options, limit):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    _, axes = pyplot.subplots(figsize=(8, 3.5))
    for number, phase in enumerate(dict.fromkeys(s[2] for s in samples)):
        part = [s for s in samples if s[2] == phase]
        axes.plot([s[0] for s in part], [s[1] / 1e6 for s in part],
                  f"C{number}", label=phase)
    axes.axhline(options.budget / 1e6, color="k", label="budget")
    axes.axhline(limit / 1e6, color="k", linestyle=":",
                 label="budget + one output")
    axes.set(xlabel="seconds", ylabel="MB on the fast path", ylim=(0, None))
    axes.legend(loc="lower right", fontsize="small")
    pyplot.tight_layout()
    pyplot.savefig(options.plot)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD / "release")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.budget = (64 if options.small else 1024) << 20
    options.secs = 10 if options.small else 60
    folder = pathlib.Path(tempfile.mkdtemp(dir=options.folder))
    try:
        samples, limit, results = phases(options, folder)
    finally:
        shutil.rmtree(folder)
    if options.json:
        options.json.write_text(json.dumps(
            {"budget": options.budget, "limit": limit, "samples": samples,
             "runs": results}))
    if options.plot:
        draw(samples, options, limit)
    over = []
    for phase in dict.fromkeys(sample[2] for sample in samples):
        most = max(s[1] for s in samples if s[2] == phase)
        print(f"{phase:7} at most {most / options.budget:.3f} budgets, "
              f"{limit / options.budget:.3f} allowed", flush=True)
        if most > limit:
            over.append(phase)
    if over:
        sys.exit(f"more than the budget and one output: {', '.join(over)}")


if __name__ == "__main__":
    main()
