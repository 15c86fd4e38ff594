//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests with a disk that does not respond for a while: the slow one, the fast
// one with the log and the MANIFEST, or only RALT's folder. Every read, write
// and sync on it waits. No operation fails or returns wrong data, everything
// continues when the disk does, and nobody but RALT waits for RALT's folder.
//
// HOTRAP_STALL_SECS is the length of a stall in seconds; the default is 2.

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "plugin/hotrap/test_util/path_faults.h"

namespace ROCKSDB_NAMESPACE {

namespace {

enum class Where { kFast, kSlow, kRalt };

std::chrono::seconds StallLength() {
  const char* const secs = std::getenv("HOTRAP_STALL_SECS");
  return std::chrono::seconds(secs != nullptr ? std::atoi(secs) : 2);
}

}  // namespace

class HotRapStallTest : public HotRapDBTestBase,
                        public testing::WithParamInterface<Where> {
 public:
  static constexpr int kClients = 4;
  static constexpr int kKeys = 8000;
  static constexpr int kHotKeys = 200;

  // A client that is the only writer of every kClients-th key, and so knows its
  // value.
  class Client {
   public:
    Client(HotRapStallTest* test, int index)
        : test_(test), index_(index), rnd_(301 + index) {}

    void Write(const std::string& key, bool erase) {
      if (erase) {
        ASSERT_OK(test_->Delete(key));
        model_.erase(key);
      } else {
        const std::string value = rnd_.RandomString(200);
        ASSERT_OK(test_->Put(key, value));
        model_[key] = value;
      }
    }

    void Load() {
      for (int i = index_; i < kKeys; i += kClients) {
        ASSERT_NO_FATAL_FAILURE(Write(Key(i), /*erase=*/false));
      }
    }

    void Operate() {
      const std::string key = OwnKey(kKeys);
      switch (rnd_.Uniform(20)) {
        case 0:
        case 1:
        case 2:
          Write(key, /*erase=*/false);
          break;
        case 3:
          Write(key, /*erase=*/true);
          break;
        case 4:
          Scan(key, 20);
          break;
        case 5: {
          const std::vector<std::string> keys = {key, OwnKey(kHotKeys)};
          EXPECT_EQ(
              (std::vector<std::string>{Expected(keys[0]), Expected(keys[1])}),
              test_->MultiGet(keys));
          break;
        }
        default: {
          const std::string read = OwnKey(rnd_.OneIn(4) ? kKeys : kHotKeys);
          EXPECT_EQ(Expected(read), test_->Get(read));
        }
      }
      operations_.fetch_add(1);
    }

    // Checks its own keys among up to `steps` keys from `key` on.
    void Scan(const std::string& key, int steps) {
      std::unique_ptr<Iterator> it(test_->db_->NewIterator(ReadOptions()));
      auto expected = model_.lower_bound(key);
      for (it->Seek(key); it->Valid() && steps > 0; it->Next(), steps--) {
        if (std::stoi(it->key().ToString().substr(3)) % kClients == index_) {
          ASSERT_NE(model_.end(), expected);
          ASSERT_EQ(expected->first, it->key());
          ASSERT_EQ(expected->second, it->value());
          ++expected;
        }
      }
      ASSERT_OK(it->status());
      ASSERT_TRUE(it->Valid() || expected == model_.end());
    }

    void CheckAll() {
      Scan("", kKeys + 1);
      for (int i = index_; i < kKeys; i += kClients) {
        EXPECT_EQ(Expected(Key(i)), test_->Get(Key(i)));
      }
    }

    uint64_t operations() const { return operations_.load(); }

   private:
    std::string OwnKey(int end) {
      return Key(static_cast<int>(rnd_.Uniform(end / kClients)) * kClients +
                 index_);
    }
    std::string Expected(const std::string& key) const {
      const auto found = model_.find(key);
      return found == model_.end() ? "NOT_FOUND" : found->second;
    }

    HotRapStallTest* const test_;
    const int index_;
    Random rnd_;
    std::map<std::string, std::string> model_;
    std::atomic<uint64_t> operations_{0};
  };

  HotRapStallTest()
      : HotRapDBTestBase("hotrap_stall_test"),
        faults_(std::make_shared<PathFaults>(env_->GetFileSystem())),
        faults_env_(NewCompositeEnv(faults_)) {
    for (int i = 0; i < kClients; i++) {
      clients_.push_back(std::make_unique<Client>(this, i));
    }
  }
  ~HotRapStallTest() override {
    EndStall();
    StopClients();
    Close();
  }

  Options StallOptions() {
    Options options = TinyTiersOptions(faults_env_.get());
    // A single thread for all compactions.
    options.max_background_jobs = 2;
    return options;
  }

  void BeginStall() {
    PathFaults::Fault fault;
    fault.stalls = true;
    fault.hits = [this, where = GetParam()](const std::string& name) {
      if (name.find("hotrap.ralt.") != std::string::npos) {
        return where == Where::kRalt;
      }
      return where == (Slice(name).starts_with(SlowPath()) ? Where::kSlow
                                                           : Where::kFast);
    };
    faults_->Begin(fault);
  }
  void EndStall() { faults_->End(); }

  void StartClients() {
    stop_.store(false);
    for (auto& client : clients_) {
      threads_.emplace_back([this, &client] {
        while (!stop_.load() && !HasFailure()) {
          client->Operate();
        }
      });
    }
  }
  void StopClients() {
    stop_.store(true);
    for (auto& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  uint64_t Operations() const {
    uint64_t sum = 0;
    for (const auto& client : clients_) {
      sum += client->operations();
    }
    return sum;
  }

  void CheckAll() {
    for (auto& client : clients_) {
      ASSERT_NO_FATAL_FAILURE(client->CheckAll());
    }
  }

  // Waits in steps, so that time during which the process is stopped does not
  // count.
  template <typename Condition>
  bool Within(std::chrono::milliseconds length, const Condition& holds) {
    constexpr std::chrono::milliseconds kStep(10);
    for (auto waited = kStep; waited <= length && !holds(); waited += kStep) {
      std::this_thread::sleep_for(kStep);
    }
    return holds();
  }

  uint64_t Property(const std::string& name) {
    std::map<std::string, std::string> values;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &values));
    return std::stoull(values[name]);
  }

  uint64_t Moved() {
    return Property("promoted_records") +
           Property("compaction_promoted_records") +
           Property("retained_records");
  }

  // Uses a thread of each pool and the MANIFEST, and drops a RALT.
  void FlushCompactAndDrop() {
    ASSERT_OK(Flush());
    ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    ASSERT_OK(db_->DropColumnFamily(handles_[0]));
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[0]));
    handles_.clear();
  }

 protected:
  static constexpr std::chrono::milliseconds kLong{120 * 1000};

  const std::shared_ptr<PathFaults> faults_;
  const std::unique_ptr<Env> faults_env_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
};

TEST_P(HotRapStallTest, EverythingGoesOnAfterwards) {
  const Options options = StallOptions();
  DestroyAndReopen(options);
  CreateColumnFamilies({"goes"}, options);
  WaitForRalt();
  WaitForRalt(handles_[0]);
  for (auto& client : clients_) {
    ASSERT_NO_FATAL_FAILURE(client->Load());
  }
  ASSERT_OK(Flush());
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  ASSERT_NO_FATAL_FAILURE(CompactToSlowTier());
  StartClients();
  ASSERT_TRUE(Within(kLong, [&] { return Moved() > 0 || HasFailure(); }));

  BeginStall();
  ASSERT_TRUE(Within(kLong, [&] { return faults_->stalled() > 0; }))
      << "nothing is to be done on that disk";
  if (GetParam() == Where::kRalt) {
    const uint64_t before = Operations();
    std::atomic<bool> done{false};
    std::thread user([&] {
      FlushCompactAndDrop();
      done.store(true);
    });
    EXPECT_TRUE(Within(kLong, [&] {
      return done.load() && Operations() >= before + 10000;
    })) << "somebody waits for RALT";
    std::this_thread::sleep_for(StallLength());
    EXPECT_GT(faults_->stalled(), 0);
    EndStall();
    user.join();
  } else {
    std::this_thread::sleep_for(StallLength());
    EndStall();
  }

  const uint64_t before = Operations();
  const uint64_t moved_before = Moved();
  EXPECT_TRUE(Within(kLong, [&] {
    return (Operations() >= before + 10000 && Moved() > moved_before) ||
           HasFailure();
  })) << "it does not go on";
  StopClients();
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  if (!handles_.empty()) {
    ASSERT_OK(db_->DropColumnFamily(handles_[0]));
  }
  EXPECT_EQ(1u, Property("active"));
  EXPECT_EQ(0u, Property("ralt_paused"));
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

INSTANTIATE_TEST_CASE_P(Stalls, HotRapStallTest,
                        testing::Values(Where::kFast, Where::kSlow,
                                        Where::kRalt),
                        [](const auto& param) {
                          return std::string(
                              param.param == Where::kFast   ? "Fast"
                              : param.param == Where::kSlow ? "Slow"
                                                            : "Ralt");
                        });

class CountingEnv : public EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  const char* Name() const override { return "CountingEnv"; }
  void Schedule(void (*function)(void*), void* arg, Priority priority,
                void* tag, void (*unscheduled)(void*)) override {
    scheduled_.fetch_add(1);
    EnvWrapper::Schedule(function, arg, priority, tag, unscheduled);
  }
  int scheduled() const { return scheduled_.load(); }

 private:
  std::atomic<int> scheduled_{0};
};

class HotRapStalledOpeningTest : public HotRapDBTestBase {
 public:
  HotRapStalledOpeningTest()
      : HotRapDBTestBase("hotrap_stalled_opening_test"),
        faults_(std::make_shared<PathFaults>(env_->GetFileSystem())),
        faults_env_(NewCompositeEnv(faults_)),
        counting_env_(faults_env_.get()) {}
  ~HotRapStalledOpeningTest() override {
    faults_->End();
    Close();
  }

 protected:
  const std::shared_ptr<PathFaults> faults_;
  const std::unique_ptr<Env> faults_env_;
  CountingEnv counting_env_;
};

// While RALT cannot be opened, reads fill the promotion cache and continue
// without background work. Promotion starts at the first read after RALT is
// open, even if the cache serves that read.
TEST_F(HotRapStalledOpeningTest, AFullCacheWaits) {
  Options options = TinyTiersOptions(&counting_env_);
  KeepCompactionsOut(&options);
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  // RALT must have something to open.
  ASSERT_NO_FATAL_FAILURE(MakeHot({Key(0)}));
  Close();

  PathFaults::Fault fault;
  fault.stalls = true;
  fault.hits = [](const std::string& name) {
    return name.find("hotrap.ralt.") != std::string::npos;
  };
  faults_->Begin(fault);
  Reopen(options);
  const int before = counting_env_.scheduled();
  for (int i = 0; i < 1000; i++) {
    ASSERT_NE("NOT_FOUND", Get(Key(i)));
  }
  EXPECT_TRUE(Tier()->cache().Full());
  EXPECT_EQ(before, counting_env_.scheduled());

  faults_->End();
  WaitForRalt();
  const uint64_t cache_hits = Counter(HotRapCounter::kHitsPromotionCache);
  ASSERT_NE("NOT_FOUND", Get(Key(0)));
  ASSERT_EQ(cache_hits + 1, Counter(HotRapCounter::kHitsPromotionCache));
  WaitForPromotionIdle();
  EXPECT_EQ(1, Counter(HotRapCounter::kSeals));
}

}  // namespace ROCKSDB_NAMESPACE
