//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests that run with both kinds of compaction that promote
// records from the promotion cache.

#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"

namespace ROCKSDB_NAMESPACE {

enum class Pathway {
  kIntoLastFastLevel,  // from level 0 to 1
  kCrossing,           // from level 1 to 2
};

class HotRapPathwayTestBase : public HotRapCrossingTestBase,
                              public testing::WithParamInterface<Pathway> {
 public:
  using HotRapCrossingTestBase::HotRapCrossingTestBase;

  static bool Crosses() { return GetParam() == Pathway::kCrossing; }
  static int FromLevel() { return Crosses() ? kLastFastLevel : 0; }
  static int ToLevel() { return FromLevel() + 1; }

  // Calls LoadCovered() such that the compaction can follow.
  void Load() { ASSERT_NO_FATAL_FAILURE(LoadCovered(FromLevel())); }

  // Writes other keys: `slow` into level 3, all hot, and `fast` into the level
  // where the compaction starts.
  static std::string ValueOf(const std::string& key) {
    return key + std::string(kValueBytes - key.size(), '.');
  }
  Status PutAll(const std::vector<std::string>& keys) {
    Status s;
    for (size_t i = 0; i < keys.size() && s.ok(); i++) {
      s = Put(keys[i], ValueOf(keys[i]));
    }
    return s;
  }
  void LoadTiers(const std::vector<std::string>& slow,
                 const std::vector<std::string>& fast) {
    WaitForRalt();
    ASSERT_OK(PutAll(slow));
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
    ASSERT_OK(PutAll(fast));
    ASSERT_NO_FATAL_FAILURE(MakeInput());
    ASSERT_NO_FATAL_FAILURE(MakeHot(slow));
  }
  void ExpectTiers(const std::vector<std::string>& slow,
                   const std::vector<std::string>& fast) {
    std::set<std::string> all = AsSet(slow);
    all.insert(fast.begin(), fast.end());
    for (const auto& key : all) {
      ExpectEverywhere(key, ValueOf(key));
    }
    ExpectScans({all.begin(), all.end()});
  }

  Status Compact() {
    return CompactLevel(db_, db_->DefaultColumnFamily(), FromLevel(),
                        ToLevel());
  }

  Status SetByCompaction(bool allowed) {
    return db_->SetOptions({{"hotrap", allowed ? "{no_by_compaction=false;}"
                                               : "{no_by_compaction=true;}"}});
  }

  // Turns the memtable into an input of the compaction, without changing the
  // cache.
  void MakeInput() {
    ASSERT_OK(Flush());
    if (Crosses()) {
      ASSERT_OK(SetByCompaction(false));
      ASSERT_OK(
          CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
      ASSERT_OK(SetByCompaction(true));
    }
  }

  // Calls Load() for an automatic compaction. Files that overlap nothing would
  // be moved trivially, so adds overlapping ones.
  void LoadToOverlap() {
    ASSERT_NO_FATAL_FAILURE(Load());
    ASSERT_OK(Compact());
    ASSERT_OK(Put("a", "cover"));
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), kCoverBegin,
                         kCoverBegin + kCount, 1));
    ASSERT_NO_FATAL_FAILURE(MakeInput());
  }

  // Has the effect of an edit that deletes slow files from Key(first) to
  // Key(last).
  void ChangeSlowTier(int first, int last) {
    InstrumentedMutexLock lock(Tier()->db()->mutex());
    InvalidationRing::Entry entry;
    entry.version_number = Tier()->cfd()->current()->GetVersionNumber() + 1;
    entry.kind = InvalidationRing::kSlowTierChanged;
    entry.smallest = Key(first);
    entry.largest = Key(last);
    Tier()->cache().Invalidate(std::move(entry));
  }

  // Returns those keys of LoadCovered() that are in level 1.
  std::set<std::string> Promoted() {
    std::set<std::string> keys;
    for (const auto& key : KeysAtLevel(kLastFastLevel)) {
      if (key >= Key(0) && key < Key(kCount)) {
        keys.insert(key);
      }
    }
    return keys;
  }
};

inline std::string PathwayName(const testing::TestParamInfo<Pathway>& info) {
  return info.param == Pathway::kCrossing ? "Crossing" : "IntoLastFastLevel";
}

#define INSTANTIATE_PATHWAYS(suite)                                     \
  INSTANTIATE_TEST_SUITE_P(                                             \
      Pathways, suite,                                                  \
      testing::Values(Pathway::kIntoLastFastLevel, Pathway::kCrossing), \
      PathwayName)

}  // namespace ROCKSDB_NAMESPACE
