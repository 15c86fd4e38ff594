//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/run_file.h"

#include <algorithm>
#include <cassert>

namespace ROCKSDB_NAMESPACE::ralt {

Status RunFile::Open(const RunEnv& env, uint64_t number, uint64_t file_bytes,
                     uint64_t tail_bytes, std::shared_ptr<RunFile>* file) {
  const std::string name = RunFileName(env.path, number);
  uint64_t actual_bytes = 0;
  Status s =
      env.fs->GetFileSize(name, env.io_options(), &actual_bytes, nullptr);
  if (!s.ok()) {
    return s;
  }
  if (actual_bytes != file_bytes || tail_bytes > file_bytes ||
      tail_bytes < RunFooter::kEncodedBytes) {
    return Status::Corruption("RALT run has the wrong size", name);
  }
  std::unique_ptr<FSRandomAccessFile> raw;
  s = env.fs->NewRandomAccessFile(name, env.file_options, &raw, nullptr);
  if (!s.ok()) {
    return s;
  }
  auto reader = std::make_unique<RandomAccessFileReader>(
      std::move(raw), name, env.clock, nullptr, nullptr,
      Histograms::HISTOGRAM_ENUM_MAX, nullptr, env.rate_limiter.get());
  std::shared_ptr<RunFile> opened(
      new RunFile(env, std::move(reader), file_bytes));
  s = opened->LoadTail(tail_bytes);
  if (s.ok() && opened->number() != number) {
    s = Status::Corruption("RALT run has the wrong file number", name);
  }
  if (s.ok() && opened->properties_.stamp != env.stamp) {
    s = Status::Corruption("RALT run belongs to another store", name);
  }
  if (s.ok()) {
    *file = std::move(opened);
    if (env.space != nullptr) {
      env.space->OnFileAdded(name, file_bytes);
    }
  }
  return s;
}

Status RunFile::LoadTail(uint64_t tail_bytes) {
  const std::string& name = reader_->file_name();
  const uint64_t tail_offset = file_bytes_ - tail_bytes;
  std::string scratch;
  Slice tail;
  Status s = Read(tail_offset, tail_bytes, &tail, &scratch);
  if (!s.ok()) {
    return s;
  }
  RunFooter footer;
  s = footer.DecodeFrom(
      Slice(tail.data() + tail_bytes - RunFooter::kEncodedBytes,
            RunFooter::kEncodedBytes),
      name);
  if (!s.ok()) {
    return s;
  }
  Slice payloads[3];
  const BlockHandle handles[3] = {footer.filter, footer.index,
                                  footer.properties};
  uint64_t expected_offset = tail_offset;
  for (int i = 0; i < 3; ++i) {
    if (handles[i].offset != expected_offset ||
        handles[i].bytes > file_bytes_ - handles[i].offset) {
      return Status::Corruption("RALT run footer has invalid offsets", name);
    }
    s = CheckBlock(Slice(tail.data() + (handles[i].offset - tail_offset),
                         handles[i].bytes),
                   name, handles[i].offset, &payloads[i]);
    if (!s.ok()) {
      return s;
    }
    expected_offset += handles[i].bytes;
  }
  if (!properties_.DecodeFrom(payloads[2]) ||
      properties_.data_bytes != tail_offset) {
    return Status::Corruption("RALT run properties malformed", name);
  }
  if (!index_.DecodeFrom(payloads[1], properties_.data_bytes, env_.order)) {
    return Status::Corruption("RALT run index malformed", name);
  }
  if (payloads[0].size() % 64 != 0 ||
      payloads[0].empty() != (properties_.filter_probes == 0)) {
    return Status::Corruption("RALT run filter malformed", name);
  }
  filter_ = RunFilter(payloads[0].ToString(), properties_.filter_probes);
  return Status::OK();
}

uint64_t RunFile::HotBytes(const Slice& begin, const Slice& end,
                           uint64_t* error) const {
  const KeyOrder& order = env_.order;
  if (!order.Less(begin, end) || order.Less(properties_.largest, begin) ||
      !order.Less(properties_.smallest, end)) {
    return 0;
  }
  const uint64_t before = HotBytesBelow(begin, error);
  const uint64_t upto = HotBytesBelow(end, error);
  // Both ends are in one block: count half of it, too.
  return upto > before
             ? upto - before
             : before - index_.hot_bytes_before(index_.FindBlock(begin, order));
}

uint64_t RunFile::HotBytesBelow(const Slice& key, uint64_t* error) const {
  const KeyOrder& order = env_.order;
  if (order.Less(properties_.largest, key)) {
    return properties_.hot_bytes;
  }
  if (!order.Less(properties_.smallest, key)) {
    return 0;
  }
  const size_t block = index_.FindBlock(key, order);
  const uint64_t before = index_.hot_bytes_before(block);
  if (!order.Less(index_.first_key(block), key)) {
    return before;
  }
  const uint64_t half = (index_.hot_bytes_before(block + 1) - before) / 2;
  *error += half;
  return before + half;
}

Status RunFile::Read(uint64_t offset, uint64_t bytes, Slice* result,
                     std::string* scratch) const {
  scratch->resize(bytes);
  // Without a buffer of ours, direct reads are copied to `scratch`, too.
  Status s = reader_->Read(env_.io_options(), offset, bytes, result,
                           scratch->data(), nullptr);
  env_.bytes_read.fetch_add(bytes, std::memory_order_relaxed);
  if (!s.ok()) {
    env_.failed_reads.fetch_add(1, std::memory_order_relaxed);
  }
  if (s.ok() && result->size() != bytes) {
    s = Status::Corruption("RALT run truncated", reader_->file_name());
  }
  return s;
}

void RunCursor::SeekToFirst() {
  status_ = Status::OK();
  if (EnterBlock(0)) {
    Next();
  }
}

void RunCursor::Seek(const Slice& target) {
  status_ = Status::OK();
  const KeyOrder& order = file_->env().order;
  if (!EnterBlock(file_->index().FindBlock(target, order))) {
    return;
  }
  do {
    Next();
  } while (valid_ && order.Less(record_.key, target));
}

void RunCursor::Next() {
  while (rest_.empty()) {
    if (block_ + 1 == file_->index().blocks()) {
      valid_ = false;
      return;
    }
    if (!EnterBlock(block_ + 1)) {
      return;
    }
  }
  if (!DecodeRecord(&rest_, file_->properties().written_at, &key_, &record_)) {
    Fail(
        Status::Corruption("RALT record malformed",
                           file_->name() + " block " + std::to_string(block_)));
    return;
  }
  valid_ = true;
}

bool RunCursor::EnterBlock(size_t block) {
  valid_ = false;
  if ((block < read_begin_ || block >= read_end_) && !ReadFrom(block)) {
    return false;
  }
  const RunIndex& index = file_->index();
  const uint64_t offset = index.offset(block);
  const Status s =
      CheckBlock(Slice(read_.data() + (offset - index.offset(read_begin_)),
                       index.bytes(block)),
                 file_->name(), offset, &rest_);
  if (!s.ok()) {
    Fail(s);
    return false;
  }
  block_ = block;
  key_.clear();
  return true;
}

bool RunCursor::ReadFrom(size_t block) {
  const RunIndex& index = file_->index();
  size_t end = block + 1;
  while (end < index.blocks() &&
         index.offset(end + 1) - index.offset(block) <= readahead_bytes_) {
    ++end;
  }
  const Status s =
      file_->Read(index.offset(block), index.offset(end) - index.offset(block),
                  &read_, &scratch_);
  if (!s.ok()) {
    Fail(s);
    return false;
  }
  read_begin_ = block;
  read_end_ = end;
  return true;
}

void RunCursor::Fail(const Status& s) {
  status_ = s;
  valid_ = false;
  rest_.clear();
  read_begin_ = read_end_ = 0;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
