//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/copies_collector.h"

#include <memory>
#include <string>
#include <utility>

#include "plugin/hotrap/db/copies/promoted_copies.h"

namespace ROCKSDB_NAMESPACE {

namespace {

class CopiesCollector : public InternalTblPropColl {
 public:
  CopiesCollector(const CopiesCollectorOptions& options, IsCopy is_copy)
      : options_(options), is_copy_(std::move(is_copy)) {}

  const char* Name() const override { return "HotRapCopiesCollector"; }

  Status InternalAdd(const Slice& key, const Slice& /*value*/,
                     uint64_t /*file_size*/) override {
    ParsedInternalKey ikey;
    Status s = ParseInternalKey(key, &ikey, /*log_err_key=*/false);
    if (s.ok() && is_copy_(ikey)) {
      copies_.Add(
          StripTimestampFromUserKey(ikey.user_key, options_.timestamp_size),
          ikey.sequence);
      need_compact_ |= options_.sinks != nullptr && options_.sinks(ikey);
    }
    return s;
  }

  void BlockAdd(uint64_t /*block_uncomp_bytes*/,
                uint64_t /*block_compressed_bytes_fast*/,
                uint64_t /*block_compressed_bytes_slow*/) override {}

  Status Finish(UserCollectedProperties* properties) override {
    if (copies_.count() > 0) {
      (*properties)[kPromotedCopiesProperty] = copies_.Finish();
    }
    return Status::OK();
  }

  bool NeedCompact() const override { return need_compact_; }

  UserCollectedProperties GetReadableProperties() const override {
    return {{kPromotedCopiesProperty, std::to_string(copies_.count())}};
  }

 private:
  const CopiesCollectorOptions options_;
  const IsCopy is_copy_;
  PromotedCopiesBuilder copies_;
  bool need_compact_ = false;
};

class CopiesCollectorFactory : public InternalTblPropCollFactory {
 public:
  CopiesCollectorFactory(const CopiesCollectorOptions& options,
                         IsCopyFactory make_is_copy)
      : options_(options), make_is_copy_(std::move(make_is_copy)) {}

  InternalTblPropColl* CreateInternalTblPropColl(
      uint32_t /*column_family_id*/, int /*level_at_creation*/,
      int /*num_levels*/, SequenceNumber /*threshold*/) override {
    return new CopiesCollector(options_, make_is_copy_());
  }

  const char* Name() const override { return "HotRapCopiesCollector"; }

 private:
  const CopiesCollectorOptions options_;
  const IsCopyFactory make_is_copy_;
};

// Wraps a column family's own factory without owning it.
class BorrowedFactory : public InternalTblPropCollFactory {
 public:
  explicit BorrowedFactory(InternalTblPropCollFactory* factory)
      : factory_(factory) {}

  InternalTblPropColl* CreateInternalTblPropColl(
      uint32_t column_family_id, int level_at_creation, int num_levels,
      SequenceNumber threshold) override {
    return factory_->CreateInternalTblPropColl(
        column_family_id, level_at_creation, num_levels, threshold);
  }

  const char* Name() const override { return factory_->Name(); }

 private:
  InternalTblPropCollFactory* const factory_;
};

}  // namespace

InternalTblPropCollFactories WithCopiesCollector(
    const InternalTblPropCollFactories& others,
    const CopiesCollectorOptions& options, IsCopyFactory make_is_copy) {
  InternalTblPropCollFactories factories;
  for (const auto& factory : others) {
    factories.push_back(std::make_unique<BorrowedFactory>(factory.get()));
  }
  factories.push_back(std::make_unique<CopiesCollectorFactory>(
      options, std::move(make_is_copy)));
  return factories;
}

}  // namespace ROCKSDB_NAMESPACE
