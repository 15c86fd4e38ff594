#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Measured write amplification beside the analysis of section 3.6."""


def level_steps(result):
    """Bytes written to each level below L0, for each user byte, and the
    level that takes the crossing compactions."""
    user_bytes = result["written_user_bytes"]
    return {level["level"]: level["written_bytes"] / user_bytes
            for level in result["compactions"]["by_output_level"]
            if level["level"] > 0}


def cold_fraction(result, first_slow_level):
    """Of the fast inputs of crossing compactions, the part that the last fast
    level got rid of: what came up counts like what stayed."""
    levels = result["compactions"]["by_output_level"]
    crossing = next(
        level for level in levels if level["level"] == first_slow_level)
    read = crossing["read_from_above_bytes"]
    stayed = result["retained_bytes"] + result["compaction_promoted_bytes"]
    # The engine counts these in user bytes; files are larger.
    file_bytes = levels[0]["written_bytes"] / result["written_user_bytes"]
    return 1 - stayed * file_bytes / read if read else 1.0


def analyse(off, result, extra_level):
    """Write amplification of section 3.6, from that of RocksDB with the same
    level targets.

    A compaction from level to level costs as many bytes as it was measured to
    cost with nothing hot. Of each crossing compaction only the part p moves
    down, so that step costs 1 / p times as much; with the extra level it costs
    what it did, and the extra step of ratio 1 / p comes to it. What promotion
    writes is not in the paper's analysis.
    """
    first_slow_level = result["first_slow_level"]
    off, result = off["phases"][-1], result["phases"][-1]
    p = cold_fraction(result, first_slow_level)
    steps = level_steps(off)
    crossing = steps.get(first_slow_level, 0)
    plain = off["write_amplification"]
    predicted = plain + (1 / p if extra_level else crossing * (1 / p - 1))
    promoted = result["io"]["fast"]["by_purpose"]["promotion"]
    return {
        "cold_fraction": p,
        "engine_cold_fraction": result["hotrap"].get("cold_fraction"),
        "plain": plain,
        "crossing_step": crossing,
        "analysis": predicted,
        "measured": result["write_amplification"],
        "measured_to_analysis": result["write_amplification"] / predicted,
        "promotion_written": promoted["written_bytes"] /
        result["written_user_bytes"],
    }
