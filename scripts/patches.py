#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Maintains the patch series in patches/ and the patched trees.

  apply    creates the tree, build/rocksdb: one commit of pristine RocksDB (tag
           `pristine`) and one commit per patch, in the order of patches/series
  refresh  exports the commits of the tree to patches/
  check    checks that the series applies without fuzz, that its export is
           identical byte for byte, that every header is complete, that the
           budget holds, and that each added line stands in the same function
           on every base
  count    prints added and removed lines and the files of each patch, and the
           lines that differ between the bases
  move     carries the patches of the default base to the tree of another one,
           by three-way merges; stops at a conflict. Resolve it in the tree
           (`git cherry-pick --continue`) and call it again, then `refresh`

The series is that of the default base. BASE=<version> selects another one. Its
tree is build/<version>/rocksdb, and a patch that does not apply there has an
override of the same name in patches/<version>/. Functions that have other names
there, or stand in other files, are listed in patches/<version>/places.toml.

A commit message is the patch's header: a subject, and the fields of
REQUIRED_FIELDS, each at the start of a line. An override also says why it
differs (`Differs:`). `Context: N` requests N lines of context if one line would
be ambiguous.
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

import patch_places
from base import BASE, BASES, BUILD, DEFAULT, ROOT, build_folder

PATCHES = ROOT / "patches"
SERIES = PATCHES / "series"
TREE = BUILD / "rocksdb"
NAME = TREE.relative_to(ROOT)
# Records the series in the tree, so that an unchanged one costs nothing.
STAMP = TREE / ".git" / "hotrap-stamp"
PRISTINE = "pristine"

REQUIRED_FIELDS = ("What", "Why here", "When off", "Test")
MAX_ADDED_LINES = 400
MAX_FILES = 30
# Of each base but the default one.
MAX_OVERRIDES = 10
MAX_DIFFERENT_LINES = 20

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


def patch(name, base=BASE):
    """The file of a patch."""
    override = PATCHES / base / name
    return override if override.exists() else PATCHES / name


def series_digest():
    digest = hashlib.sha256()
    for name in read_series():
        path = patch(name)
        if not path.exists():
            raise PatchError(f"patches/series names {name}, which is missing")
        digest.update(name.encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def own_digest():
    """The digest of the files that a refresh would write."""
    if BASE == DEFAULT:
        return series_digest()
    digest = hashlib.sha256()
    for path in overrides(BASE):
        digest.update(path.name.encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def init_tree(folder, version, plugin_of=None):
    """Makes a repository of pristine source, which may be moved to `plugin_of`
    later."""
    git("init", "--quiet", "--initial-branch=hotrap", cwd=folder)
    # Lets developers commit in the tree without setting up an identity; the
    # export does not depend on it.
    for key, value in (("user.name", IDENTITY["NAME"]),
                       ("user.email", IDENTITY["EMAIL"]),
                       ("core.fileMode", "false"), ("gc.auto", "0")):
        git("config", key, value, cwd=folder)
    exclude = folder / ".git" / "info" / "exclude"
    # Hunks are then headed by the function that they stand in.
    (folder / ".git/info/attributes").write_text(
        "*.cc diff=cpp\n*.h diff=cpp\n")
    exclude.write_text("/plugin/hotrap\n/java/classes/\n/java/include/\n"
                       "/java/test-libs/\n")
    git("add", "--all", "--force", cwd=folder)
    git("commit", "--quiet", "-m", f"RocksDB {version}, pristine", cwd=folder)
    git("tag", PRISTINE, cwd=folder)
    # RocksDB's plugin mechanism finds our sources here.
    (folder / "plugin").mkdir(exist_ok=True)
    (folder / "plugin" / "hotrap").symlink_to(
        os.path.relpath(ROOT, (plugin_of or folder) / "plugin"))


def create_tree():
    """Creates the tree of pristine source; redoes a failed attempt."""
    BUILD.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rocksdb-", dir=BUILD))
    try:
        fetch = ROOT / "scripts" / "fetch_rocksdb.sh"
        if subprocess.run((str(fetch), BASE, str(scratch)),
                          check=False).returncode:
            raise PatchError("no source of RocksDB (reason above)")
        init_tree(scratch, BASE, plugin_of=TREE)
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


def apply_patch(path, worktree):
    # git am applies a patch entirely or not at all, and never with fuzz.
    result = git("am", "--quiet", "--keep-non-patch", "--no-3way", str(path),
                 cwd=worktree, check=False)
    if result.returncode != 0:
        git("am", "--abort", cwd=worktree, check=False)
        reasons = [line for line in result.stderr.splitlines()
                   if line.startswith(("error:", "fatal:"))]
        advice = [] if BASE == DEFAULT else [
            f"carry it over with `scripts/patches.py move` and BASE={BASE}"]
        raise PatchError("\n".join(
            [f"{path.relative_to(ROOT)} does not apply to RocksDB {BASE}:"] +
            reasons + advice))


def apply_series(worktree):
    for name in read_series():
        apply_patch(patch(name), worktree)


def write_stamp():
    head = git("rev-parse", "HEAD").strip()
    STAMP.write_text(f"{series_digest()} {own_digest()} {head}\n")


def read_stamp():
    """Returns the two digests and the commit of the tree's last state that
    patches/ held."""
    return STAMP.read_text().split()


def commits(cwd=TREE):
    revisions = git("rev-list", "--reverse", f"{PRISTINE}..HEAD", cwd=cwd)
    return revisions.split()


def require_no_loss(stamp_head):
    """Raises if changing the tree would lose somebody's work."""
    advice = ("drop it, or restore patches/ (git stash), commit the work in "
              f"{NAME} and run `make patches-refresh`")
    changed = git("status", "--porcelain", "--untracked-files=no")
    if changed:
        raise PatchError(f"patches/ changed, but {NAME} has "
                         f"uncommitted work ({changed.split()[1]}): {advice}")
    if git("rev-parse", "HEAD").strip() != stamp_head:
        raise PatchError(f"patches/ changed, but {NAME} has commits "
                         f"after {stamp_head[:12]} that patches/ does not "
                         f"hold: {advice}")


def apply():
    if not (TREE / ".git").exists():
        if TREE.exists():
            raise PatchError(f"{NAME} is no tree of ours: delete it")
        create_tree()
        STAMP.write_text(f"- - {git('rev-parse', 'HEAD').strip()}\n")
    version = git("log", "-1", "--format=%s", PRISTINE)
    if not version.startswith(f"RocksDB {BASE},"):
        raise PatchError(f"{NAME} is of {version.partition(',')[0]}, should be "
                         f"of RocksDB {BASE}: delete it")
    digest, _, head = read_stamp()
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
    print(f"{NAME}: {len(read_series())} patches applied")


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


# ---- Patches and their headers ---------------------------------------------


def missing_fields(text):
    header = text.partition("\ndiff --git ")[0]
    return [field for field in REQUIRED_FIELDS
            if not re.search(rf"^{field}: *\S", header, re.MULTILINE)]


def refresh():
    if not STAMP.exists():
        raise PatchError(f"no {NAME} yet: run `make rocksdb-tree`")
    if git("status", "--porcelain", "--untracked-files=no"):
        raise PatchError(f"{NAME} has uncommitted work: commit it there"
                         " (git commit --fixup and git rebase -i"
                         f" --autosquash {PRISTINE} amend a patch)")
    if read_stamp()[1] != own_digest():
        raise PatchError(f"patches/ changed since {NAME} was made, and"
                         " a refresh would undo that: restore patches/ first")
    if BASE == DEFAULT:
        refresh_series(export_all(TREE))
    else:
        refresh_overrides(export_all(TREE))
    write_stamp()


def note_missing_fields(name, text):
    for field in missing_fields(text):
        print(f"note: {name} has no field `{field}:`", file=sys.stderr)


def refresh_series(exported):
    PATCHES.mkdir(exist_ok=True)
    for old in set(read_series()) - {name for name, _ in exported}:
        (PATCHES / old).unlink()
    for name, text in exported:
        (PATCHES / name).write_text(text)
        note_missing_fields(name, text)
    comments = [line for line in SERIES.read_text().splitlines()
                if line.startswith("#")] if SERIES.exists() else []
    SERIES.write_text("".join(f"{line}\n" for line in comments +
                              [name for name, _ in exported]))
    print(f"patches/: {len(exported)} patches exported")


def applies_as(commit, name, worktree):
    """Returns whether the default base's patch makes the change of the commit,
    and leaves the worktree at the commit."""
    result = False
    if (PATCHES / name).exists():
        git("checkout", "--quiet", "--force", "--detach", f"{commit}^",
            cwd=worktree)
        with contextlib.suppress(PatchError):
            apply_patch(PATCHES / name, worktree)
            result = not git("diff", "--name-only", commit, cwd=worktree)
    git("checkout", "--quiet", "--force", "--detach", commit, cwd=worktree)
    return result


def refresh_overrides(exported):
    names = [name for name, _ in exported]
    if names != read_series():
        raise PatchError(
            f"{NAME} has other patches, or another order, than patches/series: "
            f"change the series in the tree of {DEFAULT} first, then run "
            "`scripts/patches.py move`")
    folder = PATCHES / BASE
    folder.mkdir(exist_ok=True)
    with pristine_worktree() as worktree:
        for commit, (name, text) in zip(commits(), exported):
            override = folder / name
            if applies_as(commit, name, worktree):
                override.unlink(missing_ok=True)
            else:
                override.write_text(text)
                note_missing_fields(override.relative_to(ROOT), text)
    print(f"patches/{BASE}/: {len(overrides(BASE))} overrides exported")


def overrides(base):
    return sorted((PATCHES / base).glob("*.patch"))


# ---- Several bases --------------------------------------------------------


def tree_of(base):
    """The tree of a base; makes it if it is not there, or old."""
    if base != BASE:
        command = (sys.executable, __file__, "apply")
        if subprocess.run(command, env=dict(os.environ, BASE=base),
                          check=False).returncode:
            raise PatchError(f"no tree of RocksDB {base} (reason above)")
    return build_folder(base) / "rocksdb"


def compare_bases():
    """Prints the lines that differ between the default base and the others;
    returns what is wrong."""
    problems = []
    changes = {base: patch_places.Changes(tree_of(base), git)
               for base in BASES}
    for base in BASES[1:]:
        difference = patch_places.compare(
            changes[DEFAULT], changes[base],
            PATCHES / base / "places.toml")
        problems += difference.problems
        for line in difference.lines:
            print(f"  {base}: {line}")
        print(f"RocksDB {base}: {len(overrides(base))} overrides of "
              f"{MAX_OVERRIDES}, {len(difference.lines)} lines of "
              f"{MAX_DIFFERENT_LINES} differ from {DEFAULT}")
        if len(overrides(base)) > MAX_OVERRIDES:
            problems.append(f"{base}: too many overrides")
        if len(difference.lines) > MAX_DIFFERENT_LINES:
            problems.append(f"{base}: too many lines differ")
        stray = {path.name for path in overrides(base)} - set(read_series())
        problems += [f"patches/{base}/{name} overrides nothing"
                     for name in sorted(stray)]
        problems += [f"{path.relative_to(ROOT)}: no field `Differs:`"
                     for path in overrides(base)
                     if not re.search(r"^Differs: *\S", path.read_text(),
                                      re.MULTILINE)]
    return problems


def carry(name, source, worktree):
    """Applies a patch, or else merges the commit of the default base; returns
    how. Raises, and leaves the conflict, if neither is possible."""
    try:
        apply_patch(patch(name), worktree)
        return "applies"
    except PatchError:
        result = git("cherry-pick", source, cwd=worktree, check=False)
        if result.returncode != 0:
            files = git("diff", "--name-only", "--diff-filter=U", cwd=worktree)
            raise PatchError(
                f"{name} conflicts in {', '.join(files.split())}: resolve it "
                f"in {worktree}, `git cherry-pick --continue`, and call this "
                "again") from None
        return "merged"


def move():
    if BASE == DEFAULT:
        raise PatchError(f"{BASE} is the default base: the series is moved "
                         "from it to another one, so set BASE")
    if not (TREE / ".git").exists():
        create_tree()
        STAMP.write_text(f"- - {git('rev-parse', 'HEAD').strip()}\n")
    if git("status", "--porcelain", "--untracked-files=no"):
        raise PatchError(f"{NAME} has uncommitted work")
    source = tree_of(DEFAULT)
    git("fetch", "--quiet", "--no-tags", str(source),
        f"+{PRISTINE}:refs/other/pristine", "+HEAD:refs/other/head")
    sources = git("rev-list", "--reverse",
                  "refs/other/pristine..refs/other/head").split()
    if read_stamp()[2] == git("rev-parse", "HEAD").strip():
        git("reset", "--quiet", "--hard", PRISTINE)  # start over
    done = len(commits())
    for name, commit in list(zip(read_series(), sources))[done:]:
        print(f"  {carry(name, commit, TREE):>8}  {name}", flush=True)
    print(f"{NAME} has all {len(sources)} patches: now `refresh`")


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
            path = patch(name)
            # A patch of the default base has other line numbers here.
            if (BASE == DEFAULT or path.parent != PATCHES) and \
                    path.read_text() != text:
                problems.append(f"{path.relative_to(ROOT)} is not canonical: "
                                "run `make patches-refresh`")
            problems += [f"{name}: no field `{field}:` in the header"
                         for field in missing_fields(text)]
        problems += count(worktree)
    problems += compare_bases()
    if problems:
        raise PatchError("\n".join(["the series is not in order:"] + problems))
    print("patches/ is in order")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=("apply", "refresh", "check",
                                            "count", "move"))
    command = parser.parse_args().command
    BUILD.mkdir(parents=True, exist_ok=True)
    # Two makes in one folder must not change the tree at the same time.
    with open(BUILD / ".patches.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            {"apply": apply, "refresh": refresh, "check": check,
             "count": lambda: (count(), compare_bases()),
             "move": move}[command]()
        except PatchError as error:
            sys.exit(f"patches: {error}")


if __name__ == "__main__":
    main()
