//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/verifier.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "plugin/hotrap/tools/bench/value_codec.h"
#include "plugin/hotrap/tools/bench/verified_scan.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr uint64_t kKeys = 100;
constexpr size_t kValueBytes = 100;

std::string ValueOf(uint64_t id, uint64_t version) {
  std::string value;
  EncodeValue(id, version, kValueBytes, &value);
  return value;
}

uint32_t WriteOnce(Verifier* verifier, uint64_t id) {
  const auto lock = verifier->LockKey(id);
  const uint32_t version = verifier->BeginWrite(id);
  verifier->FinishWrite(id, version);
  return version;
}

}  // namespace

TEST(ValueCodecTest, RoundTripAndDamage) {
  for (const size_t bytes :
       {size_t{0}, kMinValueBytes, size_t{1000}, size_t{3} << 20}) {
    std::string value;
    EncodeValue(7, 9, bytes, &value);
    EXPECT_EQ(value.size(), std::max(bytes, kMinValueBytes));
    uint64_t id = 0;
    uint64_t version = 0;
    ASSERT_TRUE(DecodeValue(value, &id, &version).ok());
    EXPECT_EQ(id, 7u);
    EXPECT_EQ(version, 9u);
    value.back() = static_cast<char>(value.back() ^ 1);
    EXPECT_TRUE(DecodeValue(value, &id, &version).IsCorruption());
  }
  uint64_t id = 0;
  uint64_t version = 0;
  EXPECT_TRUE(DecodeValue("short", &id, &version).IsCorruption());
}

TEST(VerifierTest, FindsStaleLostAndForeign) {
  Verifier verifier(kKeys);
  EXPECT_TRUE(verifier.CheckMissing(1, verifier.Floor(1)).ok());
  EXPECT_EQ(WriteOnce(&verifier, 1), 1u);
  EXPECT_EQ(WriteOnce(&verifier, 1), 2u);
  const uint32_t floor = verifier.Floor(1);
  EXPECT_EQ(floor, 2u);
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, 2)).ok());
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, 1)).IsCorruption());
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, 3)).IsCorruption());
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(2, 2)).IsCorruption());
  EXPECT_TRUE(verifier.CheckFound(1, floor, "junk").IsCorruption());
  EXPECT_TRUE(verifier.CheckMissing(1, floor).IsCorruption());
}

TEST(VerifierTest, AllowsWhatRacesWithTheRead) {
  Verifier verifier(kKeys);
  WriteOnce(&verifier, 1);
  const uint32_t floor = verifier.Floor(1);
  const auto lock = verifier.LockKey(1);
  const uint32_t version = verifier.BeginWrite(1);
  // While the write is unfinished, the old and the new version are both right.
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, 1)).ok());
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, version)).ok());
  verifier.FinishWrite(1, version);
  // A read that started earlier may still return the old version.
  EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, 1)).ok());
  EXPECT_TRUE(
      verifier.CheckFound(1, verifier.Floor(1), ValueOf(1, 1)).IsCorruption());
}

TEST(VerifierTest, Deletions) {
  Verifier verifier(kKeys);
  WriteOnce(&verifier, 1);
  {
    const auto lock = verifier.LockKey(1);
    const uint32_t floor = verifier.Floor(1);
    const uint32_t version = verifier.BeginDelete(1);
    EXPECT_TRUE(verifier.CheckMissing(1, floor).ok());
    EXPECT_TRUE(verifier.CheckFound(1, floor, ValueOf(1, 1)).ok());
    verifier.FinishWrite(1, version);
  }
  EXPECT_FALSE(verifier.MustExist(1));
  EXPECT_TRUE(verifier.CheckMissing(1, verifier.Floor(1)).ok());
  EXPECT_TRUE(
      verifier.CheckFound(1, verifier.Floor(1), ValueOf(1, 1)).IsCorruption());
  WriteOnce(&verifier, 1);
  EXPECT_TRUE(verifier.MustExist(1));
  EXPECT_TRUE(verifier.CheckMissing(1, verifier.Floor(1)).IsCorruption());
}

class VerifiedScanTest : public testing::Test {
 public:
  VerifiedScanTest()
      : path_(std::filesystem::temp_directory_path() /
              ("verified_scan_test." + std::to_string(getpid()))),
        key_space_(24),
        verifier_(kKeys) {
    Options options;
    EXPECT_TRUE(DestroyDB(path_, options).ok());
    options.create_if_missing = true;
    EXPECT_TRUE(DB::Open(options, path_, &db_).ok());
    for (uint64_t id = 0; id < kKeys; ++id) {
      Put(id, WriteOnce(&verifier_, id));
    }
  }

  ~VerifiedScanTest() override {
    db_.reset();
    EXPECT_TRUE(DestroyDB(path_, Options()).ok());
  }

 protected:
  std::string Key(uint64_t id) const {
    std::string key;
    key_space_.KeyOf(id, &key);
    return key;
  }

  void Put(uint64_t id, uint64_t version) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(id), ValueOf(id, version)).ok());
  }

  Status VerifyAll() {
    uint64_t keys = 0;
    return VerifyWholeDb(db_.get(), key_space_, verifier_, kKeys, &keys);
  }

  const std::string path_;
  const SyntheticKeySpace key_space_;
  Verifier verifier_;
  std::unique_ptr<DB> db_;
};

TEST_F(VerifiedScanTest, AcceptsWhatWasWritten) {
  EXPECT_TRUE(VerifyAll().ok());
  uint64_t keys = 0;
  EXPECT_TRUE(
      VerifiedScan(db_.get(), key_space_, verifier_, Key(3), 10, &keys).ok());
  EXPECT_GT(keys, 0u);
  Verifier adopted(kKeys);
  uint64_t max_id = 0;
  EXPECT_TRUE(
      AdoptWholeDb(db_.get(), key_space_, &adopted, &keys, &max_id).ok());
  EXPECT_EQ(keys, kKeys);
  EXPECT_EQ(max_id, kKeys - 1);
  EXPECT_EQ(adopted.Floor(5), 1u);
}

TEST_F(VerifiedScanTest, FindsAStaleValue) {
  WriteOnce(&verifier_, 3);
  EXPECT_TRUE(VerifyAll().IsCorruption());
  uint64_t keys = 0;
  EXPECT_TRUE(VerifiedScan(db_.get(), key_space_, verifier_, Key(3), 10, &keys)
                  .IsCorruption());
}

TEST_F(VerifiedScanTest, FindsALostKey) {
  ASSERT_TRUE(db_->Delete(WriteOptions(), Key(3)).ok());
  EXPECT_TRUE(VerifyAll().IsCorruption());
}

TEST_F(VerifiedScanTest, FindsAForeignKey) {
  ASSERT_TRUE(db_->Put(WriteOptions(), "foreign", "value").ok());
  EXPECT_TRUE(VerifyAll().IsCorruption());
}

TEST_F(VerifiedScanTest, FindsADeletedKeyThatIsBack) {
  {
    const auto lock = verifier_.LockKey(3);
    verifier_.FinishWrite(3, verifier_.BeginDelete(3));
  }
  EXPECT_TRUE(VerifyAll().IsCorruption());
}

TEST_F(VerifiedScanTest, SnapshotProbeComparesWithItself) {
  SnapshotProbe probe(db_.get());
  ASSERT_TRUE(probe.Start({Key(1), Key(2), "missing"}).ok());
  EXPECT_TRUE(probe.active());
  Put(1, 2);
  EXPECT_TRUE(probe.Finish().ok());
  EXPECT_FALSE(probe.active());
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
