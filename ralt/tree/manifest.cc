//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/manifest.h"

#include <cstring>

#include "file/writable_file_writer.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "test_util/sync_point.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Before the body: magic, version, length of the body. After it: checksum.
constexpr size_t kHeaderBytes = 8 + 4 + 8;
constexpr size_t kChecksumBytes = 4;
// Enough for some hundred runs with one key each.
constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

uint32_t FloatBits(float value) {
  uint32_t bits;
  static_assert(sizeof(bits) == sizeof(value));
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FloatFromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

bool GetString(Slice* input, std::string* value) {
  Slice slice;
  if (!GetLengthPrefixedSlice(input, &slice)) {
    return false;
  }
  *value = slice.ToString();
  return true;
}
}  // namespace

void Manifest::EncodeTo(std::string* dst) const {
  std::string body;
  PutLengthPrefixedSlice(&body, db_id);
  PutVarint32(&body, cf_id);
  PutLengthPrefixedSlice(&body, cf_name);
  PutVarint64(&body, next_file_number);
  PutVarint64(&body, clock.accessed_bytes);
  PutVarint64Varint64(&body, clock.tick, clock.slice_start_bytes);
  PutVarint64Varint64(&body, limits.hot_set_bytes, limits.physical_bytes);
  PutVarint64(&body, limits.stable_bytes);
  body.push_back(limits.hot_threshold.stable ? 1 : 0);
  PutFixed32(&body, FloatBits(limits.hot_threshold.score));
  PutFixed32(&body, limits.hot_threshold.tie);
  PutVarint64(&body, runs.size());
  for (const Run& run : runs) {
    PutVarint32Varint64(&body, run.level, run.number);
    PutVarint64Varint64(&body, run.file_bytes, run.tail_bytes);
    PutLengthPrefixedSlice(&body, run.begin);
  }

  const size_t start = dst->size();
  PutFixed64(dst, kManifestMagic);
  PutFixed32(dst, kRaltFormatVersion);
  PutFixed64(dst, body.size());
  dst->append(body);
  PutFixed32(dst, crc32c::Mask(
                      crc32c::Value(dst->data() + start, dst->size() - start)));
}

Status Manifest::DecodeFrom(const Slice& input, const std::string& file) {
  if (input.size() < kHeaderBytes + kChecksumBytes) {
    return Status::Corruption("RALT manifest too short", file);
  }
  const char* p = input.data();
  if (DecodeFixed64(p) != kManifestMagic) {
    return Status::Corruption("RALT manifest has the wrong magic", file);
  }
  // Check the version before the checksum, which a newer format may place
  // elsewhere.
  if (DecodeFixed32(p + 8) > kRaltFormatVersion) {
    return Status::NotSupported("RALT manifest of a newer format", file);
  }
  const uint64_t body_bytes = DecodeFixed64(p + 12);
  if (body_bytes != input.size() - kHeaderBytes - kChecksumBytes) {
    return Status::Corruption("RALT manifest truncated", file);
  }
  const size_t checked_bytes = kHeaderBytes + body_bytes;
  if (crc32c::Value(p, checked_bytes) !=
      crc32c::Unmask(DecodeFixed32(p + checked_bytes))) {
    return Status::Corruption("RALT manifest checksum mismatch", file);
  }

  Slice body(p + kHeaderBytes, body_bytes);
  uint64_t run_count = 0;
  bool ok = GetString(&body, &db_id) && GetVarint32(&body, &cf_id) &&
            GetString(&body, &cf_name);
  for (uint64_t* value : {&next_file_number, &clock.accessed_bytes, &clock.tick,
                          &clock.slice_start_bytes, &limits.hot_set_bytes,
                          &limits.physical_bytes, &limits.stable_bytes}) {
    ok = ok && GetVarint64(&body, value);
  }
  uint32_t score_bits = 0;
  if (ok && !body.empty()) {
    limits.hot_threshold.stable = body[0] != 0;
    body.remove_prefix(1);
  }
  ok = ok && GetFixed32(&body, &score_bits) &&
       GetFixed32(&body, &limits.hot_threshold.tie) &&
       GetVarint64(&body, &run_count);
  limits.hot_threshold.score = FloatFromBits(score_bits);
  runs.clear();
  for (uint64_t i = 0; ok && i < run_count; ++i) {
    Run run;
    ok = GetVarint32(&body, &run.level) && GetVarint64(&body, &run.number) &&
         GetVarint64(&body, &run.file_bytes) &&
         GetVarint64(&body, &run.tail_bytes) && GetString(&body, &run.begin) &&
         run.number < next_file_number && run.level < kMaxLevels;
    runs.push_back(std::move(run));
  }
  if (!ok || !body.empty() || clock.slice_start_bytes > clock.accessed_bytes) {
    return Status::Corruption("RALT manifest malformed", file);
  }
  return Status::OK();
}

Status Manifest::Save(const RunEnv& env, bool* in_doubt,
                      uint64_t* file_bytes) const {
  std::string bytes;
  EncodeTo(&bytes);
  *file_bytes = bytes.size();
  const std::string temp = ManifestTempFileName(env.path);
  const IOOptions io = env.io_options();
  std::unique_ptr<WritableFileWriter> file;
  Status s = WritableFileWriter::Create(env.fs, temp, env.file_options, &file,
                                        nullptr);
  if (s.ok()) {
    s = file->Append(io, bytes);
  }
  if (s.ok()) {
    s = file->Sync(io, /*use_fsync=*/false);
  }
  if (s.ok()) {
    s = file->Close(io);
  }
  TEST_SYNC_POINT("Manifest::Save:BeforeRename");
  TEST_KILL_RANDOM("RaltManifest::Save:BeforeRename:0");
  *in_doubt = s.ok();
  if (s.ok()) {
    s = env.fs->RenameFile(temp, ManifestFileName(env.path), io, nullptr);
  }
  std::unique_ptr<FSDirectory> directory;
  if (s.ok()) {
    s = env.fs->NewDirectory(env.path, io, &directory, nullptr);
  }
  if (s.ok()) {
    s = directory->FsyncWithDirOptions(io, nullptr, DirFsyncOptions());
  }
  env.bytes_written.fetch_add(bytes.size(), std::memory_order_relaxed);
  return s;
}

Status Manifest::Load(const RunEnv& env) {
  const std::string name = ManifestFileName(env.path);
  const IOOptions io = env.io_options();
  Status s = env.fs->FileExists(name, io, nullptr);
  if (!s.ok()) {
    return s;
  }
  uint64_t file_bytes = 0;
  s = env.fs->GetFileSize(name, io, &file_bytes, nullptr);
  if (s.ok() && file_bytes > kMaxBytes) {
    s = Status::Corruption("RALT manifest too large", name);
  }
  if (!s.ok()) {
    return s;
  }
  std::string bytes;
  s = ReadFileToString(env.fs.get(), name, io, &bytes);
  if (!s.ok()) {
    return s;
  }
  return DecodeFrom(bytes, name);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
