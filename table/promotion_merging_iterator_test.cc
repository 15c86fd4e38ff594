//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/table/promotion_merging_iterator.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/table/promotion_record_iterator.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

namespace {

std::string InternalKeyOf(const std::string& user_key, SequenceNumber seq,
                          ValueType type = kTypeValue) {
  std::string key;
  AppendInternalKey(&key, ParsedInternalKey(user_key, seq, type));
  return key;
}

// Simulates the files of a compaction, like MakeInputIterator().
class FakeFiles : public InternalIterator {
 public:
  struct Entry {
    std::string key;
    std::string value;
    bool sentinel = false;
  };

  FakeFiles(std::vector<Entry> entries, const InternalKeyComparator* icmp)
      : entries_(std::move(entries)), icmp_(icmp) {}

  // Makes iteration fail with `status` before the entry with this index.
  void FailAt(size_t index, Status status) {
    fail_at_ = index;
    failure_ = std::move(status);
  }

  bool Valid() const override {
    return index_ < entries_.size() && index_ < fail_at_;
  }
  void SeekToFirst() override { index_ = 0; }
  void Seek(const Slice& target) override {
    index_ = 0;
    while (Valid() && icmp_->Compare(key(), target) < 0) {
      index_++;
    }
  }
  void Next() override { index_++; }
  Slice key() const override { return entries_[index_].key; }
  Slice value() const override { return entries_[index_].value; }
  Status status() const override {
    return index_ >= fail_at_ ? failure_ : Status::OK();
  }
  bool IsDeleteRangeSentinelKey() const override {
    return entries_[index_].sentinel;
  }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }
  void SeekToLast() override { index_ = entries_.size(); }
  void SeekForPrev(const Slice& /*target*/) override {
    index_ = entries_.size();
  }
  void Prev() override { index_ = entries_.size(); }

 private:
  const std::vector<Entry> entries_;
  const InternalKeyComparator* const icmp_;
  size_t index_ = 0;
  size_t fail_at_ = SIZE_MAX;
  Status failure_;
};

}  // namespace

class PromotionMergingIteratorTest : public testing::Test {
 public:
  void Add(const std::string& key, SequenceNumber seq) {
    auto record = std::make_shared<PromotionRecord>();
    record->user_key = key;
    record->seq = seq;
    record->value = "promoted " + key;
    records_.push_back(std::move(record));
  }

  // Returns the remaining keys and values; sentinels are marked with a star.
  static std::vector<std::string> Rest(InternalIterator* it) {
    std::vector<std::string> rest;
    for (; it->Valid(); it->Next()) {
      EXPECT_TRUE(it->PrepareValue());
      const ParsedInternalKey ikey = Parse(it->key());
      rest.push_back(
          ikey.user_key.ToString() + "@" + std::to_string(ikey.sequence) + " " +
          it->value().ToString() + (it->IsDeleteRangeSentinelKey() ? "*" : ""));
    }
    return rest;
  }
  static ParsedInternalKey Parse(const Slice& key) {
    ParsedInternalKey ikey;
    EXPECT_OK(ParseInternalKey(key, &ikey, /*log_err_key=*/true));
    return ikey;
  }

 protected:
  const InternalKeyComparator icmp_{BytewiseComparator()};
  std::vector<PromotionRecordPtr> records_;
};

TEST_F(PromotionMergingIteratorTest, InOrderOfInternalKeys) {
  Add("a", 0);
  Add("c", 5);
  Add("d", 7);
  Add("z", 9);
  FakeFiles files({{InternalKeyOf("b", 8), "file b"},
                   {InternalKeyOf("c", 9), "newer c"},
                   {InternalKeyOf("c", 2), "older c"},
                   {InternalKeyOf("d", 7), "the same d"}},
                  &icmp_);
  PromotionRecordIterator promoted(&records_);
  PromotionMergingIterator it(&files, &promoted, &icmp_);
  it.SeekToFirst();
  // Sequence number 0 has become 1; of two equal keys the promoted is first.
  EXPECT_EQ(
      (std::vector<std::string>{
          "a@1 promoted a", "b@8 file b", "c@9 newer c", "c@5 promoted c",
          "c@2 older c", "d@7 promoted d", "d@7 the same d", "z@9 promoted z"}),
      Rest(&it));
  EXPECT_OK(it.status());

  it.Seek(InternalKeyOf("c", 5));
  EXPECT_EQ("c@5 promoted c", Rest(&it).front());
  it.Seek(InternalKeyOf("c", 4));
  EXPECT_EQ("c@2 older c", Rest(&it).front());
  it.Seek(InternalKeyOf("e", kMaxSequenceNumber));
  EXPECT_EQ(std::vector<std::string>{"z@9 promoted z"}, Rest(&it));
  it.Seek(InternalKeyOf("zz", kMaxSequenceNumber));
  EXPECT_FALSE(it.Valid());
}

TEST_F(PromotionMergingIteratorTest, OneSideIsEmpty) {
  PromotionRecordIterator promoted(&records_);
  FakeFiles files({{InternalKeyOf("b", 8), "file b"}}, &icmp_);
  PromotionMergingIterator only_files(&files, &promoted, &icmp_);
  only_files.SeekToFirst();
  EXPECT_EQ(std::vector<std::string>{"b@8 file b"}, Rest(&only_files));

  FakeFiles none({}, &icmp_);
  PromotionMergingIterator nothing(&none, &promoted, &icmp_);
  nothing.SeekToFirst();
  EXPECT_FALSE(nothing.Valid());
  EXPECT_OK(nothing.status());

  Add("a", 3);
  PromotionRecordIterator one(&records_);
  PromotionMergingIterator only_promoted(&none, &one, &icmp_);
  only_promoted.SeekToFirst();
  EXPECT_EQ(std::vector<std::string>{"a@3 promoted a"}, Rest(&only_promoted));
}

// CompactionIterator must learn that such a key is not a record.
TEST_F(PromotionMergingIteratorTest, SentinelsOfRangeTombstones) {
  Add("b", 3);
  FakeFiles files(
      {{InternalKeyOf("a", 8), "file a"},
       {InternalKeyOf("b", kMaxSequenceNumber, kTypeRangeDeletion), "",
        /*sentinel=*/true},
       {InternalKeyOf("c", 2), "file c"}},
      &icmp_);
  PromotionRecordIterator promoted(&records_);
  PromotionMergingIterator it(&files, &promoted, &icmp_);
  it.SeekToFirst();
  EXPECT_EQ((std::vector<std::string>{
                "a@8 file a", "b@" + std::to_string(kMaxSequenceNumber) + " *",
                "b@3 promoted b", "c@2 file c"}),
            Rest(&it));
}

// After an error of the files nothing may be emitted, because missing records
// would look deleted.
TEST_F(PromotionMergingIteratorTest, ErrorOfTheFiles) {
  Add("b", 3);
  Add("x", 3);
  FakeFiles files({{InternalKeyOf("a", 8), "file a"},
                   {InternalKeyOf("c", 8), "file c"},
                   {InternalKeyOf("d", 8), "file d"}},
                  &icmp_);
  files.FailAt(2, Status::Corruption("injected"));
  PromotionRecordIterator promoted(&records_);
  PromotionMergingIterator it(&files, &promoted, &icmp_);
  it.SeekToFirst();
  EXPECT_EQ(
      (std::vector<std::string>{"a@8 file a", "b@3 promoted b", "c@8 file c"}),
      Rest(&it));
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsCorruption());

  // An error at once.
  files.FailAt(0, Status::Corruption("injected"));
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsCorruption());
}

TEST_F(PromotionMergingIteratorTest, PinnedAsFarAsItIs) {
  Add("b", 3);
  FakeFiles files({{InternalKeyOf("a", 8), "file a"}}, &icmp_);
  PromotionRecordIterator promoted(&records_);
  PromotionMergingIterator it(&files, &promoted, &icmp_);
  it.SeekToFirst();
  EXPECT_TRUE(it.IsKeyPinned());
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_FALSE(it.IsKeyPinned());
}

}  // namespace ROCKSDB_NAMESPACE
