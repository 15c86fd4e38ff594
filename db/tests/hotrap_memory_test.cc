//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests how much memory HotRAP takes in a column family that is not used.

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace {

std::atomic<int64_t> allocated_bytes{0};

void* Allocate(size_t bytes, size_t alignment) {
  void* const p = alignment > alignof(std::max_align_t)
                      ? aligned_alloc(alignment, (bytes + alignment - 1) /
                                                     alignment * alignment)
                      : malloc(bytes);
  if (p == nullptr) {
    abort();
  }
  allocated_bytes.fetch_add(static_cast<int64_t>(malloc_usable_size(p)));
  return p;
}

void Free(void* p) {
  if (p != nullptr) {
    allocated_bytes.fetch_sub(static_cast<int64_t>(malloc_usable_size(p)));
    free(p);
  }
}

}  // namespace

// The array and the nothrow operators call these.
void* operator new(size_t bytes) { return Allocate(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* p) noexcept { Free(p); }
void operator delete(void* p, size_t) noexcept { Free(p); }
void operator delete(void* p, std::align_val_t) noexcept { Free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { Free(p); }

namespace ROCKSDB_NAMESPACE {

class HotRapMemoryTest : public HotRapDBTestBase {
 public:
  static constexpr int kColumnFamilies = 20;
  static constexpr uint64_t kMaxBytesAtRest = 64 << 10;

  HotRapMemoryTest() : HotRapDBTestBase("hotrap_memory_test") {}

 protected:
  // RALT's tables have their maximum size.
  Options LargeOptions() {
    Options options = HotRapOptionsForTest();
    options.max_bytes_for_level_base = uint64_t{10} << 30;
    options.db_paths[0].target_size = 2 * options.max_bytes_for_level_base;
    return options;
  }

  // Returns the memory of column families that are opened and not used.
  int64_t BytesOfColumnFamilies(bool enabled) {
    Options options = LargeOptions();
    options.hotrap.enabled = enabled;
    DestroyAndReopen(options);
    // Allocate first what the process has only once.
    ColumnFamilyHandle* first = nullptr;
    EXPECT_OK(db_->CreateColumnFamily(options, "first", &first));
    if (enabled) {
      WaitForRalt(first);
    }
    const int64_t before = allocated_bytes.load();
    std::vector<ColumnFamilyHandle*> handles;
    for (int i = 0; i < kColumnFamilies; i++) {
      ColumnFamilyHandle* handle = nullptr;
      EXPECT_OK(
          db_->CreateColumnFamily(options, "cf" + std::to_string(i), &handle));
      if (enabled) {
        WaitForRalt(handle);
        EXPECT_OK(Tier(handle)->ralt()->WaitForIdle());
      }
      handles.push_back(handle);
    }
    const int64_t bytes = allocated_bytes.load() - before;
    for (ColumnFamilyHandle* handle : handles) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    EXPECT_OK(db_->DestroyColumnFamilyHandle(first));
    Close();
    return bytes;
  }
};

TEST_F(HotRapMemoryTest, AColumnFamilyAtRestTakesLittle) {
  const int64_t without = BytesOfColumnFamilies(false);
  const int64_t with = BytesOfColumnFamilies(true);
  const int64_t each = (with - without) / kColumnFamilies;
  EXPECT_GT(each, 0);
  EXPECT_LE(each, static_cast<int64_t>(kMaxBytesAtRest));
  RecordProperty("bytes_at_rest", static_cast<int>(each));
}

// A few reads take a few pages, not what busy column families get.
TEST_F(HotRapMemoryTest, FewReadsTakeLittle) {
  Options options = LargeOptions();
  DestroyAndReopen(options);
  WaitForRalt();
  Ralt* const ralt = Tier()->ralt();
  const int64_t before = allocated_bytes.load();
  for (int i = 0; i < 10; i++) {
    ralt->RecordAccess(Key(i), /*value_bytes=*/100);
  }
  EXPECT_LE(allocated_bytes.load() - before,
            static_cast<int64_t>(kMaxBytesAtRest) / 4);
  EXPECT_LE(ralt->GetStats().buffer_memory_bytes, kMaxBytesAtRest / 4);
}

}  // namespace ROCKSDB_NAMESPACE
