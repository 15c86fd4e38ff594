#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs every command of ldb, db_bench and sst_dump on DBs over two paths.

ldb         every command, on DBs of the same records: one in a single folder,
            and over two paths with HotRAP off, with HotRAP on and promoted
            records, with two column families, and with paths that were moved.
            What is read must be the same for all. A command that only reads
            must change nothing, and no command may move a table.
db_bench    each group of benchmarks over two paths, where records are promoted;
            column families, transactions, several DBs, read-only, secondary
benchmark   RocksDB's tools/benchmark.sh over two paths
docs        the examples of docs/tools.md and docs/operating.md
migrating   the ways of docs/migrating.md: one disk, two, one again
upstream    RocksDB's own tests of ldb, tools/ldb_test.py

Named parts run, or all. ldb, sst_dump and db_bench must be built; a part
without its programs is an error. Exits with 1 if something failed, and then
keeps its folder.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from base import BASE, BUILD, ROOT
from tool_checks import Failure, Maker, expect, run
from tool_checks_bench import check_benchmark, check_db_bench
from tool_checks_ldb import check_ldb
from tool_checks_migrating import check_migrating

EXAMPLE = re.compile(r"^<!-- run(?:: (\w+))? -->\n```sh\n(.*?)^```$",
                     re.MULTILINE | re.DOTALL)
# Pages with examples, and the fewest of each.
PAGES = {"docs/operating.md": 4, "docs/tools.md": 5}


def check_docs(maker):
    for number, (page, fewest) in enumerate(PAGES.items()):
        check_page(maker, f"db{number}", page, fewest)


def read_until_advised(maker, db):
    """Reads until RALT has saved the hit rates that `advise` needs."""
    maker.bench(db.folders, "--use_existing_db", "--benchmarks=readrandom",
                "--reads=150000",
                hotrap="{enabled=true;cached_hit_sampling=1;}")


def check_page(maker, name, page, fewest):
    db = maker.make(name, hotrap="{enabled=true;}")
    programs = maker.folder / f"programs-{name}"
    programs.mkdir()
    root = maker.folder / f"root-{name}"
    root.mkdir()
    for program in (maker.ldb, maker.db_bench):
        (programs / program.name).symlink_to(program)
    examples = EXAMPLE.findall((ROOT / page).read_text())
    expect(len(examples) >= fewest, f"{page} has too few examples")
    advised = None
    for kind, example in examples:
        shown = db
        if kind == "advised":
            advised = advised or maker.make(f"{name}-advised",
                                            hotrap="{enabled=true;}")
            read_until_advised(maker, advised)
            shown = advised
        run("bash", "-ec", example, env={
            **os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
            "FAST": str(shown.folders[0]), "SLOW": str(shown.folders[1]),
            "ROOT": str(root)})


def check_upstream(maker):
    (maker.folder / "ldb").symlink_to(maker.ldb)
    run(sys.executable, BUILD / "rocksdb/tools/ldb_test.py", cwd=maker.folder,
        env={**os.environ, "TMPDIR": str(maker.folder)})


PARTS = {"ldb": check_ldb, "db_bench": check_db_bench,
         "benchmark": check_benchmark, "docs": check_docs,
         "migrating": check_migrating, "upstream": check_upstream}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part",
                        help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD / "release")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="for the DBs; emptied first")
    args = parser.parse_args()
    if set(args.parts) - set(PARTS):
        parser.error(f"parts are {', '.join(PARTS)}")
    if args.folder:
        shutil.rmtree(args.folder, ignore_errors=True)
        args.folder.mkdir(parents=True)
    root = args.folder or pathlib.Path(tempfile.mkdtemp(prefix="check_tools"))
    try:
        for name in args.parts or PARTS:
            start = time.monotonic()
            folder = root / name
            folder.mkdir()
            PARTS[name](Maker(folder.resolve(), args.build.resolve()))
            print(f"{name}: as it should be, on RocksDB {BASE} "
                  f"({time.monotonic() - start:.0f} s)", flush=True)
    except (Failure, subprocess.TimeoutExpired) as failure:
        sys.exit(f"check_tools: {failure}\n(see {root})")
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
