#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Checks of ldb and sst_dump: see check_tools.py."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from tool_checks import (FAST_BYTES, PROMOTING, RECORDS, TIMEOUT_SECS, Db,
                         expect, files, run, tables)

def key_of(number):
    """A key of db_bench."""
    return number.to_bytes(8, "big") + b"0" * 16


def hex_key(number):
    return "0x" + key_of(number).hex().upper()


ENTITY_KEY = hex_key(3)
READS = {
    "scan": ("scan", "--hex"),
    "scan of a range": ("scan", "--hex", f"--from={hex_key(100)}",
                        f"--to={hex_key(200)}"),
    "get": ("get", "--hex", hex_key(5)),
    "multi_get": ("multi_get", "--hex", hex_key(5), hex_key(5999)),
    "get_entity": ("get_entity", "--hex", hex_key(5)),
    "multi_get_entity": ("multi_get_entity", "--hex", hex_key(5), hex_key(6)),
    "dump": ("dump", "--hex"),
    "dump of a count": ("dump", "--count_only", "--hex"),
}


def check_reads(db, reference, args=()):
    """What is read must be the same as in `reference`."""
    for name, command in READS.items():
        wanted = reference.ldb(*command)
        found = db.ldb(*command, *args)
        expect(found == wanted, f"{db.name}: {name} differs:\n{found[:500]}")


def check_looks(db, args=()):
    """Commands whose answer depends on the files."""
    names = [name for folder, name in tables(*db.folders)]
    live = db.ldb("dump_live_files", *args)
    metadata = db.ldb("list_live_files_metadata", *args)
    checksums = db.ldb("file_checksum_dump", *args)
    ranges = db.ldb("list_file_range_deletes", *args)
    manifest = db.ldb("manifest_dump", *args)
    for (folder, name) in tables(*db.folders):
        number = str(int(name.split(".")[0]))
        expect(f"{folder}/{name}" in ranges,
               f"{db.name}: list_file_range_deletes: {name}")
        expect(f"{folder}/{name}" in live,
               f"{db.name}: dump_live_files: {name}")
        expect(f"{folder}/{name}" in metadata,
               f"{db.name}: list_live_files_metadata has no {folder}/{name}:\n"
               f"{metadata[:800]}")
        expect(re.search(rf"^{number}, ", checksums, re.MULTILINE) or
               f"file number {number}" in checksums or number in checksums,
               f"{db.name}: file_checksum_dump: {number}")
        expect(f" {number}:" in manifest, f"{db.name}: manifest_dump: {number}")
    expect(names, f"{db.name} has no tables")
    expect("default" in db.ldb("list_column_families", *args), db.name)
    expect(int(db.ldb("get_property", "rocksdb.estimate-num-keys",
                      *args).split()[-1]) > RECORDS // 2, db.name)
    expect(int(db.ldb("approxsize", "--hex", f"--from={hex_key(0)}",
                      f"--to={hex_key(RECORDS)}", *args)) > 0, db.name)
    expect("Internal keys in range" in
           db.ldb("idump", "--hex", "--count_only", *args), db.name)
    for wal in db.folder.glob("*.log"):
        db.ldb("dump_wal", f"--walfile={wal}")


def check_writes(db, args=()):
    """Commands that open the DB for writing, except those that rewrite it."""
    new = "0x" + b"new".hex()
    before = tables(*db.folders)
    expect("OK" in db.ldb("checkconsistency", *args), db.name)
    query = db.ldb("query", "--hex", *args,
                   input=f"get {hex_key(5)}\nquit\n".encode())
    expect(db.ldb("get", "--hex", hex_key(5), *args).strip() in query,
           f"{db.name}: query finds\n{query[:500]}")
    db.ldb("put", "--hex", new, "0x01", *args)
    expect(db.ldb("get", "--hex", new, *args).strip() == "0x01", db.name)
    db.ldb("batchput", "--hex", new, "0x02", "0x30", "0x03", *args)
    expect(db.ldb("get", "--hex", "0x30", *args).strip() == "0x03", db.name)
    db.ldb("put_entity", "--hex", new, "0x61:0x62", *args)
    expect("0x62" in db.ldb("get_entity", "--hex", new, *args).lower(), db.name)
    db.ldb("delete", "--hex", new, *args)
    expect("not found" in db.ldb("get", "--hex", new, *args).lower(), db.name)
    # A key that was written once: of another one, an older version may come
    # back.
    once = "0x" + b"once".hex()
    db.ldb("put", "--hex", once, "0x04", *args)
    db.ldb("singledelete", "--hex", once, *args)
    expect("not found" in db.ldb("get", "--hex", once, *args).lower(), db.name)
    db.ldb("deleterange", "--hex", hex_key(10), hex_key(12), *args)
    expect("not found" in db.ldb("get", "--hex", hex_key(11), *args).lower(),
           db.name)
    db.ldb("load", "--hex", *args, input=b"0x31 ==> 0x32\n")
    expect(db.ldb("get", "--hex", "0x31", *args).strip() == "0x32", db.name)
    query = db.ldb("query", "--hex", *args,
                   input=b"put 0x33 0x34\nget 0x33\nquit\n")
    expect("0x34" in query, f"{db.name}: query: {query}")
    if "--try_load_options=false" not in args:
        db.ldb("create_column_family", "other", *args)
        expect("other" in db.ldb("list_column_families", *args), db.name)
        db.ldb("put", "--column_family=other", "a", "b", *args)
        db.ldb("drop_column_family", "other", *args)
    after = tables(*db.folders)
    moved = [name for folder, name in after
             if (folder, name) not in before and
             any(name == other for _, other in before)]
    expect(not moved, f"{db.name}: tables were moved: {moved}")


def check_all_commands(db, reference, folder):
    """The commands on a DB whose paths nobody tells them."""
    for args in ((), ("--try_load_options=false",)):
        check_unchanged(db, lambda args=args: (
            check_reads(db, reference, args), check_looks(db, args)))
    check_writes(db)
    for key in (hex_key(10), hex_key(11)):
        db.ldb("put", "--hex", key, reference.ldb("get", "--hex", key).strip())
    for key in ("0x30", "0x31", "0x33"):
        db.ldb("delete", "--hex", key)
    db.ldb("update_manifest", "--update_temperatures")
    check_copies(db, reference, folder)
    expect("is 0" in db.ldb("hotrap", "settle"), db.name)
    check_reads(db, reference)
    check_rewrites(db, reference)
    check_repair(db, reference)


def check_roots(maker, reference, folder):
    """Paths that the library chose by hotrap.slow_root: in the OPTIONS file,
    and in the environment of the program, which ldb does not have."""
    root = folder / "root"
    root.mkdir()
    options = f"{PROMOTING};slow_root={root};fast_budget_bytes={FAST_BYTES}"
    for name, environment in (("rooted", {}),
                              ("unaware", {"ROCKSDB_HOTRAP": options})):
        db = maker.make(name, paths=1,
                        hotrap=None if environment else f"{{{options}}}",
                        env={**os.environ, **environment},
                        promotes=True)
        slow = pathlib.Path(f"{root}{db.folder}")
        db.folders.append(slow)
        expect(tables(slow), f"{name}: nothing in {slow}")
        in_options = "slow_root" in max(db.folder.glob("OPTIONS-*")).read_text()
        expect(in_options == (not environment), f"{name}: OPTIONS")
        tiers = json.loads(db.ldb("hotrap", "tiers", "--json"))["default"]
        expect(tiers["enabled"] == in_options and
               [path["path"] for path in tiers["paths"]] ==
               [str(path) for path in db.folders], f"{name}: {tiers}")
        copy = db.copy(f"{name}-copy")
        check_reads(copy, reference)
        check_writes(copy)
        check_all_commands(db, reference, folder)


def check_style(maker):
    """A DB that one compaction can take as a whole."""
    db = maker.make("small", flags=("--num=500", "--write_buffer_size=2000000",
                                    "--target_file_size_base=2000000",
                                    "--max_bytes_for_level_base=4000000"))
    wanted = db.ldb("scan", "--hex")
    db.ldb("change_compaction_style", "--old_compaction_style=0",
           "--new_compaction_style=1")
    expect(db.ldb("scan", "--hex") == wanted and len(tables(*db.folders)) == 1,
           f"small: {tables(*db.folders)}")


def check_external(db, folder):
    """Files that are written for other DBs, and that come from there."""
    file = folder / "external.sst"
    file.unlink(missing_ok=True)
    db.ldb("write_extern_sst", file, "--hex",
           input=b"0x7a31 ==> 0x01\n0x7a32 ==> 0x02\n")
    db.ldb("ingest_extern_sst", file, "--move_files=false")
    expect(db.ldb("get", "--hex", "0x7a32").strip() == "0x02", db.name)


def check_copies(db, reference, folder):
    """Checkpoint, backup and restore, which stock RocksDB refuses over two
    paths."""
    wanted = reference.ldb("scan", "--hex")
    # New names, as a part of each lies in another folder.
    checkpoint, backups, restored = (
        folder / f"{db.name}-{name}"
        for name in ("checkpoint", "backups", "restored"))
    db.ldb("checkpoint", f"--checkpoint_dir={checkpoint}")
    for _ in range(2):
        db.ldb("backup", f"--backup_dir={backups}")
    restore = ("restore", f"--backup_dir={backups}")
    copies = [Db(f"{db.name}-{copy.name}", [copy], db.ldb_program, [])
              for copy in (checkpoint, restored)]
    copies[1].ldb(*restore)
    if db.args:
        # Which folders are to be emptied is not for the caller to say.
        error = db.ldb(*restore, fails=True)
        expect("--db_paths" in error, f"{db.name}: {error}")
    else:
        db.ldb(*restore)
    for copy in (*copies, db):
        expect(copy.ldb("scan", "--hex") == wanted, copy.name)


def check_rewrites(db, reference):
    """Commands that rewrite the whole DB."""
    scan = ("scan", "--hex")
    wanted = reference.ldb(*scan)
    db.ldb("compact")
    expect(db.ldb(*scan) == wanted, f"{db.name}: after compact")
    db.ldb("reduce_levels", "--new_levels=4", "--print_old_levels")
    expect(db.ldb(*scan) == wanted, f"{db.name}: after reduce_levels")
    # With so many tables it fails over one path, too.
    error = db.ldb("change_compaction_style", "--old_compaction_style=0",
                   "--new_compaction_style=1", fails=True)
    expect("Moving more than 1 file" in error, f"{db.name}: {error}")
    expect(db.ldb(*scan) == wanted, f"{db.name}: after change_compaction_style")


def check_repair(db, reference):
    (db.folder / "CURRENT").unlink()
    for manifest in db.folder.glob("MANIFEST-*"):
        manifest.unlink()
    if not all(tables(folder) for folder in db.folders):
        # Whether its disk is mounted, only a person can say.
        error = db.ldb("repair", fails=True)
        expect("is its disk mounted?" in error, f"{db.name}: {error}")
        (db.folder / "HOTRAP_PATHS").unlink()
    db.ldb("repair")
    expect(db.ldb("scan", "--hex") == reference.ldb("scan", "--hex"),
           f"{db.name}: after repair")


def check_removal(db):
    """The table is named by its number, and may lie on either path."""
    for folder, name in list(tables(*db.folders))[:1]:
        db.ldb("unsafe_remove_sst_file", str(int(name.split(".")[0])))
        db.ldb("checkconsistency")
        expect(f"{folder}/{name}" not in db.ldb("list_live_files_metadata"),
               f"{db.name}: {name} is still there")


def check_unchanged(db, action):
    before = files(*db.folders)
    action()
    after = files(*db.folders)
    expect(before == after, f"{db.name}: reading changed "
           f"{sorted(map(str, set(before.items()) ^ set(after.items())))[:4]}")


def check_hotrap_command(db, folder):
    stats = json.loads(db.ldb("hotrap", "stats", "--json"))["default"]
    expect(stats["enabled"] and stats["inactive_reason"] == "" and
           stats["promoted_copies"] > 0 and
           stats["ralt"]["hot_records"] > 0, f"{db.name}: {stats}")
    expect("promoted_copies" in db.ldb("hotrap", "stats"), db.name)
    tiers = json.loads(db.ldb("hotrap", "tiers", "--json"))["default"]
    expect([path["path"] for path in tiers["paths"]] ==
           [str(path) for path in db.folders], f"{db.name}: {tiers}")
    sizes = {}
    for (path, _), size in tables(*db.folders).items():
        sizes[str(path)] = sizes.get(str(path), 0) + size
    expect({path["path"]: path["bytes"] for path in tiers["paths"]} == sizes,
           f"{db.name}: {tiers}")
    text = db.ldb("hotrap", "tiers")
    expect("HotRAP on" in text and str(db.folders[1]) in text, text)
    top = json.loads(db.ldb("hotrap", "top", "--json", "--max_keys=5",
                            "--key_hex"))["default"]["top_hot_keys"]
    expect(len(top) == 5, f"{db.name}: {top}")
    for key in top:
        expect(db.ldb("get", "--hex", key["key"]).startswith("0x"), key)
    expect("hot keys" in db.ldb("hotrap", "top"), db.name)
    relocation = db.ldb("hotrap", "relocation", "--json", "--wait")
    expect("bytes_on_wrong_tier" in relocation, relocation)
    # Settling is the way back to a stock RocksDB.
    settled = db.copy(f"{db.name}-settled")
    expect("is 0" in settled.ldb("hotrap", "settle"), db.name)
    expect(json.loads(settled.ldb("hotrap", "stats", "--json"))["default"]
           ["promoted_copies"] == 0, db.name)
    options = max(settled.folder.glob("OPTIONS-*"))
    expect("hotrap" not in options.read_text(), options)
    expect(settled.ldb("scan", "--hex") == db.ldb("scan", "--hex"), db.name)
    for words in (("hotrap", "nonsense"), ("hotrap",),
                  ("hotrap", "top", "--max_keys=0"),
                  ("hotrap", "stats", "--column_family=nobody")):
        expect(db.ldb(*words, fails=True), words)
    shutil.rmtree(folder / settled.name)


def check_hotrap_of_stock(db):
    """The same commands where HotRAP never was."""
    for subcommand in ("stats", "top", "relocation"):
        error = db.ldb("hotrap", subcommand, fails=True)
        expect("HotRAP" in error, f"{db.name}: {subcommand} says {error}")
    check_unchanged(db, lambda: expect("nothing to settle" in
                                       db.ldb("hotrap", "settle"), db.name))
    expect("HotRAP off" in db.ldb("hotrap", "tiers"), db.name)


def check_relocation(maker, reference):
    """HotRAP on a DB whose first path was put in front of an old folder."""
    old = maker.make("old", paths=1)
    fast = old.folder.parent / "front"
    maker.bench([fast, old.folder], "--use_existing_db", f"--db={old.folder}",
                "--benchmarks=readrandom", "--reads=1",
                hotrap="{enabled=true;relocation_bytes_per_sec=0}")
    db = Db("front", [old.folder], maker.ldb)
    wrong = json.loads(db.ldb("hotrap", "relocation", "--json"))["default"]
    expect(wrong["bytes_on_wrong_tier"] > 0, f"relocation: {wrong}")
    # With relocation switched off, ldb moves nothing either.
    before = tables(fast, old.folder)
    db.ldb("put", "--try_load_options=false", "--auto_compaction=false", "a",
           "b")
    after = tables(fast, old.folder)
    expect(before.items() <= after.items(), "a table was moved without options")
    db.ldb("delete", "a")
    maker.bench([fast, old.folder], "--use_existing_db", f"--db={old.folder}",
                "--benchmarks=readrandom", "--reads=1",
                hotrap="{enabled=true;relocation_bytes_per_sec=1000000}")
    expect("moved" in db.ldb("hotrap", "relocation", "--wait") or
           json.loads(db.ldb("hotrap", "relocation", "--json"))["default"]
           ["bytes_on_wrong_tier"] == 0, "relocation did not end")
    check_reads(db, reference)


def check_moved(db, reference, folder):
    """Paths that were moved."""
    # The DB's folder alone: ldb sees that the old one is gone.
    moved = db.folder.parent / "moved"
    db.folder.rename(moved)
    here = Db("moved", [moved, db.folders[1]], db.ldb_program)
    check_reads(here, reference)
    expect("not mounted" in here.ldb("put", "a", "b", fails=True), "moved")
    # Both: ldb must be told.
    both = folder / "elsewhere"
    both.mkdir()
    for path in here.folders:
        path.rename(both / path.name)
    lost = Db("elsewhere", [both / "moved"], db.ldb_program)
    error = lost.ldb("scan", fails=True)
    expect("--db_paths" in error, f"elsewhere: {error}")
    error = lost.ldb("put", "a", "b", fails=True)
    expect("--db_paths" in error and not db.folders[1].exists(),
           f"elsewhere: {error}")
    told = Db("elsewhere", [both / "moved", both / "slow"], db.ldb_program,
              [f"--db_paths={both / 'moved'},{both / 'slow'}"])
    check_reads(told, reference)
    check_writes(told)
    # Now HOTRAP_PATHS has the new ones.
    Db("known", told.folders, db.ldb_program).ldb("checkconsistency")


def check_sst_dump(maker, db):
    for folder in db.folders:
        output = run(maker.sst_dump, f"--file={folder}", "--command=verify")
        expect("corrupt" not in output.lower(), output)


def check_instances(db, reference, folder):
    """Read-only instances of other kinds, and a DB that is in use."""
    secondary = folder / "secondary"
    expect(db.ldb("scan", "--hex", f"--secondary_path={secondary}") ==
           reference.ldb("scan", "--hex"), f"{db.name}: secondary")
    (folder / "follower").mkdir(exist_ok=True)
    error = run(db.ldb_program, f"--db={folder / 'follower'}",
                f"--leader_path={db.folder}", "scan", fails=True)
    expect("only one folder" in error, f"{db.name}: follower says {error}")
    with subprocess.Popen(
            [db.ldb_program, f"--db={db.folder}", *db.args, "query", "--hex"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(f"get {hex_key(5)}\n".encode())
        process.stdin.flush()
        process.stdout.readline()
        error = db.ldb("put", "a", "b", fails=True)
        expect("lock" in error.lower(), f"{db.name}: in use: {error}")
        db.ldb("hotrap", "tiers")
        if db.hotrap:
            expect("hot_records" in db.ldb("hotrap", "stats"), db.name)
            expect("hot keys" in db.ldb("hotrap", "top"), db.name)
            error = db.ldb("hotrap", "settle", fails=True)
            expect("lock" in error.lower(), f"{db.name}: settle: {error}")
        check_reads(db, reference)
        process.stdin.close()
        expect(process.wait(timeout=TIMEOUT_SECS) == 0, "query failed")


def check_families(maker, folder):
    families = maker.make("families", hotrap="{enabled=true;}",
                          flags=("--num_column_families=2",))
    expect("column_family_name_000001" in
           families.ldb("list_column_families"), "families")
    for name in ("default", "column_family_name_000001"):
        expect(len(families.ldb("scan", "--hex", f"--column_family={name}")
                   .splitlines()) > RECORDS // 4, f"families: {name}")
    for args in ((), ("--try_load_options=false",)):
        families.ldb("put", "--column_family=column_family_name_000001", "x",
                     "y", *args)
        expect(families.ldb("get", "x", "--column_family="
                            "column_family_name_000001",
                            *args).strip() == "y", "families")
    stats = json.loads(families.ldb("hotrap", "stats", "--json"))
    expect(set(stats) == {"default", "column_family_name_000001"}, stats)
    families.ldb("file_checksum_dump")
    families.ldb("compact", "--column_family=column_family_name_000001")
    expect("is 0" in families.ldb("hotrap", "settle"), "families")
    del folder


def check_help(maker):
    """No command of RocksDB's was forgotten."""
    text = run(maker.ldb, "--help")
    expect("hotrap settle" in text and "--db_paths" in text, text[-500:])
    commands = set(re.findall(r"^  ([a-z]\w+)", text, re.MULTILINE))
    commands -= {"commands", "hotrap"}
    expect(len(commands) > 30, commands)
    for command in commands:
        # Given by our ldb: stock ones have no option --db_paths.
        output = subprocess.run(
            [maker.ldb, command, "--db_paths=/nowhere:1", "--nonsense"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, timeout=TIMEOUT_SECS).stdout
        expect("db_paths" not in output, f"{command}: {output}")
    expect("not a size" in run(maker.ldb, "--db=/nowhere", "scan",
                               "--db_paths=/a:5X", fails=True), "bad size")
    run(maker.ldb, "--version")


def check_ldb(maker):
    folder = maker.folder
    check_help(maker)
    reference = maker.make("one", paths=1)
    off = maker.make("off")
    on = maker.make("on", hotrap="{enabled=true;}")
    for db in (off, on):
        expect(all(tables(path) for path in db.folders),
               f"{db.name}: a path has no tables")
        for args in ((), ("--try_load_options=false",)):
            check_unchanged(db, lambda args=args, db=db: (
                check_reads(db, reference, args), check_looks(db, args)))
        check_instances(db, reference, folder)
        check_sst_dump(maker, db)
        # From another folder, by a relative name.
        relative = Db(db.name, [pathlib.Path(db.folder.name)], db.ldb_program)
        expect(run(db.ldb_program, f"--db={relative.folder}", "scan", "--hex",
                   cwd=db.folder.parent) == reference.ldb("scan", "--hex"),
               f"{db.name}: relative")
    check_hotrap_command(on, folder)
    check_hotrap_of_stock(off)
    for db in (off, on):
        for args in ((), ("--try_load_options=false",)):
            copy = db.copy(f"{db.name}-writes{len(args)}")
            check_writes(copy, args)
            copy.ldb("checkconsistency")
        rewritten = db.copy(f"{db.name}-rewritten")
        # Until a program has opened it, HOTRAP_PATHS is the original's.
        error = Db("copy", rewritten.folders,
                   db.ldb_program).ldb("scan", fails=True)
        expect("copy" in error and "--db_paths" in error, error)
        rewritten.ldb("put", "a", "b")
        rewritten.ldb("delete", "a")
        rewritten.args = []
        check_copies(rewritten, reference, folder)
        check_rewrites(rewritten, reference)
        check_external(rewritten, folder)
        repaired = db.copy(f"{db.name}-repaired")
        check_repair(repaired, reference)
        check_removal(repaired)
        repaired.ldb("update_manifest", "--update_temperatures")
    check_style(maker)
    check_relocation(maker, reference)
    check_roots(maker, reference, folder)
    check_families(maker, folder)
    check_moved(on, reference, folder)
