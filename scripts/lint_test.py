#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Tests rules of lint.py."""

import pathlib
import unittest

import lint
import lint_structure

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


class File:
    """Stands for a lint.Source."""

    def __init__(self, name, text):
        self.name = name
        self.path = pathlib.Path(name)
        self.text = text
        self.lines = text.splitlines()
        self.is_cpp = name.endswith((".h", ".cc"))

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1


def include(*names):
    return "".join(f'#include "plugin/hotrap/{name}"\n' for name in names)


class Direction(unittest.TestCase):
    def problems(self, name, *included):
        return [message for _, message in lint_structure.direction(
            File(name, include(*included)))]

    def test_downward(self):
        self.assertEqual(self.problems(
            "db/hooks/a.cc", "db/tier/b.h", "db/hooks/c.h", "ralt/ralt.h"), [])
        self.assertEqual(self.problems(
            "db/state/a.h", "db/placement/b.h", "promotion/c.h",
            "test_util/hotrap_force.h"), [])

    def test_upward(self):
        self.assertEqual(self.problems("db/promotion/a.cc", "db/tier/b.h"),
                         ["db/promotion/ must not know db/tier/"])
        self.assertEqual(self.problems("promotion/a.h", "db/state/b.h"),
                         ["promotion/ must not know db/state/"])
        self.assertEqual(self.problems("ralt/a.h", "table/b.h"),
                         ["ralt/ must not know table/"])

    def test_a_room_without_a_place(self):
        self.assertEqual(self.problems("db/new/a.h"), [
            "MAY_INCLUDE does not say what db/new/ may include"])

    def test_tests_are_free(self):
        self.assertEqual(
            self.problems("db/promotion/a_test.cc", "db/tier/b.h"), [])
        self.assertEqual(self.problems("db/tests/a.h", "db/tier/b.h"), [])

    def test_every_room_is_below_those_that_include_it(self):
        for room, others in lint_structure.MAY_INCLUDE.items():
            for other in others:
                self.assertNotIn(room, lint_structure.MAY_INCLUDE[other])


class DbHeaders(unittest.TestCase):
    def problems(self, name, text):
        return list(lint_structure.db_headers(File(name, text)))

    def test_who_may_include_them(self):
        text = '#include <map>\n#include "db/version_set.h"\n'
        self.assertEqual(self.problems("db/hooks/a.cc", text), [])
        self.assertEqual(self.problems("db/access/a.cc", text), [])
        self.assertEqual(self.problems("db/tests/a_test.cc", text), [])
        self.assertEqual(self.problems("tools/a.cc", text), [])
        self.assertEqual(self.problems("db/tier/a.cc", text)[0][0], 2)

    def test_an_exception(self):
        name = "db/copies/copy_marks.cc"
        self.assertEqual(
            self.problems(name, '#include "db/version_set.h"\n'), [])
        self.assertEqual(self.problems(name, ""), [
            (1, "needs no place in DB_HEADER_EXCEPTIONS any more")])


class Sizes(unittest.TestCase):
    def test_files(self):
        text = "\n" * (lint_structure.MAX_PRODUCT_LINES + 1)
        for name, count in (("ralt/a.cc", 1), ("ralt/a_test.cc", 0),
                            ("tools/a.cc", 0), ("db/tests/a.h", 0)):
            self.assertEqual(
                len(list(lint_structure.size(File(name, text)))), count)
            self.assertEqual(
                list(lint_structure.size(File(name, text[1:]))), [])

    def test_classes(self):
        methods = "  int a() const;\n" * lint_structure.MAX_PUBLIC_METHODS
        text = "\nclass A {\n public:\n%s%s};\n"
        self.assertEqual(list(lint_structure.classes(
            File("db/tier/a.h", text % (methods, "")))), [])
        self.assertEqual(list(lint_structure.classes(
            File("db/tier/a.h", text % (methods, "  void b();\n")))),
            [(2, "class A has 21 public methods, over 20")])

    def test_what_is_a_public_method(self):
        counts = {name: count for _, name, count in
                  lint_structure.public_methods("""
// class Comment { public: void f(); };
#define MACRO class InMacro { public: void f(); };
class Forward;
class A : public Base<int> {
 public:
  explicit A(int x) : x_(x), y_{x} {}
  ~A();
  A(const A&) = delete;
  A& operator=(const A&) = delete;
  bool operator()(int x) const;
  enum class Kind { kOne, kTwo };
  using F = std::function<void()>;
  friend void Friend();
  struct Inner {
    void InInner();
    int member = 0;
  };
  int one() const { return x_; }
  // void comment();
  static const std::vector<std::pair<int, int>>& two(int a = f());
  template <typename T>
  void three(const T& t) {
    if (t) {
      t();
    }
  }
  void three();
  std::function<void(int)> data_;
  int more_ = f();

 protected:
  void Protected();

 private:
  void Private();
  int x_;

 public:
  virtual void five() = 0;
};
struct ALIGN_AS(64) B final {
  void one();
};
""")}
        self.assertEqual(counts, {"A": 5, "Inner": 1, "B": 1})


class Circles(unittest.TestCase):
    def test_none(self):
        self.assertEqual(list(lint_structure.circles({
            "db/a.h": include("db/b.h", "db/c.h"), "db/b.h": include("db/c.h"),
            "db/a.cc": include("db/a.h"), "db/c.h": ""})), [])

    def test_through_a_source(self):
        self.assertEqual(list(lint_structure.circles({
            "db/a.h": include("db/b.h"), "db/b.h": include("db/c.h"),
            "db/c.h": "", "db/c.cc": include("db/c.h", "db/a.h")})),
            ["an include circle: db/a -> db/b -> db/c -> db/a"])

    def test_two(self):
        self.assertEqual(list(lint_structure.circles({
            "a.h": include("b.h"), "b.h": include("a.h", "c.h"),
            "c.h": include("d.h"), "d.h": include("c.h")})),
            ["an include circle: a -> b -> a",
             "an include circle: c -> d -> c"])


if __name__ == "__main__":
    unittest.main()
