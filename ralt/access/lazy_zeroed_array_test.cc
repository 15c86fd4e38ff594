//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/lazy_zeroed_array.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr size_t kSize = 256 << 10;
}  // namespace

TEST(LazyZeroedArrayTest, IsZeroUntilWrittenAndAfterClear) {
  LazyZeroedArray<uint32_t> array(kSize);
  ASSERT_EQ(kSize, array.size());
  for (size_t i = 0; i < kSize; ++i) {
    ASSERT_EQ(0u, array[i].load());
  }
  array[0].store(1);
  array[kSize - 1].store(2);
  EXPECT_EQ(1u, array[0].load());
  EXPECT_EQ(2u, array[kSize - 1].load());
  array.Clear();
  EXPECT_EQ(0u, array[0].load());
  EXPECT_EQ(0u, array[kSize - 1].load());
  array[7].store(3);
  EXPECT_EQ(3u, array[7].load());
}

#ifdef OS_LINUX
TEST(LazyZeroedArrayTest, TakesThePagesThatWereWritten) {
  LazyZeroedArray<uint32_t> array(kSize);
  const size_t page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t bytes = kSize * sizeof(uint32_t);
  const auto resident_pages = [&] {
    std::vector<unsigned char> pages(bytes / page_bytes);
    EXPECT_EQ(0, mincore(&array[0], bytes, pages.data()));
    return std::count_if(pages.begin(), pages.end(),
                         [](unsigned char page) { return (page & 1) != 0; });
  };
  EXPECT_EQ(0, resident_pages());
  array[0].store(1);
  array[kSize / 2].store(1);
  EXPECT_EQ(2, resident_pages());
  array.Clear();
  EXPECT_EQ(0, resident_pages());
}
#endif

}  // namespace ROCKSDB_NAMESPACE
