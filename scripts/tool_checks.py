#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What the checks of the tools (check_tools.py) have in common: DBs over two
paths, and programs that run on them.
"""

import re
import shutil
import subprocess
import sys

TIMEOUT_SECS = 900.0
RECORDS = 6000
# Small enough for several levels on each tier.
SHAPE = ("--write_buffer_size=200000", "--target_file_size_base=200000",
         "--max_bytes_for_level_base=400000", "--compression_type=none",
         "--key_size=24", "--value_size=1000", f"--num={RECORDS}",
         "--cache_size=100000", "--bloom_bits=10", "--seed=7",
         "--stats_interval_seconds=0")
FAST_BYTES = 2_400_000
MAX_READ_ROUNDS = 20
PATHS_FILE = "HOTRAP_PATHS"
# Both tiers are on one disk.
PROMOTING = "enabled=true;promote_only_if_slower=false"
REPORT = re.compile(
    r"^HotRAP after (?P<name>\S+): hit rate (?P<rate>none|[0-9.]+) "
    r"\(fast (?P<fast>\d+), promotion cache (?P<cache>\d+), "
    r"slow (?P<slow>\d+)\); promoted (?P<promoted>\d+) records, .* "
    r"fast tier (?P<fast_mb>[0-9.]+) MB and RALT [0-9.]+ MB, "
    r"slow tier (?P<slow_mb>[0-9.]+) MB$", re.MULTILINE)


class Failure(Exception):
    """A program did something else than it should."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def run(*command, fails=False, **options):
    """Returns what a program prints to stdout; to both outputs if it is to
    fail."""
    words = [str(word) for word in command]
    result = subprocess.run(words, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False,
                            timeout=TIMEOUT_SECS, **options)
    errors = result.stderr.decode(errors="replace")
    if (result.returncode != 0) != fails or result.returncode < 0:
        raise Failure(f"{' '.join(words)}\nended with {result.returncode}:\n"
                      f"{result.stdout.decode(errors='replace')[-2000:]}"
                      f"{errors[-2000:]}")
    output = result.stdout.decode(errors="replace")
    return output + errors if fails else output


def tables(*folders):
    """The tables in the folders, with their sizes."""
    return {(folder, path.name): path.stat().st_size
            for folder in folders for path in folder.glob("*.sst")}


def files(*folders):
    """All files, with size and time of change."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns)
            for folder in folders for path in folder.rglob("*")
            if path.is_file()}


class Db:
    """A DB, and how ldb is to find it."""

    def __init__(self, name, folders, ldb, args=()):
        self.name = name
        self.folders = folders
        self.ldb_program = ldb
        self.args = list(args)

    @property
    def hotrap(self):
        """Whether HotRAP has been on."""
        return any(self.folder.glob("hotrap.ralt.*"))

    @property
    def folder(self):
        return self.folders[0]

    def ldb(self, *command, **options):
        return run(self.ldb_program, f"--db={self.folder}", *self.args,
                   *command, **options)

    def copy(self, name):
        """A copy with paths of its own. They are given to ldb, since
        HOTRAP_PATHS names the original's."""
        root = self.folder.parent.parent / name
        folders = []
        for folder, path in zip(self.folders, ("fast", "slow")):
            target = root / path
            shutil.copytree(folder, target)
            folders.append(target)
        return Db(name, folders, self.ldb_program,
                  [f"--db_paths={','.join(map(str, folders))}"])


class Maker:
    """Makes DBs with db_bench."""

    def __init__(self, folder, build):
        self.folder = folder
        self.ldb = build / "tools/ldb"
        self.sst_dump = build / "tools/sst_dump"
        self.db_bench = build / "db_bench"
        for program in (self.ldb, self.sst_dump, self.db_bench):
            if not program.is_file():
                sys.exit(f"check_tools: {program} is missing")

    def bench(self, folders, *flags, hotrap=None, **options):
        flags = [*SHAPE, f"--db={folders[0]}", *flags]
        if len(folders) > 1:
            flags.append(f"--db_paths={folders[0]}:{FAST_BYTES},{folders[1]}")
        if hotrap:
            hotrap = hotrap.replace("enabled=true", PROMOTING)
            flags.append(f"--hotrap={hotrap}")
        return run(self.db_bench, *flags, **options)

    def make(self, name, paths=2, hotrap=None, flags=(), promotes=False,
             **options):
        folders = [self.folder / name / path
                   for path in ("fast", "slow")[:paths]]
        folders[0].parent.mkdir(parents=True)
        benchmarks = "filluniquerandom,flush,waitforcompaction"
        promotes |= hotrap is not None
        if promotes:
            benchmarks += ",readrandom,readrandom,waitforcompaction"
        output = self.bench(folders, f"--benchmarks={benchmarks}", *flags,
                            hotrap=hotrap, **options)
        # How many reads that takes depends on when RALT's buffers are flushed.
        for _ in range(MAX_READ_ROUNDS if promotes else 0):
            if any(int(match["promoted"]) > 0
                   for match in REPORT.finditer(output)):
                break
            output += self.bench(
                folders, "--benchmarks=readrandom,waitforcompaction",
                "--use_existing_db", *flags, hotrap=hotrap, **options)
        else:
            expect(not promotes, f"{name}: nothing was promoted:\n{output}")
        return Db(name, folders, self.ldb)
