#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Shows what a new release of RocksDB breaks: tries to apply the patch series
to it and to compile what the patches touch, and our library.

The release is ROCKSDB_SOURCE=<folder>, or else the newest one that the package
registry serves. Prints a line per patch (applies; merges, if only a three-way
merge carries it over; CONFLICT, in which files), what stands in another
function, and what does not compile. Where a patch conflicts, the release's own
text is kept, so that the rest can be tried. The tree is build/canary/rocksdb.
Exits with 1 if anything is broken.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import patch_places
import patches
from base import DEFAULT, ROOT

FOLDER = ROOT / "build/canary"
TREE = FOLDER / "rocksdb"
BUILD = FOLDER / "check"
# Its crates follow RocksDB's releases closely.
CRATE = "rust-librocksdb-sys"
MANIFEST = f"""[package]
name = "canary"
version = "0.0.0"
edition = "2021"
[lib]
path = "lib.rs"
[dependencies]
{CRATE} = {{ version = "*", default-features = false }}
"""
# What RocksDB's CMake files want, and a syntax check needs.
FLAGS = ("-G", "Ninja", "-DROCKSDB_PLUGINS=hotrap", "-DCMAKE_BUILD_TYPE=Debug",
         "-DPORTABLE=1", "-DWITH_GFLAGS=ON", "-DUSE_RTTI=ON",
         "-DWITH_LIBURING=OFF", "-DWITH_TRACE_TOOLS=OFF", "-DWITH_TESTS=OFF",
         "-DWITH_BENCHMARK_TOOLS=OFF", "-DWITH_TOOLS=OFF",
         "-DROCKSDB_BUILD_SHARED=OFF", "-DHOTRAP_UNITY=OFF",
         "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")


class CanaryError(Exception):
    """An error to print without a stack trace."""


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise CanaryError(f"{' '.join(map(str, command[:3]))}: "
                          f"{done.stderr.strip()[-2000:]}")
    return done.stdout


def newest_source():
    """Returns the folder of RocksDB in the newest crate."""
    crate = FOLDER / "crate"
    shutil.rmtree(crate, ignore_errors=True)
    crate.mkdir(parents=True)
    (crate / "Cargo.toml").write_text(MANIFEST)
    (crate / "lib.rs").write_text("")
    run("cargo", "fetch", "--quiet", cwd=crate)
    metadata = json.loads(run("cargo", "metadata", "--offline",
                              "--format-version", "1", cwd=crate))
    return next(pathlib.Path(package["manifest_path"]).parent / "rocksdb"
                for package in metadata["packages"]
                if package["name"] == CRATE)


def version_of(source):
    header = source / "include/rocksdb/version.h"
    if not header.exists():
        raise CanaryError(f"{source} holds no RocksDB source")
    return ".".join(re.findall(
        r"^#define ROCKSDB_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text(),
        re.MULTILINE))


def make_tree(source, version):
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.copytree(source, TREE, symlinks=True,
                    ignore=shutil.ignore_patterns(".git"))
    patches.init_tree(TREE, version)


def git(*args, check=True):
    return patches.git(*args, cwd=TREE, check=check)


def carry(name, commit):
    """Returns how the patch came over."""
    try:
        patches.apply_patch(patches.PATCHES / name, TREE)
        return "applies"
    except patches.PatchError:
        pass
    if git("cherry-pick", commit, check=False).returncode == 0:
        return "merges"
    files = git("diff", "--name-only", "--diff-filter=U").split()
    git("cherry-pick", "--abort", check=False)
    picked = git("cherry-pick", "-X", "ours", commit, check=False)
    if picked.returncode != 0:
        # A file is gone, or nothing is left of the patch.
        git("cherry-pick", "--skip", check=False)
    return f"CONFLICT in {', '.join(files)}"


def carry_all():
    """Prints how each patch came over; returns the number of conflicts."""
    source = patches.tree_of(DEFAULT)
    git("fetch", "--quiet", "--no-tags", str(source),
        "+pristine:refs/other/pristine", "+HEAD:refs/other/head")
    commits = git("rev-list", "--reverse",
                  "refs/other/pristine..refs/other/head").split()
    conflicts = 0
    for name, commit in zip(patches.read_series(), commits):
        how = carry(name, commit)
        conflicts += how.startswith("CONFLICT")
        print(f"  {how:>8}  {name}", flush=True)
    difference = patch_places.compare(
        patch_places.Changes(source, patches.git),
        patch_places.Changes(TREE, patches.git), FOLDER / "places.toml")
    for problem in difference.problems:
        print(f"  ELSEWHERE {problem}")
    return conflicts + len(difference.problems)


def commands():
    """Yields (file, command) of what the patches touch and of our library."""
    run("cmake", "-S", TREE, "-B", BUILD, *FLAGS)
    touched = set(git("diff", "--name-only", "pristine", "HEAD").split())
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        name = os.path.relpath(path, TREE)
        if name in touched or name.startswith("plugin/hotrap/"):
            command = shlex.split(entry["command"])
            command[command.index("-o"):command.index("-o") + 2] = []
            yield name, command + ["-fsyntax-only", "-w"]


def compile_all(jobs):
    """Prints what does not compile; returns the number of such files."""
    wanted = list(commands())
    errors = collections.defaultdict(list)

    def compile_one(name, command):
        done = subprocess.run(command, cwd=BUILD, capture_output=True,
                              text=True, check=False)
        errors[name] = re.findall(r"^.*?: (?:fatal )?error: .*$", done.stderr,
                                  re.MULTILINE)
        return name

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(compile_one, *one) for one in wanted]
        for count, _ in enumerate(concurrent.futures.as_completed(tasks)):
            if sys.stderr.isatty():
                print(f"\r  compiled {count + 1} of {len(wanted)}", end="",
                      file=sys.stderr)
    broken = [name for name, _ in wanted if errors[name]]
    for name in broken:
        print(f"  {len(errors[name]):>3} errors  {name}")
        for error in errors[name][:5]:
            print(f"      {error.replace(str(TREE) + '/', '')}")
    print(f"{len(wanted) - len(broken)} of {len(wanted)} files compile")
    return len(broken)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-compile", action="store_true")
    args = parser.parse_args()
    try:
        named = os.environ.get("ROCKSDB_SOURCE")
        source = pathlib.Path(named) if named else newest_source()
        version = version_of(source)
        print(f"RocksDB {version}, compared with {DEFAULT}:", flush=True)
        make_tree(source, version)
        broken = carry_all()
        if not args.no_compile:
            broken += compile_all(args.jobs)
    except (CanaryError, patches.PatchError) as error:
        sys.exit(f"canary: {error}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
