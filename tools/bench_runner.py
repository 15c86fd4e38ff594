#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Shared by the scripts around hotrap_bench: the slow disk, running the driver,
copies of loaded data, and cleaning up in all cases."""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parent
DEFAULT_BENCH = TOOLS.parent / "build/release/hotrap_bench"
# As in the paper: keys have 24 bytes, the fast tier holds a tenth of the data,
# and there are 16 threads.
KEY_BYTES = 24
FAST_SHARE = 0.1
THREADS = 16
# 32 MiB for 4 M records of 1 KiB. A larger cache would hold the hotspot and
# leave nothing to promote.
BLOCK_CACHE_SHARE = (32 << 20) / 4.096e9
HOTRAP_ON = "hotrap={enabled=true}"


class BenchError(Exception):
    """Something the user should read without a stack trace."""


class SlowDisk:
    """The slow tier: throttled by the kernel, or inside hotrap_bench."""

    def __init__(self, folder, room_bytes, profile):
        self.folder = folder
        self.room_bytes = room_bytes
        # gp3 or hdd.
        self.profile = profile
        self.path = folder / "mnt"
        # Whether the kernel throttles it.
        self.in_kernel = False

    def __enter__(self):
        script = str(TOOLS / "slow_disk.sh")
        made = subprocess.run(
            [script, "up", str(self.folder), self.profile,
             str(self.room_bytes)],
            stderr=subprocess.PIPE, text=True, check=False)
        self.in_kernel = made.returncode == 0
        if not self.in_kernel:
            print(f"{made.stderr.strip()}: "
                  "throttling inside hotrap_bench instead")
            self.path.mkdir(parents=True)
        return self

    def limit(self, profile):
        """The same data on a disk of another speed."""
        if self.in_kernel and profile != self.profile:
            subprocess.run([str(TOOLS / "slow_disk.sh"), "limit",
                            str(self.folder), profile], check=True)
        self.profile = profile

    @property
    def kind(self):
        """The name in results of hotrap_bench."""
        return "kernel" if self.in_kernel else "wrapper"

    def throttled(self, command):
        if self.in_kernel:
            return [str(TOOLS / "slow_disk.sh"), "exec", str(self.folder),
                    *command]
        return [*command, f"--throttle={self.profile}"]

    def __exit__(self, *_):
        with ignoring_signals():
            remove_slow_disk(self.folder)


def remove_slow_disk(folder):
    """Removes the slow disk, including one left by a killed run."""
    subprocess.run([str(TOOLS / "slow_disk.sh"), "down", str(folder)],
                   check=False)
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def ignoring_signals():
    """Ignores signals, so that cleaning up is not interrupted."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [(number, signal.signal(number, signal.SIG_IGN))
              for number in signals]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def unwind_on_signals():
    """Makes signals unwind the stack, which cleans up, like Ctrl-C. Also
    restores Ctrl-C itself, which a shell ignores for scripts in the
    background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))


def wait_for(process, tick=None):
    """Waits for the process and returns its exit code. Calls tick() once a
    second; if that raises, ends the process."""
    try:
        while True:
            try:
                return process.wait(timeout=1 if tick else None)
            except subprocess.TimeoutExpired:
                tick()
    except BaseException:
        process.terminate()
        process.wait()
        raise


def run_bench(command, result_file, name, log=None, tick=None):
    """Runs a command of hotrap_bench and returns its result. Its output goes
    to the file `log`, if there is one."""
    result_file.unlink(missing_ok=True)
    if log is None:
        print(f"\n== {name} ==", flush=True)
    with subprocess.Popen(command + [f"--json={result_file}"], stdout=log,
                          stderr=log) as process:
        code = wait_for(process, tick)
    try:
        result = json.loads(result_file.read_text())
    except (OSError, ValueError) as error:
        raise BenchError(f"hotrap_bench left no result ({name})") from error
    finally:
        result_file.unlink(missing_ok=True)
    if code != 0 or result["errors"]:
        raise BenchError(f"{name}: {result['errors']} errors: "
                         f"{result['error_samples'][:3]}")
    return result


@contextlib.contextmanager
def alone_in(folder):
    """Prevents two scripts from removing each other's data."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BenchError(f"another run is using {folder}") from error
        yield


def parse_paths(parser):
    """Returns the arguments, with --bench, which must exist, and --out as
    absolute paths."""
    args = parser.parse_args()
    args.bench = args.bench.resolve()
    args.out = args.out.resolve()
    if not args.bench.is_file():
        parser.error(f"{args.bench} is missing: run make first")
    return args


def check_room(folder, wanted_bytes, advice):
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < wanted_bytes:
        raise BenchError(
            f"{folder} has {free_bytes / 1e9:.1f} GB free, this needs "
            f"{wanted_bytes / 1e9:.1f} GB: {advice}")


def link_or_copy(source, target):
    """Table files never change, so a link is enough."""
    if source.endswith(".sst"):
        os.link(source, target)
    else:
        shutil.copy2(source, target)


def clone_db(loaded, folder):
    """Makes `folder` a DB folder like `loaded`, of a DB that is closed."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(loaded, folder, copy_function=link_or_copy)


def promoted_bytes(result):
    """Bytes promoted by flush and by compaction."""
    return result["promoted_bytes"] + result["compaction_promoted_bytes"]


def compaction_bytes(result):
    return result["compaction_read_bytes"] + result["compaction_written_bytes"]


SMOOTHING_POINTS = 3


def smoothed(values):
    """Smooths the noisy figures of single seconds."""
    means = []
    for i in range(len(values)):
        window = values[max(0, i + 1 - SMOOTHING_POINTS):i + 1]
        means.append(sum(window) / len(window))
    return means


def main_of(main, name):
    """Runs main() as a script that removes what it created."""
    unwind_on_signals()
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted; its data is removed")
    except (BenchError, subprocess.CalledProcessError, OSError) as failure:
        sys.exit(f"{name}: {failure}")
