#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The systems that are compared, and their flags for hotrap_bench."""

import dataclasses

from bench_runner import HOTRAP_ON

# Of the fast budget. SAS-Cache has 6 of 10 GB in the paper; this is two files
# of upstream's cache at x3. With fewer it never lets go of one and is stuck.
PERSISTENT_CACHE_SHARE = 0.63
PERSISTENT_CACHE_MIN_BYTES = 2 * (100 << 20)

# Of the data. It is what HotRAP took beyond RocksDB-fat when this was set: 153
# MB and 83 MB, over 4.1 GB of data.
ROW_CACHE_SHARE = (153e6 - 83e6) / 4.1e9


@dataclasses.dataclass(frozen=True)
class System:
    name: str
    # A folder of build/: release has HotRAP, stock is an unpatched RocksDB.
    build: str
    # The system of LOADS whose data it runs on: level targets differ.
    loaded_as: str
    options: str = ""
    persistent_cache_share: float = 0
    row_cache: bool = False
    # Of the fast budget, what its levels fill.
    filled_share: float = 1
    # Both paths lie on the fast disk.
    all_fast: bool = False
    # 0: as the workload has it.
    block_bytes: int = 0

    @property
    def tracks(self):
        """Whether HotRAP is on."""
        return "enabled=true" in self.options

    def fits(self, dataset):
        """Whether the system can work with such a small fast budget."""
        cache_bytes = dataset.fast_bytes * self.persistent_cache_share
        return not cache_bytes or cache_bytes >= PERSISTENT_CACHE_MIN_BYTES

    def flags(self, dataset):
        cache_bytes = int(dataset.fast_bytes * self.persistent_cache_share)
        level_bytes = int(dataset.fast_bytes * self.filled_share) - cache_bytes
        flags = [f"--fast_bytes={level_bytes}"]
        if self.options:
            flags.append(f"--options={self.options}")
        if cache_bytes:
            flags.append(f"--persistent_cache_bytes={cache_bytes}")
        if self.block_bytes:
            flags.append(f"--block_bytes={self.block_bytes}")
        if self.row_cache:
            flags.append("--row_cache_bytes="
                         f"{int(dataset.data_bytes * ROW_CACHE_SHARE)}")
        return flags


HOTRAP = System("hotrap", "release", "hotrap", HOTRAP_ON)
# RocksDB-fat: the levels on the fast disk fill its budget.
FAT = System("fat", "stock", "fat")
# RocksDB-fat takes up to a third more than the budget while it compacts,
# whereas HotRAP's levels leave room for that. Here fat's levels leave some
# room, too; the report shows how much of the budget each took.
FAT_HELD = System("fat-held", "stock", "fat-held", filled_share=0.8)
# RocksDB(FD): the limit of what HotRAP can reach. Its files are fat's.
FD = System("fd", "stock", "fat", all_fast=True)
PERSISTENT_CACHE = System("persistent-cache", "stock", "persistent-cache",
                          persistent_cache_share=PERSISTENT_CACHE_SHARE)
ROW_CACHE = System("row-cache", "stock", "fat", row_cache=True)
# Our build with HotRAP off. Compared with fat, it shows the cost of the hooks.
OFF = System("off", "release", "fat")
# The same on HotRAP's own tree: only the work differs.
OFF_SAME_TREE = System("off-same-tree", "release", "hotrap",
                       "hotrap={enabled=false}")

# All tables have the block size that HotRAP uses on the fast tier.
SMALL_BLOCK_BYTES = 4 << 10
FAT_SMALL = System("fat-4k", "stock", "fat-4k", block_bytes=SMALL_BLOCK_BYTES)
FD_SMALL = System("fd-4k", "stock", "fat-4k", all_fast=True,
                  block_bytes=SMALL_BLOCK_BYTES)

# Most targets are a ratio of these two; those that set the bounds; all.
COMPARED = (HOTRAP, FAT)
BOUNDS = COMPARED + (FD,)
SMALL_BLOCKS = (FAT_SMALL, FD_SMALL)
CACHES = (PERSISTENT_CACHE, ROW_CACHE)
ALL = BOUNDS + CACHES + SMALL_BLOCKS + (FAT_HELD, OFF, OFF_SAME_TREE)

# What data is loaded with, whichever of its systems runs first.
LOADS = {system.name: system
         for system in (HOTRAP, FAT, FAT_HELD, FAT_SMALL, PERSISTENT_CACHE)}


def without(part, options):
    """HotRAP without one of its parts (section 4.5)."""
    return dataclasses.replace(HOTRAP, name=part, options=options)
