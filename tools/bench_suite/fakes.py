#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Fake results for tests."""

from bench_suite import metrics


def io_of(**counts):
    purposes = {name: dict.fromkeys(("reads", "read_bytes", "written_bytes"),
                                    0)
                for name in ("read", "compaction", "flush", "promotion",
                             "ralt", "other")}
    return {tier: dict.fromkeys(metrics.IO_COUNTS, 0) | counts |
            {"by_purpose": purposes} for tier in metrics.TIERS}


def point(secs, throughput, hit_rate=0.0, cpu_secs=1.0, **counts):
    return {"secs": secs, "throughput": throughput, "fast_hit_rate": hit_rate,
            "cpu_secs": cpu_secs, "hotspot_bytes": 1000, "phase": 0,
            "io": io_of(**counts)}


def row(system, throughput, repeat=1, **more):
    return {"group": "main", "dataset": "1KiB-x3", "workload": "RO-hotspot",
            "system": system, "repeat": repeat,
            "throughput": throughput} | more


def result_of(run):
    """Returns a result like hotrap_bench's, with the fields that the report
    needs."""
    mix = run.workload.split("-")[0]
    return {
        "config": {"mix": mix, "run_ops": 0, "records": 10, "key_bytes": 24,
                   "value_bytes": 1000, "options": run.system.options},
        "start_unix_secs": 1, "secs": 2, "final_secs": 1, "operations": 20,
        "final_throughput": 10, "final_fast_hit_rate": 0.9, "gets": 20,
        "gets_found": 20, "gets_with_slow_io": 2, "errors": 0,
        "peak_rss_bytes": 1e6, "peak_path_bytes": {"fast": 1, "slow": 1},
        "write_amplification": 0, "final_latency_micros": {},
        "cpu_secs": {"user": 1, "system": 1}, "slow_disk": "kernel",
        "hotrap": {"active": 1, "promotion_cache_capacity": 100},
        "io": io_of(), "timeline": [point(1, 10), point(2, 10)]}
