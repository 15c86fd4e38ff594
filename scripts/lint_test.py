#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests rules of lint.py."""

import unittest

import lint

PATCH = """\
--- a/db/column_family.h
+++ b/db/column_family.h
@@ -24,2 +24,3 @@
 #include "db/table_cache.h"
+#include "%s"
 #include "db/write_batch_internal.h"
"""


class Hooks(unittest.TestCase):
    def problems_with(self, include):
        return list(lint.hooks({"patches/a.patch": PATCH % include},
                               ["db/hooks/hotrap_slot.h",
                                "db/hooks/hotrap_slot.cc",
                                "db/tier/hotrap_tier.h"]))

    def test_a_patch_includes_a_hook(self):
        self.assertEqual(
            self.problems_with("plugin/hotrap/db/hooks/hotrap_slot.h"), [])

    def test_a_patch_includes_another_header(self):
        for header in ("plugin/hotrap/db/tier/hotrap_tier.h",
                       "plugin/hotrap/include/rocksdb/hotrap.h",
                       "db/db_impl/db_impl.h"):
            self.assertEqual(
                self.problems_with(header)[0],
                "patches/a.patch:5: a patch includes only db/hooks/ and "
                f"rocksdb/hotrap.h, not {header}")

    def test_a_hook_that_no_patch_includes(self):
        self.assertEqual(
            self.problems_with("rocksdb/hotrap.h"),
            ["db/hooks/hotrap_slot.h:1: no patch includes this header of "
             "db/hooks/"])

    def test_lines_that_a_patch_does_not_add(self):
        patch = PATCH.replace("+#", "-#") % "db/db_impl/db_impl.h"
        self.assertEqual(list(lint.hooks({"patches/a.patch": patch}, [])), [])


if __name__ == "__main__":
    unittest.main()
