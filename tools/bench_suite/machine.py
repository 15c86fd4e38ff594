#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The machine that results are from, and how busy a disk of it was."""

import os
import pathlib
import platform
import subprocess
import time


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


def describe(root):
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "memory_bytes": memory_bytes,
        "system": platform.platform(),
        "commit": command_output("git", "describe", "--always", "--dirty",
                                 "--abbrev=12", cwd=root),
    }


class DiskWatch:
    """How long the disk under a folder was busy, as a share of the time since
    the watch began. The image of the slow disk lies on the same disk, so its
    I/O is in this figure, too."""

    def __init__(self, folder):
        device = os.stat(folder).st_dev
        self.stat = pathlib.Path(
            f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
        self.start = time.monotonic()
        self.start_millis = self.busy_millis()

    def busy_millis(self):
        """None where the folder lies on no block device (tmpfs)."""
        if not self.stat.exists():
            return None
        # Documentation/block/stat.rst: io_ticks is the tenth field.
        return int(self.stat.read_text().split()[9])

    def busy_share(self):
        if self.start_millis is None:
            return None
        millis = self.busy_millis() - self.start_millis
        return millis / 1000 / (time.monotonic() - self.start)


class CpuWatch:
    """CPUs that were busy since the watch began, whoever used them."""

    def __init__(self):
        self.start = time.monotonic()
        self.start_secs = self.busy_secs()

    @staticmethod
    def busy_secs():
        line = pathlib.Path("/proc/stat").read_text().splitlines()[0]
        ticks = dict(zip(("user", "nice", "system", "idle", "iowait", "irq",
                          "softirq", "steal"), map(int, line.split()[1:])))
        return (sum(ticks.values()) - ticks["idle"] -
                ticks["iowait"]) / os.sysconf("SC_CLK_TCK")

    def busy_cpus(self):
        return ((self.busy_secs() - self.start_secs) /
                (time.monotonic() - self.start))
