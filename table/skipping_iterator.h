//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Filters the records of an iterator, for the input of a compaction.
//
// Moves forward only, which is all that CompactionIterator needs. Not
// thread-safe.

#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <utility>

#include "db/dbformat.h"
#include "table/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

class SkippingIterator : public InternalIterator {
 public:
  using Skips = std::function<bool(const ParsedInternalKey&)>;

  // `records` must outlive it.
  SkippingIterator(InternalIterator* records, Skips skips)
      : records_(records), skips_(std::move(skips)) {}

  uint64_t num_skipped() const { return num_skipped_; }

  bool Valid() const override { return records_->Valid(); }
  void SeekToFirst() override {
    records_->SeekToFirst();
    Skip();
  }
  void Seek(const Slice& target) override {
    records_->Seek(target);
    Skip();
  }
  void Next() override {
    records_->Next();
    Skip();
  }
  Slice key() const override { return records_->key(); }
  Slice value() const override { return records_->value(); }
  bool PrepareValue() override { return records_->PrepareValue(); }
  Status status() const override { return records_->status(); }
  bool IsDeleteRangeSentinelKey() const override {
    return records_->IsDeleteRangeSentinelKey();
  }
  void SetPinnedItersMgr(PinnedIteratorsManager* manager) override {
    records_->SetPinnedItersMgr(manager);
  }
  bool IsKeyPinned() const override { return records_->IsKeyPinned(); }
  bool IsValuePinned() const override { return records_->IsValuePinned(); }

  void SeekToLast() override { assert(false); }
  void SeekForPrev(const Slice& /*target*/) override { assert(false); }
  void Prev() override { assert(false); }

 private:
  void Skip() {
    ParsedInternalKey ikey;
    // CompactionIterator reports keys that cannot be parsed.
    while (
        records_->Valid() && !records_->IsDeleteRangeSentinelKey() &&
        ParseInternalKey(records_->key(), &ikey, /*log_err_key=*/false).ok() &&
        skips_(ikey)) {
      num_skipped_++;
      records_->Next();
    }
  }

  InternalIterator* const records_;
  const Skips skips_;
  uint64_t num_skipped_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
