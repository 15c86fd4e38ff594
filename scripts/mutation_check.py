#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Removes the guards of docs/reliability.md, one at a time, and shows that the
tests named for each fail without it and pass with it.

The list is test_util/mutations.toml; --write-page writes the tables of
docs/reliability.md from it. All edits are applied to one copy of the
tree, build/mutation/tree, where HOTRAP_MUTATION selects one of them at run
time, so that one build per flavour serves them all.

Prints a table; build/mutation has the result of each test (results.json) and
its output (logs). A test with a result is not run again until its entry in the
list or the sources change. Exits with 1 if a test passes without its guard or
fails with it, or if a mutation is caught that the list says survives.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from base import BASE, DEFAULT, ROOT

if BASE != DEFAULT:
    sys.exit("mutation_check: the guards are those of the default base, "
             f"{DEFAULT}: unset BASE")

LIST = ROOT / "test_util/mutations.toml"
TESTS_LIST = ROOT / "test_util/hotrap_tests.cmake"
PAGE = ROOT / "docs/reliability.md"
ARCHITECTURE = ROOT / "docs/architecture.md"
# The generated tables are between them.
BEGIN = "<!-- guards -->\n"
END = "<!-- /guards -->\n"
SURVIVES = r"(\*)"  # Follows an id of docs/architecture.md.
TREE = "build/rocksdb"
COPY = ROOT / "build/mutation/tree"
RESULTS = ROOT / "build/mutation/results.json"
# The output of each test.
LOGS = ROOT / "build/mutation/logs"
SCENARIOS = "promotion/testdata"
SCENARIO_TEST = "hotrap_scenario_test"

FLAVOURS = ("check", "release")
SWITCH = "MUTATED"
HEADER = '#include "plugin/hotrap/test_util/mutated.h"\n'
# Folders that do not affect the result of a test.
NOT_SOURCES = ("docs/", "patches/", "scripts/", ".ci/", "tools/")
REQUIRED = {"id", "trap", "invariant", "guard"}
HOW = {"edit", "takes_out"}
# And how the page marks their tests.
TESTS = {"tests": "", "check_tests": " *(asserting)*",
         "release_tests": " *(NDEBUG)*"}
PASSED = "passed"
# Skipped, or there is no such test.
DID_NOT_RUN = "did not run"


class MutationError(Exception):
    """The problems, one per line."""


@dataclasses.dataclass
class Mutation:
    """An entry of the list."""
    entry: dict

    @property
    def name(self):
        return self.entry["id"]

    @property
    def survives(self):
        return "survives" in self.entry

    @property
    def edits(self):
        return self.entry.get("edit", [])

    @property
    def switch(self):
        """The value of HOTRAP_MUTATION."""
        return f",{','.join(self.entry.get('takes_out', [self.name]))},"

    def tests(self, flavour):
        return (self.entry.get("tests", []) +
                self.entry.get(f"{flavour}_tests", []))

    def all_tests(self):
        return [test for key in TESTS
                for test in self.entry.get(key, [])]


# ---- The list -------------------------------------------------------------


def read_list():
    entries = tomllib.loads(LIST.read_text())["mutation"]
    problems = []
    for entry in entries:
        name = entry.get("id", "an entry without an id")
        known = REQUIRED | HOW | set(TESTS) | {"survives"}
        if not REQUIRED <= set(entry) <= known or \
                len(HOW & set(entry)) != 1:
            problems.append(f"{name}: has {', '.join(sorted(entry))}")
        if not any(entry.get(key) for key in TESTS):
            problems.append(f"{name}: names no test")
        if not all(SWITCH in edit["becomes"] for edit in
                   entry.get("edit", [])):
            problems.append(f"{name}: a `becomes` without {SWITCH}")
    names = collections.Counter(entry.get("id") for entry in entries)
    problems += [f"{entry['id']}: there is no {name}" for entry in entries
                 for name in entry.get("takes_out", []) if name not in names]
    problems += [f"{name}: there twice" for name in names if names[name] > 1]
    if problems:
        raise MutationError("\n".join(problems))
    return [Mutation(entry) for entry in entries]


def edits_by_file(mutations):
    """Returns {file: [(id, was, becomes)]}."""
    edits = collections.defaultdict(list)
    for mutation in mutations:
        for edit in mutation.edits:
            edits[edit["file"]].append((mutation.name, edit["was"],
                                        edit["becomes"]))
    return edits


def mutate(name, text, edits):
    """Returns the text with all edits. Raises unless each applies exactly once,
    and no two to the same place."""
    problems = []
    places = []
    for mutation, was, becomes in edits:
        if text.count(was) != 1:
            problems.append(f"{mutation}: is {text.count(was)} times in "
                            f"{name}, must be there once:\n{was}")
            continue
        begin = text.index(was)
        places.append((begin, begin + len(was), mutation, becomes))
    places.sort()
    for one, next_one in zip(places, places[1:]):
        if one[1] > next_one[0]:
            problems.append(f"{one[2]} and {next_one[2]} edit the same place "
                            f"of {name}")
    if problems:
        raise MutationError("\n".join(problems))
    for begin, end, mutation, becomes in reversed(places):
        text = (text[:begin] +
                becomes.replace(SWITCH, f'HotRapMutated(",{mutation},")') +
                text[end:])
    return HEADER + text


def missing_test(test, listed):
    """Returns what is wrong with the name of a test, or None."""
    program, _, case = test.partition(":")
    case, _, parameter = case.partition("/")
    sources = [name for name in listed if name.endswith(f"/{program}.cc")]
    if not sources:
        return f"{program} is not listed in {TESTS_LIST.name}"
    text = (ROOT / sources[0]).read_text()
    if not re.search(rf"^TEST(_F|_P)?\(\w+,\s*{case}\)", text, re.MULTILINE):
        return f"{sources[0]} has no {case}"
    if program == SCENARIO_TEST and \
            not (ROOT / SCENARIOS / f"{parameter}.txt").exists():
        return f"{SCENARIOS} has no {parameter}.txt"
    return None


# ---- The page -------------------------------------------------------------


def read_invariants():
    """{number: (title, [id, with its mark])}, as docs/architecture.md has."""
    _, _, section = ARCHITECTURE.read_text().partition("\n## Invariants\n")
    section = section.partition("\n## ")[0]
    invariants = {}
    for text in re.split(r"^(?=\*\*\d+\. )", section, flags=re.MULTILINE)[1:]:
        number, title = re.match(r"\*\*(\d+)\. (.+?)\.?\*\*", text,
                                 re.DOTALL).groups()
        invariants[int(number)] = (
            " ".join(title.split()),
            re.findall(r"`[a-z0-9-]+`(?:\(\\\*\))?", text))
    return invariants


def invariant_problems(mutations, invariants):
    """Each guard is listed and marked under its invariant, nowhere else."""
    where = ARCHITECTURE.relative_to(ROOT)
    here = {(f"`{mutation.name}`" + SURVIVES * mutation.survives,
             mutation.entry["invariant"]) for mutation in mutations}
    there = {(name, number) for number, (_, names) in invariants.items()
             for name in names}
    return ([f"{name}: {where} does not list it under invariant {number}"
             for name, number in sorted(here - there)] +
            [f"{name}: {where} lists it under invariant {number}, "
             f"{LIST.relative_to(ROOT)} does not"
             for name, number in sorted(there - here)])


def table(columns, rows):
    rows = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def tests_of(entry):
    cases = collections.defaultdict(list)
    for key, said in TESTS.items():
        for test in entry.get(key, []):
            program, _, case = test.partition(":")
            cases[program].append(case + said)
    return "; ".join(f"`{program}`: {', '.join(cases[program])}"
                     for program in cases)


def guards_on_page(mutations, invariants):
    """The tables between BEGIN and END."""
    groups = collections.defaultdict(list)
    surviving = []
    for mutation in mutations:
        entry = mutation.entry
        row = [str(entry["trap"] or "-"), entry["guard"], f"`{entry['id']}`"]
        if mutation.survives:
            surviving.append([str(entry["invariant"]), *row,
                              entry["survives"]])
        else:
            groups[entry["invariant"]].append([*row, tests_of(entry)])
    parts = [f"### {number}. {invariants[number][0]}\n" +
             table(["trap", "guard", "id", "tests that fail without it"],
                   groups[number]) for number in sorted(groups)]
    parts.append("### Not proven by a test\n" + table(
        ["invariant", "trap", "guard", "id", "why nothing fails"], surviving))
    return "\n".join(parts)


def page_with(guards):
    text = PAGE.read_text()
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise MutationError(f"{PAGE.relative_to(ROOT)} has no {BEGIN}{END}")
    return text[:begin + len(BEGIN)] + guards + text[end:]


def page_problems(mutations):
    invariants = read_invariants()
    problems = invariant_problems(mutations, invariants)
    if not problems and \
            page_with(guards_on_page(mutations, invariants)) != \
            PAGE.read_text():
        problems = [f"{PAGE.relative_to(ROOT)} does not have the guards as "
                    f"{LIST.relative_to(ROOT)} has them (--write-page)"]
    return problems


def write_page(mutations):
    invariants = read_invariants()
    problems = invariant_problems(mutations, invariants)
    if problems:
        raise MutationError("\n".join(problems))
    PAGE.write_text(page_with(guards_on_page(mutations, invariants)))


# ---- Whether it is true ---------------------------------------------------


def verify(mutations):
    """Raises unless every edit applies, every test exists, and the pages agree
    with the list."""
    problems = page_problems(mutations)
    for name, edits in edits_by_file(mutations).items():
        path = ROOT / name
        if not path.exists():
            problems.append(f"{edits[0][0]}: no {name} (`make rocksdb-tree` "
                            f"makes {TREE})")
            continue
        try:
            mutate(name, path.read_text(), edits)
        except MutationError as error:
            problems.append(str(error))
    listed = re.findall(r"\S+_test\.cc", TESTS_LIST.read_text())
    for mutation in mutations:
        for test in mutation.all_tests():
            problem = missing_test(test, listed)
            if problem:
                problems.append(f"{mutation.name}: {problem}")
    if problems:
        raise MutationError("\n".join(problems))


# ---- The copy of the tree -------------------------------------------------


def tracked(folder, *more):
    names = subprocess.run(("git", "ls-files", "-z", *more), cwd=folder,
                           check=True, capture_output=True, text=True).stdout
    return [name for name in names.split("\0") if name]


def write_if_other(path, content):
    """Writes a file only if its content changes, to avoid needless builds."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copy_tree(mutations):
    """Makes the copy with all edits in it; returns the sources' digest."""
    subprocess.run((ROOT / "scripts/patches.py", "apply"), check=True)
    edits = edits_by_file(mutations)
    names = tracked(ROOT, "--cached", "--others", "--exclude-standard")
    names += [f"{TREE}/{name}" for name in tracked(ROOT / TREE)]
    names = {name for name in names if (ROOT / name).is_file()}
    digest = hashlib.sha256()
    for name in sorted(names):
        source = ROOT / name
        content = source.read_bytes()
        if not name.startswith(NOT_SOURCES) and source != LIST:
            digest.update(name.encode() + hashlib.sha256(content).digest())
        if name in edits:
            content = mutate(name, content.decode(), edits[name]).encode()
        write_if_other(COPY / name, content)
        shutil.copymode(source, COPY / name)
    for folder in COPY.iterdir():
        for path in folder.rglob("*") if folder.name != "build" else ():
            if path.is_file() and str(path.relative_to(COPY)) not in names:
                path.unlink()
    link = COPY / TREE / "plugin/hotrap"
    if not link.is_symlink():
        link.symlink_to("../../..")
    # Marks the patches as applied.
    stamp = pathlib.Path(TREE) / ".git/hotrap-stamp"
    if not (COPY / stamp).exists() or \
            (COPY / stamp).read_text() != (ROOT / stamp).read_text():
        shutil.rmtree(COPY / TREE / ".git", ignore_errors=True)
        shutil.copytree(ROOT / TREE / ".git", COPY / TREE / ".git")
    return digest.hexdigest()


def build(flavour, programs, jobs):
    environment = dict(os.environ)
    for variable in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(variable, None)
    # Reuse objects of another tree.
    environment.setdefault("CCACHE_BASEDIR", str(COPY))
    environment.setdefault("CCACHE_NOHASHDIR", "1")
    for command in (("make", f"{flavour}-configure"),
                    ("cmake", "--build", f"build/{flavour}", "-j", str(jobs),
                     "--target", *programs)):
        subprocess.run(command, cwd=COPY, env=environment, check=True)


# ---- Runs -----------------------------------------------------------------


def filter_of(test):
    case = test.partition(":")[2]
    if "." in case:
        return case
    return f"*.{case}" if "/" in case else f"*.{case}:*.{case}/*"


def run_test(flavour, test, switch, args):
    """Returns PASSED, or what happened instead."""
    program = COPY / f"build/{flavour}/plugin/hotrap" / test.partition(":")[0]
    log = LOGS / flavour / (switch.strip(",") or "with all guards")
    log.mkdir(parents=True, exist_ok=True)
    log /= re.sub("[:/]", ".", test) + ".txt"
    with tempfile.TemporaryDirectory(dir=args.tmp) as folder, \
            log.open("wb") as output:
        # A test runs a program with another user's rights.
        os.chmod(folder, 0o755)
        report = pathlib.Path(folder) / "report.json"
        environment = dict(os.environ, TEST_TMPDIR=folder,
                           HOTRAP_MUTATION=switch)
        try:
            code = subprocess.run(
                (program, f"--gtest_filter={filter_of(test)}",
                 f"--gtest_output=json:{report}"), cwd=folder,
                env=environment, timeout=args.timeout, check=False,
                stdout=output, stderr=subprocess.STDOUT).returncode
        except subprocess.TimeoutExpired:
            return f"no end in {args.timeout:.0f} s"
        if code < 0:
            return f"signal {-code}"
        if code > 0 or not report.exists():
            return "failed"
        ran = [case for suite in json.loads(report.read_text())["testsuites"]
               for case in suite["testsuite"]
               if case["result"] == "COMPLETED"]
        return PASSED if ran else DID_NOT_RUN


def digest_of(*parts):
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True).encode()).hexdigest()


def load_results():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def save_results(results):
    part = RESULTS.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1))
    part.replace(RESULTS)


def run_flavour(flavour, mutations, sources, results, args):
    """Adds the missing results of the flavour."""
    mine = results.setdefault(flavour, {})
    # With all guards in, by test: the same for each mutation.
    whole = results.setdefault(f"{flavour}, all guards", {})
    if whole.get("sources") != sources or args.again:
        whole.clear()
        whole.update(sources=sources, outcomes={})

    def run(mutation):
        without = {test: run_test(flavour, test, mutation.switch, args)
                   for test in mutation.tests(flavour)}
        fresh = {test: run_test(flavour, test, "", args)
                 for test in without.keys() - whole["outcomes"].keys()}
        return without, fresh

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {}
        for mutation in mutations:
            digest = digest_of(sources, mutation.entry)
            if mutation.tests(flavour) and (
                    args.again or
                    mine.get(mutation.name, {}).get("digest") != digest):
                running[pool.submit(run, mutation)] = mutation, digest
        for number, future in enumerate(
                concurrent.futures.as_completed(running), 1):
            mutation, digest = running[future]
            without, fresh = future.result()
            whole["outcomes"].update(fresh)
            mine[mutation.name] = {
                "digest": digest, "without": without,
                "with": {test: whole["outcomes"][test] for test in without}}
            save_results(results)
            print(f"[{flavour}, {number} of {len(running)}] "
                  f"{mutation.name}: {verdict(mutation, flavour, mine)[0]}",
                  flush=True)


def verdict(mutation, flavour, results):
    """Returns (text for the table, [problems])."""
    if not mutation.tests(flavour):
        return "-", []
    result = results.get(mutation.name)
    if result is None:
        return "not run", ["has no result"]
    problems = [f"{test} does not pass with the guard in: {outcome}"
                for test, outcome in result["with"].items()
                if outcome != PASSED]
    without = result["without"]
    problems += [f"{test} is skipped" for test, outcome in without.items()
                 if outcome == DID_NOT_RUN]
    failed = [test for test, outcome in without.items() if outcome != PASSED]
    if mutation.survives:
        problems += [f"the list says that it survives, and {test} fails"
                     for test in failed]
    else:
        problems += [f"{test} passes without the guard" for test in without
                     if test not in failed]
    said = f"{len(failed)} of {len(without)}" if failed else "survives"
    return said, problems


def explore(flavour, mutations, args):
    """Prints which cases of some programs fail, for each mutation."""
    cases = []
    for program in args.explore:
        with tempfile.TemporaryDirectory(dir=args.tmp) as folder:
            report = pathlib.Path(folder) / "list.json"
            subprocess.run(
                (COPY / f"build/{flavour}/plugin/hotrap" / program,
                 "--gtest_list_tests", f"--gtest_output=json:{report}"),
                check=True, stdout=subprocess.DEVNULL)
            cases += [f"{program}:{suite['name']}.{case['name']}"
                      for suite in json.loads(report.read_text())["testsuites"]
                      for case in suite["testsuite"]]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for mutation in mutations:
            outcomes = dict(zip(cases, pool.map(
                lambda case: run_test(flavour, case, mutation.switch, args),
                cases)))
            print(f"{mutation.name} ({flavour}):")
            for case, outcome in outcomes.items():
                if outcome not in (PASSED, DID_NOT_RUN):
                    print(f"  {case}: {outcome}", flush=True)


def print_table(mutations, results, flavours):
    """Returns the problems."""
    print("\n" + f"{'mutation':30} {'trap':>4}  " +
          " ".join(f"{flavour:10}" for flavour in flavours) + " guard")
    problems = []
    caught = collections.Counter()
    for mutation in mutations:
        row = []
        for flavour in flavours:
            said, wrong = verdict(mutation, flavour, results.get(flavour, {}))
            row.append(said)
            caught[flavour] += said not in ("-", "not run", "survives")
            problems += [f"{flavour}: {mutation.name}: {what}"
                         for what in wrong]
        print(f"{mutation.name:30} {mutation.entry['trap'] or '-':>4}  " +
              " ".join(f"{said:10}" for said in row) +
              f" {mutation.entry['guard']}")
    print("caught: " + ", ".join(
        f"{caught[flavour]} of "
        f"{sum(bool(mutation.tests(flavour)) for mutation in mutations)} "
        f"in {flavour}" for flavour in flavours))
    return problems


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verify-edits", action="store_true",
                        help="only check that every edit applies, every test "
                        "exists, and the pages agree with the list")
    parser.add_argument("--write-page", action="store_true",
                        help="only write the guards into docs/reliability.md")
    parser.add_argument("--list-only", action="store_true",
                        help="the same, and print the list")
    parser.add_argument("--flavour", choices=FLAVOURS, action="append")
    parser.add_argument("--only", nargs="+", metavar="ID")
    parser.add_argument("--again", action="store_true",
                        help="also run what has a result")
    parser.add_argument("--explore", nargs="+", metavar="PROGRAM",
                        help="run all cases of these for each mutation, and "
                        "print which fail")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120,
                        help="seconds for a test")
    parser.add_argument("--tmp", type=pathlib.Path,
                        default=ROOT / "build/mutation/test_tmp",
                        help="where the tests create their DBs")
    return parser.parse_args()


def main():
    args = parse_args()
    mutations = read_list()
    if args.write_page:
        write_page(mutations)
        return
    verify(mutations)
    chosen = [mutation for mutation in mutations
              if not args.only or mutation.name in args.only]
    if not chosen:
        raise MutationError(f"none of {', '.join(args.only)} is in the list")
    if args.verify_edits or args.list_only:
        for mutation in chosen if args.list_only else []:
            print(f"{mutation.name:30} {mutation.entry['guard']}")
            for test in mutation.all_tests():
                print(f"    {test}")
        print(f"mutation_check: {len(mutations)} guards, every edit applies")
        return
    args.tmp.mkdir(parents=True, exist_ok=True)
    flavours = args.flavour or FLAVOURS
    sources = copy_tree(mutations)
    results = load_results()
    for flavour in flavours:
        programs = {test.partition(":")[0] for mutation in chosen
                    for test in mutation.tests(flavour)}
        build(flavour, sorted(programs | set(args.explore or ())), args.jobs)
        if args.explore:
            explore(flavour, chosen, args)
        else:
            run_flavour(flavour, chosen, sources, results, args)
    if args.explore:
        return
    problems = print_table(chosen, results, flavours)
    if problems:
        raise MutationError("\n".join(problems))


if __name__ == "__main__":
    try:
        main()
    except (MutationError, OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"mutation_check: {failure}")
