#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Decides whether a result may be reported. hotrap_bench counts failed
operations; this finds faults without an error."""

# Mixes that read only loaded keys, and delete none. D reads keys that may not
# be inserted yet, E has no Gets, and traces may read what was never written.
MIXES_THAT_FIND_ALL = ("RO", "RW", "WH", "UH", "A", "B", "C", "F")
# As a share of the Gets: docs/hotrap_bench.md.
MAX_DISAGREEMENT = 0.01


def finds_all(result):
    return result["config"].get("mix") in MIXES_THAT_FIND_ALL


def faults_of(result, tracks):
    """In words."""
    faults = []
    if finds_all(result) and result["gets_found"] != result["gets"]:
        faults.append(f"{result['gets'] - result['gets_found']} of "
                      f"{result['gets']} Gets found no record")
    return faults + (faults_of_hotrap(result) if tracks else [])


def faults_of_hotrap(result):
    stats = result.get("hotrap", {})
    if stats.get("active") != 1:
        return ["HotRAP was not active"]
    faults = []
    if stats.get("ralt_open") != 1:
        faults.append("RALT was not open")
    for name in ("ralt_paused", "ralt_background_errors", "dropped_error"):
        if stats.get(name):
            faults.append(f"{name} is {stats[name]}")
    difference = disagreement(result)
    # A Get that finds nothing reads the slow tier after a false positive of a
    # filter. The driver counts it as a slow Get, HotRAP does not, because it
    # counts found records.
    if finds_all(result) and difference is not None and \
            difference > MAX_DISAGREEMENT:
        faults.append("hotrap_bench and HotRAP count hits differently: "
                      f"{difference:.4f} of the Gets")
    return faults


def disagreement(result):
    return result.get("engine_agreement", {}).get("difference")
