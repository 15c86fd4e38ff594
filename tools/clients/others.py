#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Clients in Go and Python."""

import json
import os
import re
import shutil
import subprocess

from .client import PASSED, Client, text_of
from .workshop import ClientError

GO_OUTCOME = re.compile(r"^--- (PASS|FAIL|SKIP): (\S+) ", re.MULTILINE)


class Grocksdb(Client):
    name = "grocksdb"
    module = "github.com/linxGnu/grocksdb"
    version = "v1.11.1"
    # go.sum's, of this version.
    checksum = "h1:/gjcsviJimrQCDDlQCVuvzmeVAvgapQKaFQkQSe48bQ="
    tools = ("go", "gcc")

    def source(self):
        return self.workshop.source_of(self.name)

    def program(self):
        return self.workshop.target_of(self.name) / "grocksdb.test"

    def build(self, kind):
        if self.program().exists():
            return
        if not self.source().exists():
            # Outside of any module.
            got = json.loads(self.workshop.run(
                "go", "mod", "download", "-json",
                f"{self.module}@{self.version}", cwd="/"))
            if got["Sum"] != self.checksum:
                raise ClientError(f"{self.module} {self.version} has the "
                                  f"checksum {got['Sum']}, not {self.checksum}")
            part = self.source().with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(got["Dir"], part)
            # Go's cache is read-only.
            self.workshop.run("chmod", "-R", "u+w", part)
            part.rename(self.source())
        self.program().parent.mkdir(parents=True, exist_ok=True)
        prefix = self.workshop.ours
        self.workshop.run(
            "go", "test", "-p=1", "-c", "-o", self.program(), ".",
            cwd=self.source(),
            env={"CGO_CFLAGS": f"-I{prefix.include}",
                 "CGO_LDFLAGS": f"-L{prefix.lib} -lrocksdb -lstdc++ -lm "
                                f"-Wl,-rpath-link,{prefix.lib}"})

    def tests(self, kind):
        listed = subprocess.run(
            [self.program(), "-test.list=."], check=True, text=True,
            env=dict(os.environ, **self.workshop.runtime(kind)),
            stdout=subprocess.PIPE).stdout
        return [name for name in listed.splitlines()
                if name.startswith("Test")]

    def run(self, kind, tests, env, folder):
        code, output = self.execute(
            [self.program(), "-test.v", f"-test.run=^({'|'.join(tests)})$"],
            kind, env, folder, cwd=self.source())
        results = {}
        for outcome, name in GO_OUTCOME.findall(output):
            if outcome != "SKIP":
                results[name] = (PASSED if outcome == "PASS"
                                 else text_of(code, output))
        return results


class Rockstore(Client):
    """Python, through CFFI, which opens librocksdb.so with dlopen()."""
    name = "rockstore"
    version = "0.2.0"
    # Of the source package.
    sha256 = "17336ec18687a24568529513d0d42d18d92031c2386b7fea2153cff47b3561fd"
    tools = ("tar",)

    # Debian's, not a newer one of the user.
    python = "/usr/bin/python3"

    def missing(self):
        for module in ("pip", "pytest", "cffi"):
            if subprocess.run([self.python, "-c", f"import {module}"],
                              stderr=subprocess.DEVNULL,
                              check=False).returncode != 0:
                return f"no {module} for {self.python}"
        return super().missing()

    def source(self):
        return self.workshop.source_of(self.name)

    def build(self, kind):
        if self.source().exists():
            return
        part = self.source().with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        (part / "requirements.txt").write_text(
            f"{self.name}=={self.version} --hash=sha256:{self.sha256}\n")
        self.workshop.run(
            self.python, "-m", "pip", "download", "--quiet", "--no-deps",
            "--no-binary=:all:", "--require-hashes", "-r",
            part / "requirements.txt", "-d", part)
        self.workshop.run("tar", "-xf",
                          part / f"{self.name}-{self.version}.tar.gz",
                          "--strip-components=1", "-C", part)
        part.rename(self.source())

    def pytest(self, *words):
        # Plugins of the machine are none of its business.
        return [self.python, "-m", "pytest", "-p", "no:cacheprovider", *words]

    def tests(self, kind):
        code, output = self.execute(
            self.pytest("--collect-only", "-q"), kind, {}, self.source())
        names = [line for line in output.splitlines() if "::" in line]
        if code != 0 or not names:
            raise ClientError(text_of(code, output))
        return names

    def run(self, kind, tests, env, folder):
        code, output = self.execute(
            self.pytest("-v", "-rA", *tests), kind, env, folder,
            cwd=self.source())
        results = {}
        for name, outcome in re.findall(
                r"^(\S+::\S+) (PASSED|FAILED|ERROR)", output, re.MULTILINE):
            results[name] = (PASSED if outcome == "PASSED"
                             else text_of(code, output))
        return results
