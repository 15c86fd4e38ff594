#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The CPU time of a run by part, sampled by perf."""

import collections
import functools
import subprocess

from bench_runner import BenchError

SAMPLES_A_SEC = 199
# A sample counts for the first part that occurs in any function of its stack:
# RALT's work for a read or a compaction is RALT's.
PARTS = (
    ("RALT", ("rocksdb::ralt::",)),
    ("checker", ("::PromotionJob", "::PromotionScheduler::Run",
                 "::NewerVersionCheck")),
    ("compaction", ("::DBImpl::BackgroundCompaction", "::CompactionJob")),
    ("flush", ("::DBImpl::BackgroundFlush", "::FlushJob")),
    ("insert", ("::DBImpl::Write", "::DBImpl::Put", "::DBImpl::Delete")),
    ("read", ("::DBImpl::Get", "::DBImpl::MultiGet", "::DBIter")),
)
OTHER = "other"


@functools.cache
def is_usable():
    """perf may be installed but not allowed to sample."""
    try:
        return subprocess.run(
            ["perf", "record", "--quiet", "--output=/dev/null", "--", "true"],
            capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def command_prefix(path, delay_secs):
    """RocksDB is compiled with frame pointers."""
    # perf takes 0 for an error.
    delay = [f"--delay={delay_secs * 1000}"] if delay_secs else []
    return ["perf", "record", "--quiet", f"--freq={SAMPLES_A_SEC}",
            "--call-graph=fp", *delay, f"--output={path}", "--"]


def part_of(functions):
    for part, names in PARTS:
        if any(name in function for name in names for function in functions):
            return part
    return OTHER


def shares(stacks):
    """Returns the shares of all parts, from stacks as lists of functions."""
    counts = collections.Counter(map(part_of, stacks))
    total = counts.total()
    return {part: counts[part] / total
            for part in [name for name, _ in PARTS] + [OTHER]
            } if total else None


def check(found):
    """Rejects shares that mean nothing."""
    if not found:
        raise BenchError("perf took no samples")
    if found[OTHER] == 1:
        raise BenchError("no sample of perf names a part of RocksDB: the "
                         "program has no symbols or no frame pointers")


def save_folded(stacks, path):
    """Saves stacks in the format for flame graphs: callers first, then the
    count."""
    counts = collections.Counter(";".join(reversed(stack))
                                 for stack in stacks)
    path.write_text("".join(f"{stack} {count}\n"
                            for stack, count in counts.most_common()))


def read_folded(path):
    """Returns pairs of a stack, callers first, and its count."""
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        yield stack.split(";"), int(count)


def read_stacks(path):
    """perf prints one function per line, and a blank line between samples."""
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
