//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests what our tests rely on in both flavours of the build: RocksDB's test
// helpers work, and asserts and sync points match the flavour.

#include <cassert>
#include <string>

#include "plugin/hotrap/test_util/plain_db_test_base.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

class FlavourTest : public PlainDBTestBase {
 public:
  FlavourTest() : PlainDBTestBase("hotrap_flavour_test") {
    DestroyAndReopen(Options());
  }
};

TEST_F(FlavourTest, TestBaseWorks) {
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(Flush());
  ASSERT_EQ("value", Get("key"));
  Reopen(Options());
  ASSERT_EQ("value", Get("key"));
  ASSERT_EQ("NOT_FOUND", Get("other"));
}

#ifndef NDEBUG
TEST_F(FlavourTest, SyncPointsAreThereWithAsserts) {
  int flushes = 0;
  SyncPoint::GetInstance()->SetCallBack("FlushJob::Start",
                                        [&](void* /*arg*/) { ++flushes; });
  SyncPoint::GetInstance()->EnableProcessing();
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(Flush());
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
  ASSERT_GT(flushes, 0);
}
#endif

}  // namespace ROCKSDB_NAMESPACE
