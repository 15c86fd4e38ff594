//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// What our tests rely on in both flavours of the build: RocksDB's test
// helpers work, and asserts and sync points are what the flavour says.

#include <cassert>
#include <string>

#include "db/db_test_util.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

class FlavourTest : public DBTestBase {
 public:
  FlavourTest() : DBTestBase("hotrap_flavour_test", /*env_do_fsync=*/false) {}
};

TEST_F(FlavourTest, DBTestBaseWorks) {
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(Flush());
  ASSERT_EQ("value", Get("key"));
  Reopen(CurrentOptions());
  ASSERT_EQ("value", Get("key"));
  ASSERT_EQ("NOT_FOUND", Get("other"));
}

TEST_F(FlavourTest, SyncPointsFollowTheFlavour) {
  int flushes = 0;
  SyncPoint::GetInstance()->SetCallBack("FlushJob::Start",
                                        [&](void* /*arg*/) { ++flushes; });
  SyncPoint::GetInstance()->EnableProcessing();
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(Flush());
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
#ifdef NDEBUG
  ASSERT_EQ(0, flushes);
#else
  ASSERT_GT(flushes, 0);
#endif
}

}  // namespace ROCKSDB_NAMESPACE
