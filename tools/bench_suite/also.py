#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Results of another build of hotrap_bench: of the prototype, say, or of a
changed HotRAP. A folder holds results of this suite, or plain ones as
hotrap_bench writes them; both count as a system of the folder's name."""

import json

SAME_WORKLOAD = ("mix", "distribution", "hotspot_fraction", "hotspot_ops",
                 "hotspot_start", "zipf_theta", "phases", "records",
                 "value_bytes", "key_bytes", "threads")


def workload_of(result):
    config = result["config"]
    return tuple(config.get(name) for name in SAME_WORKLOAD)


def read(folder, saved):
    """In the form of this suite's own results. Plain results that are of no
    workload among `saved`, and any with errors, are left out."""
    by_workload = {workload_of(one["result"]): one for one in saved
                   if one["group"] != "cached"
                   and "mix" in one["result"]["config"]}
    found = []
    # In `like` a result of this suite lends its name and data.
    for path in sorted(folder.rglob("*.json")):
        one = json.loads(path.read_text())
        if "result" not in one:
            like = by_workload.get(workload_of(one))
            if like is None:
                print(f"{path}: no run of this suite is like it")
                continue
            one = like | {"result": one, "disk_busy_share": None,
                          "cpu_shares": None, "busy_cpus": None}
        if one["result"].get("errors"):
            print(f"{path}: has errors, left out")
            continue
        found.append(one | {"system": folder.name, "all_fast": False,
                            "name": f"{folder.name}: {path.name}"})
    return found
