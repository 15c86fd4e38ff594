#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The ways of docs/migrating.md: from a DB without HotRAP to two disks, and
back. Part of check_tools.py."""

import pathlib
import shutil

from tool_checks import FAST_BYTES, Db, expect, tables

class Migrated(Db):
    """A DB in `folder` and the one below `root`, used by db_bench."""

    def __init__(self, maker, name, field):
        root = maker.folder / name / field
        root.mkdir(parents=True)
        self.maker = maker
        self.options = (f"{{enabled=true;{field}={root};"
                        f"fast_budget_bytes={FAST_BYTES}}}")
        folder = maker.folder / name / "db"
        super().__init__(f"{name}, {field}", [folder], maker.ldb)
        self.other = pathlib.Path(f"{root}{folder}")

    def bench(self, benchmarks, *flags, hotrap=True):
        return self.maker.bench(
            self.folders[:1], f"--benchmarks={benchmarks}", *flags,
            "--use_existing_db", hotrap=self.options if hotrap else None)


def check_way(maker, field):
    db = Migrated(maker, f"way_of_{field}", field)
    maker.bench(db.folders, "--benchmarks=filluniquerandom,flush,compact")
    wanted = db.ldb("scan", "--hex")
    before = tables(db.folder)

    # From one disk to two.
    db.bench("readrandom,waitforcompaction")
    db.ldb("hotrap", "relocation", "--wait")
    expect(db.ldb("scan", "--hex") == wanted, f"{db.name}: over two disks")
    slow, fast = ((db.other, db.folder) if field == "slow_root" else
                  (db.folder, db.other))
    expect(tables(slow), f"{db.name}: nothing is on the slow disk")
    expect(sum(tables(fast).values()) < sum(before.values()),
           f"{db.name}: all is on the fast disk")

    # From two disks to one.
    db.bench("compact,waitforcompaction", "--hotrap={enabled=false;}",
             hotrap=False)
    expect(db.ldb("scan", "--hex") == wanted, f"{db.name}: back on one disk")
    for folder, name in tables(db.other):
        shutil.move(folder / name, db.folder / name)
    db.bench("readrandom", hotrap=False)
    shutil.rmtree(db.other)

    # Back to a stock RocksDB.
    settled = db.ldb("hotrap", "settle")
    expect("is 0" in settled or "nothing to settle" in settled,
           f"{db.name}: {settled}")
    expect(db.ldb("scan", "--hex") == wanted, f"{db.name}: without HotRAP")


def check_migrating(maker):
    for field in ("slow_root", "fast_root"):
        check_way(maker, field)
