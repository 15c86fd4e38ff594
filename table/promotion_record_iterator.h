//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Presents promotion records as a sorted run of internal keys, from which a
// promoted table is built.

#pragma once

#include <string>
#include <vector>

#include "plugin/hotrap/promotion/promotion_record.h"
#include "table/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

// Returns the sequence number for the promoted copy of a record. Bottom-level
// records usually have sequence number 0, and an iterator that finds a key
// twice at 0 returns it twice. A copy at 1 sorts before the original and after
// anything newer.
inline SequenceNumber PromotedSequenceNumber(SequenceNumber seq) {
  return seq == 0 ? 1 : seq;
}

// Moves forward only. The records must be in key order, at most one per user
// key, and must outlive the iterator.
class PromotionRecordIterator : public InternalIterator {
 public:
  explicit PromotionRecordIterator(
      const std::vector<PromotionRecordPtr>* records)
      : records_(records), index_(records->size()) {}

  bool Valid() const override { return index_ < records_->size(); }
  void SeekToFirst() override {
    index_ = 0;
    MakeKey();
  }
  void Next() override {
    assert(Valid());
    index_++;
    MakeKey();
  }
  Slice key() const override {
    assert(Valid());
    return internal_key_;
  }
  Slice value() const override {
    assert(Valid());
    return (*records_)[index_]->value;
  }
  Status status() const override { return status_; }

  void SeekToLast() override { Fail(); }
  void Seek(const Slice& /*target*/) override { Fail(); }
  void SeekForPrev(const Slice& /*target*/) override { Fail(); }
  void Prev() override { Fail(); }

 private:
  void MakeKey() {
    if (!Valid()) {
      return;
    }
    const PromotionRecord& record = *(*records_)[index_];
    internal_key_.clear();
    AppendInternalKey(
        &internal_key_,
        ParsedInternalKey(record.user_key, PromotedSequenceNumber(record.seq),
                          record.type));
  }
  void Fail() {
    index_ = records_->size();
    status_ =
        Status::NotSupported("PromotionRecordIterator moves forward only");
  }

  const std::vector<PromotionRecordPtr>* const records_;
  size_t index_;
  std::string internal_key_;
  Status status_;
};

}  // namespace ROCKSDB_NAMESPACE
