#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Installs the Debian packages into a clean root and uses them there.

The root is a Debian 12 of its own (mmdebstrap), with compilers but without
anything of this machine. apt installs the packages into a copy of it (an
overlay), with what they depend on, and there are built and run, unmodified:

c, cpp_make, cpp_cmake, rust, go, python
           the programs of examples/, which docs/getting_started.md shows. Each
           opens a DB over two paths with HotRAP on, writes, reads, and prints
           what it read and whether HotRAP is active
c_static   C with the static library
c_stock    a C program that needs a stock RocksDB's SONAME, with the link for it
tools      the programs of the -tools package
java       two programs with the jars of the -java package, if that was built
shlibs     dpkg-shlibdeps names the package that a program needs
conflicts  Debian's librocksdb-dev replaces ours instead of mixing with it
removal    apt removes the packages, and nothing is left
lintian    finds neither errors nor warnings in the packages

Needs root, and a network for apt, cargo, go and pip. Exits with 1 after the
first failure. The root is kept in build/packages/, with what cargo and go have
fetched.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from base import ROOT

FOLDER = ROOT / "build/packages"
TIMEOUT_SECS = 1800.0
# What Debian needs for the checks: all of them, and some.
PACKAGES = ("build-essential", "ca-certificates", "pkg-config")
MORE_PACKAGES = {"cpp_cmake": ("cmake",), "go": ("golang-go",),
                 "java": ("default-jdk-headless",), "python": ("python3-venv",),
                 "rust": ("cargo-web", "libclang-14-dev")}
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
EXPECTED = ("value: value", "active: 1")


class PackageError(Exception):
    """A defect of the packages."""


def run(*command, **options):
    words = [str(word) for word in command]
    result = subprocess.run(words, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=TIMEOUT_SECS,
                            check=False, **options)
    if result.returncode != 0:
        raise PackageError(f"{shlex.join(words)}\nended with "
                           f"{result.returncode}:\n{result.stdout}")
    return result.stdout


def make_base(packages):
    """Creates the Debian that all checks start from, unless it is there."""
    root = FOLDER / "root"
    stamp = FOLDER / "root.stamp"
    digest = hashlib.sha256(" ".join(packages).encode()).hexdigest()
    if root.exists() and stamp.exists() and stamp.read_text() == digest:
        return root
    run("rm", "-rf", root)
    # Package lists stay, for the packages that ours depend on.
    run("mmdebstrap", "--variant=minbase", "--skip=cleanup/apt/lists",
        f"--include={','.join(packages)}", "bookworm", root)
    stamp.write_text(digest)
    return root


class CleanRoot:
    """A copy of the base, in this process's mount namespace."""

    def __init__(self, base):
        self.path = FOLDER / "clean"
        upper, work = FOLDER / "upper", FOLDER / "work"
        for folder in (self.path, upper, work):
            run("rm", "-rf", folder)
            folder.mkdir(parents=True)
        run("mount", "-t", "overlay", "overlay", "-o",
            f"lowerdir={base},upperdir={upper},workdir={work}", self.path)
        run("mount", "-t", "proc", "proc", self.path / "proc")
        run("mount", "--rbind", "/dev", self.path / "dev")
        cache = FOLDER / "cache"
        for folder in (cache, self.path / "cache"):
            folder.mkdir(exist_ok=True)
        run("mount", "--bind", cache, self.path / "cache")
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        # A proxy may have a certificate that only this machine knows.
        if pathlib.Path("/", CERTIFICATES).exists():
            shutil.copy(f"/{CERTIFICATES}", self.path / CERTIFICATES)
        self.env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": "/root", "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            "CARGO_HOME": "/cache/cargo", "GOMODCACHE": "/cache/go",
            "PIP_CACHE_DIR": "/cache/pip"}
        for name in os.environ:
            if name.lower().endswith("_proxy") or name == "GOPROXY":
                self.env[name] = os.environ[name]
        self.runs = 0

    def run(self, command, *arguments, **env):
        """Runs a shell command below /examples in the root."""
        return run("chroot", self.path, "sh", "-euc",
                   f"cd /examples; {command}", "sh", *arguments,
                   env={**self.env, **env})

    def run_example(self, command, **env):
        """Runs a command with two new folders, and checks what it prints."""
        self.runs += 1
        folders = [f"/data{self.runs}/{name}" for name in ("fast", "slow")]
        self.run("mkdir -p \"$@\"", *folders)
        output = self.run(f"{command} \"$@\"", *folders, **env)
        for line in EXPECTED:
            if line not in output.splitlines():
                raise PackageError(f"{command}: no line '{line}' but {output}")


class Check:
    """The checks, in the order of CHECKS. Each may need install()."""

    def __init__(self, root, debs):
        self.root = root
        self.debs = debs
        self.version = next(
            re.match(r"librocksdb-hotrap_(.*)_", deb.name)[1]
            for deb in debs if deb.name.startswith("librocksdb-hotrap_"))

    def lintian(self):
        # Who builds packages without DEBEMAIL has no address.
        run("lintian", "--allow-root", "--fail-on", "error,warning",
            "--suppress-tags",
            "bogus-mail-host,bogus-mail-host-in-debian-changelog", *self.debs)

    def install(self):
        if (self.root.path / "usr/include/rocksdb").exists():
            raise PackageError("the root is not clean")
        shutil.copytree(ROOT / "examples", self.root.path / "examples")
        programs = ROOT / "tools/check_install"
        for path in (programs / "use.c", programs / "Use.java",
                     ROOT / "java/hotrap/src/test/java/example/Visits.java"):
            shutil.copy(path, self.root.path / "examples")
        (self.root.path / "debs").mkdir()
        for deb in self.debs:
            shutil.copy(deb, self.root.path / "debs")
        self.root.run("apt-get install -qy --no-install-recommends /debs/*")

    def c(self):
        self.root.run("cc -Wall -o c/example c/example.c "
                      "$(pkg-config --cflags --libs rocksdb)")
        self.root.run_example("c/example")

    def c_static(self):
        self.root.run("cc -static -o c/static c/example.c "
                      "$(pkg-config --cflags --libs --static rocksdb)")
        self.root.run_example("c/static")

    def c_stock(self):
        """A stub with a stock SONAME stands for the library that the program
        was linked with; scripts/check_install.py runs RocksDB's C test so."""
        major = self.version.split(".")[0]
        self.root.run(
            "cc -c -o c/use.o use.c; nm -u c/use.o | "
            r"sed -n 's/.* \(rocksdb_.*\)/.globl \1\n\1:/p' > c/stub.s; "
            f"cc -shared -Wl,-soname,librocksdb.so.{major} -o c/libstub.so "
            "c/stub.s; cc -o c/stock c/use.o -Lc -lstub; mkdir c/db; "
            "! c/stock c/db 2> c/error; "
            f"grep -q 'librocksdb.so.{major}: cannot open' c/error; "
            "LD_LIBRARY_PATH=$(pkg-config --variable=stock_names_dir rocksdb) "
            "c/stock c/db; "
            "cd $(pkg-config --variable=libdir rocksdb); "
            f"ln -s rocksdb-hotrap/librocksdb.so.{major} .; ldconfig; "
            "cd /examples; mkdir c/db2; c/stock c/db2; rm "
            f"$(pkg-config --variable=libdir rocksdb)/librocksdb.so.{major}")

    def cpp_make(self):
        self.root.run("make -C cpp")
        self.root.run_example("cpp/example")

    def cpp_cmake(self):
        self.root.run("cmake -S cpp -B cpp/build; cmake --build cpp/build")
        self.root.run_example("cpp/build/example")

    def rust(self):
        self.root.run(
            "cd rust; ROCKSDB_LIB_DIR=$(pkg-config --variable=libdir rocksdb) "
            "ROCKSDB_INCLUDE_DIR=$(pkg-config --variable=includedir rocksdb) "
            "cargo build --locked")
        self.root.run_example("rust/target/debug/example")

    def go(self):
        self.root.run("cd go; go build -o example .")
        self.root.run_example("go/example")

    def python(self):
        self.root.run("python3 -m venv python/venv; python/venv/bin/pip "
                      "install -q -r python/requirements.txt")
        self.root.run_example("python/venv/bin/python python/example.py")

    def tools(self):
        for program in ("db_bench", "hotrap_bench", "ldb", "ralt_dump",
                        "sst_dump"):
            self.root.run(f"{program} --help > out 2>&1 || [ $? -eq 1 ]; "
                          f"test -s out")

    def java(self):
        self.root.run(
            "jars=$(echo /usr/share/java/*.jar | tr ' ' :); "
            "javac -cp $jars -d java Use.java Visits.java; "
            "mkdir -p java/db /data_java/slow; java -cp $jars:java Use java/db;"
            "java -cp $jars:java example.Visits /data_java/fast /data_java/slow"
            " | grep -x 'HotRAP is active: true'")

    def shlibs(self):
        self.root.run("mkdir debian; printf 'Source: x\\n\\nPackage: x\\n"
                      "Architecture: any\\n' > debian/control")
        if not (self.root.path / "examples/c/example").exists():
            self.c()
        depends = self.root.run("dpkg-shlibdeps -O -ec/example")
        if f"librocksdb-hotrap (>= {self.version})" not in depends:
            raise PackageError(f"a program would depend on: {depends}")

    def conflicts(self):
        output = self.root.run("apt-get install -s librocksdb-dev")
        if "Remv librocksdb-hotrap-dev" not in output:
            raise PackageError(f"Debian's package goes beside ours: {output}")

    def removal(self):
        self.root.run("apt-get purge -qy 'librocksdb-hotrap*'")
        left = self.root.run("find /usr -name '*rocksdb*'")
        if left:
            raise PackageError(f"not removed: {left}")


# In this order.
CHECKS = ("lintian", "install", "c", "c_static", "c_stock", "cpp_make",
          "cpp_cmake", "rust", "go", "python", "tools", "java", "shlibs",
          "conflicts", "removal")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--debs", type=pathlib.Path, default=FOLDER,
                        help="folder of the packages (build/packages)")
    parser.add_argument("--only", action="append", choices=CHECKS,
                        metavar="CHECK", help="only this check (repeatable)")
    parser.add_argument("--inside", action="store_true",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    args = parse_arguments()
    if not args.inside:
        # Mounts end with the process.
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private",
                              sys.executable, *sys.argv, "--inside"])
    debs = sorted(args.debs.glob("*.deb"))
    if not debs:
        print(f"check_packages: no packages in {args.debs}", file=sys.stderr)
        return 1
    # Removal comes last, whatever was asked for.
    wanted = [name for name in CHECKS
              if not args.only or name in ("install", *args.only)]
    if not any("-java_" in deb.name for deb in debs) and "java" in wanted:
        print("java: no package: run `make deb`, skipped")
        wanted.remove("java")
    packages = {*PACKAGES, *(package for name in wanted
                             for package in MORE_PACKAGES.get(name, ()))}
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        start = time.monotonic()
        root = CleanRoot(make_base(sorted(packages)))
        print(f"root: ok ({time.monotonic() - start:.0f} s)", flush=True)
        check = Check(root, debs)
        for name in wanted:
            start = time.monotonic()
            getattr(check, name)()
            print(f"{name}: ok ({time.monotonic() - start:.0f} s)", flush=True)
    except (PackageError, subprocess.TimeoutExpired) as error:
        print(f"check_packages: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
