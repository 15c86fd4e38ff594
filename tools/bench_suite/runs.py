#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What a run is: a system, a set of data and a workload."""

import dataclasses
import hashlib
import json
import pathlib

from bench_runner import BLOCK_CACHE_SHARE, FAST_SHARE, THREADS
from bench_suite import systems

# What a run may take beside the loaded data, as a part of that. The copy that
# it works on is links: what compactions write anew comes to it, and nothing
# goes. Where HotRAP only reads it may rewrite each slow file once; what it has
# written itself does go.
READER_ROOM = 0.3
PROMOTING_READER_ROOM = 1.2
REWRITTEN_ROOM = 1.5
# What is written is there twice while it is compacted, but not all of it.
WRITTEN_ROOM = 1.5


@dataclasses.dataclass(frozen=True)
class Scale:
    """Of a whole suite: results of another one are not comparable."""
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
    """A file may lie elsewhere on another machine."""
    name, _, value = flag.partition("=")
    return f"{name}={pathlib.PurePath(value).name}" if value.startswith("/") \
        else flag


@dataclasses.dataclass(frozen=True)
class Run:
    """One process of hotrap_bench (or one script): one JSON file of its name
    for each repetition."""
    group: str
    dataset: Dataset
    workload: str
    system: systems.System
    flags: tuple = ()
    # What it takes, for the time that is left.
    secs: int = 0
    # Keys and values that it writes at most; 0: it only reads.
    written_bytes: int = 0
    # Of the slow disk.
    disk: str = "gp3"
    # Where a target hangs on little: how often it is measured.
    repeats: int = 1
    # A part of the data, or the usual one.
    cache_share: float = BLOCK_CACHE_SHARE
    # Where CPU time goes is sampled, at some cost, from so many seconds on.
    profile: bool = False
    profile_delay_secs: int = 0
    # The run of the same repetition whose throughput sets the load, and the
    # part of it.
    paced_by: str = ""
    pace_share: float = 0
    # In place of hotrap_bench: a script of tools/ and its arguments.
    script: tuple = ()

    @property
    def case(self):
        """Runs that differ in nothing but the system."""
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
        """A hash of all that the run is told: a result of anything else is
        none of this run."""
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
