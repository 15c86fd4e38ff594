#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Maintains the patch series in patches/ and the patched tree build/rocksdb.

  apply    creates build/rocksdb: one commit of pristine RocksDB (tag
           `pristine`) and one commit per patch, in the order of patches/series
  refresh  exports the commits of build/rocksdb to patches/
  check    checks that the series applies without fuzz, that its export is
           identical byte for byte, that every header is complete, and that the
           budget holds
  count    prints added and removed lines and the files of each patch

A commit message is the patch's header: a subject, and the fields of
REQUIRED_FIELDS, each at the start of a line. `Context: N` requests N lines of
context if one line would be ambiguous.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATCHES = ROOT / "patches"
SERIES = PATCHES / "series"
BUILD = ROOT / "build"
TREE = BUILD / "rocksdb"
# Records the series in the tree, so that an unchanged one costs nothing.
STAMP = TREE / ".git" / "hotrap-stamp"
PRISTINE = "pristine"

REQUIRED_FIELDS = ("What", "Why here", "When off", "Test")
MAX_ADDED_LINES = 400
MAX_FILES = 30

# Author and date are the same in every patch, because an export must depend
# only on the change and its message.
IDENTITY = {"NAME": "HotRAP", "EMAIL": "hotrap@localhost",
            "DATE": "2025-01-01T00:00:00Z"}
GIT_ENV = dict(os.environ,
               # Ignore users' configurations, which could change git's output.
               GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null",
               **{f"GIT_{role}_{key}": value for key, value in IDENTITY.items()
                  for role in ("AUTHOR", "COMMITTER")})
# Git hooks set these, and they would redirect every command below.
for variable in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
    GIT_ENV.pop(variable, None)


class PatchError(Exception):
    """The problem and its remedy, on one line if possible."""


def git(*args, cwd=TREE, check=True):
    result = subprocess.run(("git",) + args, cwd=cwd, env=GIT_ENV,
                            capture_output=True, text=True, errors="replace")
    if check and result.returncode != 0:
        raise PatchError(f"git {' '.join(args)}: {result.stderr.strip()}")
    return result.stdout if check else result


def read_series():
    """Returns the names of the patches in order; a # starts a comment."""
    if not SERIES.exists():
        return []
    lines = (line.partition("#")[0].strip()
             for line in SERIES.read_text().splitlines())
    return [line for line in lines if line]


def series_digest():
    digest = hashlib.sha256()
    for name in read_series():
        path = PATCHES / name
        if not path.exists():
            raise PatchError(f"patches/series names {name}, which is missing")
        digest.update(name.encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def create_tree():
    """Creates the tree of pristine source; redoes a failed attempt."""
    BUILD.mkdir(exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rocksdb-", dir=BUILD))
    try:
        fetch = ROOT / "scripts" / "fetch_rocksdb.sh"
        if subprocess.run((str(fetch), str(scratch)), check=False).returncode:
            raise PatchError("no source of RocksDB (reason above)")
        git("init", "--quiet", "--initial-branch=hotrap", cwd=scratch)
        # Lets developers commit in the tree without setting up an identity; the
        # export does not depend on it.
        for key, value in (("user.name", IDENTITY["NAME"]),
                           ("user.email", IDENTITY["EMAIL"]),
                           ("core.fileMode", "false"), ("gc.auto", "0")):
            git("config", key, value, cwd=scratch)
        exclude = scratch / ".git" / "info" / "exclude"
        exclude.write_text("/plugin/hotrap\n/java/classes/\n/java/include/\n"
                           "/java/test-libs/\n")
        git("add", "--all", "--force", cwd=scratch)
        git("commit", "--quiet", "-m", "RocksDB 10.4.2, pristine", cwd=scratch)
        git("tag", PRISTINE, cwd=scratch)
        # RocksDB's plugin mechanism finds our sources here.
        (scratch / "plugin" / "hotrap").symlink_to("../../..")
        scratch.chmod(0o755)
        scratch.rename(TREE)
    finally:
        if scratch.exists():
            shutil.rmtree(scratch)


@contextlib.contextmanager
def pristine_worktree():
    """Creates a scratch checkout of pristine RocksDB beside the tree."""
    parent = pathlib.Path(tempfile.mkdtemp(prefix="patches-", dir=BUILD))
    path = parent / "rocksdb"
    try:
        git("worktree", "add", "--quiet", "--detach", str(path), PRISTINE)
        yield path
    finally:
        shutil.rmtree(parent)
        git("worktree", "prune", check=False)


def apply_series(worktree):
    for name in read_series():
        # git am applies a patch entirely or not at all, and never with fuzz.
        result = git("am", "--quiet", "--keep-non-patch", "--no-3way",
                     str(PATCHES / name), cwd=worktree, check=False)
        if result.returncode != 0:
            reasons = [line for line in result.stderr.splitlines()
                       if line.startswith(("error:", "fatal:"))]
            raise PatchError("\n".join([f"patches/{name} does not apply:"] +
                                       reasons))


def write_stamp():
    head = git("rev-parse", "HEAD").strip()
    STAMP.write_text(f"{series_digest()} {head}\n")


def commits(cwd=TREE):
    revisions = git("rev-list", "--reverse", f"{PRISTINE}..HEAD", cwd=cwd)
    return revisions.split()


def require_no_loss(stamp_head):
    """Raises if changing the tree would lose somebody's work."""
    advice = ("drop it, or restore patches/ (git stash), commit the work in "
              "build/rocksdb and run `make patches-refresh`")
    changed = git("status", "--porcelain", "--untracked-files=no")
    if changed:
        raise PatchError(f"patches/ changed, but build/rocksdb has "
                         f"uncommitted work ({changed.split()[1]}): {advice}")
    if git("rev-parse", "HEAD").strip() != stamp_head:
        raise PatchError(f"patches/ changed, but build/rocksdb has commits "
                         f"after {stamp_head[:12]} that patches/ does not "
                         f"hold: {advice}")


def apply():
    if not (TREE / ".git").exists():
        if TREE.exists():
            raise PatchError("build/rocksdb is no tree of ours: delete it")
        create_tree()
        STAMP.write_text(f"- {git('rev-parse', 'HEAD').strip()}\n")
    digest, head = STAMP.read_text().split()
    if digest == series_digest():
        return
    require_no_loss(head)
    with pristine_worktree() as worktree:
        apply_series(worktree)
        new_head = git("rev-parse", "HEAD", cwd=worktree).strip()
    # Touches only the files that differ, so that builds stay incremental.
    git("read-tree", "-m", "-u", "HEAD", new_head)
    git("update-ref", "-m", "patches/ applied", "HEAD", new_head)
    write_stamp()
    print(f"build/rocksdb: {len(read_series())} patches applied")


def export(commit, cwd):
    """Returns the file name and the canonical text of a commit's patch."""
    message = git("log", "-1", "--format=%B", commit, cwd=cwd)
    context = re.search(r"^Context: (\d+)$", message, re.MULTILINE)
    text = git("format-patch", "-1", "--stdout", "--keep-subject",
               "--zero-commit", "--full-index", "--no-signature", "--no-stat",
               "--no-renames", "--diff-algorithm=histogram",
               f"-U{context[1] if context else 1}", commit, cwd=cwd)
    text = re.sub(r"^From: .*\nDate: .*$",
                  f"From: {IDENTITY['NAME']} <{IDENTITY['EMAIL']}>\n"
                  "Date: Wed, 1 Jan 2025 00:00:00 +0000",
                  text, count=1, flags=re.MULTILINE)
    subject = message.splitlines()[0]
    slug = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")
    return f"{slug}.patch", text


def export_all(cwd):
    exported = [export(commit, cwd) for commit in commits(cwd)]
    names = [name for name, _ in exported]
    for name in names:
        if names.count(name) > 1:
            raise PatchError(f"two commits would be exported as {name}")
    return exported


def missing_fields(text):
    header = text.partition("\ndiff --git ")[0]
    return [field for field in REQUIRED_FIELDS
            if not re.search(rf"^{field}: *\S", header, re.MULTILINE)]


def refresh():
    if not STAMP.exists():
        raise PatchError("no build/rocksdb yet: run `make rocksdb-tree`")
    if git("status", "--porcelain", "--untracked-files=no"):
        raise PatchError("build/rocksdb has uncommitted work: commit it there"
                         " (git commit --fixup and git rebase -i"
                         f" --autosquash {PRISTINE} amend a patch)")
    digest, _ = STAMP.read_text().split()
    if digest != series_digest():
        raise PatchError("patches/ changed since build/rocksdb was made, and"
                         " a refresh would undo that: restore patches/ first")
    exported = export_all(TREE)
    PATCHES.mkdir(exist_ok=True)
    for old in set(read_series()) - {name for name, _ in exported}:
        (PATCHES / old).unlink()
    for name, text in exported:
        (PATCHES / name).write_text(text)
        for field in missing_fields(text):
            print(f"note: {name} has no field `{field}:`", file=sys.stderr)
    comments = [line for line in SERIES.read_text().splitlines()
                if line.startswith("#")] if SERIES.exists() else []
    SERIES.write_text("".join(f"{line}\n" for line in comments +
                              [name for name, _ in exported]))
    write_stamp()
    print(f"patches/: {len(exported)} patches exported")


def count(cwd=TREE):
    """Prints the size of each patch; returns what breaks the budget."""
    added, removed, files = 0, 0, set()
    for commit in commits(cwd):
        stat = git("show", "--numstat", "--no-renames", "--format=", commit,
                   cwd=cwd)
        rows = [line.split("\t") for line in stat.splitlines()]
        patch_added = sum(int(row[0]) for row in rows)
        patch_removed = sum(int(row[1]) for row in rows)
        print(f"  +{patch_added:<4} -{patch_removed:<3} {len(rows):>2} files  "
              f"{export(commit, cwd)[0]}")
        added += patch_added
        removed += patch_removed
        files.update(row[2] for row in rows)
    print(f"patches: {len(commits(cwd))}, added lines: {added} of "
          f"{MAX_ADDED_LINES}, removed lines: {removed}, upstream files: "
          f"{len(files)} of {MAX_FILES}")
    problems = []
    if added > MAX_ADDED_LINES:
        problems.append(f"{added} added lines, over {MAX_ADDED_LINES}")
    if len(files) > MAX_FILES:
        problems.append(f"{len(files)} upstream files, over {MAX_FILES}")
    return problems


def check():
    if not (TREE / ".git").exists():
        apply()
    problems = []
    names = read_series()
    stray = {path.name for path in PATCHES.glob("*.patch")} - set(names)
    problems += [f"{name} is not in patches/series" for name in sorted(stray)]
    with pristine_worktree() as worktree:
        apply_series(worktree)
        exported = export_all(worktree)
        for name, (new_name, text) in zip(names, exported):
            if name != new_name:
                problems.append(f"{name}: its subject asks for {new_name}")
            if (PATCHES / name).read_text() != text:
                problems.append(f"{name} is not canonical: "
                                "run `make patches-refresh`")
            problems += [f"{name}: no field `{field}:` in the header"
                         for field in missing_fields(text)]
        problems += count(worktree)
    if problems:
        raise PatchError("\n".join(["the series is not in order:"] + problems))
    print("patches/ is in order")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=("apply", "refresh", "check",
                                            "count"))
    command = parser.parse_args().command
    BUILD.mkdir(exist_ok=True)
    # Two makes in one folder must not change the tree at the same time.
    with open(BUILD / ".patches.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            {"apply": apply, "refresh": refresh, "check": check,
             "count": count}[command]()
        except PatchError as error:
            sys.exit(f"patches: {error}")


if __name__ == "__main__":
    main()
