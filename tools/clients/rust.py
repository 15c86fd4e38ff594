#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Crates, fetched with cargo, tested with their own tests and lock files."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from .client import PASSED, Client, text_of
from .workshop import ClientError

OUTCOME = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (.*)$",
                     re.MULTILINE)
FAILURE = re.compile(r"^---- (\S+) stdout ----$(.*?)(?=^----|^failures:)",
                     re.MULTILINE | re.DOTALL)


class Crate(Client):
    """A crate's own tests. Each program of tests is run as it is."""
    crate = ""
    # Of cargo test.
    options = ()
    tools = ("cargo", "rustc", "pkg-config")

    def source(self):
        return self.workshop.source_of(self.name)

    def target(self, kind):
        folder = self.workshop.target_of(self.name)
        return folder / kind if self.per_library else folder / "ours"

    def cargo(self, kind, *words, **variables):
        env = {
            # Some crates pin a compiler, which rustup would download.
            "RUSTUP_TOOLCHAIN": self.toolchain(),
            "CARGO_TARGET_DIR": str(self.workshop.target_of(self.name) /
                                    "build"),
            "CARGO_PROFILE_DEV_DEBUG": "0",
            "ROCKSDB_LIB_DIR": str(self.workshop.prefix(kind).lib),
            "ROCKSDB_INCLUDE_DIR": str(self.workshop.prefix(kind).include),
            # The library brings the compressors.
            "SNAPPY_LIB_DIR": self.system_libraries(),
            **self.workshop.build_environment(kind), **variables}
        return self.workshop.run("cargo", *words, env=env, cwd=self.source())

    def toolchain(self):
        if shutil.which("rustup") is None:
            return ""
        shown = subprocess.run(
            ["rustup", "show", "active-toolchain"], cwd="/", text=True,
            stdout=subprocess.PIPE, check=True).stdout
        return shown.split()[0]

    def system_libraries(self):
        return self.workshop.run("pkg-config", "--variable=libdir",
                                 "liblz4").strip()

    def fetch(self):
        """Unpacks the crate."""
        if self.source().exists():
            return
        pin = self.workshop.folder / "pin" / self.name
        (pin / "src").mkdir(parents=True, exist_ok=True)
        (pin / "src/lib.rs").touch()
        (pin / "Cargo.toml").write_text(
            '[package]\nname = "pin"\nversion = "0.0.0"\n'
            f'[dependencies]\n{self.crate} = "={self.version}"\n')
        self.workshop.run("cargo", "fetch", "--manifest-path",
                          pin / "Cargo.toml")
        metadata = json.loads(self.workshop.run(
            "cargo", "metadata", "--offline", "--format-version=1",
            "--manifest-path", pin / "Cargo.toml"))
        for package in metadata["packages"]:
            if package["name"] == self.crate:
                part = self.source().with_suffix(".part")
                shutil.rmtree(part, ignore_errors=True)
                shutil.copytree(os.path.dirname(package["manifest_path"]), part)
                part.rename(self.source())

    def build(self, kind):
        listed = self.target(kind) / "programs.json"
        if listed.exists():
            return
        self.fetch()
        messages = self.cargo(
            kind, "test", "--no-run", "--message-format=json", "--locked",
            "--jobs=1", *self.options)
        programs = {}
        for line in messages.splitlines():
            message = json.loads(line)
            if message.get("executable") and message["profile"]["test"]:
                programs[message["target"]["name"]] = message["executable"]
        if not programs:
            raise ClientError(f"{self.crate} has no tests")
        listed.parent.mkdir(parents=True, exist_ok=True)
        for name, path in programs.items():
            copy = self.target(kind) / name
            shutil.copy2(path, copy)
            programs[name] = str(copy)
        listed.write_text(json.dumps(programs))

    def programs(self, kind):
        return json.loads((self.target(kind) / "programs.json").read_text())

    def tests(self, kind):
        names = []
        for program, path in self.programs(kind).items():
            listed = subprocess.run(
                [path, "--list", "--format=terse"], check=True, text=True,
                env=dict(os.environ, **self.workshop.runtime(kind)),
                stdout=subprocess.PIPE).stdout
            names += [f"{program}:{line.removesuffix(': test')}"
                      for line in listed.splitlines()
                      if line.endswith(": test")]
        return names

    def run(self, kind, tests, env, folder):
        results = {}
        for program, path in self.programs(kind).items():
            cases = [test.partition(":")[2] for test in tests
                     if test.partition(":")[0] == program]
            if cases:
                code, output = self.execute([path, "--exact", *cases], kind,
                                            env, folder, cwd=self.source())
                results.update(outcomes(program, code, output))
        return results


def outcomes(program, code, output):
    """Reads what libtest prints."""
    failures = dict(FAILURE.findall(output))
    results = {}
    for case, outcome in OUTCOME.findall(output):
        if outcome == "ok":
            results[f"{program}:{case}"] = PASSED
        elif outcome.startswith("FAILED"):
            results[f"{program}:{case}"] = failures.get(case, text_of(
                code, output))
    return results


class RocksDB(Crate):
    name = "rust-rocksdb"
    crate = "rocksdb"
    version = "0.25.0"
    base = "11.8.1"
    options = ("--no-default-features", "--features=bindgen-runtime")


class OlderRocksDB(RocksDB):
    name = "rust-rocksdb-0.24"
    version = "0.24.0"
    base = "10.4.2"


class KVDB(Crate):
    """Polkadot's. The package lacks a dependency of its own tests, so that a
    driver makes their calls; and a test puts a column family on a slow disk.
    """
    name = "kvdb-rocksdb"
    version = "0.21.0"

    def fetch(self):
        if not self.source().exists():
            shutil.copytree(pathlib.Path(__file__).parent / "kvdb",
                            self.source())


class Oxigraph(Crate):
    """An RDF store. A part of it is C++, compiled with the library's headers.
    """
    name = "oxigraph"
    crate = "oxigraph"
    version = "0.5.13"
    per_library = True
    options = ("--no-default-features", "--features=rocksdb,rocksdb-pkg-config")
