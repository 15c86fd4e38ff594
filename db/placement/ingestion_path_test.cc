//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that ingested and imported tables go to the tier of their level.

#include "plugin/hotrap/db/placement/ingestion_path.h"

#include "plugin/hotrap/test_util/hotrap_relocation_test_base.h"
#include "rocksdb/sst_file_writer.h"
#include "utilities/fault_injection_fs.h"

namespace ROCKSDB_NAMESPACE {

class IngestionPathTest : public HotRapRelocationTestBase {
 public:
  IngestionPathTest() : HotRapRelocationTestBase("ingestion_path_test") {}

  // No relocation afterwards.
  Options IngestionOptions() {
    Options options = RelocationOptions();
    options.hotrap.relocation_bytes_per_sec = 0;
    return options;
  }

  std::string WriteFile(int begin, int end) {
    const std::string name =
        dbname_ + "/outside" + std::to_string(begin) + ".sst";
    SstFileWriter writer(EnvOptions(), IngestionOptions());
    EXPECT_OK(writer.Open(name));
    for (int i = begin; i < end; i++) {
      EXPECT_OK(writer.Put(Key(i), ValueOf(i)));
    }
    EXPECT_OK(writer.Finish());
    return name;
  }
  Status Ingest(int begin, int end,
                const IngestExternalFileOptions& options = {}) {
    return db_->IngestExternalFile({WriteFile(begin, end)}, options);
  }
};

TEST_F(IngestionPathTest, BulkLoadLeavesTheFastDiskAlone) {
  DestroyAndReopen(IngestionOptions());
  std::vector<std::string> files;
  for (int i = 0; i < 4; i++) {
    files.push_back(WriteFile(1000 * i, 1000 * (i + 1)));
  }
  ASSERT_OK(db_->IngestExternalFile(files, IngestExternalFileOptions()));
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  ASSERT_GT(BytesOnPath(SlowPath()), 800 << 10);
  ExpectTiers();
  ExpectData(0, 4000);
  // The same tables again go above.
  ASSERT_OK(db_->IngestExternalFile(files, IngestExternalFileOptions()));
  ExpectTiers();
  Reopen(IngestionOptions());
  ExpectData(0, 4000);
}

TEST_F(IngestionPathTest, TheLevelIsForetold) {
  DestroyAndReopen(IngestionOptions());
  Load();
  MoveAllTo(3);
  // Between them and the files above.
  ASSERT_OK(Ingest(0, 10));
  ExpectTiers();
  // Above L1.
  ASSERT_OK(db_->CompactFiles(
      CompactionOptions(), db_->DefaultColumnFamily(),
      {AllFiles(db_, db_->DefaultColumnFamily()).front()}, 2));
  ASSERT_OK(Ingest(0, 10));
  ExpectTiers();
  // The memtable is flushed first.
  ASSERT_OK(Put(Key(5000), "value"));
  ASSERT_OK(Ingest(5000, 5010));
  ExpectTiers();
  // Into the last level.
  IngestExternalFileOptions last_level;
  last_level.fail_if_not_bottommost_level = true;
  ASSERT_OK(Ingest(9000, 9010, last_level));
  ExpectTiers();
  ExpectData(0, 10);
  ExpectData(9000, 9010);
}

TEST_F(IngestionPathTest, LinkedFiles) {
  DestroyAndReopen(IngestionOptions());
  IngestExternalFileOptions options;
  options.move_files = true;
  ASSERT_OK(Ingest(0, 1000, options));
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  // A link that can't be made on the other disk must not fail.
  options.failed_move_fall_back_to_copy = false;
  ASSERT_OK(Ingest(1000, 2000, options));
  ASSERT_GT(BytesOnPath(FastPath()), 0);
  ExpectData(0, 2000);
}

TEST_F(IngestionPathTest, WithoutHotRapAsInStockRocksDB) {
  Options options = IngestionOptions();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  ASSERT_OK(Ingest(0, 1000));
  ASSERT_EQ(0, BytesOnPath(SlowPath()));
  ASSERT_GT(BytesOnPath(FastPath()), 0);
}

TEST_F(IngestionPathTest, ForetoldWronglyItIsRelocated) {
  Options options = RelocationOptions();
  DestroyAndReopen(options);
  IngestExternalFileOptions move;
  move.move_files = true;
  move.failed_move_fall_back_to_copy = false;
  ASSERT_OK(Ingest(0, 1000, move));
  WaitForRest();
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  ExpectData(0, 1000);
}

// The folders of the column family, not those of the DB, are synced.
TEST_F(IngestionPathTest, SurvivesAPowerCutWithPathsOfItsOwn) {
  const auto fs = std::make_shared<FaultInjectionTestFS>(FileSystem::Default());
  const std::unique_ptr<Env> env = NewCompositeEnv(fs);
  Options options = IngestionOptions();
  options.env = env.get();
  options.cf_paths = options.db_paths;
  options.db_paths.clear();
  Reopen(options);
  WaitForRalt();
  ASSERT_OK(Ingest(0, 1000));
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  fs->SetFilesystemActive(false);
  Close();
  ASSERT_OK(fs->DropUnsyncedFileData());
  ASSERT_OK(fs->DeleteFilesCreatedAfterLastDirSync(IOOptions(), nullptr));
  fs->SetFilesystemActive(true);
  Reopen(options);
  ExpectData(0, 1000);
  Close();
}

TEST_F(IngestionPathTest, ImportedTablesGoToTheTierOfTheirLevel) {
  DestroyAndReopen(IngestionOptions());
  Load();
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ExportImportFilesMetaData to_import;
  to_import.db_comparator_name = BytewiseComparator()->Name();
  to_import.files = files;
  for (auto& file : to_import.files) {
    file.name = file.name.substr(1);
  }
  ColumnFamilyHandle* cf = nullptr;
  ASSERT_OK(db_->CreateColumnFamilyWithImport(IngestionOptions(), "imported",
                                              ImportColumnFamilyOptions(),
                                              to_import, &cf));
  handles_.push_back(cf);
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  ExpectTiers();
  std::string value;
  for (int i = 0; i < kKeys; i++) {
    ASSERT_OK(db_->Get(ReadOptions(), cf, Key(i), &value));
    ASSERT_EQ(ValueOf(i), value);
  }
}

}  // namespace ROCKSDB_NAMESPACE
