#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs the test suites of programs that others wrote, on our release library.

Each client is fetched through its package registry, built against an installed
copy of the library, unmodified, and its own tests run four times:

stock   with an unpatched build of the same RocksDB, for comparison
plain   with our library
off     the same, forced: two paths in each DB (libhotrap_forced.so,
        test_util/forced_mode.h), and a thread that settles each DB, but HotRAP
        off
forced  the same with HotRAP on: once everything is worth promoting, once RALT
        decides

Results are kept in build/clients/results as long as the libraries stay the
same; --again drops them. A test that fails is repeated alone; if it then passes
each time, it counts as passed, and the failure is printed.

Prints a table. Exits with 1 if a client cannot be built, if a test fails that
passes on stock, unless tools/clients/exclusions.csv has it with a reason, or if
`forced` promoted nothing. `make check-clients` builds what this needs.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

from base import BASE, BUILD, ROOT

sys.path.insert(0, str(ROOT / "tools"))
from clients import native, others, passes, rust  # noqa: E402
from clients.workshop import ClientError, Prefix, Workshop  # noqa: E402

CLIENTS = (native.CTest, native.Examples, rust.RocksDB, rust.OlderRocksDB,
           rust.KVDB, rust.Oxigraph, others.Grocksdb, others.Rockstore)
EXCLUSIONS = ROOT / "tools/clients/exclusions.csv"
STANDARD = "-std=c++17" if BASE.startswith("10.") else "-std=c++20"
COLUMNS = ("tests", "passed", "failed", "failed on stock too", "left out",
           "promoted", "retained")


def install(build, folder):
    """Installs our library below `folder`, unless that is up to date."""
    library = (build / "librocksdb.so").resolve()
    mark = folder / "library"
    text = f"{library} {digest(library)}"
    if not mark.exists() or mark.read_text() != text:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cmake", "--install", str(build), "--prefix",
                        str(folder)], check=True, stdout=subprocess.DEVNULL)
        mark.write_text(text)
    return Prefix(folder, STANDARD)


def stock_prefix(library, source, folder, ours):
    """Makes a stock build look installed, also under our library's name."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lib/pkgconfig").mkdir(parents=True)
    (folder / "include").symlink_to(source / "include")
    prefix = Prefix(folder, STANDARD)
    link = folder / "lib/librocksdb.so"
    link.symlink_to(library.resolve())
    for name in {prefix.soname(), ours.soname()}:
        if not (folder / "lib" / name).exists():
            (folder / "lib" / name).symlink_to(library.resolve())
    (folder / "lib/pkgconfig/rocksdb.pc").write_text(
        f"Name: rocksdb\nDescription: stock\nVersion: {BASE}\n"
        f"Libs: -L{folder}/lib -lrocksdb\nCflags: -I{folder}/include\n")
    return prefix


def digest(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Store:
    """The results, one file for each client and mode."""

    def __init__(self, folder, again):
        self.folder = folder
        if again:
            shutil.rmtree(folder, ignore_errors=True)

    def path(self, client, mode):
        return self.folder / client.name / f"{mode}.json"

    def load(self, client, mode, key):
        path = self.path(client, mode)
        if not path.exists():
            return None
        known = json.loads(path.read_text())
        return passes.Outcome(**known["outcome"]) if known["key"] == key else \
            None

    def save(self, client, mode, key, outcome):
        path = self.path(client, mode)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(
            {"client": client.name, "version": client.version, "base": BASE,
             "mode": mode, "key": key,
             "outcome": dataclasses.asdict(outcome)}, indent=1))
        part.replace(path)


class Check:
    def __init__(self, workshop, args):
        self.workshop = workshop
        self.args = args
        self.preload = args.build / "libhotrap_forced.so"
        self.modes = [mode for mode in passes.MODES
                      if mode != "stock" or workshop.stock is not None]
        self.store = Store(args.folder / "results", args.again)
        self.keys = {"stock": digest(workshop.stock.library)
                     if workshop.stock else ""}
        self.keys["plain"] = digest(workshop.ours.library)
        self.keys["off"] = self.keys["forced"] = (
            f"{self.keys['plain']} {digest(self.preload)}"
            f"{' quick' if args.quick else ''}")

    def key(self, client, mode):
        """What a result depends on."""
        rows = [row for row in passes.Exclusions.read(
            EXCLUSIONS, client.name, BASE).rows
                if mode in passes.modes_of(row) or
                row["mode"] == "settled"]
        return f"{client.version} {self.keys[mode]} {json.dumps(rows)}"

    def client(self, client):
        """Returns the outcome of each mode."""
        exclusions = passes.Exclusions.read(EXCLUSIONS, client.name, BASE)
        outcomes = {}
        for mode in self.modes:
            key = self.key(client, mode)
            outcome = self.store.load(client, mode, key)
            if outcome is None:
                client.build("stock" if mode == "stock" else "ours")
                outcome = passes.Runner(
                    client, exclusions, self.preload, self.args.tmp,
                    self.args.quick).run(mode)
                self.store.save(client, mode, key, outcome)
            outcomes[mode] = outcome
            row = passes.figures(outcome, outcomes.get("stock"))
            print(f"{client.name}, {mode}: {row['passed']} passed, "
                  f"{row['failed'] + row['failed on stock too']} failed",
                  flush=True)
        return outcomes


def print_table(results):
    width = max([len(name) for name in results], default=6)
    print(f"\n{'client':{width}} {'mode':6}" + "".join(
        f" {name:>{max(6, len(name))}}" for name in COLUMNS))
    for name, outcomes in results.items():
        for mode, outcome in outcomes.items():
            row = passes.figures(outcome, outcomes.get("stock"))
            print(f"{name:{width}} {mode:6}" + "".join(
                f" {row[column]:{max(6, len(column))}}" for column in COLUMNS))


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="CLIENT,...",
                        type=lambda text: text.split(","), default=[],
                        help="of " + ", ".join(c.name for c in CLIENTS))
    parser.add_argument("--quick", action="store_true",
                        help="what builds in seconds, and one forced run")
    parser.add_argument("--again", action="store_true",
                        help="drop the results that there are")
    parser.add_argument("--no-stock", action="store_true",
                        help="do without the comparison")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD / "release")
    parser.add_argument("--stock", type=pathlib.Path,
                        default=BUILD / "stock/librocksdb.so")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=BUILD / "clients")
    parser.add_argument("--tmp", type=pathlib.Path,
                        help="where the tests create their DBs")
    args = parser.parse_args()
    names = [client.name for client in CLIENTS]
    for name in args.only:
        if name not in names:
            parser.error(f"--only={name} is no client; use one of "
                         f"{', '.join(names)}")
    return args


def selected(args, workshop):
    clients = [kind(workshop) for kind in CLIENTS]
    if args.only:
        return [client for client in clients if client.name in args.only]
    return [client for client in clients
            if client.base in (None, BASE) and (client.quick or not args.quick)]


def main():
    args = parse_args()
    args.build, args.folder = args.build.resolve(), args.folder.resolve()
    args.tmp = (args.tmp or args.folder / "tmp").resolve()
    shutil.rmtree(args.tmp, ignore_errors=True)
    for folder in (args.tmp, args.folder / "src", args.folder / "target"):
        folder.mkdir(parents=True, exist_ok=True)
    ours = install(args.build, args.folder / "prefix")
    stock = None if args.no_stock else stock_prefix(
        args.stock, BUILD / "stock-rocksdb", args.folder / "stock", ours)
    workshop = Workshop(args.folder, ours, stock, BUILD / "rocksdb",
                        args.folder / "log")
    check = Check(workshop, args)
    results, wrong = {}, []
    for client in selected(args, workshop):
        missing = client.missing()
        try:
            if missing is not None:
                raise ClientError(missing)
            outcomes = check.client(client)
        except ClientError as error:
            wrong.append(f"{client.name}: {error}")
            continue
        results[f"{client.name} {client.version}"] = outcomes
        for mode, outcome in outcomes.items():
            for test, text in outcome.once.items():
                print(f"{client.name}, {mode}: {test} failed once: {text}")
            if mode != "stock":
                wrong += [f"{client.name}: {line}" for line in passes.problems(
                    mode, outcome, outcomes.get("stock"))]
    print_table(results)
    for line in wrong:
        print(f"FAILED {line}")
    shutil.rmtree(args.tmp, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"check_clients: {failure}")
