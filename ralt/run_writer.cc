//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run_writer.h"

#include <cassert>

#include "plugin/hotrap/ralt/run_filter.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

RunWriter::RunWriter(const RunEnv& env, uint64_t file_number,
                     LogicalTime written_at)
    : env_(env), io_(env.io_options()) {
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
  if (block_.empty()) {
    block_first_key_.assign(record.key.data(), record.key.size());
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
  if (block_.size() + kBlockTrailerBytes >= env_.block_bytes) {
    return FlushBlock();
  }
  return Status::OK();
}

Status RunWriter::FlushBlock() {
  AppendBlockTrailer(&block_);
  index_.Add(block_first_key_, block_.size(), block_hot_bytes_);
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

Status RunWriter::Finish() {
  assert(properties_.records > 0);
  TEST_SYNC_POINT("RunWriter::Finish");
  Status s;
  if (!block_.empty()) {
    s = FlushBlock();
  }
  const RunFilter filter =
      RunFilter::Build(filter_entries_, env_.bloom_bits_per_key);
  properties_.filter_probes = filter.probes();
  properties_.largest = previous_key_;

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
