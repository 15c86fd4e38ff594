#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Where the CPU time of a run goes, by part, sampled by perf."""

import collections
import shutil
import subprocess

SAMPLES_A_SEC = 199
# The first that occurs in any function of a call stack is what the sample
# counts for: what RALT does for a read or a compaction is RALT's.
PARTS = (
    ("RALT", ("::Ralt", "::AccessBuffer")),
    ("checker", ("::PromotionJob", "::HotRapTier::RunJob",
                 "::NewerVersionCheck")),
    ("compaction", ("::DBImpl::BackgroundCompaction", "::CompactionJob")),
    ("flush", ("::DBImpl::BackgroundFlush", "::FlushJob")),
    ("insert", ("::DBImpl::Write", "::DBImpl::Put", "::DBImpl::Delete")),
    ("read", ("::DBImpl::Get", "::DBImpl::MultiGet", "::DBIter")),
)
OTHER = "other"


def is_there():
    return shutil.which("perf") is not None


def command_prefix(path):
    """RocksDB is compiled with frame pointers."""
    return ["perf", "record", "--quiet", f"--freq={SAMPLES_A_SEC}",
            "--call-graph=fp", f"--output={path}", "--"]


def part_of(functions):
    for part, names in PARTS:
        if any(name in function for name in names for function in functions):
            return part
    return OTHER


def shares(stacks):
    """The part of each stack, a list of functions, as shares of all."""
    counts = collections.Counter(map(part_of, stacks))
    total = counts.total()
    return {part: counts[part] / total
            for part in [name for name, _ in PARTS] + [OTHER]
            } if total else None


def save_folded(stacks, path):
    """As flame graphs are drawn from: callers first, and how often."""
    counts = collections.Counter(";".join(reversed(stack))
                                 for stack in stacks)
    path.write_text("".join(f"{stack} {count}\n"
                            for stack, count in counts.most_common()))


def read_stacks(path):
    """perf prints a blank line between samples and a function a line."""
    with subprocess.Popen(
            ["perf", "script", "--input", str(path), "--fields=ip,sym",
             "--no-inline"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True) as process:
        stack = []
        for line in process.stdout:
            words = line.split(maxsplit=1)
            if words:
                stack.append(words[-1].strip())
            elif stack:
                yield stack
                stack = []
        if stack:
            yield stack
