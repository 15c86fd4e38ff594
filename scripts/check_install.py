#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Installs build/release to a separate folder and uses it like a user would.

facts    checks what the libraries depend on: no allocator and no gflags
folders  checks rocksdb.pc for other folders of libraries and headers
c        a C program, with the shared library and as a static program
cpp      C++ with RTTI, with both libraries, and without RTTI
cmake    a CMake project with RocksDB::rocksdb and RocksDB::rocksdb-shared,
         which finds neither gflags nor jemalloc
python   ctypes in an unmodified Python
programs ldb, sst_dump, db_bench, hotrap_bench and ralt_dump start
stock_c  RocksDB's own c_test, built with a stock RocksDB's headers, runs with
         the library through the link that is made for such programs
stock_cpp
         a C++ program that was built with a stock RocksDB's headers is refused
         by the dynamic linker, and, where the link above makes it load the
         library, before it has structures of another size
java     the jar of `make java`, if it was built; with --java it must exist

Each opens a DB over two paths with HotRAP on, writes, reads, and checks by the
property that HotRAP is active. The programs are in tools/check_install/.
Exits with 1 after the first failure, and then keeps its folder.
"""

import argparse
import ctypes
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from base import BASE, BUILD, ROOT

# What RocksDB's headers need.
STANDARD = "-std=c++17" if BASE.startswith("10.") else "-std=c++20"
PROGRAMS = ROOT / "tools" / "check_install"
TIMEOUT_SECS = 300.0
# Libraries that the program must choose, or does not need.
UNWANTED = re.compile(r"jemalloc|tcmalloc|mimalloc|gflags")
# Functions that only one allocator has.
ALLOCATOR_CALLS = {"mallctl", "mallctlbymib", "mallctlnametomib", "mallocx",
                   "dallocx", "sdallocx", "nallocx", "rallocx", "sallocx",
                   "xallocx", "malloc_stats_print"}
# What `make install` installs besides the library.
INSTALLED_PROGRAMS = ("ldb", "sst_dump", "db_bench", "hotrap_bench",
                      "ralt_dump")
# The SONAME of a stock RocksDB, and of ours.
STOCK_SONAME = f"librocksdb.so.{BASE.split('.')[0]}"
SONAME = re.compile(r"librocksdb-hotrap\.so\.\d+\.\d+-\d+")
# What the dynamic linker and the library exit with.
REFUSED = 127
GFLAGS_SYMBOL = re.compile(r"gflags|FlagRegisterer|_ZN3fL[A-Z]")


class InstallError(Exception):
    """A defect of the installed files."""


class Check:
    def __init__(self, build, folder, all_programs):
        self.build = build
        self.folder = folder
        self.prefix = folder / "prefix"
        self.lib = self.prefix / "lib"
        self.all_programs = all_programs
        self.runs = 0

    def run(self, *command, **options):
        words = [str(word) for word in command]
        result = subprocess.run(words, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT,
                                timeout=TIMEOUT_SECS, **options)
        if result.returncode != 0:
            raise InstallError(
                f"{shlex.join(words)}\nended with {result.returncode}:\n"
                f"{result.stdout}")
        return result.stdout

    def db_folder(self):
        """Creates a folder for a program, which holds its two paths."""
        self.runs += 1
        folder = self.folder / f"db{self.runs}"
        folder.mkdir()
        return folder

    def install(self):
        self.run("cmake", "--install", self.build, "--prefix", self.prefix)
        libraries = list(self.prefix.rglob("librocksdb.so"))
        if len(libraries) != 1:
            raise InstallError(f"librocksdb.so is there {len(libraries)} times")
        self.lib = libraries[0].parent

    def flags(self, *options):
        """The output of pkg-config for the installed copy."""
        env = dict(os.environ, PKG_CONFIG_PATH=str(self.lib / "pkgconfig"))
        return shlex.split(self.run("pkg-config", *options, "rocksdb", env=env))

    # ---- The checks ---------------------------------------------------------

    def facts(self):
        shared = self.lib / "librocksdb.so"
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]",
                            self.run("readelf", "-d", shared))
        soname = re.findall(r"\(SONAME\).*\[(.*)\]",
                            self.run("readelf", "-d", shared))
        if len(soname) != 1 or not SONAME.fullmatch(soname[0]):
            raise InstallError(f"{shared} has the SONAME {soname}")
        unwanted = [name for name in needed if UNWANTED.search(name)]
        if not needed or unwanted:
            raise InstallError(f"{shared} needs {unwanted or 'nothing'}")
        for library, option in ((shared, "-D"),
                                (self.lib / "librocksdb.a", "-A")):
            text = self.run("nm", option, "--undefined-only", library)
            for line in text.splitlines():
                kind, _, symbol = line.rpartition(" ")
                name = symbol.split("@")[0]
                strong = not kind.endswith(("w", "v"))
                if GFLAGS_SYMBOL.search(name) or (name in ALLOCATOR_CALLS
                                                  and strong):
                    raise InstallError(f"{library} needs {line.strip()}")

        version = self.run("pkg-config", "--variable=hotrap_version",
                           self.lib / "pkgconfig" / "rocksdb.pc").strip()
        if not re.fullmatch(r"\d+\.\d+\.\d+-hotrap\.\d+", version):
            raise InstallError(f"rocksdb.pc has version '{version}' of HotRAP")

    def folders(self):
        prefix = self.folder / "other"
        for lib, include in (("lib", "include"), ("lib/here", "include/there"),
                             ("/a/lib", "include"), ("lib", "/a/include"),
                             ("/a/lib", "/b/include")):
            # An absolute one is below the folder of the check.
            lib, include = (str(self.folder) + name if name[0] == "/" else name
                            for name in (lib, include))
            pc = prefix / lib / "pkgconfig" / "rocksdb.pc"
            pc.parent.mkdir(parents=True, exist_ok=True)
            self.run("cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}",
                     f"-DCMAKE_INSTALL_LIBDIR={lib}",
                     f"-DCMAKE_INSTALL_INCLUDEDIR={include}",
                     "-DPROJECT_NAME=rocksdb", "-DPROJECT_VERSION=1",
                     "-DPROJECT_DESCRIPTION=x", f"-DOUTPUT={pc}",
                     "-P", ROOT / "tools" / "rocksdb_pc.cmake")
            for variable, folder in (("prefix", prefix),
                                     ("libdir", prefix / lib),
                                     ("includedir", prefix / include)):
                value = self.run("pkg-config", f"--variable={variable}",
                                 pc).strip()
                if os.path.normpath(value) != str(folder):
                    raise InstallError(
                        f"libraries in {lib}, headers in {include}: "
                        f"{variable} of rocksdb.pc is {value}")

    def compile_and_run(self, compiler, source, name, *options, static=False):
        program = self.folder / name
        flags = self.flags("--cflags", "--libs",
                           *(["--static"] if static else []))
        mode = ["-static"] if static else [f"-Wl,-rpath,{self.lib}"]
        self.run(compiler, *options, PROGRAMS / source, "-o", program, *mode,
                 *flags)
        self.run(program, self.db_folder())

    def c(self):
        self.compile_and_run("gcc", "use.c", "use_c", "-Wall", "-Werror")
        self.compile_and_run("gcc", "use.c", "use_c_static", static=True)

    def cpp(self):
        self.compile_and_run("g++", "use.cc", "use_cpp", STANDARD)
        self.compile_and_run("g++", "use.cc", "use_cpp_static", STANDARD,
                             static=True)
        self.compile_and_run("g++", "use.cc", "use_cpp_no_rtti", STANDARD,
                             "-fno-rtti")

    def cmake(self):
        build = self.folder / "cmake"
        # Ignore the user's package registry, and packages that only some users
        # have.
        self.run("cmake", "-S", PROGRAMS, "-B", build,
                 f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 "-DCMAKE_DISABLE_FIND_PACKAGE_gflags=ON",
                 "-DCMAKE_DISABLE_FIND_PACKAGE_JeMalloc=ON",
                 "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        self.run("cmake", "--build", build)
        for program in ("use_static", "use_shared"):
            self.run(build / program, self.db_folder())

    def python(self):
        self.run(sys.executable, __file__, "--inside-python",
                 self.lib / "librocksdb.so", "--folder", self.db_folder())

    def programs(self):
        for name in INSTALLED_PROGRAMS:
            program = self.prefix / "bin" / name
            if not program.exists():
                if self.all_programs:
                    raise InstallError(f"{program} is missing")
                continue
            if "librocksdb" in self.run("ldd", program):
                raise InstallError(f"{program} needs librocksdb")
            result = subprocess.run([program, "--help"], text=True,
                                    capture_output=True, timeout=TIMEOUT_SECS,
                                    check=False)
            # gflags exits with 1 after --help.
            if result.returncode not in (0, 1) or not (result.stdout +
                                                       result.stderr):
                raise InstallError(f"{program} --help ended with "
                                   f"{result.returncode}")

    def stock_tree(self):
        """Unpacks the unpatched RocksDB that the library was built from."""
        folder = self.folder / "stock"
        if not folder.exists():
            folder.mkdir()
            archive = folder / "stock.tar"
            self.run("git", "-C", BUILD / "rocksdb", "archive", "-o", archive,
                     "pristine")
            self.run("tar", "-xf", archive, "-C", folder)
        return folder

    def stock_program(self, source, name, compiler, *options):
        """Builds a program with a stock RocksDB's headers. The library that it
        is linked with has a stock one's SONAME, and nothing but the names of
        the symbols that the program needs."""
        stock = self.stock_tree()
        compiled = stock / f"{name}.o"
        self.run(compiler, *options, "-I", stock / "include", "-c", source,
                 "-o", compiled)
        names = [line.split()[-1] for line in self.run(
            "nm", "--undefined-only", compiled).splitlines()]
        assembler = stock / f"{name}.s"
        assembler.write_text("".join(
            f".globl {symbol}\n.type {symbol}, @function\n{symbol}:\n"
            for symbol in names if re.match(r"rocksdb_|_ZNK?7rocksdb", symbol)))
        library = stock / name / "librocksdb.so"
        library.parent.mkdir(exist_ok=True)
        self.run("gcc", "-shared", f"-Wl,-soname,{STOCK_SONAME}", assembler,
                 "-o", library)
        program = stock / f"{name}.program"
        self.run(compiler, compiled, "-o", program, f"-L{library.parent}",
                 "-lrocksdb", "-lpthread")
        return program

    def stock_env(self, **more):
        """The environment in which programs find stock SONAMEs."""
        folder = self.run("pkg-config", "--variable=stock_names_dir",
                          self.lib / "pkgconfig" / "rocksdb.pc").strip()
        return dict(os.environ, LD_LIBRARY_PATH=folder, **more)

    def stock_c(self):
        stock = self.stock_tree()
        program = self.stock_program(stock / "db" / "c_test.c", "c_test",
                                     "gcc", "-O1", "-w", "-I", stock)
        folder = self.db_folder()
        output = self.run(program, env=self.stock_env(TEST_TMPDIR=str(folder)),
                          cwd=folder)
        if not output.rstrip().endswith("PASS"):
            raise InstallError(f"c_test: {output}")

    def must_refuse(self, what, pattern, *command, **options):
        result = subprocess.run([str(word) for word in command], text=True,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False,
                                timeout=TIMEOUT_SECS, **options)
        if (result.returncode != REFUSED or
                not re.search(pattern, result.stdout)):
            raise InstallError(f"{what}: not refused with '{pattern}', but "
                               f"{result.returncode}: {result.stdout}")

    def stock_cpp(self):
        program = self.stock_program(
            PROGRAMS / "stock.cc", "stock_cpp", "g++", STANDARD)
        folder = self.db_folder()
        self.must_refuse("without a link", f"{re.escape(STOCK_SONAME)}: cannot "
                         "open shared object file", program, folder, "options",
                         env=dict(os.environ, LD_LIBRARY_PATH=str(self.lib)))
        for how in ("options", "column-family-options", "latest", "file"):
            for more in ({}, {"LD_BIND_NOW": "1"}):
                self.must_refuse(
                    f"through the link, {how}", "^librocksdb-hotrap: this C.. "
                    "program was built with the headers of another RocksDB",
                    program, folder, how, env=self.stock_env(**more))

    def java(self):
        jars = sorted((self.build / "java").glob("rocksdbjni-*linux64.jar"))
        if not jars:
            return "no jar: run `make java`"
        for tool in ("javac", "java"):
            if shutil.which(tool) is None:
                return f"no {tool}"
        classes = self.folder / "classes"
        self.run("javac", "-cp", jars[0], "-d", classes, PROGRAMS / "Use.java")
        self.run("java", "-cp", f"{jars[0]}:{classes}", "Use",
                 self.db_folder())
        return None


def use_from_python(library, folder):
    """Makes the calls of tools/check_install/use.c through ctypes."""
    db = ctypes.CDLL(library)
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    error = text()
    signatures = {
        "rocksdb_options_create": (pointer, ()),
        "rocksdb_get_options_from_string": (None, (
            pointer, text, pointer, pointer)),
        "rocksdb_dbpath_create": (pointer, (text, ctypes.c_uint64)),
        "rocksdb_options_set_db_paths": (None, (pointer, pointer, size)),
        "rocksdb_open": (pointer, (pointer, text, pointer)),
        "rocksdb_writeoptions_create": (pointer, ()),
        "rocksdb_readoptions_create": (pointer, ()),
        "rocksdb_put": (None, (pointer, pointer, text, size, text, size,
                               pointer)),
        "rocksdb_get": (pointer, (pointer, pointer, text, size,
                                  ctypes.POINTER(size), pointer)),
        "rocksdb_property_value": (pointer, (pointer, text)),
        "rocksdb_free": (None, (pointer,)),
        "rocksdb_close": (None, (pointer,)),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(db, name)
        function.restype, function.argtypes = result, arguments

    def must(result):
        if error.value:
            raise InstallError(error.value.decode())
        return result

    options = db.rocksdb_options_create()
    must(db.rocksdb_get_options_from_string(
        db.rocksdb_options_create(),
        b"create_if_missing=true;hotrap={enabled=true;}", options,
        ctypes.byref(error)))
    paths = (pointer * 2)(
        db.rocksdb_dbpath_create(f"{folder}/fast".encode(), 1 << 30),
        db.rocksdb_dbpath_create(f"{folder}/slow".encode(), 1 << 40))
    db.rocksdb_options_set_db_paths(options, paths, 2)
    handle = must(db.rocksdb_open(options, f"{folder}/fast".encode(),
                                  ctypes.byref(error)))
    must(db.rocksdb_put(handle, db.rocksdb_writeoptions_create(), b"key", 3,
                        b"value", 5, ctypes.byref(error)))
    length = size()
    value = must(db.rocksdb_get(handle, db.rocksdb_readoptions_create(),
                                b"key", 3, ctypes.byref(length),
                                ctypes.byref(error)))
    if ctypes.string_at(value, length.value) != b"value":
        raise InstallError("another value")
    # Allocated and freed by the library.
    db.rocksdb_free(value)
    stats = db.rocksdb_property_value(handle, b"rocksdb.hotrap.stats")
    if b"active: 1" not in ctypes.string_at(stats).splitlines():
        raise InstallError("HotRAP is not active")
    db.rocksdb_free(stats)
    db.rocksdb_close(handle)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path,
                        default=BUILD / "release")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--programs", action="store_true",
                        help="fail if a program was not installed")
    parser.add_argument("--java", action="store_true",
                        help="fail if Java cannot be checked")
    parser.add_argument("--inside-python", metavar="LIBRARY",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    args = parse_arguments()
    if args.inside_python is not None:
        use_from_python(args.inside_python, args.folder)
        return 0
    folder = args.folder
    if folder is None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hotrap_install_"))
    else:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    check = Check(args.build.resolve(), folder.resolve(), args.programs)
    try:
        check.install()
        for part in (check.facts, check.folders, check.c, check.cpp,
                     check.cmake, check.python, check.programs,
                     check.stock_c, check.stock_cpp):
            part()
            print(f"{part.__name__}: ok", flush=True)
        skipped = check.java()
        if skipped is not None and args.java:
            raise InstallError(skipped)
        print(f"java: {skipped or 'ok'}{', skipped' if skipped else ''}")
    except (InstallError, subprocess.TimeoutExpired) as error:
        print(f"check_install: {error}\n{folder} is kept", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
