#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Checks of db_bench and benchmark.sh: see check_tools.py."""

import os
import pathlib
import re
import shutil

from base import BUILD
from tool_checks import (FAST_BYTES, PATHS_FILE, PROMOTING, RECORDS, REPORT,
                         SHAPE, expect, files, run, tables)

BIG_READS = "--reads=6000"
# The groups of benchmarks, and whether records must be promoted.
GROUPS = {
    "reads": ("filluniquerandom,flush,waitforcompaction,readrandom,readrandom,"
              "readseq,readreverse,readmissing,readtocache,readrandomsmall,"
              "newiterator,seekrandom,approximatesizerandom,levelstats,stats",
              (), True),
    "batches": ("filluniquerandom,flush,waitforcompaction,multireadrandom,"
                "multireadrandom,multireadrandom", ("--batch_size=8",), True),
    "mixes": ("filluniquerandom,waitforcompaction,readwhilewriting,"
              "readrandomwriterandom,updaterandom,xorupdaterandom,"
              "appendrandom,randomwithverify,seekrandomwhilewriting,"
              "newiteratorwhilewriting,multireadwhilewriting,readrandom",
              ("--threads=2", "--reads=2000", "--writes=2000",
               "--readwritepercent=80"), True),
    "merges": ("filluniquerandom,waitforcompaction,mergerandom,"
               "readrandommergerandom,readwhilemerging,seekrandomwhilemerging",
               ("--merge_operator=put", "--reads=1000", "--writes=1000"),
               False),
    "mixgraph": ("filluniquerandom,flush,waitforcompaction,mixgraph,mixgraph",
                 ("--keyrange_num=10", "--keyrange_dist_a=2.5",
                  "--keyrange_dist_b=-1", "--key_dist_a=0.002",
                  "--key_dist_b=1", "--mix_get_ratio=1", "--mix_put_ratio=0",
                  "--mix_seek_ratio=0", BIG_READS), True),
    "fills": ("fillseq,fillrandom,overwrite,fillsync,fill100K,fillbatch,"
              "fillseekseq,deleteseq,deleterandom,compact,compact0,compact1,"
              "compactall,memstats,sstables,resetstats,verifychecksum,"
              "verifyfilechecksums", ("--file_checksum",), False),
    "deterministic": ("fillseqdeterministic,readrandom",
                      ("--disable_auto_compactions", "--num_levels=4"), False),
    "time series": ("timeseries", ("--time_range=1000", "--reads=200"), False),
    "replacing": ("randomreplacekeys", ("--numdistinct=100",), False),
    # RocksDB 11's randomtransaction works with no kind of transactions.
    "transactions": ("filluniquerandom,flush,waitforcompaction,overwrite,"
                     "updaterandom,readrandom,readrandom",
                     ("--transaction_db",), True),
    "optimistic": ("filluniquerandom,flush,waitforcompaction,overwrite,"
                   "updaterandom,readrandom,readrandom",
                   ("--optimistic_transaction_db",), True),
    "column families": ("filluniquerandom,flush,waitforcompaction,readrandom,"
                        "readrandom,readrandom",
                        ("--num_column_families=3", BIG_READS), True),
    "families in transactions": (
        "filluniquerandom,flush,waitforcompaction,readrandom,readrandom",
        ("--num_column_families=2", "--transaction_db"), True),
    "several DBs": ("fillrandom,waitforcompaction,readrandom,readrandom,"
                    "readrandom",
                    ("--num_multi_db=2", "--reads=12000"), True),
}


def reports(output):
    return {match["name"]: match for match in REPORT.finditer(output)}


def promoted(output):
    return sum(int(match["promoted"]) for match in REPORT.finditer(output))


def names_in(benchmarks):
    return [name for name in benchmarks.split(",")]


def check_group(maker, name, benchmarks, flags, promotes):
    folders = [maker.folder / name.replace(" ", "_") / path
               for path in ("fast", "slow")]
    folders[0].parent.mkdir()
    output = maker.bench(folders, f"--benchmarks={benchmarks}", *flags,
                         hotrap="{enabled=true;}")
    found = reports(output)
    missing = set(names_in(benchmarks)) - set(found)
    expect(not missing, f"{name}: no report after {missing}:\n{output}")
    if promotes:
        expect(promoted(output) > 0, f"{name}: nothing promoted:\n{output}")
        expect(float(list(found.values())[-1]["slow_mb"]) > 0,
               f"{name}: nothing on the slow tier:\n{output}")
    shutil.rmtree(folders[0].parent)


def check_existing(maker):
    """A DB that is there already, opened in each way."""
    db = maker.make("existing", hotrap="{enabled=true;}")
    before = files(*db.folders)
    read = ("--use_existing_db", "--benchmarks=readrandom", "--reads=1000")
    found = re.search(r"\((\d+) of 1000 found\)",
                      maker.bench(db.folders, *read))
    expect(found and int(found[1]) == 1000, "existing, HotRAP off")
    expect(promoted(maker.bench(db.folders, *read, "--reads=6000",
                                hotrap="{enabled=true;}")) >= 0, "existing")
    for flags in (("--readonly",),
                  ("--use_secondary_db",
                   f"--secondary_path={maker.folder / 'second'}")):
        before = tables(*db.folders)
        output = maker.bench(db.folders, *read, *flags,
                             hotrap="{enabled=true;}")
        expect("(1000 of 1000 found)" in output, f"{flags}: {output}")
        expect("inactive, the DB is open read-only" in output, output)
        expect(tables(*db.folders) == before, f"{flags} changed tables")
    # The options of a file, with HotRAP in it.
    options = max(db.folder.glob("OPTIONS-*"))
    copy = maker.folder / "options"
    shutil.copy(options, copy)
    output = maker.bench(db.folders, *read, f"--options_file={copy}")
    expect("HotRAP after readrandom: hit rate" in output, output)
    # Without our flags there is no word of HotRAP, and HOTRAP_PATHS knows where
    # the tables are.
    plain = maker.folder / "plain"
    output = run(maker.db_bench, *SHAPE, f"--db={plain}",
                 "--benchmarks=fillseq,readrandom")
    expect("HotRAP" not in output, output)
    output = run(maker.db_bench, *SHAPE, f"--db={db.folder}", *read)
    expect("(1000 of 1000 found)" in output and "HotRAP" not in output, output)


def check_flags(maker):
    folder = maker.folder / "flags"
    plain = ("--benchmarks=fillseq", "--num=100", f"--db={folder}")
    for flag, word in (("--hotrap={enabled=perhaps}", "enabled"),
                       ("--hotrap={nonsense=1}", "nonsense"),
                       ("--db_paths=/a,/b", "size"),
                       ("--db_paths=/a:1Z,/b", "1Z")):
        error = run(maker.db_bench, *plain, flag, fails=True)
        expect(word in error and not folder.exists(), f"{flag}: {error}")
    # --db is the first path by default, and the environment gives defaults.
    environment = {**os.environ,
                   "FLAGS_db_paths": f"{folder}:{FAST_BYTES},{folder}-slow",
                   "FLAGS_hotrap": PROMOTING}
    output = run(maker.db_bench, *SHAPE,
                 "--benchmarks=filluniquerandom,flush,waitforcompaction,"
                 "readrandom,readrandom", env=environment)
    expect(promoted(output) > 0 and (folder / PATHS_FILE).is_file(), output)


def check_db_bench(maker):
    check_flags(maker)
    for name, group in GROUPS.items():
        check_group(maker, name, *group)
    check_existing(maker)



def check_benchmark(maker):
    """RocksDB's script, unchanged, with the environment that is documented."""
    folder = maker.folder / "script"
    programs = folder / "programs"
    programs.mkdir(parents=True)
    # The script measures the machine with these, and ends them by name.
    missing = [] if shutil.which("bc") else ["bc"]
    for name in ("iostat", "vmstat", "killall", *missing):
        (programs / name).write_text("#!/bin/sh\nexit 0\n")
        (programs / name).chmod(0o755)
    if not shutil.which("time"):
        # GNU time, which Debian has in a package of its own.
        (programs / "time").write_text(
            '#!/bin/sh\nshift 2; shift; out=$1; shift\n"$@"\n'
            "code=$?; echo 0 0 0 >$out; exit $code\n")
        (programs / "time").chmod(0o755)
    script = (BUILD / "rocksdb/tools/benchmark.sh").read_text()
    if not pathlib.Path("/usr/bin/time").exists():
        script = script.replace("/usr/bin/time", str(programs / "time"))
    (folder / "benchmark.sh").write_text(script)
    (folder / "db_bench").symlink_to(maker.db_bench)
    environment = {
        **os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
        "FLAGS_db_paths": f"{folder}/fast:{FAST_BYTES},{folder}/slow:1G",
        "FLAGS_hotrap": f"{{{PROMOTING};}}",
        "DB_DIR": f"{folder}/fast", "WAL_DIR": f"{folder}/fast",
        "OUTPUT_DIR": f"{folder}/output", "NUM_KEYS": str(RECORDS),
        "KEY_SIZE": "24", "VALUE_SIZE": "1000", "CACHE_SIZE": "100000",
        "NUM_THREADS": "2", "COMPRESSION_TYPE": "none", "DURATION": "3",
        "STATS_INTERVAL_SECONDS": "1", "DB_BENCH_NO_SYNC": "1"}
    # The script counts these in megabytes.
    shape = ["--write_buffer_size=200000", "--target_file_size_base=200000",
             "--max_bytes_for_level_base=400000"]
    for test, flags in (("filluniquerandom", ["--duration=0"]),
                        ("waitforcompaction", []), ("readrandom", []),
                        ("multireadrandom", [])):
        output = run("bash", "benchmark.sh", test, *shape, *flags, cwd=folder,
                     env=environment)
        expect("HotRAP after" in output, f"benchmark.sh {test}: {output}")
    expect(promoted(output) + promoted(
        (folder / "output/benchmark_readrandom.t2.log").read_text()) > 0,
        output)
    report = (folder / "output/report.tsv").read_text()
    expect("readrandom.t2" in report and "failed" not in report, report)
