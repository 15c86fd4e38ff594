#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Where the added lines of a patch series stand: in which function of which
file. With one line of context, a patch may apply to the wrong function."""

import collections
import dataclasses
import re
import tomllib

Place = collections.namedtuple("Place", "file function")


def function_of(header):
    """The name in the text that git puts behind a hunk's line numbers: the
    last line before the hunk at which a function, class or table begins."""
    header = re.sub(r"DEFINE_SYNC_AND_ASYNC\([^,]*, *([\w:~]+)\)", r"\1(",
                    header)
    names = re.findall(r"([\w:~]+)\s*\(", header)
    if names:
        return names[0]
    kind = re.match(r"\s*(class|struct|enum|namespace)\s+(\w+)", header)
    return kind[2] if kind else header.strip()


class Changes:
    """The added lines of each patch, in a tree that has them as commits."""

    def __init__(self, tree, git):
        self.patches = {}  # subject: [(Place, line)]
        for commit in git("rev-list", "--reverse", "pristine..HEAD",
                          cwd=tree).split():
            shown = git("show", "--format=%s", "--no-renames", "-U0",
                        "--diff-algorithm=histogram", commit, cwd=tree)
            subject, _, diff = shown.partition("\n")
            self.patches[subject] = list(added_lines(diff))


def added_lines(diff):
    file, function = None, None
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            file = line[6:]
        elif hunk := re.match(r"@@ [^@]*@@ ?(.*)", line):
            function = function_of(hunk[1])
        elif line.startswith("+") and not line.startswith("+++") and \
                line[1:].strip():
            yield Place(file, function), line[1:].strip()


@dataclasses.dataclass
class Difference:
    problems: list
    lines: list  # that are on one base only


def read_places(path):
    """{place on the default base: place on another one}"""
    if not path.exists():
        return {}
    table = tomllib.loads(path.read_text())
    return {Place(*key.split(" ", 1)): Place(*value.split(" ", 1))
            for key, value in table.items()}


def compare(default, other, places_file):
    """Compares the changes of the default base with those of another one."""
    known = read_places(places_file)
    difference = Difference([], [])
    used = set()
    for subject, added in default.patches.items():
        here = collections.defaultdict(collections.Counter)
        there = collections.defaultdict(collections.Counter)
        astray = collections.defaultdict(list)
        for place, line in added:
            used.add(place)
            here[line][known.get(place, place)] += 1
        for place, line in other.patches.get(subject, []):
            there[line][place] += 1
        for line in list(here) + [line for line in there if line not in here]:
            count = here[line].total() - there[line].total()
            difference.lines += [f"{subject}: {'-' if count > 0 else '+'} "
                                 f"{line}"] * abs(count)
            if count == 0 and here[line] != there[line]:
                astray[frozenset(there[line] - here[line]),
                       frozenset(here[line] - there[line])].append(line)
        difference.problems += [
            f"{subject}: {len(lines)} lines, the first of which is "
            f"`{lines[0]}`, stand in {text_of(wrong)}, should be in "
            f"{text_of(right)} ({places_file.name} lists functions that moved)"
            for (wrong, right), lines in astray.items()]
    difference.problems += [
        f"{places_file.name}: no patch changes {place.file} {place.function}"
        for place in known if place not in used]
    return difference


def text_of(places):
    return ", ".join(sorted(f"{place.function} of {place.file}"
                            for place in places))
