//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/format.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "util/coding.h"
#include "util/crc32c.h"
#include "util/hash.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr char kRunSuffix[] = ".run";
constexpr size_t kRunNameDigits = 8;
constexpr char kManifestName[] = "MANIFEST";
constexpr char kManifestTempName[] = "MANIFEST.tmp";
constexpr char kHitRatesName[] = "HIT_RATES";

constexpr uint64_t kRepeatedFlag = 1;
constexpr uint64_t kHotFlag = 2;
constexpr int kFlagBits = 2;
// Upper bounds for what writers produce: RocksDB's largest value, and the
// largest counter_max that RaltOptions accepts.
constexpr uint64_t kMaxValueBytes = uint64_t{4} << 30;
constexpr uint64_t kMaxCounter = 1000000 * kCounterUnit;
}  // namespace

std::string RunFileName(const std::string& path, uint64_t number) {
  char name[32];
  snprintf(name, sizeof(name), "/%08" PRIu64 "%s", number, kRunSuffix);
  return path + name;
}

std::string ManifestFileName(const std::string& path) {
  return path + "/" + kManifestName;
}

std::string ManifestTempFileName(const std::string& path) {
  return path + "/" + kManifestTempName;
}

std::string HitRatesFileName(const std::string& path) {
  return path + "/" + kHitRatesName;
}

bool ParseRunFileName(const std::string& name, uint64_t* number) {
  Slice rest(name);
  if (!rest.ends_with(kRunSuffix)) {
    return false;
  }
  rest.remove_suffix(strlen(kRunSuffix));
  if (rest.size() < kRunNameDigits || rest.size() > 19) {
    return false;
  }
  *number = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] < '0' || rest[i] > '9') {
      return false;
    }
    *number = *number * 10 + static_cast<uint64_t>(rest[i] - '0');
  }
  return true;
}

bool IsRaltFileName(const std::string& name) {
  uint64_t number;
  return name == kManifestName || name == kManifestTempName ||
         name == kHitRatesName || ParseRunFileName(name, &number);
}

uint64_t MakeStamp(const std::string& db_id, uint32_t cf_id) {
  return Hash64(db_id.data(), db_id.size(), cf_id);
}

void AppendBlockTrailer(std::string* block) {
  block->push_back(kPlainBlock);
  PutFixed32(block, crc32c::Mask(crc32c::Value(block->data(), block->size())));
}

Status CheckBlock(const Slice& block, const std::string& file, uint64_t offset,
                  Slice* payload) {
  const auto where = [&] { return file + " offset " + std::to_string(offset); };
  if (block.size() < kBlockTrailerBytes) {
    return Status::Corruption("RALT block too short", where());
  }
  const size_t checked_bytes = block.size() - 4;
  const uint32_t expected =
      crc32c::Unmask(DecodeFixed32(block.data() + checked_bytes));
  if (crc32c::Value(block.data(), checked_bytes) != expected) {
    return Status::Corruption("RALT block checksum mismatch", where());
  }
  if (block[checked_bytes - 1] != kPlainBlock) {
    // A newer format would be recognised by its footer.
    return Status::Corruption("RALT block type unknown", where());
  }
  *payload = Slice(block.data(), checked_bytes - 1);
  return Status::OK();
}

void RunFooter::EncodeTo(std::string* dst) const {
  const size_t start = dst->size();
  for (const BlockHandle* handle : {&filter, &index, &properties}) {
    PutFixed64(dst, handle->offset);
    PutFixed64(dst, handle->bytes);
  }
  PutFixed32(dst, kRaltFormatVersion);
  PutFixed32(dst, crc32c::Mask(
                      crc32c::Value(dst->data() + start, dst->size() - start)));
  PutFixed64(dst, kRunMagic);
}

Status RunFooter::DecodeFrom(const Slice& input, const std::string& file) {
  if (input.size() != kEncodedBytes) {
    return Status::Corruption("RALT run too short for a footer", file);
  }
  const char* p = input.data();
  if (DecodeFixed64(p + kEncodedBytes - 8) != kRunMagic) {
    return Status::Corruption("RALT run footer has the wrong magic", file);
  }
  const size_t crc_offset = kEncodedBytes - 12;
  if (crc32c::Value(p, crc_offset) !=
      crc32c::Unmask(DecodeFixed32(p + crc_offset))) {
    return Status::Corruption("RALT run footer checksum mismatch", file);
  }
  if (DecodeFixed32(p + crc_offset - 4) > kRaltFormatVersion) {
    return Status::NotSupported("RALT run of a newer format", file);
  }
  for (BlockHandle* handle : {&filter, &index, &properties}) {
    handle->offset = DecodeFixed64(p);
    handle->bytes = DecodeFixed64(p + 8);
    p += 16;
  }
  return Status::OK();
}

void RunProperties::EncodeTo(std::string* dst) const {
  PutFixed64(dst, stamp);
  for (uint64_t value : {file_number, written_at.tick, written_at.period,
                         records, hot_records, tracked_bytes, hot_bytes,
                         data_bytes, static_cast<uint64_t>(filter_probes)}) {
    PutVarint64(dst, value);
  }
  PutLengthPrefixedSlice(dst, smallest);
  PutLengthPrefixedSlice(dst, largest);
}

bool RunProperties::DecodeFrom(Slice input) {
  if (!GetFixed64(&input, &stamp)) {
    return false;
  }
  uint64_t probes = 0;
  for (uint64_t* value :
       {&file_number, &written_at.tick, &written_at.period, &records,
        &hot_records, &tracked_bytes, &hot_bytes, &data_bytes, &probes}) {
    if (!GetVarint64(&input, value)) {
      return false;
    }
  }
  Slice first_key;
  Slice last_key;
  if (probes > 64 || !GetLengthPrefixedSlice(&input, &first_key) ||
      !GetLengthPrefixedSlice(&input, &last_key)) {
    return false;
  }
  filter_probes = static_cast<uint32_t>(probes);
  smallest = first_key.ToString();
  largest = last_key.ToString();
  return true;
}

void EncodeRecord(const Slice& previous_key, const AccessRecord& record,
                  LogicalTime written_at, std::string* dst) {
  const size_t shared = record.key.difference_offset(previous_key);
  const uint64_t counter =
      record.counter_end > written_at.period
          ? std::min(record.counter_end - written_at.period, kMaxCounter)
          : 0;
  const uint64_t age =
      written_at.tick > record.tick ? written_at.tick - record.tick : 0;
  PutVarint32Varint32Varint64(dst, static_cast<uint32_t>(shared),
                              static_cast<uint32_t>(record.key.size() - shared),
                              std::min(record.value_bytes, kMaxValueBytes));
  PutVarint64Varint64(dst, age,
                      counter << kFlagBits |
                          (record.repeated ? kRepeatedFlag : 0) |
                          (record.hot ? kHotFlag : 0));
  uint32_t score_bits;
  static_assert(sizeof(score_bits) == sizeof(record.score));
  memcpy(&score_bits, &record.score, sizeof(score_bits));
  PutFixed32(dst, score_bits);
  dst->append(record.key.data() + shared, record.key.size() - shared);
}

bool DecodeRecord(Slice* input, LogicalTime written_at, std::string* key,
                  AccessRecord* record) {
  const char* p = input->data();
  const char* const limit = p + input->size();
  uint32_t shared;
  uint32_t unshared;
  uint64_t age;
  uint64_t counter_and_flags;
  if ((p = GetVarint32Ptr(p, limit, &shared)) == nullptr ||
      (p = GetVarint32Ptr(p, limit, &unshared)) == nullptr ||
      (p = GetVarint64Ptr(p, limit, &record->value_bytes)) == nullptr ||
      (p = GetVarint64Ptr(p, limit, &age)) == nullptr ||
      (p = GetVarint64Ptr(p, limit, &counter_and_flags)) == nullptr ||
      shared > key->size() ||
      static_cast<uint64_t>(limit - p) < uint64_t{unshared} + 4) {
    return false;
  }
  const uint32_t score_bits = DecodeFixed32(p);
  p += 4;
  key->resize(shared);
  key->append(p, unshared);
  p += unshared;

  const uint64_t counter = counter_and_flags >> kFlagBits;
  if (record->value_bytes > kMaxValueBytes || counter > kMaxCounter) {
    return false;
  }
  float score;
  memcpy(&score, &score_bits, sizeof(score));
  // A checksum does not prove that the writer was right: let no NaN or infinity
  // through.
  record->score = score >= 0 && score < 1e30f ? score : 0;
  record->key = *key;
  record->tick = written_at.tick > age ? written_at.tick - age : 0;
  record->counter_end = written_at.period + counter;
  record->repeated = (counter_and_flags & kRepeatedFlag) != 0;
  record->hot = (counter_and_flags & kHotFlag) != 0;
  *input = Slice(p, static_cast<size_t>(limit - p));
  return true;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
