#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Rules of lint.py about the structure of the product: who may include whom,
include circles, and how large files and classes may be.

docs/architecture.md says what the rooms are for.
"""

import re

MAX_PRODUCT_LINES = 450
MAX_PUBLIC_METHODS = 20

PRODUCT = ("db", "include", "promotion", "ralt", "table")
BELOW_DB = ("include", "promotion", "ralt", "table")
# Which of our rooms each room may include beside itself; dependencies point
# downward. Rooms that are not here (tools, tests and their helpers) may include
# everything.
MAY_INCLUDE = {
    "include": (),
    "ralt": (),
    "table": ("include", "ralt", "promotion"),
    "promotion": ("include", "ralt"),
    "db/access": (),
    "db/advice": BELOW_DB,
    "db/budget": (),
    "db/api": ("include",),
    "db/paths": ("db/access", "db/state", *BELOW_DB),
    "db/placement": BELOW_DB,
    "db/settings": BELOW_DB,
    "db/state": ("db/access", "db/budget", "db/placement", *BELOW_DB),
    "db/copies": ("db/access", "db/state", *BELOW_DB),
    "db/compaction": ("db/access", "db/budget", "db/copies", "db/placement",
                      "db/state", *BELOW_DB),
    "db/pinning": ("db/access", "db/promotion", "db/state", *BELOW_DB),
    "db/promotion": ("db/access", "db/copies", "db/placement", "db/state",
                     *BELOW_DB),
    "db/relocation": ("db/access", "db/placement", "db/state", *BELOW_DB),
    "db/backup": ("db/access", "db/paths", "db/settings", "db/state",
                  *BELOW_DB),
    "db/tier": ("db/access", "db/budget", "db/paths", "db/pinning",
                "db/placement", "db/promotion", "db/relocation", "db/state",
                *BELOW_DB),
    "db/hooks": ("db/access", "db/advice", "db/backup", "db/budget",
                 "db/compaction", "db/copies", "db/paths", "db/pinning",
                 "db/placement", "db/promotion", "db/relocation",
                 "db/settings", "db/state", "db/tier", *BELOW_DB),
}
# In every room, since it is part of the library and depends on none of ours.
EVERYWHERE = "plugin/hotrap/test_util/hotrap_force.h"

# RocksDB's largest headers, and the rooms that may include them. Others get
# what they need of a DB through db/access.
DB_HEADERS = ("db/db_impl/db_impl.h", "db/column_family.h",
              "db/version_set.h")
DB_ROOMS = ("db/access", "db/hooks")
DB_HEADER_EXCEPTIONS = {
    "db/copies/compaction_copies.cc": "reads properties of a version's tables",
    "db/copies/copy_marks.cc": "walks the tables of a version",
    "db/paths/known_paths.cc": "writes the paths of each column family",
    "db/paths/table_search.cc": "a part of the recovery of a version",
    "db/placement/ingestion_path.cc": "foretells a level from a version",
    "db/placement/level_tier.cc": "walks the tables of a version",
    "db/promotion/newer_version_check.cc": "reads in a SuperVersion",
}

INCLUDE = re.compile(r'#include "([^"]+)"')
OURS = re.compile(r"plugin/hotrap/((?:db/)?\w+)/")


def is_test(name):
    return (name.startswith("db/tests/") or "_test." in name or
            "_test_util." in name)


def is_product(name):
    return (name.split("/")[0] in PRODUCT and not is_test(name)) or \
        name.startswith("test_util/hotrap_force.")


def room_of(name):
    """Returns the folder of a file; in db/, with the folder below."""
    parts = name.split("/")
    return "/".join(parts[:2 if parts[0] == "db" and len(parts) > 2 else 1])


def direction(source):
    room = room_of(source.name)
    if not is_product(source.name) or not source.is_cpp:
        return
    if room.startswith("db") and room not in MAY_INCLUDE:
        yield 1, f"MAY_INCLUDE does not say what {room}/ may include"
        return
    for number, line in enumerate(source.lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        ours = OURS.match(match[1])
        if ours and room in MAY_INCLUDE and match[1] != EVERYWHERE and \
                ours[1] not in (room, *MAY_INCLUDE[room]):
            yield number, f"{room}/ must not know {ours[1]}/"
        if room == "ralt" and match[1].startswith("db/"):
            yield number, "ralt/ must not know RocksDB's db/"


def db_headers(source):
    if not is_product(source.name) or not source.is_cpp or \
            room_of(source.name) in DB_ROOMS:
        return
    number = next((number for number, line in enumerate(source.lines, 1)
                   for match in [INCLUDE.match(line)]
                   if match and match[1] in DB_HEADERS), None)
    excepted = source.name in DB_HEADER_EXCEPTIONS
    if number is not None and not excepted:
        yield number, (f"only {' and '.join(DB_ROOMS)} include "
                       f"{', '.join(DB_HEADERS)}; others db/access/")
    elif number is None and excepted:
        yield 1, "needs no place in DB_HEADER_EXCEPTIONS any more"


def size(source):
    if is_product(source.name) and source.is_cpp and \
            len(source.lines) > MAX_PRODUCT_LINES:
        yield MAX_PRODUCT_LINES, (f"{len(source.lines)} lines, over "
                                  f"{MAX_PRODUCT_LINES} for the product")


def without_comments(text):
    """Blanks comments, literals and preprocessor lines, but no line ends."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'
                  r"'(?:\\.|[^'\\\n])'|^[ \t]*#(?:\\\n|[^\n])*",
                  blank, text, flags=re.DOTALL | re.MULTILINE)


def end_of(text, start):
    """Returns the place after the brace that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def declarations(body):
    """Yields what a class declares, without what is in braces."""
    statement, place = "", 0
    while place < len(body):
        if body[place] == "{":
            place = end_of(body, place)
            if re.match(r"\s*;", body[place:]):
                continue
            yield statement
            statement = ""
        elif body[place] == ";":
            yield statement
            statement, place = "", place + 1
        else:
            statement, place = statement + body[place], place + 1


def public_methods(text):
    """Yields each class of a header: (offset, name, number of methods).

    Counts by regular expressions: every function that is declared in a public
    section of the class itself, an overload as another one. Not constructors,
    destructors and operators, nor what is inherited, is made by a macro, or
    belongs to a nested class, which has its own count.
    """
    text = without_comments(text)
    for match in re.finditer(r"(?<!enum )\b(class|struct)\s+"
                             r"(?:\w+\([^)]*\)\s*)?([\w:]+)(?:\s+final)?"
                             r"\s*(?::[^;{()]*)?\{", text):
        start = match.end() - 1
        public, methods = match[1] == "struct", 0
        for statement in declarations(text[start + 1:end_of(text, start) - 1]):
            labels = re.findall(r"\b(public|protected|private)\s*:(?!:)",
                                statement)
            if labels:
                public = labels[-1] == "public"
                statement = statement[statement.rindex(":") + 1:] \
                    if "(" not in statement else \
                    re.sub(r"^.*\b(public|protected|private)\s*:(?!:)", "",
                           statement, flags=re.DOTALL)
            while re.search(r"<[^<>]*>", statement):
                statement = re.sub(r"<[^<>]*>", "", statement)
            name = re.match(r"[^(=]*?([~\w]+)\s*\(", statement)
            if public and name and "operator" not in statement and \
                    not name[1].startswith("~") and \
                    name[1] != match[2].split("::")[-1] and \
                    not re.match(r"\s*(friend|using|typedef|static_assert|,)",
                                 statement) and \
                    not re.search(r"=\s*(delete|default)\s*$", statement):
                methods += 1
        yield match.start(), match[2], methods


def classes(source):
    if not is_product(source.name) or source.path.suffix != ".h":
        return
    for offset, name, methods in public_methods(source.text):
        if methods > MAX_PUBLIC_METHODS:
            yield source.line_of(offset), (
                f"class {name} has {methods} public methods, over "
                f"{MAX_PUBLIC_METHODS}")


RULES = (direction, db_headers, size, classes)


def circles(files):
    """Yields a chain of includes for each circle, if `files` has any.

    `files` has the text of each by its name. A header and its .cc file are one
    node, so that a circle through a .cc file counts.
    """
    def unit(name):
        return re.sub(r"\.(h|cc|inc)$", "", name)
    graph = {unit(name): set() for name in files}
    for name, text in files.items():
        for match in re.finditer(r'^#include "([^"]+)"', text, re.MULTILINE):
            other = unit("include/rocksdb/hotrap.h"
                         if match[1] == "rocksdb/hotrap.h"
                         else match[1].removeprefix("plugin/hotrap/"))
            if other in graph and other != unit(name):
                graph[unit(name)].add(other)
    done = set()
    for start in sorted(graph):
        # The shortest way back to `start`.
        came_from, queue = {start: None}, [start]
        while queue and start not in done:
            node = queue.pop(0)
            for other in sorted(graph[node] - done):
                if other == start:
                    chain = [start]
                    while node is not None:
                        chain.append(node)
                        node = came_from[node]
                    chain.reverse()
                    done.update(chain)
                    yield "an include circle: " + " -> ".join(chain)
                    queue = []
                    break
                if other not in came_from:
                    came_from[other] = node
                    queue.append(other)
