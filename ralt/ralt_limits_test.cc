//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests files and memory of a Ralt with keys that are long compared with its
// limits.

#include <algorithm>
#include <map>
#include <mutex>

#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "rocksdb/comparator.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {

// Knows the current total size of the files.
class WatchedFileSystem : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "WatchedFileSystem"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* dbg) override {
    const IOStatus s = target()->NewWritableFile(name, options, file, dbg);
    if (s.ok()) {
      Set(name, 0);
      *file = std::make_unique<File>(std::move(*file), name, this);
    }
    return s;
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override {
    const IOStatus s = target()->DeleteFile(name, options, dbg);
    if (s.ok()) {
      Set(name, 0);
    }
    return s;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to,
                      const IOOptions& options, IODebugContext* dbg) override {
    const IOStatus s = target()->RenameFile(from, to, options, dbg);
    if (s.ok()) {
      uint64_t bytes;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        bytes = bytes_[from];
      }
      Set(from, 0);
      Set(to, bytes);
    }
    return s;
  }

  uint64_t bytes() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return total_;
  }
  uint64_t most_bytes() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return most_;
  }

 private:
  class File : public FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSWritableFile> file, std::string name,
         WatchedFileSystem* watcher)
        : FSWritableFileOwnerWrapper(std::move(file)),
          name_(std::move(name)),
          watcher_(watcher) {}
    IOStatus Append(const Slice& data, const IOOptions& options,
                    IODebugContext* dbg) override {
      bytes_ += data.size();
      watcher_->Set(name_, bytes_);
      return target()->Append(data, options, dbg);
    }
    IOStatus Append(const Slice& data, const IOOptions& options,
                    const DataVerificationInfo& /*info*/,
                    IODebugContext* dbg) override {
      return Append(data, options, dbg);
    }

   private:
    const std::string name_;
    WatchedFileSystem* const watcher_;
    uint64_t bytes_ = 0;
  };

  void Set(const std::string& name, uint64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    total_ = total_ - bytes_[name] + bytes;
    bytes_[name] = bytes;
    most_ = std::max(most_, total_);
  }

  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> bytes_;
  uint64_t total_ = 0;
  uint64_t most_ = 0;
};

// A bytewise comparator that shortens nothing.
class PlainComparator : public Comparator {
 public:
  const char* Name() const override { return "PlainComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

enum class Keys {
  kDifferEarly,  // in their first bytes
  kDifferLate,   // in their last bytes
  kPlainOrder,   // early, with a comparator that shortens nothing
};

}  // namespace

class RaltLimitsTest
    : public RaltTestBase,
      public testing::WithParamInterface<std::tuple<size_t, Keys>> {
 protected:
  RaltLimitsTest() {
    options_.fast_budget_bytes = 8 << 20;
    // Files obey a lowered limit only after an eviction.
    options_.auto_tune = false;
    watched_ = std::make_shared<WatchedFileSystem>(env_->GetFileSystem());
    options_.fs = watched_;
    if (std::get<1>(GetParam()) == Keys::kPlainOrder) {
      options_.comparator = &plain_;
    }
  }

  ~RaltLimitsTest() override { ralt_.reset(); }

  size_t key_bytes() const { return std::get<0>(GetParam()); }

  std::string LongKey(uint64_t number) const {
    const std::string name = Key(number);
    const std::string rest(key_bytes() - name.size(), 'k');
    return std::get<1>(GetParam()) == Keys::kDifferLate ? rest + name
                                                        : name + rest;
  }

  void AccessLong(uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      ralt_->RecordAccess(LongKey(i), kLongValueBytes);
    }
  }

  void FlushAll() {
    ASSERT_OK(ralt_->Flush());
    ASSERT_OK(ralt_->WaitForIdle());
  }

  void ExpectFilesWithin(uint64_t limit) {
    EXPECT_LE(watched_->bytes(), limit);
    EXPECT_LE(watched_->most_bytes(), limit);
  }
  // Called while no merge runs: a reader of the statistics keeps the files of
  // the version that it reads.
  void ExpectWithinLimits() {
    const RaltStats stats = ralt_->GetStats();
    ExpectFilesWithin(stats.physical_limit_bytes);
    // Keys that are not shortened are in the bounds of each run.
    const uint64_t part = std::get<1>(GetParam()) == Keys::kPlainOrder ? 1 : 4;
    EXPECT_LE(stats.index_memory_bytes + stats.filter_memory_bytes,
              stats.physical_bytes / part + (16 << 10))
        << stats.ToString();
  }

  static constexpr uint64_t kLongValueBytes = 1000;

  PlainComparator plain_;
  std::shared_ptr<WatchedFileSystem> watched_;
};

// With any accesses, even faster than they are flushed.
TEST_P(RaltLimitsTest, FilesAndIndexesStayWithinThem) {
  Open();
  const uint64_t first_limit = ralt_->GetStats().physical_limit_bytes;
  EXPECT_EQ(options_.fast_budget_bytes / 100 * 15, first_limit);
  Random64 random(301);
  const uint64_t accesses = (96 << 20) / key_bytes();
  for (uint64_t i = 0; i < accesses; ++i) {
    const uint64_t number =
        random.OneIn(2) ? random.Uniform(20) : random.Uniform(100000);
    ralt_->RecordAccess(LongKey(number), kLongValueBytes);
    if (i % (accesses / 50) == 0) {
      ExpectFilesWithin(first_limit);
    }
    if (i % (accesses / 10) == 0) {
      ASSERT_OK(ralt_->WaitForIdle());
      ExpectWithinLimits();
    }
  }
  FlushAll();
  ExpectWithinLimits();
  EXPECT_EQ(0u, ralt_->GetStats().resets);
  EXPECT_EQ(0u, ralt_->GetStats().background_errors);
  Open();
  FlushAll();
  ExpectWithinLimits();
  EXPECT_EQ(0u, ralt_->GetStats().resets);
}

TEST_P(RaltLimitsTest, TunedLimitsHoldAtRest) {
  options_.auto_tune = true;
  Open();
  Random64 random(301);
  uint64_t largest_limit = 0;
  for (uint64_t i = 0; i < (64 << 20) / key_bytes(); ++i) {
    ralt_->RecordAccess(LongKey(random.Skewed(12)), kLongValueBytes);
    largest_limit =
        std::max(largest_limit, ralt_->GetStats().physical_limit_bytes);
  }
  FlushAll();
  EXPECT_LE(watched_->bytes(), ralt_->GetStats().physical_limit_bytes);
  // The limit may have been larger between two samples.
  EXPECT_LE(watched_->most_bytes(), options_.fast_budget_bytes / 2);
  EXPECT_LE(largest_limit, options_.fast_budget_bytes / 2);
}

TEST_P(RaltLimitsTest, AnswersAreRight) {
  constexpr uint64_t kHot = 8;
  Open();
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < kHot; i += 2) {
      AccessLong(100 + i, 102 + i);
      FlushAll();
    }
  }
  for (uint64_t i = 90; i < 120; ++i) {
    const bool hot = i >= 100 && i < 100 + kHot;
    EXPECT_EQ(hot, ralt_->IsHot(LongKey(i))) << i;
    EXPECT_EQ(hot, ralt_->IsHotWithOneMoreAccess(LongKey(i))) << i;
  }

  const uint64_t record_bytes = key_bytes() + kLongValueBytes;
  // Only if a single key would be half of the index, the index does not tell
  // which keys with the same first 64 bytes are in a run.
  const bool exact = key_bytes() <= (1 << 10);
  for (const auto& [begin, end] :
       {std::pair(0, 100), std::pair(0, 100000), std::pair(108, 200),
        std::pair(0, 104), std::pair(103, 105), std::pair(104, 200)}) {
    uint64_t error = 0;
    const uint64_t bytes =
        ralt_->HotBytes(LongKey(begin), LongKey(end), &error);
    const uint64_t hot = (std::clamp<uint64_t>(end, 100, 108) -
                          std::clamp<uint64_t>(begin, 100, 108)) *
                         record_bytes;
    EXPECT_LE(bytes, hot + error) << begin << " " << end;
    EXPECT_GE(bytes + error, hot) << begin << " " << end;
    EXPECT_LE(error, kHot * record_bytes);
    if (exact && (hot == 0 || hot == kHot * record_bytes)) {
      EXPECT_EQ(hot, bytes) << begin << " " << end;
    }
  }
  ExpectWithinLimits();
  Open();
  for (uint64_t i = 0; i < kHot; ++i) {
    EXPECT_TRUE(ralt_->IsHot(LongKey(100 + i)));
  }
}

INSTANTIATE_TEST_CASE_P(
    Keys, RaltLimitsTest,
    testing::Values(std::tuple(size_t{1} << 10, Keys::kDifferEarly),
                    std::tuple(size_t{1} << 10, Keys::kDifferLate),
                    std::tuple(size_t{1} << 10, Keys::kPlainOrder),
                    std::tuple(size_t{64} << 10, Keys::kDifferEarly),
                    std::tuple(size_t{64} << 10, Keys::kDifferLate)));

// Keys that are too long for the limits are refused, counted, and never hot.
class RaltTooLargeTest : public RaltTestBase {};

TEST_F(RaltTooLargeTest, KeysAreRefusedAndCounted) {
  Open();
  const std::string key(64 << 10, 'k');
  for (int i = 0; i < 10; ++i) {
    ralt_->RecordAccess(key, kValueBytes);
  }
  ASSERT_OK(ralt_->Flush());
  const RaltStats stats = ralt_->GetStats();
  EXPECT_EQ(10u, stats.accesses_too_large);
  EXPECT_EQ(0u, stats.accesses);
  EXPECT_EQ(0u, stats.records);
  EXPECT_FALSE(ralt_->IsHot(key));
  EXPECT_FALSE(ralt_->IsHotWithOneMoreAccess(key));
  MakeHot(0, 10);
  EXPECT_EQ(10u, CountHot(0, 10));
}

// If not even a run of one record fits, nothing is tracked, and work comes to
// rest.
TEST_F(RaltTooLargeTest, NothingIsTrackedWhereNothingFits) {
  options_.physical_limit_bytes = 1000;
  Open();
  MakeHot(0, 1000);
  const RaltStats stats = ralt_->GetStats();
  EXPECT_EQ(0u, stats.runs);
  EXPECT_EQ(0u, CountHot(0, 1000));
  EXPECT_EQ(2000u, stats.records_without_room);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
