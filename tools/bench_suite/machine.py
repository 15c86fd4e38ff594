#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Describes the machine of the results, and how busy it was."""

import os
import pathlib
import platform
import re
import subprocess
import time

SECTOR_BYTES = 512


def command_output(*command, cwd=None):
    run = subprocess.run(command, capture_output=True, text=True, check=False,
                         cwd=cwd)
    return run.stdout.strip()


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def compiler(build_folder):
    """Of a build folder of CMake."""
    try:
        cache = (build_folder / "CMakeCache.txt").read_text()
    except OSError:
        return "unknown"
    path = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)
    return command_output(path[1], "--version").partition("\n")[0] if path \
        else "unknown"


def describe(root):
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "memory_bytes": memory_bytes,
        "system": platform.platform(),
        "commit": command_output("git", "describe", "--always", "--dirty",
                                 "--abbrev=12", cwd=root),
        "compiler": compiler(root / "build/release"),
    }


def busy_cpu_secs():
    """CPU seconds of all processes on all CPUs since the machine started."""
    line = pathlib.Path("/proc/stat").read_text().splitlines()[0]
    ticks = dict(zip(("user", "nice", "system", "idle", "iowait", "irq",
                      "softirq", "steal"), map(int, line.split()[1:])))
    return (sum(ticks.values()) - ticks["idle"] -
            ticks["iowait"]) / os.sysconf("SC_CLK_TCK")


class MachineWatch:
    """Monitors all CPUs and the disk under a folder. The image of the slow disk
    is on the same disk, so its I/O is included."""

    def __init__(self, folder):
        device = os.stat(folder).st_dev
        # Missing if the folder is not on a block device (tmpfs).
        self.stat = pathlib.Path(
            f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
        # (time, what was counted until then)
        self.samples = []
        self.sample()

    def sample(self):
        """Call this about once per second."""
        counts = {"busy_cpus": busy_cpu_secs()}
        if self.stat.exists():
            # Documentation/block/stat.rst
            fields = [int(word) for word in self.stat.read_text().split()]
            counts |= {"disk_reads": fields[0],
                       "disk_read_bytes": fields[2] * SECTOR_BYTES,
                       "disk_written_bytes": fields[6] * SECTOR_BYTES}
        self.samples.append((time.time(), counts))

    def rates(self, start, end):
        """Returns rates per second, between the samples closest to both
        times."""
        first, last = (min(self.samples, key=lambda one: abs(one[0] - at))
                       for at in (start, end))
        secs = last[0] - first[0]
        return {name: (last[1][name] - first[1][name]) / secs
                for name in first[1]} if secs > 0 else None
