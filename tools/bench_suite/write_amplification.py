#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Compares measured write amplification with the analysis of section 3.6."""


def level_steps(result):
    """Returns the bytes written to each level below L0 per user byte, and the
    output level of the crossing compactions."""
    user_bytes = result["written_user_bytes"]
    return {level["level"]: level["written_bytes"] / user_bytes
            for level in result["compactions"]["by_output_level"]
            if level["level"] > 0}


def cold_fraction(result, first_slow_level):
    """Returns the fraction of crossing compactions' fast inputs that left the
    last fast level. Records that moved up count like records that stayed."""
    levels = result["compactions"]["by_output_level"]
    crossing = next(
        level for level in levels if level["level"] == first_slow_level)
    read = crossing["read_from_above_bytes"]
    stayed = result["retained_bytes"] + result["compaction_promoted_bytes"]
    # The engine counts user bytes; files are larger.
    file_bytes = levels[0]["written_bytes"] / result["written_user_bytes"]
    return 1 - stayed * file_bytes / read if read else 1.0


def analyse(off, result, extra_level):
    """Computes the write amplification of section 3.6 from that of RocksDB with
    the same level targets.

    A compaction from level to level costs as many bytes as measured with
    nothing hot. Only the fraction p of a crossing compaction moves down, so
    that step costs 1 / p times as much. With the extra level it costs the same
    as before, plus the extra step of ratio 1 / p. The paper's analysis does not
    include what promotion writes.
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
