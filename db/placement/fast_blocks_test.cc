//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests the size of data blocks, by the level that tables were written to.

#include "plugin/hotrap/db/placement/fast_blocks.h"

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/sst_file_writer.h"

namespace ROCKSDB_NAMESPACE {

class FastBlocksTest : public HotRapCrossingTestBase {
 public:
  // Blocks of about 16 and of 4 records.
  static constexpr uint64_t kBlockSize = 16 << 10;
  static constexpr uint64_t kFastBlockBytes = 4 << 10;

  FastBlocksTest() : HotRapCrossingTestBase("fast_blocks_test") {}

  static Options WithBlockSize(Options options, uint64_t block_size) {
    auto* const table_options =
        options.table_factory->GetOptions<BlockBasedTableOptions>();
    table_options->block_size = block_size;
    options.table_factory.reset(NewBlockBasedTableFactory(*table_options));
    return options;
  }
  Options BlockOptions() {
    Options options = WithBlockSize(CrossingOptions(), kBlockSize);
    options.hotrap.fast_block_bytes = kFastBlockBytes;
    return options;
  }

  // Returns the average over all tables of the level; 0 if there are none.
  uint64_t RecordsPerBlock(int level) {
    std::vector<std::unique_ptr<TablePropertiesCollection>> levels;
    EXPECT_OK(
        db_->GetPropertiesOfTablesByLevel(db_->DefaultColumnFamily(), &levels));
    uint64_t records = 0;
    uint64_t blocks = 0;
    for (const auto& [name, properties] : *levels[level]) {
      records += properties->num_entries;
      blocks += properties->num_data_blocks;
    }
    return blocks > 0 ? (records + blocks / 2) / blocks : 0;
  }

  void WriteFile() {
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, 160, 1));
    ASSERT_OK(Flush());
  }
};

// Flushed, compacted within the tier, or retained: small blocks. Moved down:
// large blocks.
TEST_F(FastBlocksTest, OfEachLevel) {
  DestroyAndReopen(BlockOptions());
  WriteFile();
  EXPECT_EQ(4, RecordsPerBlock(0));
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  EXPECT_EQ(4, RecordsPerBlock(kLastFastLevel));
  // Half of the keys are hot.
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(MakeHot(EverySecond(0, 160)));
  ASSERT_OK(Cross());
  EXPECT_EQ(4, RecordsPerBlock(kLastFastLevel));
  EXPECT_EQ(16, RecordsPerBlock(kFirstSlowLevel));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  EXPECT_EQ(16, RecordsPerBlock(kFirstSlowLevel + 1));
}

TEST_F(FastBlocksTest, OfPromotedRecords) {
  Options options = BlockOptions();
  options.hotrap.promotion_cache_bytes = 32 << 10;
  KeepCompactionsOut(&options);
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(LoadSlow(kCount));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kCount)));
  EXPECT_EQ(16, RecordsPerBlock(kFirstSlowLevel + 1));
  EXPECT_EQ(4, RecordsPerBlock(0));
}

TEST_F(FastBlocksTest, SmallBlocksStayAsTheyAre) {
  DestroyAndReopen(WithBlockSize(BlockOptions(), 2 << 10));
  WriteFile();
  EXPECT_EQ(2, RecordsPerBlock(0));
}

// Even if that leaves a fifth of the block free. RocksDB's own blocks are
// larger.
TEST_F(FastBlocksTest, NoBlockIsLargerThanTheLimit) {
  Options options = WithBlockSize(BlockOptions(), 5 << 9);
  options.hotrap.fast_block_bytes = 0;
  DestroyAndReopen(options);
  WriteFile();
  EXPECT_EQ(3, RecordsPerBlock(0));
  options = BlockOptions();
  options.hotrap.fast_block_bytes = 5 << 9;
  DestroyAndReopen(options);
  WriteFile();
  EXPECT_EQ(2, RecordsPerBlock(0));
}

TEST_F(FastBlocksTest, OneRecordABlock) {
  Options options = BlockOptions();
  options.hotrap.fast_block_bytes = 1;
  DestroyAndReopen(options);
  WriteFile();
  EXPECT_EQ(1, RecordsPerBlock(0));
  for (int i = 0; i < 160; i++) {
    ASSERT_EQ(Value(i, 1), Get(Key(i)));
  }
}

// No space is wasted on padding.
TEST_F(FastBlocksTest, NotAligned) {
  Options options = BlockOptions();
  options.table_factory->GetOptions<BlockBasedTableOptions>()->block_align =
      true;
  options.hotrap.fast_block_bytes = 1 << 10;
  DestroyAndReopen(options);
  WriteFile();
  const auto data_bytes = [this](int level) {
    uint64_t bytes = 0;
    std::vector<std::unique_ptr<TablePropertiesCollection>> levels;
    EXPECT_OK(
        db_->GetPropertiesOfTablesByLevel(db_->DefaultColumnFamily(), &levels));
    for (const auto& [name, properties] : *levels[level]) {
      bytes += properties->data_size;
    }
    return bytes;
  };
  EXPECT_LT(data_bytes(0), 160 * 1100);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  EXPECT_EQ(0, data_bytes(kFirstSlowLevel + 1) % 4096);
}

TEST_F(FastBlocksTest, FollowsTheOptionLive) {
  DestroyAndReopen(BlockOptions());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{fast_block_bytes=0;}"}}));
  WriteFile();
  EXPECT_EQ(16, RecordsPerBlock(0));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{fast_block_bytes=8192;}"}}));
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  EXPECT_EQ(8, RecordsPerBlock(kLastFastLevel));
}

TEST_F(FastBlocksTest, NotWhileHotRapIsOffOrInactive) {
  Options options = BlockOptions();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  WriteFile();
  EXPECT_EQ(16, RecordsPerBlock(0));

  options = BlockOptions();
  options.db_paths.resize(1);
  DestroyAndReopen(options);
  WriteFile();
  EXPECT_EQ(16, RecordsPerBlock(0));
}

// The level of the table is not known yet.
TEST_F(FastBlocksTest, NotInAnIngestedFile) {
  const Options options = BlockOptions();
  DestroyAndReopen(options);
  const std::string path = dbname_ + "/ingested";
  SstFileWriter writer(EnvOptions(), options);
  ASSERT_OK(writer.Open(path));
  for (const auto& key : Keys(0, 160)) {
    ASSERT_OK(writer.Put(key, std::string(kValueBytes, '.')));
  }
  ASSERT_OK(writer.Finish());
  IngestExternalFileOptions ingest;
  ingest.move_files = true;
  ingest.fill_cache = false;
  ASSERT_OK(db_->IngestExternalFile({path}, ingest));
  uint64_t records = 0;
  for (int level = 0; level <= kFirstSlowLevel + 2; level++) {
    records += RecordsPerBlock(level);
  }
  EXPECT_EQ(16, records);
}

}  // namespace ROCKSDB_NAMESPACE
