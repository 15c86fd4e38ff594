#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What is taken from a result of hotrap_bench, and what bounded it."""

# Of the paper's disks: reads a second and bytes a second (docs/hotrap_bench.md,
# "The slow disk").
SLOW_DISKS = {
    "gp3": {"iops": 10000, "bytes": 1000 << 20},
    "hdd": {"iops": 400, "bytes": 250 << 20},
}
# So much of what a device or the CPUs can do bounds a run.
NEARLY_ALL = 0.85
FINAL_SHARE = 0.1
TIERS = ("fast", "slow")
IO_COUNTS = ("reads", "read_bytes", "writes", "written_bytes")
QUANTILES = ("p50", "p90", "p99", "p99.9")
# The hit rate of one second is noisy.
SMOOTHING_POINTS = 3


def final_points(result):
    """The points of the timeline in the final tenth of the run."""
    timeline = result["timeline"]
    start = (1 - FINAL_SHARE) * result["secs"]
    return [point for point in timeline if point["secs"] > start] or \
        timeline[-1:]


def rates(points, all_points):
    """Means over the points: operations, CPU and I/O a second."""
    first = all_points.index(points[0])
    start = all_points[first - 1]["secs"] if first else 0
    secs = points[-1]["secs"] - start

    def mean(value):
        return sum(map(value, points)) / secs
    found = {"cpus": mean(lambda point: point["cpu_secs"])}
    for tier in TIERS:
        for name in IO_COUNTS:
            found[f"{tier}_{name}"] = mean(
                lambda point, tier=tier, name=name: point["io"][tier][name])
    return found


def bound_of(rate, cpus, disk, all_fast, busy_share):
    """In words; None of them: threads wait for each other or for writes."""
    limits = SLOW_DISKS[disk]
    used = {"CPU": rate["cpus"] / cpus}
    if not all_fast:
        used["slow disk's reads a second"] = rate["slow_reads"] / limits["iops"]
        used["slow disk's bandwidth"] = max(
            rate["slow_read_bytes"], rate["slow_written_bytes"]
        ) / limits["bytes"]
    if busy_share is not None:
        used["fast disk (busy)"] = busy_share
    what, share = max(used.items(), key=lambda item: item[1])
    shown = f"{what} {share:.0%}"
    return shown if share >= NEARLY_ALL else f"none alone; most: {shown}"


def fold_tiers(result):
    """For a system whose slow path lies on the fast disk, too: all its I/O is
    that disk's."""
    for io in [result["io"]] + [point["io"] for point in result["timeline"]]:
        fast, slow = (io[tier] for tier in TIERS)
        for name in IO_COUNTS:
            fast[name] += slow[name]
            slow[name] = 0
        for purpose, counts in slow["by_purpose"].items():
            for name in counts:
                fast["by_purpose"][purpose][name] += counts[name]
                counts[name] = 0


def ralt_io_share(result):
    total = ralt = 0
    for tier in TIERS:
        for purpose, counts in result["io"][tier]["by_purpose"].items():
            moved = counts["read_bytes"] + counts["written_bytes"]
            total += moved
            ralt += moved if purpose == "ralt" else 0
    return ralt / total if total else 0


def slow_reads_a_cold_get(result):
    cold = result["gets_with_slow_io"]
    reads = result["io"]["slow"]["by_purpose"]["read"]["reads"]
    return reads / cold if cold else None


def smoothed(values):
    means = []
    for i in range(len(values)):
        window = values[max(0, i + 1 - SMOOTHING_POINTS):i + 1]
        means.append(sum(window) / len(window))
    return means


def reads_until(points, record_bytes, wanted=0.9):
    """Bytes of the records read until the hit rate was as wanted, by the bytes
    of the hotspot; None: never. `points` are those of one hotspot."""
    hit_rates = smoothed([point["fast_hit_rate"] for point in points])
    hotspot_bytes = points[-1]["hotspot_bytes"]
    read_bytes = 0
    last_secs = points[0]["secs"] - 1
    for point, hit_rate in zip(points, hit_rates):
        read_bytes += (point["throughput"] * (point["secs"] - last_secs) *
                       record_bytes)
        last_secs = point["secs"]
        if hit_rate >= wanted:
            return read_bytes / hotspot_bytes if hotspot_bytes else None
    return None


def allowed_memory_bytes(saved):
    """What HotRAP may take beyond RocksDB-fat."""
    stats = saved["result"].get("hotrap", {})
    if "ralt_buffer_memory_bytes" not in stats:
        return None
    # One batch fills while another one is promoted.
    return (2 * stats["promotion_cache_capacity"] +
            stats["ralt_buffer_memory_bytes"] + 0.001 * saved["data_bytes"])


def of_result(saved):
    """One row: what the tables and plots need of a saved result."""
    result = saved["result"]
    row = {name: saved.get(name) for name in
           ("name", "group", "dataset", "workload", "system", "repeat")}
    if "timeline" not in result:
        return row
    config = result["config"]
    record_bytes = config["key_bytes"] + config["value_bytes"]
    row |= {
        "throughput": result["final_throughput"],
        "whole_throughput": result["throughput"],
        "hit_rate": (None if saved["all_fast"]
                     else result["final_fast_hit_rate"]),
        "peak_rss_bytes": result["peak_rss_bytes"],
        "allowed_memory_bytes": allowed_memory_bytes(saved),
        "ralt_io_share": ralt_io_share(result),
        "slow_reads_a_cold_get": slow_reads_a_cold_get(result),
        "write_amplification": result["write_amplification"],
        "rss_a_kilobyte": result["peak_rss_bytes"] /
        (saved["data_bytes"] / 1024),
    }
    if saved.get("busy_cpus") is not None:
        # What else the machine did, by what it had: such a run is no measure.
        own = sum(result["cpu_secs"].values()) / result["secs"]
        row["others_cpu"] = (saved["busy_cpus"] - own) / saved[
            "machine"]["cpus"]
    for operation, latency in result["final_latency_micros"].items():
        for quantile in QUANTILES:
            row[f"{operation}_{quantile}"] = latency[quantile]
    shares = saved.get("cpu_shares")
    if shares:
        row |= {f"cpu_{part}": share for part, share in shares.items()}
    profile = result.get("trace_profile")
    if profile and profile["reads"]:
        for name in ("sunk", "hot", "sunk_and_hot"):
            row[f"{name}_reads"] = profile[f"{name}_reads"] / profile["reads"]
    if result["timeline"]:
        points = final_points(result)
        rate = rates(points, result["timeline"])
        row |= rate
        row["cpu_micros"] = rate["cpus"] / row["throughput"] * 1e6
        row["bound"] = bound_of(
            rate, saved["machine"]["cpus"], saved["disk"],
            saved["all_fast"], saved.get("disk_busy_share"))
        if "phases" not in result and \
                result["timeline"][-1]["hotspot_bytes"]:
            row["reads_until_hot"] = reads_until(result["timeline"],
                                                 record_bytes)
    return row
