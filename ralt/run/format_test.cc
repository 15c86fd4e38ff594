//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/format.h"

#include <string>

#include "gtest/gtest.h"
#include "util/coding.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr LogicalTime kNow{1000, 64 * 20};
}  // namespace

// A checksum does not prove that the writer was right. Such records would never
// age, or would count for more than all others.
TEST(FormatTest, RefusesRecordsThatCannotBeMeant) {
  const auto decodes = [](uint64_t value_bytes, uint64_t counter) {
    std::string bytes;
    PutVarint32Varint32Varint64(&bytes, 0, 3, value_bytes);
    PutVarint64Varint64(&bytes, /*v1=*/0, /*v2=*/counter << 2);
    PutFixed32(&bytes, 0);
    bytes.append("key");
    Slice input(bytes);
    std::string key;
    AccessRecord decoded;
    return DecodeRecord(&input, kNow, &key, &decoded);
  };
  EXPECT_TRUE(decodes(1000, 5));
  EXPECT_TRUE(decodes(uint64_t{4} << 30, 1000000 * kCounterUnit));
  EXPECT_FALSE(decodes(uint64_t{1} << 62, 5));
  EXPECT_FALSE(decodes(1000, uint64_t{1} << 60));
}

// ... but every record that can be written is accepted.
TEST(FormatTest, ReadsTheLargestRecordsThatItWrites) {
  AccessRecord record;
  record.key = "key";
  record.value_bytes = uint64_t{1} << 62;
  record.counter_end = kNow.period + (uint64_t{1} << 60);
  std::string bytes;
  EncodeRecord(Slice(), record, kNow, &bytes);
  Slice input(bytes);
  std::string key;
  AccessRecord decoded;
  ASSERT_TRUE(DecodeRecord(&input, kNow, &key, &decoded));
  EXPECT_EQ(uint64_t{4} << 30, decoded.value_bytes);
  EXPECT_EQ(1000000 * kCounterUnit, decoded.counter_end - kNow.period);
}

TEST(FormatTest, NamesOfFiles) {
  uint64_t number = 0;
  EXPECT_TRUE(ParseRunFileName("00000012.run", &number));
  EXPECT_EQ(12u, number);
  EXPECT_EQ("/ralt/00000012.run", RunFileName("/ralt", 12));
  for (const char* other : {"", ".run", "12.sst", "x12.run", "12.run.tmp"}) {
    EXPECT_FALSE(ParseRunFileName(other, &number)) << other;
  }
  EXPECT_TRUE(IsRaltFileName("00000012.run"));
  EXPECT_TRUE(IsRaltFileName("MANIFEST"));
  EXPECT_TRUE(IsRaltFileName("MANIFEST.tmp"));
  EXPECT_FALSE(IsRaltFileName("MANIFEST-000001"));
}

}  // namespace ROCKSDB_NAMESPACE::ralt
