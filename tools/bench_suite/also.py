#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Results of another build of hotrap_bench: of the prototype, say, or of a
changed HotRAP. A folder holds results of this suite, or plain ones as
hotrap_bench writes them in GROUP/DATA/WORKLOAD.json, as a run of this suite
calls these three. Its HotRAP and plain results count as a system of the
folder's name."""

import json

# What a plain result must have in common with the run of that name.
SAME_WORKLOAD = ("mix", "distribution", "hotspot_fraction", "hotspot_ops",
                 "hotspot_start", "zipf_theta", "phases", "trace",
                 "trace_requests", "twitter_cluster", "twitter_loaded_keys",
                 "twitter_copies", "records", "value_bytes", "key_bytes",
                 "fast_bytes", "block_cache_bytes", "threads", "run_ops",
                 "ops_per_sec")
UNKNOWN_MACHINE = {"cpu": "unknown"}


def like(path, folder, saved):
    """This suite's result that a plain one is named after, if there is one.
    Of the systems without a budget or options of their own any will do."""
    case = path.relative_to(folder).with_suffix("").parts
    return next((one for one in saved if one["system"] in ("hotrap", "fat") and
                 (one["group"], one["dataset"], one["workload"]) == case),
                None)


def differences(result, other):
    return [name for name in SAME_WORKLOAD
            if result["config"].get(name) != other["config"].get(name)]


def read(folder, saved):
    """In the form of this suite's own results. Those that fit no run and any
    with errors are left out."""
    found = []
    for path in sorted(folder.rglob("*.json")):
        one = json.loads(path.read_text())
        if "result" not in one:
            suites = like(path, folder, saved)
            if suites is None:
                print(f"{path}: no run of this suite has that name")
                continue
            different = differences(one, suites["result"])
            if different:
                print(f"{path}: not as {suites['name']}: "
                      f"{', '.join(different)}")
                continue
            one = {name: suites[name] for name in (
                "group", "dataset", "workload", "data_bytes", "disk",
                "repeat")} | {"build": "unknown", "result": one,
                              "system": "hotrap", "all_fast": False,
                              "machine": UNKNOWN_MACHINE}
        if one["result"].get("errors"):
            print(f"{path}: has errors, left out")
            continue
        system = folder.name + (
            "" if one["system"] == "hotrap" else f" {one['system']}")
        found.append(one | {
            "system": system,
            "name": f"{folder.name}: {path.relative_to(folder)}"})
    return found
