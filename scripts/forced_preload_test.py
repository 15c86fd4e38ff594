#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Checks what libhotrap_forced.so exports and needs, and that it refuses a
library of another build: forced_preload_test.py libhotrap_forced.so
"""

import ctypes
import os
import re
import subprocess
import sys
import unittest

OBJECT = sys.argv.pop() if len(sys.argv) > 1 else "libhotrap_forced.so"
ENVIRONMENT = {**os.environ, "HOTRAP_FORCE": os.devnull}


class ForcedPreloadTest(unittest.TestCase):
    def test_exports_one_function(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", OBJECT],
                                check=True, text=True, stdout=subprocess.PIPE)
        names = [line.split()[2] for line in listed.stdout.splitlines()]
        self.assertEqual(names, ["hotrap_forced"])

    def test_does_not_load_rocksdb(self):
        listed = subprocess.run(["readelf", "-d", OBJECT], check=True,
                                text=True, stdout=subprocess.PIPE)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", listed.stdout)
        self.assertTrue(needed)
        self.assertFalse([name for name in needed if "rocksdb" in name])

    def test_refuses_another_version(self):
        # The version goes first in every version of the structure.
        program = (
            "import ctypes, sys\n"
            "forced = ctypes.CDLL(sys.argv[1]).hotrap_forced\n"
            "forced.restype = ctypes.c_void_p\n"
            "build = (ctypes.c_uint32 * 64)(0xffffffff)\n"
            "sys.exit(0 if forced(build) is None else 1)\n")
        done = subprocess.run([sys.executable, "-c", program, OBJECT],
                              env=ENVIRONMENT, text=True, check=False,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.assertIn("another build", done.stderr)

    def test_loads_into_any_program(self):
        done = subprocess.run(["true"], check=False,
                              env={**ENVIRONMENT, "LD_PRELOAD": OBJECT})
        self.assertEqual(done.returncode, 0)
        ctypes.CDLL(OBJECT)


if __name__ == "__main__":
    unittest.main()
