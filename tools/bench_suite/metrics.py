#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Extracts metrics from a result of hotrap_bench, and what bounded it."""

import functools
import re
import subprocess

from bench_runner import FAST_SHARE, TOOLS
from bench_suite import oracle, soundness

# A device or the CPUs bound a run above this share of their capacity.
NEARLY_ALL = 0.85
FINAL_SHARE = 0.1
TIERS = ("fast", "slow")
# HotRapOptions::access_buffer_bytes
DEFAULT_ACCESS_BUFFER_BYTES = 64 << 20
IO_COUNTS = ("reads", "read_bytes", "writes", "written_bytes")
STAGE_FIELDS = ("secs", "final_throughput", "final_fast_hit_rate",
                "hotspot_bytes", "hot_set_bytes", "hot_set_limit_bytes",
                "promoted_bytes")
QUANTILES = ("p50", "p90", "p99", "p99.9")


@functools.cache
def limits_of(disk):
    """Returns the limits that slow_disk.sh sets for a slow disk."""
    words = subprocess.run([str(TOOLS / "slow_disk.sh"), "limits", disk],
                           stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    return dict(zip(("reads", "writes", "read_bytes", "written_bytes"),
                    map(int, words)))


def final_window(result):
    """The final tenth of the run, by the machine's clock."""
    end = result["start_unix_secs"] + result["secs"]
    return end - result["final_secs"], end


def final_points(result):
    """The points of the timeline in the final tenth of the run."""
    timeline = result["timeline"]
    # Other builds of the driver may omit this.
    start = result["secs"] - result.get("final_secs",
                                        FINAL_SHARE * result["secs"])
    return [point for point in timeline if point["secs"] > start] or \
        timeline[-1:]


def rates(points, all_points):
    """Returns means over the points: operations, CPU and I/O per second."""
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


def bound_of(rate, saved):
    """Returns what bounds the run, in words; if none of these, threads wait for
    each other or for writes.

    CPU and the fast disk are the whole machine's; the disk is compared with its
    rate when it had nothing else to do.
    """
    if not saved["machine"].get("cpus"):
        return "unknown"
    machine_rates = saved.get("machine_rates") or {}
    used = {"CPU": machine_rates.get("busy_cpus", rate["cpus"]) /
            saved["machine"]["cpus"]}
    if not saved["all_fast"]:
        limits = limits_of(saved["disk"])
        for name in ("reads", "writes"):
            used[f"slow disk's {name} a second"] = (rate[f"slow_{name}"] /
                                                    limits[name])
        used["slow disk's bandwidth"] = max(
            rate[f"slow_{name}"] / limits[name]
            for name in ("read_bytes", "written_bytes"))
    probed = saved["machine"].get("fast_disk")
    if probed and "disk_reads" in machine_rates:
        used["fast disk"] = max(machine_rates[f"disk_{name}"] / probed[name]
                                for name in probed)
    what, share = max(used.items(), key=lambda item: item[1])
    shown = f"{what} {share:.0%}"
    return shown if share >= NEARLY_ALL else f"none alone; most: {shown}"


def fold_tiers(result):
    """For a system whose slow path is on the fast disk, too: assigns all I/O to
    that disk."""
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


def reads_until(points, record_bytes, wanted=0.9):
    """Bytes of the records read until the hit rate was as wanted, in that
    second and the next, by the bytes of the hotspot; None: never. `points` are
    those of one hotspot.

    In a second the hotspot may be read more than once: a second's hit rate is
    taken for that of its middle, and what lies between is interpolated.
    """
    read_bytes = 0
    last_secs = points[0]["secs"] - 1
    before = None
    for point, after in zip(points, points[1:] + points[-1:]):
        rate = point["fast_hit_rate"]
        more = (point["throughput"] * (point["secs"] - last_secs) *
                record_bytes)
        middle = read_bytes + more / 2
        if min(rate, after["fast_hit_rate"]) >= wanted:
            if before and before[1] < wanted:
                middle -= ((middle - before[0]) * (rate - wanted) /
                           (rate - before[1]))
            return middle / point["hotspot_bytes"]
        before = (middle, rate)
        read_bytes += more
        last_secs = point["secs"]
    return None


def access_buffer_bytes(options):
    """Returns the limit on RALT's buffers in an options string."""
    told = re.search(r"\baccess_buffer_bytes=(\d+)", options)
    return int(told[1]) if told else DEFAULT_ACCESS_BUFFER_BYTES


def allowed_memory_bytes(saved):
    """Returns the memory that HotRAP may take beyond RocksDB-fat."""
    result = saved["result"]
    if "promotion_cache_capacity" not in result.get("hotrap", {}):
        return None
    # One batch fills while another one is promoted.
    return (2 * result["hotrap"]["promotion_cache_capacity"] +
            access_buffer_bytes(result["config"]["options"]) +
            0.001 * saved["data_bytes"])


def whole_run(saved):
    """Returns the metrics that do not need the timeline."""
    result = saved["result"]
    config = result["config"]
    operations = result["operations"]
    row = {
        "throughput": result["final_throughput"],
        # A run that only scans has 0 of 0 Gets, which is no hit rate.
        "hit_rate": (None if saved["all_fast"] or not result["gets"]
                     else result["final_fast_hit_rate"]),
        # Fewer than requested if the time limit ended the run.
        "done": operations / config["run_ops"] if config["run_ops"] else None,
        "slow_get_share": (result["gets_with_slow_io"] / result["gets"]
                           if result["gets"] else None),
        "peak_rss_bytes": result["peak_rss_bytes"],
        "allowed_memory_bytes": allowed_memory_bytes(saved),
        "peak_fast_share": (
            None if saved["all_fast"] else
            # Of the whole budget: a PersistentCache takes a part of it.
            result["peak_path_bytes"]["fast"] /
            (FAST_SHARE * saved["data_bytes"])),
        "ralt_io_share": ralt_io_share(result),
        "slow_reads_a_cold_get": slow_reads_a_cold_get(result),
        "write_amplification": result["write_amplification"],
        "hits_disagreement": soundness.disagreement(result),
        "rss_a_kilobyte": result["peak_rss_bytes"] /
        (saved["data_bytes"] / 1024),
    }
    if not saved["all_fast"]:
        row |= oracle.of_result(result)
    stats = result.get("hotrap", {})
    if "ralt_physical_bytes" in stats:
        row["ralt_disk_a_record"] = (stats["ralt_physical_bytes"] /
                                     config["records"])
        row["ralt_memory_a_record"] = sum(
            stats[f"ralt_{part}_memory_bytes"]
            for part in ("buffer", "filter", "index")) / config["records"]
    for operation, latency in result["final_latency_micros"].items():
        for quantile in QUANTILES:
            row[f"{operation}_{quantile}"] = latency[quantile]
    shares = saved.get("cpu_shares")
    if shares:
        row |= {f"cpu_{part}": share for part, share in shares.items()}
    profile = result.get("trace_profile")
    if profile and profile["reads"]:
        for name in ("sunk", "hot", "sunk_and_hot", "missing"):
            row[f"{name}_reads"] = profile[f"{name}_reads"] / profile["reads"]
    return row


def final_tenth(saved):
    """Returns the metrics from the timeline."""
    result = saved["result"]
    config = result["config"]
    points = final_points(result)
    row = rates(points, result["timeline"])
    if result["final_throughput"]:
        row["cpu_micros"] = row["cpus"] / result["final_throughput"] * 1e6
    row["debt_bytes"] = points[-1].get("compaction_debt_bytes")
    row["delayed_share"] = sum(
        1 for point in result["timeline"]
        if point.get("delayed_write_bytes_per_sec")) / len(result["timeline"])
    row["bound"] = bound_of(row, saved)
    machine_rates = saved.get("machine_rates")
    if machine_rates:
        # The load of other processes, as a share of the machine: if high, the
        # run does not count.
        row["others_cpu"] = (machine_rates["busy_cpus"] - row["cpus"]) / \
            saved["machine"]["cpus"]
    if "phases" not in result and points[-1]["hotspot_bytes"]:
        row["reads_until_hot"] = reads_until(
            result["timeline"], config["key_bytes"] + config["value_bytes"])
    return row


def of_result(saved):
    """Returns one row with what tables and plots need from a saved result."""
    row = {name: saved.get(name) for name in
           ("name", "group", "dataset", "workload", "system", "repeat")}
    host = saved.get("machine", {})
    row["origin"] = " ".join(str(part) for part in (
        host.get("cpu"), host.get("system"), saved.get("program")))
    if "timeline" in saved["result"]:
        row |= whole_run(saved)
        if saved["result"]["timeline"]:
            row |= final_tenth(saved)
    return row


def stages(saved):
    """Returns a row for each phase of the dynamic runs."""
    for one in saved:
        if one["group"] != "dynamic":
            continue
        result = one["result"]
        record_bytes = (result["config"]["key_bytes"] +
                        result["config"]["value_bytes"])
        for number, phase in enumerate(result["phases"]):
            points = [point for point in result["timeline"]
                      if point["phase"] == number]
            yield {"system": one["system"], "repeat": one["repeat"],
                   "stage": phase["name"],
                   "reads_until_hot": (
                       reads_until(points, record_bytes)
                       if points and phase["hotspot_bytes"] else None),
                   "converged_after_secs": phase.get("converged_after_secs"),
                   **{name: phase[name] for name in STAGE_FIELDS}}
