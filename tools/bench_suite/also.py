#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Results of another build of hotrap_bench, such as the prototype or a modified
HotRAP. A folder contains results of this suite, or plain results of
hotrap_bench in GROUP/DATA/WORKLOAD.json, with the names that this suite uses.
Its HotRAP and plain results count as a system with the folder's name."""

import json

from bench_suite import metrics

# What a plain result must have in common with the run of that name.
SAME_WORKLOAD = ("mix", "distribution", "hotspot_fraction", "hotspot_ops",
                 "hotspot_start", "zipf_theta", "phases", "trace",
                 "trace_requests", "twitter_cluster", "twitter_loaded_keys",
                 "twitter_copies", "records", "value_bytes", "key_bytes",
                 "fast_bytes", "block_cache_bytes", "threads", "run_ops",
                 "ops_per_sec")
# What the report needs of a result in this suite's form.
FIELDS = ("group", "dataset", "workload", "system", "data_bytes", "disk",
          "repeat", "all_fast", "machine", "scale", "result")
UNKNOWN_MACHINE = {"cpu": "unknown"}


def like(path, folder, saved):
    """Returns this suite's result that a plain one is named after, if there is
    one. Any system without its own budget or options will do."""
    case = path.relative_to(folder).with_suffix("").parts
    return next((one for one in saved if one["system"] in ("hotrap", "fat") and
                 (one["group"], one["dataset"], one["workload"]) == case),
                None)


def same_run(one, saved):
    """Returns this suite's result of the same run as another build's result."""
    key = ("group", "dataset", "workload", "system")
    return next((other for other in saved
                 if all(other[name] == one[name] for name in key)), None)


def differences(result, other):
    """Scripts have results without a config."""
    ours, others = (one.get("config", {}) for one in (result, other))
    return [name for name in SAME_WORKLOAD
            if ours.get(name) != others.get(name)]


def of_suite(one, saved, scale):
    """Returns why a result in this suite's format cannot be compared with its
    own, or ""."""
    missing = [name for name in FIELDS if name not in one]
    if missing:
        return f"no result of a suite: no {', '.join(missing)}"
    if one["scale"] != scale:
        return f"of another scale, {one['scale']}"
    suites = same_run(one, saved)
    different = differences(one["result"], suites["result"]) if suites else []
    return f"not as {suites['name']}: {', '.join(different)}" \
        if different else ""


def adopt(path, folder, saved, scale):
    """Converts a result to this suite's format. Raises ValueError with the
    reason if it is invalid or matches no run."""
    one = json.loads(path.read_text())
    if not isinstance(one, dict) or not {"result", "config"} & set(one):
        raise ValueError("no result of hotrap_bench")
    if "result" in one:
        why = of_suite(one, saved, scale)
        if why:
            raise ValueError(why)
        return one
    suites = like(path, folder, saved)
    if suites is None:
        raise ValueError("no run of this suite has that name")
    different = differences(one, suites["result"])
    if different:
        raise ValueError(f"not as {suites['name']}: {', '.join(different)}")
    return {name: suites[name] for name in (
        "group", "dataset", "workload", "data_bytes", "disk", "repeat")} | {
            "build": "unknown", "result": one, "system": "hotrap",
            "all_fast": False, "machine": UNKNOWN_MACHINE}


def read(folder, saved, scale):
    """Results that match no run or have errors are reported and omitted."""
    found = []
    for path in sorted(folder.rglob("*.json")):
        try:
            one = adopt(path, folder, saved, scale)
            if one["result"].get("errors"):
                raise ValueError("has errors")
            metrics.of_result(one)
        except (OSError, ValueError) as why:
            print(f"{path}: left out: {why}")
            continue
        except (AttributeError, KeyError, TypeError) as why:
            print(f"{path}: left out, a result lacks something: {why!r}")
            continue
        system = folder.name + (
            "" if one["system"] == "hotrap" else f" {one['system']}")
        found.append(one | {
            "system": system,
            "name": f"{folder.name}: {path.relative_to(folder)}"})
    return found
