#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests patch_places.py."""

import pathlib
import tempfile
import types
import unittest

import patch_places
from patch_places import Place

DIFF = """diff --git a/db/a.cc b/db/a.cc
--- a/db/a.cc
+++ b/db/a.cc
@@ -10,0 +11 @@ DEFINE_SYNC_AND_ASYNC(void, Version::Get)
+  HotRapGet hotrap(this);
@@ -40 +42,2 @@ Status CompactionJob::Install(bool* compaction_released) {
-  old();
+  new_one();
+
@@ -50,0 +54 @@ class DBImpl : public DB {
+  friend class DbAccess;
"""
GET = Place("db/a.cc", "Version::Get")
INSTALL = Place("db/a.cc", "CompactionJob::Install")


def changes(*added):
    return types.SimpleNamespace(patches={"a patch": list(added)})


class PatchPlacesTest(unittest.TestCase):
    def compare(self, default, other, places=""):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "places.toml"
            path.write_text(places)
            return patch_places.compare(default, other, path)

    def test_the_function_of_each_added_line(self):
        self.assertEqual(
            [(GET, "HotRapGet hotrap(this);"), (INSTALL, "new_one();"),
             (Place("db/a.cc", "DBImpl"), "friend class DbAccess;")],
            list(patch_places.added_lines(DIFF)))

    def test_the_same_place(self):
        one = changes((GET, "call();"), (INSTALL, "}"))
        found = self.compare(one, one)
        self.assertEqual(([], []), (found.problems, found.lines))

    def test_another_function(self):
        found = self.compare(changes((GET, "call();"), (GET, "}")),
                             changes((INSTALL, "call();"), (INSTALL, "}")))
        self.assertEqual([], found.lines)
        self.assertEqual(1, len(found.problems))
        self.assertIn("CompactionJob::Install", found.problems[0])

    def test_one_of_two_equal_lines_is_elsewhere(self):
        found = self.compare(changes((GET, "}"), (INSTALL, "}")),
                             changes((GET, "}"), (GET, "}")))
        self.assertEqual(1, len(found.problems))

    def test_a_function_that_has_moved(self):
        moved = '"db/a.cc Version::Get" = "db/a.cc CompactionJob::Install"'
        found = self.compare(changes((GET, "call();")),
                             changes((INSTALL, "call();")), moved)
        self.assertEqual([], found.problems)
        found = self.compare(changes((INSTALL, "call();")),
                             changes((INSTALL, "call();")), moved)
        self.assertEqual(1, len(found.problems))  # listed for nothing

    def test_lines_that_differ(self):
        found = self.compare(changes((GET, "CO_RETURN;")),
                             changes((GET, "return;")))
        self.assertEqual([], found.problems)
        self.assertEqual(["a patch: - CO_RETURN;", "a patch: + return;"],
                         found.lines)


if __name__ == "__main__":
    unittest.main()
