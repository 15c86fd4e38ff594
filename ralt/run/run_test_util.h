//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/run/run_file.h"
#include "plugin/hotrap/ralt/run/run_writer.h"
#include "rocksdb/env.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Writes runs of keys Key(0), Key(1), ... in memory.
class RunTestBase : public testing::Test {
 protected:
  RunTestBase() : mem_env_(NewMemEnv(Env::Default())) {
    env_.path = "/ralt";
    env_.fs = mem_env_->GetFileSystem();
    env_.clock = mem_env_->GetSystemClock().get();
    env_.stamp = MakeStamp("db", 3);
    env_.block_bytes = 512;
    env_.bloom_bits_per_key = 14;
    EXPECT_OK(mem_env_->CreateDirIfMissing(env_.path));
  }

  static std::string Key(uint64_t i) {
    char key[32];
    snprintf(key, sizeof(key), "k%08llu", static_cast<unsigned long long>(i));
    return key;
  }

  // Writes records begin, begin + step, ...; every third one is hot.
  std::shared_ptr<RunFile> WriteRun(uint64_t number, uint64_t begin,
                                    uint64_t end, uint64_t step) {
    RunWriter writer(env_, number, kNow);
    EXPECT_OK(writer.Open());
    for (uint64_t i = begin; i < end; i += step) {
      const std::string key = Key(i);
      AccessRecord record;
      record.key = key;
      record.value_bytes = i;
      record.tick = i % 900;
      record.score = static_cast<float>(i) / 7;
      record.counter_end = kNow.period + i % 300;
      record.repeated = i % 2 == 0;
      record.hot = i % 3 == 0;
      EXPECT_OK(writer.Add(record, RunFilter::HashKey(key)));
    }
    EXPECT_OK(writer.Finish());
    std::shared_ptr<RunFile> file;
    EXPECT_OK(RunFile::Open(env_, number, writer.file_bytes(),
                            writer.tail_bytes(), &file));
    return file;
  }

  static constexpr LogicalTime kNow{1000, 64 * 20};
  std::unique_ptr<Env> mem_env_;
  RunEnv env_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
