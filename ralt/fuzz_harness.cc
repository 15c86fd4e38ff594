//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/fuzz_harness.h"

#include <algorithm>

#include "plugin/hotrap/ralt/run/run_file.h"
#include "plugin/hotrap/ralt/run/run_writer.h"
#include "plugin/hotrap/ralt/tree/manifest.h"
#include "rocksdb/env.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kNumber = 1;
constexpr LogicalTime kNow{1000, 1000};
constexpr size_t kManifestHeaderBytes = 20;
constexpr size_t kManifestChecksumBytes = 4;

// An in-memory file system, created once.
struct FuzzEnv {
  FuzzEnv() : mem_env(NewMemEnv(Env::Default())) {
    env.path = "/ralt";
    env.fs = mem_env->GetFileSystem();
    env.clock = mem_env->GetSystemClock().get();
    env.block_bytes = 256;
    env.bloom_bits_per_key = 14;
    mem_env->CreateDirIfMissing(env.path).PermitUncheckedError();
  }

  std::string Read(const std::string& name) const {
    std::string bytes;
    ReadFileToString(env.fs.get(), name, IOOptions(), &bytes)
        .PermitUncheckedError();
    return bytes;
  }

  std::unique_ptr<Env> mem_env;
  RunEnv env;
};

const FuzzEnv& GetFuzzEnv() {
  static const FuzzEnv* const env = new FuzzEnv();
  return *env;
}

// The parts of a run file, without trailers.
struct RunParts {
  std::string data;  // one data block
  std::string filter;
  std::string index;
  std::string properties;
  uint64_t tail_bytes = 0;
};

std::string Assemble(RunParts* parts) {
  std::string file = parts->data;
  AppendBlockTrailer(&file);
  const size_t data_bytes = file.size();
  RunFooter footer;
  const auto add_block = [&file](std::string block, BlockHandle* handle) {
    AppendBlockTrailer(&block);
    *handle = {file.size(), block.size()};
    file += block;
  };
  add_block(parts->filter, &footer.filter);
  add_block(parts->index, &footer.index);
  add_block(parts->properties, &footer.properties);
  footer.EncodeTo(&file);
  parts->tail_bytes = file.size() - data_bytes;
  return file;
}

// A valid run of one data block.
RunParts MakeValidRun() {
  std::string data;
  std::string previous;
  RunProperties properties;
  std::vector<uint64_t> entries;
  for (int i = 0; i < 8; ++i) {
    const std::string key = "user" + std::to_string(1000 + i * 7);
    AccessRecord record;
    record.key = key;
    record.value_bytes = 100;
    record.tick = 990;
    record.score = 1.5;
    record.counter_end = 1100;
    record.repeated = true;
    record.hot = true;
    EncodeRecord(previous, record, kNow, &data);
    properties.hot_bytes += record.HotrapBytes();
    entries.push_back(RunFilter::EntryOf(RunFilter::HashKey(key), record.hot));
    if (i == 0) {
      properties.smallest = key;
    }
    previous = key;
  }
  const RunFilter filter = RunFilter::Build(entries, 14);
  RunIndex index;
  index.Add(properties.smallest, data.size() + kBlockTrailerBytes,
            properties.hot_bytes);
  properties.file_number = kNumber;
  properties.written_at = kNow;
  properties.records = properties.hot_records = entries.size();
  properties.tracked_bytes = properties.hot_bytes;
  properties.data_bytes = data.size() + kBlockTrailerBytes;
  properties.filter_probes = filter.probes();
  properties.largest = previous;

  RunParts parts;
  parts.data = data;
  parts.filter = filter.bits();
  index.EncodeTo(&parts.index);
  properties.EncodeTo(&parts.properties);
  return parts;
}

void ReadRun(const std::string& bytes, uint64_t tail_bytes) {
  const FuzzEnv& fuzz = GetFuzzEnv();
  const std::string name = RunFileName(fuzz.env.path, kNumber);
  WriteStringToFile(fuzz.env.fs.get(), bytes, name).PermitUncheckedError();
  std::shared_ptr<RunFile> file;
  if (!RunFile::Open(fuzz.env, kNumber, bytes.size(), tail_bytes, &file).ok()) {
    return;
  }
  RunCursor cursor(file, 1024);
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    file->filter().Has(RunFilter::HashKey(cursor.record().key));
  }
  cursor.status().PermitUncheckedError();
  cursor.Seek("user1020");
  cursor.status().PermitUncheckedError();
  uint64_t error = 0;
  file->HotBytes("a", "user1030", &error);
}

void DecodeManifest(const std::string& bytes) {
  Manifest manifest;
  manifest.DecodeFrom(bytes, "fuzz").PermitUncheckedError();
}

std::string MakeValidManifest() {
  Manifest manifest;
  manifest.db_id = "db";
  manifest.cf_name = "default";
  manifest.next_file_number = 9;
  manifest.runs = {{0, 3, 1000, 200, ""}, {1, 4, 2000, 300, "lower"}};
  std::string bytes;
  manifest.EncodeTo(&bytes);
  return bytes;
}
}  // namespace

std::string MakeFuzzSeed(FuzzPart part) {
  std::string seed(1, static_cast<char>(part));
  RunParts run = MakeValidRun();
  const std::string manifest = MakeValidManifest();
  switch (part) {
    case FuzzPart::kRawManifest:
      return seed + manifest;
    case FuzzPart::kManifestBody:
      return seed + manifest.substr(kManifestHeaderBytes,
                                    manifest.size() - kManifestHeaderBytes -
                                        kManifestChecksumBytes);
    case FuzzPart::kRawRun:
      return seed + Assemble(&run);
    case FuzzPart::kDataBlock:
      return seed + run.data;
    case FuzzPart::kIndex:
      return seed + run.index;
    case FuzzPart::kProperties:
      return seed + run.properties;
    case FuzzPart::kFilter:
      return seed + run.filter;
    case FuzzPart::kCount:
      break;
  }
  return seed;
}

void FuzzRaltFiles(const uint8_t* data, size_t size) {
  if (size == 0) {
    return;
  }
  const auto part =
      static_cast<FuzzPart>(data[0] % static_cast<uint8_t>(FuzzPart::kCount));
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  RunParts run = MakeValidRun();
  switch (part) {
    case FuzzPart::kRawManifest:
      DecodeManifest(bytes);
      return;
    case FuzzPart::kManifestBody: {
      std::string manifest;
      PutFixed64(&manifest, kManifestMagic);
      PutFixed32(&manifest, kRaltFormatVersion);
      PutFixed64(&manifest, bytes.size());
      manifest += bytes;
      PutFixed32(&manifest,
                 crc32c::Mask(crc32c::Value(manifest.data(), manifest.size())));
      DecodeManifest(manifest);
      return;
    }
    case FuzzPart::kRawRun:
      ReadRun(bytes, std::min<uint64_t>(bytes.size(), 300));
      return;
    case FuzzPart::kDataBlock: {
      run.data = bytes;
      // Resize to the size in the properties and the index.
      run.data.resize(MakeValidRun().data.size());
      break;
    }
    case FuzzPart::kIndex:
      run.index = bytes;
      break;
    case FuzzPart::kProperties:
      run.properties = bytes;
      break;
    case FuzzPart::kFilter:
      run.filter = bytes;
      break;
    case FuzzPart::kCount:
      return;
  }
  const std::string file = Assemble(&run);
  ReadRun(file, run.tail_bytes);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
