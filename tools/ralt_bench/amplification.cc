//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_bench/amplification.h"

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/tools/ralt_bench/workload.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

namespace {
struct Setup {
  const char* name;
  uint64_t fast_records;
  uint64_t record_bytes;
  // RaltOptions::seal_bytes; 0 means its default.
  uint64_t seal_bytes;
  double hotspot;  // as a fraction of all records; 0 means uniform
};

// The store is ten times as large as the fast tier.
constexpr uint64_t kStoreToFast = 10;

// With 100 MB, buffers are sealed after accesses to 5 % of the fast tier. The
// other setups represent a fast tier of 10 GB at a 25th of the size; there,
// buffers of 16 MiB hold accesses to less than 1 % of it.
constexpr uint64_t kScaledSealBytes = (16 << 20) / 25;
constexpr Setup kSetups[] = {
    {"hotspot 5 %, 100 MB", 100000, 1000, 0, 0.05},
    {"uniform, 100 MB", 100000, 1000, 0, 0},
    {"hotspot 5 %, 10 GB", 2000000, 200, kScaledSealBytes, 0.05},
    {"uniform, 10 GB", 2000000, 200, kScaledSealBytes, 0}};

Status Access(const Hotspot& hotspot, uint64_t value_bytes, uint64_t accesses,
              Random64* random, Ralt* ralt) {
  char key_bytes[kKeyBytes];
  const Slice key(key_bytes, kKeyBytes);
  Status s;
  for (uint64_t i = 0; s.ok() && i < accesses; ++i) {
    MakeKey(hotspot.Draw(random), key_bytes);
    ralt->RecordAccess(key, value_bytes);
    if (i % kAccessesBetweenWaits == 0) {
      s = ralt->WaitForIdle();
    }
  }
  return s.ok() ? ralt->WaitForIdle() : s;
}

nlohmann::json Describe(const Setup& setup, const RaltStats& before,
                        const RaltStats& after, uint64_t accesses) {
  const double flushed =
      static_cast<double>(after.bytes_flushed - before.bytes_flushed);
  const double written =
      static_cast<double>(after.bytes_written - before.bytes_written);
  const double read = static_cast<double>(after.bytes_read - before.bytes_read);
  const uint64_t flushes = after.flushes - before.flushes;
  return {{"setup", setup.name},
          {"accesses", accesses},
          {"flushes", flushes},
          {"merges", after.merges - before.merges},
          {"evictions", after.evictions - before.evictions},
          {"levels", after.levels},
          {"bytes_a_flush", flushed / flushes},
          {"physical_bytes", after.physical_bytes},
          {"write_amplification", written / flushed},
          {"read_amplification", read / flushed},
          {"bytes_written_an_access", written / accesses},
          {"bytes_read_an_access", read / accesses},
          {"record_bytes", setup.record_bytes}};
}
}  // namespace

Status MeasureAmplification(const AmplificationConfig& config,
                            nlohmann::json* result) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Setup& setup : kSetups) {
    Hotspot hotspot;
    hotspot.keys = setup.fast_records * kStoreToFast;
    hotspot.hot_keys = static_cast<uint64_t>(setup.hotspot * hotspot.keys);
    RaltOptions options;
    options.fast_budget_bytes = setup.fast_records * setup.record_bytes;
    options.seal_bytes = setup.seal_bytes;
    std::unique_ptr<Ralt> ralt;
    Status s = OpenFresh(options, config.path, &ralt);
    Random64 random(301);
    const uint64_t accesses =
        setup.fast_records * config.accesses_per_fast_record;
    const uint64_t warm_up_accesses = 2 * accesses;
    const uint64_t value_bytes = setup.record_bytes - kKeyBytes;
    if (s.ok()) {
      s = Access(hotspot, value_bytes, warm_up_accesses, &random, ralt.get());
    }
    RaltStats before;
    if (s.ok()) {
      before = ralt->GetStats();
      s = Access(hotspot, value_bytes, accesses, &random, ralt.get());
    }
    if (!s.ok()) {
      return s;
    }
    rows.push_back(Describe(setup, before, ralt->GetStats(), accesses));
  }
  (*result)["amplification"] = rows;
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
