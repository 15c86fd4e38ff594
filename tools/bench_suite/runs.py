#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""A run consists of a system, a dataset and a workload."""

import dataclasses
import hashlib
import json
import pathlib

from bench_runner import BLOCK_CACHE_SHARE, FAST_SHARE, THREADS
from bench_suite import systems

# What a run may take besides the loaded data, as a fraction of it. Its copy
# consists of links, so what compactions write is added and nothing is freed. If
# HotRAP only reads, it may rewrite each slow file once; files that it has
# written itself are freed.
READER_ROOM = 0.3
PROMOTING_READER_ROOM = 1.2
REWRITTEN_ROOM = 1.5
# Written data exists twice while it is compacted, but not all of it at once.
WRITTEN_ROOM = 1.5


@dataclasses.dataclass(frozen=True)
class Scale:
    """Settings of a whole suite; results of another suite are not
    comparable."""
    data: float = 1
    time: float = 1

    def records(self, count):
        return max(1000, round(count * self.data))

    def secs(self, secs):
        return max(5, round(secs * self.time))


@dataclasses.dataclass(frozen=True)
class Dataset:
    """What is loaded."""
    name: str
    data_bytes: int
    flags: tuple

    @property
    def fast_bytes(self):
        return int(self.data_bytes * FAST_SHARE)


def without_folder(flag):
    """A file may be elsewhere on another machine."""
    name, _, value = flag.partition("=")
    return f"{name}={pathlib.PurePath(value).name}" if value.startswith("/") \
        else flag


@dataclasses.dataclass(frozen=True)
class Run:
    """One process of hotrap_bench or of a script, with one JSON file for each
    repetition."""
    group: str
    dataset: Dataset
    workload: str
    system: systems.System
    flags: tuple = ()
    # Expected duration, for the time left.
    secs: int = 0
    # Maximum bytes of keys and values that it writes; 0 if it only reads.
    written_bytes: int = 0
    # Of the slow disk.
    disk: str = "gp3"
    # Number of repetitions, if a target is decided by little.
    repeats: int = 1
    # A fraction of the data, or the usual one.
    cache_share: float = BLOCK_CACHE_SHARE
    # CPU time is sampled, at some cost, from this second on.
    profile: bool = False
    profile_delay_secs: int = 0
    # The run of the same repetition whose throughput sets the load, and the
    # fraction of it.
    paced_by: str = ""
    pace_share: float = 0
    # A script of tools/ and its arguments, instead of hotrap_bench.
    script: tuple = ()

    @property
    def case(self):
        """Identifies runs that differ only in the system."""
        return self.group, self.dataset.name, self.workload

    @property
    def name(self):
        return "/".join((*self.case, self.system.name))

    @property
    def room_bytes(self):
        if not self.written_bytes:
            return int((PROMOTING_READER_ROOM if self.system.tracks
                        else READER_ROOM) * self.dataset.data_bytes)
        return int(REWRITTEN_ROOM * self.dataset.data_bytes +
                   WRITTEN_ROOM * self.written_bytes)

    @property
    def told(self):
        """Returns a hash of all settings of the run; results with other
        settings do not count."""
        load = systems.LOADS[self.system.loaded_as]
        words = [
            self.dataset.flags, load.flags(self.dataset),
            self.system.flags(self.dataset), self.system.all_fast, self.flags,
            self.cache_share, self.disk, THREADS, self.profile,
            self.profile_delay_secs, self.paced_by, self.pace_share,
            self.script]
        return hashlib.sha256(json.dumps(
            [[without_folder(flag) for flag in word]
             if isinstance(word, (tuple, list)) else word
             for word in words]).encode()).hexdigest()[:12]
