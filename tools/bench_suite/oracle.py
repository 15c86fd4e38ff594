#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The oracle of a run: what the best placement would answer without the slow
disk. hotrap_bench computes it; docs/hotrap_bench.md has the formula."""

import json
import subprocess
import tempfile

from bench_runner import BenchError

# Fields of a row by the block size of a clairvoyant cache.
BLOCK_CACHES = {"4096": "block_cache_4k", "16384": "block_cache_16k"}
# What a row of the summary has after its case.
COLUMNS = ("oracle", *BLOCK_CACHES.values())
# Their cases are those of other groups.
REPEATED_GROUPS = ("profile", "cached-profile", "paced", "hdd")


def of_result(result):
    """Returns fields of a row, of the final tenth: hit rates, and how many
    percentage points the run is below the oracle. Other builds of the driver
    have none."""
    found = result.get("oracle")
    if not found:
        return {}
    blocks = found["final"].get("block_cache_hit_rate", {})
    return {"oracle": found["final"]["hit_rate"],
            "points_below_oracle": found.get("final_points_below"),
            **{name: blocks.get(size) for size, name in BLOCK_CACHES.items()}}


def compute(program, run):
    """Returns what of_result does, of a run that need not have been made."""
    cache_bytes = int(run.dataset.data_bytes * run.cache_share)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run(
            [str(program), "--oracle_only", f"--json={file.name}",
             f"--block_cache_bytes={cache_bytes}", *run.dataset.flags,
             *run.system.flags(run.dataset), *run.flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            check=False)
        if done.returncode != 0:
            raise BenchError(f"{run.name}: {done.stderr}")
        result = json.load(file)
    # Of a run with phases, the last one is that of its final tenth.
    return of_result(result if "oracle" in result
                     else result.get("phases", [{}])[-1])


def is_known(run, throughput):
    """Whether it can be said afterwards which requests a run replayed, if it
    did: all of them, when its limit of time was far away."""
    told = dict(flag.partition("=")[::2]
                for flag in (*run.dataset.flags, *run.flags))
    if not {"--trace", "--twitter_cluster"} & set(told):
        return True
    return throughput * int(told.get("--run_secs", 0)) > \
        2 * int(told.get("--run_ops", 1 << 62))


def compute_all(program, chosen):
    """Rows as the summary has them. `chosen` are pairs of a run and its
    throughput; HotRAP's are taken."""
    by_case = {}
    for run, throughput in chosen:
        if run.system.name == "hotrap" and not run.script and \
                run.group not in REPEATED_GROUPS and \
                run.case not in by_case and is_known(run, throughput):
            by_case[run.case] = compute(program, run)
    return [[*case, *(row[name] for name in COLUMNS)]
            for case, row in by_case.items() if row]
