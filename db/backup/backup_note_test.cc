//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/backup_note.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

TEST(BackupNoteTest, ThereAndBack) {
  BackupNote note;
  note.paths.db_folder = "/nvme/my db";
  note.paths.db_paths = {{"/nvme/my db", 1}, {"/hdd/my db", 2}};
  note.ralt["000012.dbtmp"] = {0, "MANIFEST"};
  note.ralt["000013.dbtmp"] = {7, "00000001.run"};
  const std::string text = note.ToText();
  EXPECT_TRUE(BackupNote::Is(text));
  const BackupNote read = BackupNote::FromText(text);
  EXPECT_EQ(text, read.ToText());
  EXPECT_EQ("/hdd/my db", read.paths.db_paths.at(1).path);
  EXPECT_EQ(7u, read.ralt.at("000013.dbtmp").cf_id);
  // HOTRAP_PATHS has the same format, and no such lines.
  EXPECT_EQ(note.paths.ToText(), PathsFile::FromText(text).ToText());
}

TEST(BackupNoteTest, NamesStayInTheirFolder) {
  const BackupNote note = BackupNote::FromText(
      "HOTRAP_PATHS 1\nralt a.dbtmp 1 ../../000001.sst\nralt b.dbtmp 1 M\n"
      "ralt c.dbtmp x M\nralt d.dbtmp\nother e.dbtmp 1 M\n");
  EXPECT_EQ(1u, note.ralt.size());
  EXPECT_EQ(1u, note.ralt.count("b.dbtmp"));
}

TEST(BackupNoteTest, WhichFilesMayBe) {
  EXPECT_TRUE(BackupNote::MayBe("000012.dbtmp", 100));
  EXPECT_FALSE(BackupNote::MayBe("000012.dbtmp", 1 << 30));
  EXPECT_FALSE(BackupNote::MayBe("000012.sst", 100));
  EXPECT_FALSE(BackupNote::MayBe("HOTRAP_PATHS", 100));
  EXPECT_FALSE(BackupNote::Is("RLTRMAN1"));
}

}  // namespace ROCKSDB_NAMESPACE
