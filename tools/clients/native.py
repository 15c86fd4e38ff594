#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Programs of RocksDB's own source tree: c_test and the examples."""

import pathlib
import re
import shutil

from .client import PASSED, Client, text_of
from .workshop import ClientError

# Each example has its DB there.
EXAMPLE_FOLDERS = ("rocksdb_*example*", "rocksmergetest")
STARTED = re.compile(r"^=== Test (\S+)$", re.MULTILINE)


class CTest(Client):
    """One program, whose parts use one DB one after the other. It is compiled
    with stock headers, and never again: the C API is binary compatible."""
    name = "c_test"
    version = "RocksDB's own"
    tools = ("gcc",)
    # Parts of it count files and flushes, and a part that fails ends it.
    settles = False
    quick = True

    def program(self):
        return self.workshop.target_of(self.name) / "c_test"

    def build(self, kind):
        program = self.program()
        if program.exists():
            return
        prefix = self.workshop.stock or self.workshop.ours
        program.parent.mkdir(parents=True, exist_ok=True)
        self.workshop.run(
            "gcc", "-O1", f"-I{prefix.include}", f"-I{self.workshop.source}",
            self.workshop.source / "db/c_test.c", "-o", program,
            f"-L{self.workshop.ours.lib}", "-lrocksdb",
            f"-Wl,-rpath-link,{self.workshop.ours.lib}")

    def tests(self, kind):
        source = (self.workshop.source / "db/c_test.c").read_text()
        names = re.findall(r'StartPhase\("(\w+)"\);', source)
        if not names:
            raise ClientError("c_test.c has no phases")
        return list(dict.fromkeys(names))

    def run(self, kind, tests, env, folder):
        code, output = self.execute([self.program()], kind, env, folder)
        started = list(dict.fromkeys(STARTED.findall(output)))
        results = {name: PASSED for name in started}
        if (code != 0 or "PASS" not in output) and started:
            results[started[-1]] = text_of(code, output)
        # Those for other builds do not start anywhere.
        return {name: results[name] for name in results if name in tests}


class Examples(Client):
    """Each example is a test, which passes if the program ends with 0."""
    name = "examples"
    version = "RocksDB's own"
    tools = ("gcc", "g++")
    per_library = True
    quick = True

    def folder(self, kind):
        return self.workshop.target_of(self.name) / (
            "stock" if kind == "stock" else "ours")

    def sources(self):
        return sorted(path for path
                      in (self.workshop.source / "examples").iterdir()
                      if path.suffix in (".c", ".cc"))

    def build(self, kind):
        prefix = self.workshop.prefix(kind)
        self.folder(kind).mkdir(parents=True, exist_ok=True)
        for source in self.sources():
            program = self.folder(kind) / source.stem
            if program.exists():
                continue
            language = ["g++", prefix.standard] if source.suffix == ".cc" else [
                "gcc"]
            try:
                # Their asserts are the checks.
                self.workshop.run(
                    *language, "-O0", "-UNDEBUG", "-DOS_LINUX",
                    f"-I{prefix.include}", source, "-o", program,
                    f"-L{prefix.lib}", "-lrocksdb",
                    f"-Wl,-rpath-link,{prefix.lib}", "-lpthread")
            except ClientError as error:
                # A release may have one that compiles nowhere.
                program.write_text(
                    f"#!/bin/sh\ncat <<'END'\ndoes not compile: {error}\nEND\n"
                    "exit 1\n")
                program.chmod(0o755)

    def tests(self, kind):
        return [source.stem for source in self.sources()]

    def clean(self):
        for pattern in EXAMPLE_FOLDERS:
            for path in pathlib.Path("/tmp").glob(pattern):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()

    def run(self, kind, tests, env, folder):
        results = {}
        for name in tests:
            self.clean()
            program = self.folder(kind) / name
            command = [program]
            if name == "multi_processes_example":
                command = ["bash", "-c",
                           f"{program} 0 & {program} 1; s=$?; wait $!; "
                           "exit $((s | $?))"]
            # One reads a file beside its source.
            code, output = self.execute(
                command, kind, env, folder,
                cwd=self.workshop.source / "examples")
            results[name] = PASSED if code == 0 else text_of(code, output)
        self.clean()
        return results
