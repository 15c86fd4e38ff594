//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that every option of the group changes live, in both directions, while
// threads write, read and scan and compactions run; and that what cannot change
// live is refused.

#include <atomic>
#include <thread>

#include "plugin/hotrap/db/settings/option_fields.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// An option and two or more of its values.
struct Change {
  std::string name;
  std::vector<std::string> values;
};

// All that change live.
const std::vector<Change>& Changes() {
  static const std::vector<Change> changes = {
      {"enabled", {"false", "true"}},
      {"promotion_cache_bytes", {"0", "2K", "64K"}},
      {"cached_hit_sampling", {"16", "1"}},
      {"promote_only_if_slower", {"true", "false"}},
      {"checkpoint_hot_set", {"false", "true"}},
      {"fast_budget_bytes", {"4M", "1M", "256K", "1M"}},
      {"min_fast_budget_bytes", {"512K", "1M", "0"}},
      {"access_buffer_bytes", {"64K", "1M"}},
      {"auto_tune", {"false", "true"}},
      {"extra_level", {"true", "false"}},
      {"fast_block_bytes", {"0", "512", "4K"}},
      {"small_level_filter_bits", {"0", "5"}},
      {"relocation_bytes_per_sec", {"0", "1M", "1G"}},
      {"pinned_ranges",
       {"{prefix=key0}", "{{begin=key00000100;end=key00000200}:{begin=x}}",
        "{}"}},
      {"excluded_ranges", {"{{begin=key00000300;end=key00000500}}", "{}"}},
      {"pinned_percent", {"0", "80", "50"}},
      {"no_retain", {"true", "false"}},
      {"no_hotness_check", {"true", "false"}},
      {"no_by_compaction", {"true", "false"}},
      {"no_tracking", {"true", "false"}},
  };
  return changes;
}

}  // namespace

class LiveOptionsTest : public HotRapDBTestBase {
 public:
  static constexpr int kWriters = 2;
  static constexpr int kKeys = 600;  // each writer's own are every second one

  LiveOptionsTest() : HotRapDBTestBase("live_options_test") {}
  ~LiveOptionsTest() override { EndLoad(); }

  Options LiveOptions() {
    Options options = HotRapOptionsForTest();
    options.write_buffer_size = 32 << 10;
    options.target_file_size_base = 16 << 10;
    options.max_bytes_for_level_base = 128 << 10;
    options.hotrap.fast_budget_bytes = 1 << 20;
    options.num_levels = 7;
    return options;
  }

  void BeginLoad() {
    ends_ = false;
    for (int w = 0; w < kWriters; w++) {
      threads_.emplace_back([this, w] { Write(w); });
    }
    threads_.emplace_back([this] { Read(); });
    threads_.emplace_back([this] { ScanAndCompact(); });
  }
  void EndLoad() {
    ends_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }
  // Waits until the load has done some more.
  void LetItWork() {
    const uint64_t until = writes_.load() + 400;
    while (writes_.load() < until) {
      env_->SleepForMicroseconds(1000);
    }
  }
  void ExpectAll() {
    for (int i = 0; i < kKeys; i++) {
      EXPECT_EQ(versions_[i] == 0 ? "NOT_FOUND" : ValueOf(i, versions_[i]),
                Get(Key(i)));
    }
  }

  std::string Stat(const std::string& name) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats[name];
  }

 protected:
  static std::string ValueOf(int key, uint64_t version) {
    return std::to_string(key) + "@" + std::to_string(version) + ":" +
           std::string(200, static_cast<char>('a' + version % 26));
  }
  void Write(int writer) {
    Random rnd(301 + writer);
    while (!ends_) {
      const int key =
          static_cast<int>(rnd.Uniform(kKeys / kWriters)) * kWriters + writer;
      const uint64_t version = versions_[key] + 1;
      EXPECT_OK(Put(Key(key), ValueOf(key, version)));
      versions_[key] = version;
      writes_++;
    }
  }
  void Read() {
    Random rnd(17);
    while (!ends_) {
      // Some keys more often than others.
      const int key = static_cast<int>(rnd.Skewed(9)) % kKeys;
      const uint64_t least = versions_[key];
      const std::string value = Get(Key(key));
      if (least > 0) {
        const size_t at = value.find('@');
        ASSERT_NE(std::string::npos, at) << key << ": " << value;
        EXPECT_GE(std::stoull(value.substr(at + 1)), least) << key;
      }
    }
  }
  void ScanAndCompact() {
    while (!ends_) {
      std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      std::string last;
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        EXPECT_LT(last, it->key().ToString());
        last = it->key().ToString();
      }
      EXPECT_OK(it->status());
      it.reset();
      EXPECT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    }
  }

  std::atomic<bool> ends_{false};
  std::atomic<uint64_t> writes_{0};
  std::atomic<uint64_t> versions_[kKeys] = {};
  std::vector<std::thread> threads_;
};

TEST_F(LiveOptionsTest, TheListIsWhole) {
  // The first two cannot change. The third is read by a checkpoint only.
  std::set<std::string> names = {"slow_root", "fast_root",
                                 "checkpoint_slow_root"};
  for (const Change& change : Changes()) {
    names.insert(change.name);
  }
  std::set<std::string> all;
  for (const auto& [name, info] : HotRapFields()) {
    all.insert(name);
  }
  EXPECT_EQ(all, names);
}

TEST_F(LiveOptionsTest, EachOptionChangesUnderLoad) {
  DestroyAndReopen(LiveOptions());
  BeginLoad();
  for (const Change& change : Changes()) {
    for (const std::string& value : change.values) {
      SCOPED_TRACE(change.name + "=" + value);
      ASSERT_OK(db_->SetOptions({{"hotrap." + change.name, value}}));
      LetItWork();
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_EQ("1", Stat("active"));
  EndLoad();
  ExpectAll();
  const HotRapOptions in_force = db_->GetOptions().hotrap;
  Options options = LiveOptions();
  options.hotrap = in_force;
  Reopen(options);
  ExpectAll();
}

// A quarter of the budget, and four times as much again: levels, RALT and the
// promotions follow.
TEST_F(LiveOptionsTest, TheBudgetChangesUnderLoad) {
  Options options = LiveOptions();
  options.hotrap.fast_budget_bytes = 4 << 20;
  DestroyAndReopen(options);
  WaitForRalt();
  BeginLoad();
  for (int round = 0; round < 3; round++) {
    for (const uint64_t budget : {1u << 20, 4u << 20}) {
      SCOPED_TRACE(budget);
      ASSERT_OK(db_->SetOptions(
          {{"hotrap.fast_budget_bytes", std::to_string(budget)}}));
      LetItWork();
      EXPECT_EQ(std::to_string(budget), Stat("fast_budget_bytes"));
      EXPECT_LT(std::stoull(Stat("last_fast_target_bytes")), budget);
      ASSERT_OK(Tier()->ralt()->Flush());
      EXPECT_LE(std::stoull(Stat("ralt_hot_set_limit_bytes")), budget * 7 / 10);
      EXPECT_LE(std::stoull(Stat("ralt_physical_limit_bytes")), budget / 2);
    }
  }
  EndLoad();
  ExpectAll();
}

TEST_F(LiveOptionsTest, RootsAreRefused) {
  DestroyAndReopen(LiveOptions());
  for (const char* name : {"slow_root", "fast_root"}) {
    const Status s = db_->SetOptions({{std::string("hotrap.") + name, "/tmp"}});
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("open the DB"))
        << s.ToString();
  }
  // Nothing else of the same call is done.
  EXPECT_TRUE(db_->SetOptions({{"hotrap", "{auto_tune=false;slow_root=/tmp;}"}})
                  .IsInvalidArgument());
  EXPECT_TRUE(db_->GetOptions().hotrap.auto_tune);
}

}  // namespace ROCKSDB_NAMESPACE
