//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Encodes and decodes RALT's files. docs/ralt_format.md describes them byte by
// byte.
//
// Thread safety: plain functions and values.

#pragma once

#include <cstdint>
#include <string>

#include "plugin/hotrap/ralt/access/access_record.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE::ralt {

constexpr uint32_t kRaltFormatVersion = 1;
constexpr uint64_t kRunMagic = 0x31004e5552544c52ull;       // "RLTRUN\0" "1"
constexpr uint64_t kManifestMagic = 0x314e414d52544c52ull;  // "RLTRMAN1"

// Every block ends with a type byte and the masked crc32c of everything before
// it.
constexpr size_t kBlockTrailerBytes = 5;
constexpr char kPlainBlock = 0;

// Level 0, and nine more: the last level has ratio^8 times the size of level 1.
constexpr uint32_t kMaxLevels = 10;

std::string RunFileName(const std::string& path, uint64_t number);
std::string ManifestFileName(const std::string& path);
std::string ManifestTempFileName(const std::string& path);
std::string HitRatesFileName(const std::string& path);
// Returns false if `name`, without folder, is not the name of a run file.
bool ParseRunFileName(const std::string& name, uint64_t* number);
bool IsRaltFileName(const std::string& name);

// Returns a 64-bit stamp of the database and the column family that a file
// belongs to.
uint64_t MakeStamp(const std::string& db_id, uint32_t cf_id);

void AppendBlockTrailer(std::string* block);
// Verifies a block including its trailer; *payload points into `block`. Errors
// name `file` and `offset`.
Status CheckBlock(const Slice& block, const std::string& file, uint64_t offset,
                  Slice* payload);

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t bytes = 0;  // trailer included
};

// The end of a run file. Its length is fixed.
struct RunFooter {
  static constexpr size_t kEncodedBytes = 6 * 8 + 4 + 4 + 8;

  BlockHandle filter;
  BlockHandle index;
  BlockHandle properties;

  void EncodeTo(std::string* dst) const;
  Status DecodeFrom(const Slice& input, const std::string& file);
};

// Sums over a run file, and the base of its relative numbers.
struct RunProperties {
  uint64_t stamp = 0;
  uint64_t file_number = 0;
  LogicalTime written_at;
  uint64_t records = 0;
  uint64_t hot_records = 0;
  uint64_t tracked_bytes = 0;  // HotRAP bytes of all records
  uint64_t hot_bytes = 0;      // HotRAP bytes of the hot ones
  uint64_t data_bytes = 0;     // data blocks on disk
  uint32_t filter_probes = 0;
  std::string smallest;
  std::string largest;

  void EncodeTo(std::string* dst) const;
  bool DecodeFrom(Slice input);
};

// Appends a record to a data block. The key is stored without the prefix that
// it shares with the previous key; tick and counter are relative to the time
// when the file was written.
void EncodeRecord(const Slice& previous_key, const AccessRecord& record,
                  LogicalTime written_at, std::string* dst);
// Reads one record from the front of *input. *key must hold the previous
// record's key (empty at the start of a block) and receives this one's;
// record->key points to it. Returns false on malformed bytes.
bool DecodeRecord(Slice* input, LogicalTime written_at, std::string* key,
                  AccessRecord* record);

}  // namespace ROCKSDB_NAMESPACE::ralt
