//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/first_reads.h"

#include <cassert>

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Accesses to expect before as many bytes are accessed as there is room for.
// With 0.35 a record is accessed again with a probability of 0.3. Then the
// slow reads that are saved outweigh what the promotions write.
constexpr double kMinAccessesInRoom = 0.35;
// As in AdmissionPolicy.
constexpr double kMinTimesAverage = 2;
// Fewer watched keys tell nothing.
constexpr double kMinWatched = 64;
// What is left of the figures after a flush. They fade, so that chance in one
// flush does not decide; and they are sums, so that the many new keys of a hot
// set that appears soon outweigh the few before.
constexpr double kFade = 0.5;
}  // namespace

void FirstReads::Begin(uint64_t accessed_bytes) {
  previous_new_keys_.swap(new_keys_);
  new_keys_.clear();
  flush_bytes_ = static_cast<double>(accessed_bytes);
  watched_ *= kFade;
  exposure_bytes_ *= kFade;
  accessed_again_ *= kFade;
  const auto still_watched = static_cast<double>(previous_new_keys_.size());
  watched_ += still_watched;
  exposure_bytes_ += still_watched * flush_bytes_;
}

void FirstReads::Add(uint64_t key_hash, bool repeated, bool is_new) {
  assert(IsSampled(key_hash));
  if (is_new) {
    new_keys_.insert(key_hash);
    ++watched_;
    // On average, half of the flush comes after a first access.
    exposure_bytes_ += flush_bytes_ / 2;
    accessed_again_ += repeated ? 1 : 0;
  } else {
    accessed_again_ += static_cast<double>(previous_new_keys_.count(key_hash));
  }
}

void FirstReads::End(uint64_t room_bytes, uint64_t data_bytes) {
  const bool enough = watched_ >= kMinWatched && data_bytes > 0;
  count_.store(enough &&
                   accessed_again_ * static_cast<double>(room_bytes) >=
                       kMinAccessesInRoom * exposure_bytes_ &&
                   accessed_again_ * static_cast<double>(data_bytes) >=
                       kMinTimesAverage * exposure_bytes_,
               std::memory_order_relaxed);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
