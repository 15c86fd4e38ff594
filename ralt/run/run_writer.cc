//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/run_writer.h"

#include <algorithm>
#include <cassert>

#include "plugin/hotrap/ralt/run/run_filter.h"
#include "plugin/hotrap/ralt/run/short_keys.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// A long index key may take at most 1 / kBoundDivisor of the bytes of the
// previous block; otherwise that block is continued. A bound of the run that is
// longer than usual keys may take at most the same fraction of the data.
constexpr uint64_t kBoundDivisor = 8;
constexpr uint64_t kUsualKeyBytes = 2 << 10;
}  // namespace

RunWriter::RunWriter(const RunEnv& env, uint64_t file_number,
                     LogicalTime written_at, std::string above)
    : env_(env), io_(env.io_options()), above_(std::move(above)) {
  properties_.stamp = env.stamp;
  properties_.file_number = file_number;
  properties_.written_at = written_at;
}

Status RunWriter::Open() {
  return WritableFileWriter::Create(
      env_.fs, RunFileName(env_.path, properties_.file_number),
      env_.file_options, &file_, nullptr);
}

Status RunWriter::Add(const AccessRecord& record, uint64_t key_hash) {
  assert(properties_.records == 0 ||
         env_.order.Less(previous_key_, record.key));
  if (BlockIsFull()) {
    std::string bound = BoundOf(record.key);
    if (MayBeginBlock(bound)) {
      const Status s = FlushBlock();
      if (!s.ok()) {
        return s;
      }
      block_bound_ = std::move(bound);
    }
  }
  if (properties_.records == 0) {
    block_bound_ = BoundOf(record.key);
  }
  if (block_.empty()) {
    EncodeRecord(Slice(), record, properties_.written_at, &block_);
  } else {
    EncodeRecord(previous_key_, record, properties_.written_at, &block_);
  }
  if (properties_.records == 0) {
    properties_.smallest.assign(record.key.data(), record.key.size());
  }
  previous_key_.assign(record.key.data(), record.key.size());
  ++properties_.records;
  properties_.tracked_bytes += record.HotrapBytes();
  if (record.hot) {
    ++properties_.hot_records;
    properties_.hot_bytes += record.HotrapBytes();
    block_hot_bytes_ += record.HotrapBytes();
  }
  filter_entries_.push_back(RunFilter::EntryOf(key_hash, record.hot));
  return Status::OK();
}

std::string RunWriter::BoundOf(const Slice& first_key) const {
  if (properties_.records > 0) {
    return ShortLowerBound(env_.order, previous_key_, first_key);
  }
  return above_.empty() ? ShortLowerBound(env_.order, first_key)
                        : ShortLowerBound(env_.order, above_, first_key);
}

bool RunWriter::BlockIsFull() const {
  return block_.size() + kBlockTrailerBytes >= env_.block_bytes;
}

bool RunWriter::MayBeginBlock(const std::string& bound) const {
  return bound.size() <=
         std::max<uint64_t>(block_.size() / kBoundDivisor, kShortKeyBytes);
}

void RunWriter::ShortenBounds(const Slice* below) {
  const uint64_t long_bytes = std::max<uint64_t>(
      properties_.data_bytes / kBoundDivisor, kUsualKeyBytes);
  if (properties_.smallest.size() > long_bytes) {
    properties_.smallest = index_.first_key(0).ToString();
  }
  properties_.largest = previous_key_;
  if (properties_.largest.size() > long_bytes) {
    properties_.largest = ShortUpperBound(env_.order, previous_key_, below);
  }
}

Status RunWriter::FlushBlock() {
  AppendBlockTrailer(&block_);
  index_.Add(block_bound_, block_.size(), block_hot_bytes_);
  properties_.data_bytes += block_.size();
  const Status s = Append(block_);
  block_.clear();
  block_hot_bytes_ = 0;
  return s;
}

Status RunWriter::Append(const std::string& bytes) {
  file_bytes_ += bytes.size();
  env_.bytes_written.fetch_add(bytes.size(), std::memory_order_relaxed);
  return file_->Append(io_, bytes);
}

Status RunWriter::Finish(const Slice* below) {
  assert(properties_.records > 0);
  TEST_SYNC_POINT("RunWriter::Finish");
  Status s;
  if (!block_.empty()) {
    s = FlushBlock();
  }
  const RunFilter filter =
      RunFilter::Build(filter_entries_, env_.bloom_bits_per_key);
  properties_.filter_probes = filter.probes();
  ShortenBounds(below);

  std::string filter_block = filter.bits();
  std::string index_block;
  index_.EncodeTo(&index_block);
  std::string properties_block;
  properties_.EncodeTo(&properties_block);

  RunFooter footer;
  uint64_t offset = properties_.data_bytes;
  std::string tail;
  const auto add_block = [&](std::string* block, BlockHandle* handle) {
    AppendBlockTrailer(block);
    *handle = {offset, block->size()};
    offset += block->size();
    tail += *block;
  };
  add_block(&filter_block, &footer.filter);
  add_block(&index_block, &footer.index);
  add_block(&properties_block, &footer.properties);
  footer.EncodeTo(&tail);
  if (s.ok()) {
    s = Append(tail);
  }
  if (s.ok()) {
    s = file_->Sync(io_, /*use_fsync=*/false);
  }
  if (s.ok()) {
    s = file_->Close(io_);
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
