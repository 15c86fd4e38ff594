#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""What clients are built with: the two libraries, and folders to work in."""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess


class ClientError(Exception):
    """A client cannot be fetched, built or run."""


@dataclasses.dataclass
class Prefix:
    """An installed library: include/, and lib/ with the name to link with."""
    folder: pathlib.Path
    # What its headers are compiled with.
    standard: str

    @property
    def include(self):
        return self.folder / "include"

    @property
    def lib(self):
        return self.folder / "lib"

    @property
    def library(self):
        return (self.lib / "librocksdb.so").resolve()

    def soname(self):
        listed = subprocess.run(["readelf", "-d", self.library], check=True,
                                text=True, stdout=subprocess.PIPE).stdout
        return re.search(r"\(SONAME\).*\[(.*)\]", listed)[1]


class Workshop:
    """REQUIRES: both prefixes exist. stock may be None."""

    def __init__(self, folder, ours, stock, source, log):
        self.folder = folder
        self.ours = ours
        self.stock = stock
        # RocksDB's own source: c_test, the examples.
        self.source = source
        self.log = log

    def prefix(self, kind):
        return self.stock if kind == "stock" else self.ours

    def source_of(self, client):
        return self.folder / "src" / client

    def target_of(self, client):
        return self.folder / "target" / client

    def run(self, *command, env=None, cwd=None):
        """Returns the output. Fails if the command does."""
        words = [str(word) for word in command]
        with self.log.open("a") as log:
            log.write(f"+ {shlex.join(words)}\n")
            log.flush()
            done = subprocess.run(
                words, cwd=cwd, env=dict(os.environ, **(env or {})), text=True,
                stdout=subprocess.PIPE, stderr=log, check=False)
            log.write(done.stdout)
        if done.returncode != 0:
            raise ClientError(f"{shlex.join(words)} ended with "
                              f"{done.returncode}; see {self.log}")
        return done.stdout

    def runtime(self, kind):
        """The environment in which a program finds the library of a kind.

        Programs that use the C API only are built once, with our library.
        """
        return {"LD_LIBRARY_PATH": str(self.prefix(kind).lib)}

    def build_environment(self, kind):
        prefix = self.prefix(kind)
        return {"PKG_CONFIG_PATH": str(prefix.lib / "pkgconfig"),
                "LD_LIBRARY_PATH": str(prefix.lib)}
