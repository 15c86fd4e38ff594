#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Measures the fast disk: Table 1 of the paper, for this machine."""

import concurrent.futures
import mmap
import os
import random
import time

FILE_BYTES = 512 << 20
LARGE_BYTES = 1 << 20
READ_BYTES = 16 << 10
READERS = 16
SECS = 3


def open_direct(path, flags):
    return os.open(path, flags | os.O_DIRECT, 0o600)


def write_rate(path, size):
    """Returns bytes per second. Direct I/O needs buffers of whole pages."""
    block = mmap.mmap(-1, LARGE_BYTES)
    block.write(os.urandom(LARGE_BYTES))
    file = open_direct(path, os.O_WRONLY | os.O_CREAT)
    try:
        start = time.monotonic()
        for _ in range(size // LARGE_BYTES):
            os.write(file, block)
        os.fsync(file)
        return size / (time.monotonic() - start)
    finally:
        os.close(file)


def reads(path, read_bytes, seed, secs):
    """Returns how many random reads one process completes."""
    file = open_direct(path, os.O_RDONLY)
    try:
        places = os.fstat(file).st_size // read_bytes
        buffer = mmap.mmap(-1, read_bytes)
        numbers = random.Random(seed)
        done = 0
        end = time.monotonic() + secs
        while time.monotonic() < end:
            os.preadv(file, [buffer],
                      numbers.randrange(places) * read_bytes)
            done += 1
        return done
    finally:
        os.close(file)


def read_rate(path, read_bytes, secs):
    """Returns reads per second of READERS processes; threads would wait for
    Python."""
    with concurrent.futures.ProcessPoolExecutor(READERS) as readers:
        found = [readers.submit(reads, path, read_bytes, seed, secs)
                 for seed in range(READERS)]
        return sum(one.result() for one in found) / secs


def probe(folder, size=FILE_BYTES, secs=SECS):
    """Returns None if the folder does not support direct I/O, as on older
    tmpfs."""
    path = folder / "probe"
    try:
        written = write_rate(path, size)
        return {"reads": round(read_rate(path, READ_BYTES, secs)),
                "read_bytes": round(read_rate(path, LARGE_BYTES, secs) *
                                    LARGE_BYTES),
                "written_bytes": round(written)}
    except OSError:
        return None
    finally:
        path.unlink(missing_ok=True)
