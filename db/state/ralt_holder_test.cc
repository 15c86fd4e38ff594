//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/ralt_holder.h"

#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class RaltHolderTest : public HotRapDBTestBase {
 public:
  RaltHolderTest() : HotRapDBTestBase("ralt_holder_test") {}

  std::string Folder(uint32_t cf_id) {
    return RaltFolders::In(FastPath(), cf_id);
  }
  bool Exists(const std::string& folder) {
    return env_->FileExists(folder).ok();
  }
};

TEST_F(RaltHolderTest, ItIsOpenedOnceAndLent) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  RaltHolder& holder = Tier()->ralt_holder();
  EXPECT_TRUE(Exists(Folder(0)));
  EXPECT_NE(nullptr, holder.get());
  const Ralt* const ralt = holder.get();
  EXPECT_EQ(ralt, RaltHolder::Pin(holder).get());
  // It stays open while HotRAP is off.
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  WaitForPromotionIdle();
  EXPECT_EQ(ralt, holder.get());
}

TEST_F(RaltHolderTest, FoldersThatNobodyHasGo) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  Close();
  ASSERT_OK(env_->CreateDir(Folder(77)));
  ASSERT_OK(env_->CreateDir(Folder(77) + "x"));
  Reopen(HotRapOptionsForTest());
  WaitForRalt();
  EXPECT_FALSE(Exists(Folder(77)));
  EXPECT_TRUE(Exists(Folder(77) + "x"));
  EXPECT_TRUE(Exists(Folder(0)));
  ASSERT_OK(env_->DeleteDir(Folder(77) + "x"));
}

// RaltOrphan.
TEST_F(RaltHolderTest, ADroppedColumnFamilysFolderGoes) {
  const Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  CreateColumnFamilies({"one"}, options);
  ColumnFamilyHandle* const handle = handles_[0];
  const std::string folder = Folder(handle->GetID());
  WaitForRalt(handle);
  EXPECT_TRUE(Exists(folder));
  WaitForPromotionIdle(handle);
  ASSERT_OK(db_->DropColumnFamily(handle));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
  handles_.clear();
  for (int i = 0; i < 10000 && Exists(folder); i++) {
    env_->SleepForMicroseconds(1000);
  }
  EXPECT_FALSE(Exists(folder));
}

}  // namespace ROCKSDB_NAMESPACE
