#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The results of a suite: a folder with one JSON file a run."""

import hashlib
import json
import shlex

from bench_runner import BenchError


# The sources of hotrap_bench by build; its flags are added.
SOURCES = {"stock": ("scripts/rocksdb-pin", "tools/bench",
                     "tools/hotrap_bench.cc")}
SOURCES["release"] = SOURCES["stock"] + (
    "CMakeLists.txt", "hotrap.mk", "patches", "include", "db", "promotion",
    "ralt", "table")


# CMake flags that do not change the program.
INDIFFERENT_FLAGS = ("-DCMAKE_INSTALL_PREFIX=", "-DWITH_JNI=")


def flags_of(root, build):
    """Returns the flags left by `make`: those of the Makefile and of its
    command."""
    text = (root / "build" / build / "hotrap-flags").read_text()
    return [flag for flag in shlex.split(text)
            if not flag.startswith(INDIFFERENT_FLAGS)]


def hash_of(program):
    return hashlib.sha256(program.read_bytes()).hexdigest()[:12]


def hash_of_sources(root, build):
    """Returns a hash for a program that `make` has just built. It is the same
    on another machine, so that a long suite may continue there."""
    found = hashlib.sha256(json.dumps(flags_of(root, build)).encode())
    for name in SOURCES[build]:
        place = root / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and not path.stem.endswith("_test"):
                found.update(str(path.relative_to(root)).encode())
                found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]


class ResultStore:
    """An existing result is complete, because it is moved into place as a
    whole."""

    def __init__(self, folder, scale):
        self.folder = folder
        # Settings that results must share to be comparable.
        self.scale = scale

    def check_scale(self):
        for saved in self.read_all():
            if saved["scale"] != self.scale:
                self.refuse(saved, "scale", saved["scale"])

    def check_program(self, build, program):
        """`program` is the hash of that build's program."""
        for saved in self.read_all():
            if saved.get("build", build) == build and \
                    saved.get("program") != program:
                self.refuse(saved, "program", saved.get("program", "unknown"))

    def check_slow_disk(self, kind):
        for saved in self.read_all():
            if saved["result"].get("slow_disk", "none") not in ("none", kind):
                self.refuse(saved, "slow disk", saved["result"]["slow_disk"])

    def refuse(self, saved, what, value):
        raise BenchError(f"{saved['name']} in {self.folder} is of another "
                         f"{what}, {value}, and cannot be compared: choose "
                         "another --out, or delete it")

    def path(self, name, repeat):
        suffix = "" if repeat == 1 else f"@{repeat}"
        return self.folder / f"{name}{suffix}.json"

    def log_path(self, name, repeat):
        return self.path(name, repeat).with_suffix(".log")

    def folded_path(self, name, repeat):
        return self.path(name, repeat).with_suffix(".folded")

    def failure_path(self, name, repeat):
        return self.path(name, repeat).with_suffix(".failed")

    def has(self, run, repeat):
        """A result of a run with other settings does not count."""
        return self.path(run.name, repeat).exists() and \
            self.read(run.name, repeat).get("told") == run.told

    def save(self, run, repeat, context, result):
        path = self.path(run.name, repeat)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({
            "name": run.name, "group": run.group, "dataset": run.dataset.name,
            "data_bytes": run.dataset.data_bytes, "disk": run.disk,
            "workload": run.workload, "system": run.system.name,
            "build": run.system.build, "all_fast": run.system.all_fast,
            "repeat": repeat, "scale": self.scale, "told": run.told, **context,
            "result": result}))
        self.failure_path(run.name, repeat).unlink(missing_ok=True)
        part.replace(path)

    def save_failure(self, run, repeat, words):
        path = self.failure_path(run.name, repeat)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words + "\n")

    def read(self, name, repeat):
        return json.loads(self.path(name, repeat).read_text())

    def read_all(self):
        return [json.loads(path.read_text())
                for path in sorted(self.folder.rglob("*.json"))]

    def failures(self):
        return {str(path.relative_to(self.folder).with_suffix("")):
                path.read_text().strip()
                for path in sorted(self.folder.rglob("*.failed"))}
