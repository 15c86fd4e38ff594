//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "file/file_util.h"
#include "gtest/gtest.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Gives each test a folder of its own with a Ralt in it.
class RaltTestBase : public testing::Test {
 protected:
  static constexpr uint64_t kValueBytes = 1000;

  RaltTestBase() {
    path_ = test::PerThreadDBPath("ralt_test");
    options_.env = env_.get();
    EXPECT_OK(env_->CreateDirIfMissing(path_));
    options_.path = path_;
    options_.db_id = "db-of-the-test";
    options_.cf_name = "default";
    // 1,000 records of about 1 KiB in the fast tier.
    options_.fast_budget_bytes = 1 << 20;
  }

  ~RaltTestBase() override {
    ralt_.reset();
    EXPECT_OK(DestroyDir(Env::Default(), path_));
  }

  // Puts the files on disk instead of in memory.
  void UseRealFiles() {
    options_.env = Env::Default();
    EXPECT_OK(DestroyDir(Env::Default(), path_));
  }

  void Open() {
    ralt_.reset();
    ASSERT_OK(Ralt::Open(options_, &ralt_));
  }

  static std::string Key(uint64_t number) {
    char key[32];
    snprintf(key, sizeof(key), "user%020llu",
             static_cast<unsigned long long>(number));
    return key;
  }

  void Access(uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      ralt_->RecordAccess(Key(i), kValueBytes);
    }
  }

  // Two flushed accesses: enough to be stable.
  void MakeHot(uint64_t begin, uint64_t end) {
    for (int i = 0; i < 2; ++i) {
      Access(begin, end);
      ASSERT_OK(ralt_->Flush());
      ASSERT_OK(ralt_->WaitForIdle());
    }
  }

  uint64_t CountHot(uint64_t begin, uint64_t end) const {
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; ++i) {
      count += ralt_->IsHot(Key(i)) ? 1 : 0;
    }
    return count;
  }

  // Files in memory: most tests flush very often.
  std::unique_ptr<Env> env_{NewMemEnv(Env::Default())};
  std::string path_;
  RaltOptions options_;
  std::unique_ptr<Ralt> ralt_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
