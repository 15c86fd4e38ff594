#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Checks our sources against the rules of CONTRIBUTING.md, prints violations.

Each rule is a function that takes a Source and yields (line, message).
"""

import functools
import pathlib
import re
import shutil
import subprocess
import sys

import lint_structure
import metrics_page

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAX_COLUMNS = 80
MAX_LINES = 600
# Debian 12's formatter; other versions format some code differently.
CLANG_FORMAT_MAJOR = 14

CPP = {".cc", ".h"}
CODE = CPP | {".py", ".sh", ".cmake", ".java"}
LICENCE = ("This source code is licensed under both the GPLv2 (found in the "
           "COPYING file in the root directory) and Apache 2.0 License "
           "(found in the LICENSE.Apache file in the root directory).")

# What patches may include: the headers of this folder, which has no others, and
# the public header.
HOOKS = "db/hooks/"
PUBLIC_HEADER = "rocksdb/hotrap.h"
# Which of the other rooms of ralt/ each room may include. Units outside of the
# rooms may include any; rooms may include only these of them.
RALT_ROOMS = {
    "access": (),
    "heat": ("access",),
    "run": ("access",),
    "tree": ("access", "heat", "run"),
}
RALT_INTERFACE = ("ralt_options.h", "ralt_space.h", "ralt_stats.h")
# Allowed link targets. Package hosts are not among them.
LINKS = re.compile(r"https?://(?!(github\.com|rocksdb\.org|www\.apache\.org|"
                   r"www\.debian\.org|"
                   r"www\.gnu\.org|fsf\.org|doi\.org|arxiv\.org|"
                   # This machine; the name of a file format.
                   r"127\.0\.0\.1|www\.w3\.org/2000/svg)\b)")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
CALLS_THAT_CHANGE = ("assign|clear|emplace\\w*|erase|exchange|extract|"
                     "fetch_\\w+|insert\\w*|merge|next|Next|pop\\w*|push\\w*|"
                     "Ref|release|reset|resize|store|swap|try_lock|Unref")
SIDE_EFFECT = re.compile(
    r"\+\+|--|(?<![=!<>\[])=(?![=\]])|(?:\.|->)(?:" + CALLS_THAT_CHANGE +
    r")\(")


class Source:
    def __init__(self, name):
        self.name = name
        self.path = ROOT / name
        self.folder = name.split("/")[0]
        self.text = self.path.read_text()
        self.lines = self.text.splitlines()
        first = self.lines[0] if self.lines else ""
        self.is_shell = first.startswith("#!") and first.endswith("sh")
        self.is_cpp = self.path.suffix in CPP
        self.is_code = (self.path.suffix in CODE or self.is_shell or
                        self.path.name == "CMakeLists.txt")

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1


def licence(source):
    if source.is_cpp or source.path.suffix in (".py", ".sh", ".java"):
        head = " ".join(line.lstrip("#/ ") for line in source.lines[:8])
        if LICENCE not in head:
            yield 1, "no licence header"


def layout(source):
    if source.text and not source.text.endswith("\n"):
        yield len(source.lines), "no newline at the end of the file"
    for number, line in enumerate(source.lines, 1):
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if source.is_code and len(line) > MAX_COLUMNS and \
                "://" not in line and not line.startswith("#include"):
            yield number, f"{len(line)} columns, over {MAX_COLUMNS}"
        if source.is_code and "\t" in line:
            yield number, "a tab"
    if source.is_code and len(source.lines) > MAX_LINES:
        yield MAX_LINES, f"{len(source.lines)} lines, over {MAX_LINES}"


def unfinished(source):
    for number, line in enumerate(source.lines, 1):
        if source.is_code and UNFINISHED.search(line):
            yield number, "unfinished work belongs into an issue"


def links(source):
    for number, line in enumerate(source.lines, 1):
        if LINKS.search(line):
            yield number, "a link to a place that LINKS does not allow"


def includes(source):
    if not source.is_cpp:
        return
    for number, line in enumerate(source.lines, 1):
        match = re.match(r'#include "([^"]+)"', line)
        if not match:
            continue
        name = match[1]
        ours = re.match(r"plugin/hotrap/(\w+)/", name)
        if name.startswith("."):
            yield number, f"include {name} by its path from the root"
        elif not ours and (ROOT / name).exists():
            yield number, f'include "plugin/hotrap/{name}"'


def ralt_rooms(source):
    own = re.match(r"ralt/(\w+)/.*(?<!_test)\.(h|cc)$", source.name)
    if not own:
        return
    for number, line in enumerate(source.lines, 1):
        match = re.match(r'#include "plugin/hotrap/ralt/(?:(\w+)/)?(.+)"', line)
        if not match or match[1] == own[1]:
            continue
        known = RALT_ROOMS[own[1]] if match[1] else RALT_INTERFACE
        if (match[1] or match[2]) not in known:
            yield (number, f"ralt/{own[1]}/ must not know "
                   f"{match[1] or match[2]}")


def asserts(source):
    if not source.is_cpp:
        return
    for match in re.finditer(r"(?<![\w.])assert\(", source.text):
        depth, end = 1, match.end()
        while depth and end < len(source.text):
            depth += {"(": 1, ")": -1}.get(source.text[end], 0)
            end += 1
        if SIDE_EFFECT.search(source.text[match.end():end]):
            yield (source.line_of(match.start()),
                   "an assert with a side effect: NDEBUG would lose it")


def shell(source):
    if source.is_shell and not re.search(r"^set -eu", source.text,
                                         re.MULTILINE):
        yield 1, "a shell script without `set -eu`"


@functools.cache
def listings():
    """CMakeLists.txt, and what it includes of ours."""
    text = (ROOT / "CMakeLists.txt").read_text()
    included = re.findall(r"^ *include\((?:\${hotrap_dir}/)?([\w/]+\.cmake)\)",
                          text, re.MULTILINE)
    return text + "".join((ROOT / name).read_text() for name in included)


def listed(source):
    """Files are listed one by one, so check that none is missing."""
    # What users would build.
    if source.name.startswith(("examples/", "tools/check_install/")):
        return
    if source.path.suffix == ".cc" and source.name not in listings():
        yield 1, "not listed in CMakeLists.txt"


def metrics(source):
    """What HotRAP measures is documented as the lists say."""
    if source.name == "docs/metrics.md":
        yield from metrics_page.stale()


def shown(source):
    """Pages show programs as they are: what follows a comment with a file's
    name is in that file, which a test builds and runs."""
    if source.path.suffix != ".md":
        return
    for match in re.finditer(r"^<!-- shows (\S+) -->\n```\w*\n(.*?)^```$",
                             source.text, re.MULTILINE | re.DOTALL):
        path = ROOT / match[1]
        if not path.is_file():
            yield source.line_of(match.start()), f"no file {match[1]}"
        elif match[2] not in path.read_text():
            yield source.line_of(match.start()), f"{match[1]} is not like this"


RULES = (licence, layout, unfinished, links, includes, asserts, shell, listed,
         ralt_rooms, metrics, shown, *lint_structure.RULES)


def hooks(patches, headers):
    """Checks that patches include the headers of HOOKS, all and no others.

    `patches` has the text of each by its name; `headers` are names of ours.
    """
    included = set()
    for patch, text in patches.items():
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r'\+\s*#\s*include\s*["<]([^">]+)[">]', line)
            if not match or match[1] == PUBLIC_HEADER:
                continue
            included.add(match[1])
            if not match[1].startswith(f"plugin/hotrap/{HOOKS}"):
                yield (f"{patch}:{number}: a patch includes only {HOOKS} and "
                       f"{PUBLIC_HEADER}, not {match[1]}")
    for header in headers:
        if header.startswith(HOOKS) and header.endswith(".h") and \
                f"plugin/hotrap/{header}" not in included:
            yield f"{header}:1: no patch includes this header of {HOOKS}"


def clang_format(sources):
    """Yields what Debian 12's clang-format would change, if installed."""
    name = next((name for name in (f"clang-format-{CLANG_FORMAT_MAJOR}",
                                   "clang-format") if shutil.which(name)), "")
    version = name and subprocess.run((name, "--version"), check=True,
                                      capture_output=True, text=True).stdout
    if f"version {CLANG_FORMAT_MAJOR}." not in version:
        print(f"lint: no clang-format {CLANG_FORMAT_MAJOR}, format unchecked")
        return
    files = [source.name for source in sources if source.is_cpp]
    if files:
        run = subprocess.run((name, "--dry-run", "--style=file", *files),
                             cwd=ROOT, check=False, stderr=subprocess.PIPE,
                             text=True)
        places = re.findall(r"^([^\s:]+:\d+):\d+: warning", run.stderr,
                            re.MULTILINE)
        for place in dict.fromkeys(places):
            yield f"{place}: clang-format -i would change it"


def main():
    names = subprocess.run(
        ("git", "ls-files", "--cached", "--others", "--exclude-standard"),
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    # Not our text: patches contain RocksDB's lines, the pin has digests and
    # cargo's files, and the corpus is from a fuzzer.
    names = [name for name in names
             if not name.startswith(("patches/", "scripts/rocksdb-pin/",
                                     "ralt/fuzz_corpus/"))
             and name not in ("COPYING", "LICENSE.Apache", ".clang-format")
             and (ROOT / name).is_file()]
    sources = []
    for name in names:
        try:
            sources.append(Source(name))
        except UnicodeDecodeError:
            pass  # A picture.
    problems = [f"{source.name}:{line}: {message}" for source in sources
                for rule in RULES for line, message in rule(source)]
    problems += hooks({str(path.relative_to(ROOT)): path.read_text()
                       for path in sorted((ROOT / "patches").rglob("*.patch"))},
                      [source.name for source in sources])
    problems += lint_structure.circles(
        {source.name: source.text for source in sources if source.is_cpp and
         (source.folder == "test_util" or
          lint_structure.is_product(source.name))})
    problems += clang_format(sources)
    for problem in problems:
        print(problem)
    print(f"lint: {len(problems)} problems in {len(sources)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
