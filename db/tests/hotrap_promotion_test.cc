//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests promotion by flush end to end: hot records that are read from the slow
// tier move to the fast tier and are served from there, and nothing else
// changes.

#include <cmath>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class HotRapPromotionTest : public HotRapDBTestBase {
 public:
  HotRapPromotionTest() : HotRapDBTestBase("hotrap_promotion_test") {}

  std::map<std::string, std::string> Stats() {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats;
  }

  // Fills the block cache without point reads.
  void ReadAllOnce(int end = 1000) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid() && it->key().compare(Key(end)) < 0;
         it->Next()) {
    }
    ASSERT_OK(it->status());
  }

  // Loads the first 1,000 keys into the block cache, and makes these hot.
  void MakeHotInMemory(int begin, int end) {
    ReadAllOnce();
    std::vector<std::string> keys;
    for (int i = begin; i < end; i++) {
      keys.push_back(Key(i));
    }
    MakeHot(keys);
  }

  // Makes every step-th key known to RALT, but not hot. Then reads the first
  // 200 keys once, which RALT does not flush.
  void ReadKnown(int begin, int end, int step) {
    DestroyAndReopen(HotRapOptionsForTest());
    LoadSlowTier(0, 1000);
    WaitForRalt();
    Ralt* const ralt = Tier()->ralt();
    for (int i = begin; i < end; i += step) {
      ralt->RecordAccess(Key(i), 200);
    }
    ASSERT_OK(ralt->Flush());
    ASSERT_EQ("0", Stats()["ralt_hot_records"]);
    for (int i = 0; i < 200; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i)));
    }
    WaitForPromotionIdle();
    ASSERT_EQ("1", Stats()["ralt_flushes"]);
    ASSERT_GT(Counter(HotRapCounter::kAdmissionsKnown), 0);
  }

  // Reads the keys until half of their number has been promoted.
  void ReadUntilPromoted(int begin, int end) {
    const uint64_t before = Counter(HotRapCounter::kPromotedRecords);
    for (int round = 0; round < 1000; round++) {
      for (int i = begin; i < end; i++) {
        ASSERT_NE("NOT_FOUND", Get(Key(i)));
      }
      WaitForPromotionIdle();
      if (Counter(HotRapCounter::kPromotedRecords) - before >=
          static_cast<uint64_t>(end - begin) / 2) {
        return;
      }
    }
    FAIL() << "not promoted";
  }
};

TEST_F(HotRapPromotionTest, HotRecordsComeToTheFastTier) {
  DestroyAndReopen(HotRapOptionsForTest());
  ASSERT_EQ("1", Stats()["active"]);
  ASSERT_EQ("2", Stats()["first_slow_level"]);
  LoadSlowTier(0, 1000);
  ASSERT_EQ(0, BytesOnPath(FastPath()));

  std::map<int, std::string> values;
  for (int i = 0; i < 1000; i++) {
    values[i] = Get(Key(i));
  }
  ReadUntilPromoted(100, 300);
  ASSERT_GT(BytesOnPath(FastPath()), 0);
  // The last round may have ended before anything was promoted.
  for (int i = 0; i < 1000; i++) {
    ASSERT_EQ(values[i], Get(Key(i)));
  }
  ASSERT_GT(Counter(HotRapCounter::kHitsFast), 0);
  // And again from the files alone.
  Reopen(HotRapOptionsForTest());
  for (int i = 0; i < 1000; i++) {
    ASSERT_EQ(values[i], Get(Key(i)));
  }
}

// RALT has flushed the first access to each key, but not the read that brings
// it into the cache.
TEST_F(HotRapPromotionTest, ASecondReadIsEnoughWhileManyAreRead) {
  ReadKnown(0, 200, /*step=*/1);
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  ASSERT_EQ(0, Counter(HotRapCounter::kDroppedCold));
  ASSERT_EQ("1", Stats()["ralt_learning"]);
}

// RALT has flushed neither access. Other reads have displaced the record of the
// first access from the cache.
TEST_F(HotRapPromotionTest, ASecondReadIsEnoughBeforeTheFirstIsFlushed) {
  DestroyAndReopen(HotRapOptionsForTest());
  LoadSlowTier(0, 1000);
  WaitForRalt();
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 100; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i)));
      if (i % 20 == 19) {
        WaitForPromotionIdle();
      }
    }
  }
  ASSERT_EQ("0", Stats()["ralt_flushes"]);
  ASSERT_GT(Counter(HotRapCounter::kDroppedCold), 0);
  ASSERT_GT(Counter(HotRapCounter::kAdmissionsKnown), 0);
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}

TEST_F(HotRapPromotionTest, AFewSecondReadsAreNotWorthAPromotion) {
  ReadKnown(0, 200, /*step=*/20);
  ASSERT_GT(Counter(HotRapCounter::kDroppedCold), 0);
  ASSERT_EQ(0, Counter(HotRapCounter::kReturnedRecords));
  ASSERT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
}

// RALT knows a tenth of what is read and a fiftieth of all data: too little for
// second reads to count, but more than chance.
TEST_F(HotRapPromotionTest, RaltIsToldOfAHotSetThatItKnowsLittleOf) {
  ReadKnown(0, 200, /*step=*/10);
  ASSERT_EQ("1", Stats()["ralt_learning"]);
  ASSERT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
}

// RALT knows a fifth of what is read, and a fifth of all data.
TEST_F(HotRapPromotionTest, SecondReadsThatUniformReadsHaveTooAreNotWorthIt) {
  ReadKnown(0, 1000, /*step=*/5);
  ASSERT_EQ("0", Stats()["ralt_learning"]);
  ASSERT_GT(Counter(HotRapCounter::kDroppedCold), 0);
  ASSERT_EQ(0, Counter(HotRapCounter::kReturnedRecords));
  ASSERT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
}

// In memory, such a record is several times as large as on disk.
TEST_F(HotRapPromotionTest, SmallRecordsComeToTheFastTier) {
  DestroyAndReopen(HotRapOptionsForTest());
  LoadSlowTier(0, 1000, /*value_bytes=*/20);
  ReadUntilPromoted(100, 300);
}

// Every hit is counted. One in cached_hit_sampling hits of the block cache
// becomes an access and may be admitted.
TEST_F(HotRapPromotionTest, CachedHitsAreAllCountedAndSampled) {
  Options options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 16;
  // Nothing is promoted, so that hits keep coming from the same place.
  options.hotrap.promotion_cache_bytes = 64 << 20;
  DestroyAndReopen(options);
  WaitForRalt();
  LoadSlowTier(0, 1000);
  const auto refused = [&] {
    uint64_t sum = 0;
    for (const auto& [name, value] : Stats()) {
      sum += name.rfind("refused_", 0) == 0 ? std::stoull(value) : 0;
    }
    return sum;
  };
  const auto hits = [&] {
    return Counter(HotRapCounter::kHitsSlow) +
           Counter(HotRapCounter::kHitsPromotionCache) +
           Counter(HotRapCounter::kHitsFast);
  };
  ReadAllOnce();
  ASSERT_EQ(0, hits());

  constexpr uint64_t kRounds = 32;
  for (uint64_t round = 0; round < kRounds; round++) {
    for (int i = 0; i < 1000; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i)));
    }
  }
  ASSERT_EQ(kRounds * 1000, hits());
  ASSERT_EQ(0, Counter(HotRapCounter::kHitsSlowWithIo));
  // The slow hits that were sampled; each was admitted or refused.
  const uint64_t sampled = Counter(HotRapCounter::kAccesses) -
                           Counter(HotRapCounter::kHitsPromotionCache);
  ASSERT_EQ(sampled, Counter(HotRapCounter::kAdmissions) + refused());
  // Six standard deviations of a binomial count.
  const double slow = static_cast<double>(Counter(HotRapCounter::kHitsSlow));
  ASSERT_NEAR(slow / 16, static_cast<double>(sampled), 6 * sqrt(slow / 16));
}

// RocksDB counts the blocks of all keys in a file with one of the keys. The
// others must still count as read from memory.
TEST_F(HotRapPromotionTest, CachedHitsOfAMultiGetAreSampled) {
  Options options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 16;
  options.hotrap.promotion_cache_bytes = 64 << 20;
  DestroyAndReopen(options);
  WaitForRalt();
  LoadSlowTier(0, 1000);
  ReadAllOnce();
  constexpr int kRounds = 32;
  for (int round = 0; round < kRounds; round++) {
    for (int i = 0; i < 1000; i += 25) {
      std::vector<std::string> keys;
      for (int j = i; j < i + 25; j++) {
        keys.push_back(Key(j));
      }
      MultiGet(keys);
    }
  }
  ASSERT_EQ(kRounds * 1000, Counter(HotRapCounter::kHitsSlow));
  ASSERT_EQ(0, Counter(HotRapCounter::kHitsSlowWithIo));
  const double mean = kRounds * 1000 / 16.0;
  ASSERT_NEAR(mean, static_cast<double>(Counter(HotRapCounter::kAccesses)),
              6 * sqrt(mean));
}

TEST_F(HotRapPromotionTest, HitsOfAMultiGetFromTheDiskCountInFull) {
  Options options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 16;
  DestroyAndReopen(options);
  WaitForRalt();
  LoadSlowTier(0, 1000);
  // One block each, none in the block cache, which compactions do not fill.
  MultiGet({Key(100), Key(110), Key(120)});
  ASSERT_EQ(3, Counter(HotRapCounter::kHitsSlowWithIo));
  ASSERT_EQ(3, Counter(HotRapCounter::kAccesses));
}

// While no read goes to the slow disk, copies of records in memory are useless.
TEST_F(HotRapPromotionTest, NothingIsPromotedWhereAllIsInMemory) {
  Options options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 2;
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  ASSERT_NO_FATAL_FAILURE(MakeHotInMemory(100, 300));
  for (int round = 0; round < 10; round++) {
    for (int i = 100; i < 300; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i)));
    }
  }
  ASSERT_EQ(0, Counter(HotRapCounter::kHitsSlowWithIo));
  ASSERT_EQ(0, Counter(HotRapCounter::kAdmissions));
  ASSERT_GT(Counter(HotRapCounter::kRefusedInMemory), 0);
}

TEST_F(HotRapPromotionTest, HotRecordsInTheBlockCacheArePromotedToo) {
  Options options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 16;
  DestroyAndReopen(options);
  LoadSlowTier(0, 2000);
  ASSERT_NO_FATAL_FAILURE(MakeHotInMemory(100, 300));
  // In between, read from disk records that are not admitted.
  ReadOptions from_disk;
  from_disk.fill_cache = false;
  from_disk.ignore_range_deletions = true;
  std::string value;
  uint64_t promoted = 0;
  for (int round = 0; round < 1000 && promoted < 100; round++) {
    for (int i = 100; i < 300; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i)));
      ASSERT_OK(db_->Get(from_disk, Key(1000 + i), &value));
    }
    WaitForPromotionIdle();
    promoted = Counter(HotRapCounter::kPromotedRecords);
  }
  ASSERT_GE(promoted, 100);
  ASSERT_GT(Counter(HotRapCounter::kHitsSlowWithIo), 0);
  // Cold records do not enter the promotion cache; of 700 reads about 44 are
  // considered.
  for (int i = 300; i < 1000; i++) {
    ASSERT_NE("NOT_FOUND", Get(Key(i)));
  }
  ASSERT_GT(Counter(HotRapCounter::kRefusedCold), 0);
}

TEST_F(HotRapPromotionTest, OffDoesNothing) {
  Options options = HotRapOptionsForTest();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 300; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i)));
    }
  }
  ASSERT_EQ(nullptr, Tier());
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  ASSERT_EQ("0", Stats()["active"]);
}

TEST_F(HotRapPromotionTest, SwitchesLive) {
  Options options = HotRapOptionsForTest();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  ASSERT_OK(db_->SetOptions({{"hotrap",
                              "{enabled=true;promotion_cache_bytes=16384;"
                              "fast_budget_bytes=1048576;"
                              "cached_hit_sampling=1;}"}}));
  ReadUntilPromoted(0, 200);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ASSERT_EQ("0", Stats()["active"]);
  const uint64_t admissions = Counter(HotRapCounter::kAdmissions);
  for (int i = 500; i < 700; i++) {
    ASSERT_NE("NOT_FOUND", Get(Key(i)));
  }
  ASSERT_EQ(admissions, Counter(HotRapCounter::kAdmissions));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  ReadUntilPromoted(600, 800);
}

TEST_F(HotRapPromotionTest, DroppedColumnFamilyTakesItsRaltAlong) {
  Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  CreateColumnFamilies({"hot"}, options);
  WaitForRalt(handles_[0]);
  WaitForPromotionIdle(handles_[0]);
  const std::string folder = FastPath() + "/hotrap.ralt.1";
  ASSERT_OK(env_->FileExists(folder));
  ASSERT_OK(db_->DropColumnFamily(handles_[0]));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[0]));
  handles_.clear();
  // This happens in the background, at the latest when the DB is closed.
  for (int i = 0; i < 1000 && env_->FileExists(folder).ok(); i++) {
    env_->SleepForMicroseconds(10000);
  }
  EXPECT_TRUE(env_->FileExists(folder).IsNotFound());
}

TEST_F(HotRapPromotionTest, RaltOfADroppedColumnFamilyIsGoneAfterClose) {
  Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  CreateColumnFamilies({"hot"}, options);
  WaitForRalt(handles_[0]);
  const std::string folder = FastPath() + "/hotrap.ralt.1";
  ASSERT_OK(db_->DropColumnFamily(handles_[0]));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[0]));
  handles_.clear();
  Close();
  EXPECT_TRUE(env_->FileExists(folder).IsNotFound());
}

// The process was killed in between, or the drop happened while HotRAP was off.
TEST_F(HotRapPromotionTest, RaltOfAColumnFamilyDroppedBeforeIsGoneAfterOpen) {
  const Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  WaitForRalt();
  Close();
  const std::string dropped = FastPath() + "/hotrap.ralt.7";
  const std::string strange = FastPath() + "/hotrap.ralt.7a";
  for (const std::string& folder : {dropped, strange}) {
    ASSERT_OK(env_->CreateDir(folder));
    ASSERT_OK(WriteStringToFile(env_, "anything", folder + "/00000001.run"));
  }
  Reopen(options);
  WaitForRalt();
  EXPECT_TRUE(env_->FileExists(dropped).IsNotFound());
  EXPECT_OK(env_->FileExists(strange));
  EXPECT_OK(env_->FileExists(FastPath() + "/hotrap.ralt.0"));
  ASSERT_OK(env_->DeleteFile(strange + "/00000001.run"));
  ASSERT_OK(env_->DeleteDir(strange));
}

// The promotion job tells RALT how much data there is, without which first
// reads never count.
TEST_F(HotRapPromotionTest, TheFirstReadCountsWhileAHotSetIsFound) {
  constexpr int kKeys = 24000;
  constexpr int kHot = 4000;
  Options options = HotRapOptionsForTest();
  // RALT watches one key in eight, and flushes after a twentieth of this.
  options.max_bytes_for_level_base = 8 << 20;
  options.db_paths[0].target_size = 16 << 20;
  // No compaction of L0 may have a table when all are to go down.
  options.write_buffer_size = 64 << 20;
  options.disable_auto_compactions = true;
  DestroyAndReopen(options);
  WaitForRalt();
  LoadSlowTier(0, kKeys, /*value_bytes=*/1000);
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  Random rnd(301);
  for (int i = 0; !Tier()->ralt()->GetStats().first_reads; i++) {
    ASSERT_LT(i, 3 * kHot);
    ASSERT_NE("NOT_FOUND", Get(Key(static_cast<int>(rnd.Uniform(kHot)))));
    if (i % 100 == 0) {
      WaitForPromotionIdle();
      ASSERT_OK(Tier()->ralt()->WaitForIdle());
    }
  }
  EXPECT_FALSE(Tier()->ralt()->IsHot(Key(kKeys - 1)));
  ASSERT_NE("NOT_FOUND", Get(Key(kKeys - 1)));
  EXPECT_TRUE(Tier()->ralt()->IsHot(Key(kKeys - 1)));
}

TEST_F(HotRapPromotionTest, DestroyDBLeavesNothing) {
  Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  WaitForRalt();
  LoadSlowTier(0, 100);
  Close();
  ASSERT_OK(env_->FileExists(FastPath() + "/hotrap.ralt.0"));
  ASSERT_OK(DestroyDB(dbname_, options));
  ASSERT_TRUE(env_->FileExists(FastPath()).IsNotFound());
  ASSERT_TRUE(env_->FileExists(SlowPath()).IsNotFound());
}

// A caller that does not name the paths expects the DB's own folder to be
// removed.
TEST_F(HotRapPromotionTest, DestroyDBWithoutPathsRemovesTheFolder) {
  const std::string slow_path = dbname_ + "_slow";
  Options options = HotRapOptionsForTest();
  options.db_paths[0].path = dbname_;
  options.db_paths[1].path = slow_path;
  DestroyAndReopen(options);
  WaitForRalt();
  Close();
  ASSERT_OK(env_->FileExists(dbname_ + "/hotrap.ralt.0"));
  EXPECT_OK(DestroyDB(dbname_, Options()));
  EXPECT_TRUE(env_->FileExists(dbname_).IsNotFound());
  ASSERT_OK(DestroyDir(env_, slow_path));
}

}  // namespace ROCKSDB_NAMESPACE
