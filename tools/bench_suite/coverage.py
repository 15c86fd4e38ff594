#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""How much of the suite a report covers."""

import dataclasses
import itertools
import re


@dataclasses.dataclass(frozen=True)
class Plan:
    """All pairs of a run and its repetition, and the groups that are omitted
    because their files are missing."""
    jobs: tuple
    left_out: tuple = ()


def numbered(name, repeat):
    return name if repeat == 1 else f"{name}@{repeat}"


def split(saved, plan):
    """Returns (results that count, names of stale results). A result is stale
    if its run has changed or no longer exists. Runs of omitted groups are
    unknown."""
    told = {run.name: run.told for run, _ in plan.jobs}
    good, stale = [], []
    for one in saved:
        if one["group"] in plan.left_out or \
                one.get("told", "") == told.get(one["name"]):
            good.append(one)
        else:
            stale.append(numbered(one["name"], one["repeat"]))
    return good, stale


def missing(saved, plan):
    """Returns the names of jobs without a result; CASE/* if a case has none."""
    there = {(one["name"], one["repeat"]) for one in saved}
    found = []
    for case, jobs in itertools.groupby(plan.jobs, lambda job: job[0].case):
        jobs = list(jobs)
        lacking = [(run, repeat) for run, repeat in jobs
                   if (run.name, repeat) not in there]
        found += (["/".join((*case, "*"))] if len(lacking) == len(jobs) else
                  [numbered(run.name, repeat) for run, repeat in lacking])
    return found


def summary(saved, stale, plan, scale):
    """`saved` are those that count."""
    there = {(one["name"], one["repeat"]) for one in saved}
    dates = sorted(one["started"] for one in saved if "started" in one)
    return {
        "scale": scale, "first_started": dates[0] if dates else None,
        "last_started": dates[-1] if dates else None,
        "planned": len(plan.jobs),
        "done": sum((run.name, repeat) in there for run, repeat in plan.jobs),
        "missing": missing(saved, plan), "stale": stale,
        "left_out": list(plan.left_out)}


def sentences(found):
    """Returns the sentences of a summary, for the pages."""
    scale = ", ".join(f"{name} x {factor:g}" if isinstance(factor, (int, float))
                      else f"{name} {factor}"
                      for name, factor in found["scale"].items())
    yield f"Scale: {scale}."
    if found["first_started"]:
        yield (f"Measured from {found['first_started']} to "
               f"{found['last_started']} (when the first and the last run "
               "began).")
    yield (f"{found['done']} of {found['planned']} runs" +
           (f"; missing: {', '.join(found['missing'])}." if found["missing"]
            else "."))
    if found["left_out"]:
        yield ("Not among them, as their files were not there: "
               f"{', '.join(found['left_out'])}.")
    if found["stale"]:
        yield ("Left out, of runs that are told something else now: "
               f"{', '.join(found['stale'])}.")


def from_checkout(words):
    """Returns the command as typed in its checkout."""
    programs = (re.fullmatch(
        r"(?:[^/]*=)?((/(?:.*/)?)[^/]+/)build/\w+/hotrap_bench", word)
                for word in words)
    program = next(filter(None, programs), None)
    if program is None:
        return " ".join(words)
    root, parent = program.groups()
    for place, name in ((root, ""), (parent, "../")):
        words = [re.sub(f"(^|=){re.escape(place)}", rf"\1{name}", word)
                 for word in words]
    return " ".join(words)


def command_of(one):
    return from_checkout(one.get("command") or
                         one["result"].get("command", []))


def commands(saved):
    """Returns the commands by what they produced."""
    found = {f"load {number}": load for number, load in enumerate(
        dict.fromkeys(from_checkout(one["load_command"]) for one in saved
                      if "load_command" in one), 1)}
    return found | {numbered(one["name"], one["repeat"]): command_of(one)
                    for one in saved}
