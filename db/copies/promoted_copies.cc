//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/promoted_copies.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "util/bloom_impl.h"
#include "util/coding.h"
#include "util/hash.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr char kVersion = 2;
constexpr uint64_t kBitsPerKey = 16;
constexpr uint64_t kLineBytes = 64;
// FastLocalBloomImpl counts bytes in 32 bits.
constexpr uint64_t kMaxFilterBytes =
    std::numeric_limits<uint32_t>::max() / kLineBytes * kLineBytes;

uint64_t Hash(const Slice& user_key, SequenceNumber seq) {
  return Hash64(user_key.data(), user_key.size(), seq);
}
}  // namespace

PromotedCopies PromotedCopies::In(const TableProperties& properties) {
  const UserCollectedProperties& all = properties.user_collected_properties;
  const auto found = all.find(kPromotedCopiesProperty);
  if (found == all.end()) {
    return PromotedCopies();
  }
  Slice value(found->second);
  PromotedCopies copies;
  if (value.size() < 2 || value[0] != kVersion) {
    return Unknown();
  }
  value.remove_prefix(1);
  if (!GetVarint64(&value, &copies.count_) || value.empty() ||
      copies.count_ == 0) {
    return Unknown();
  }
  copies.num_probes_ = value[0];
  value.remove_prefix(1);
  if (copies.num_probes_ < 1 || copies.num_probes_ > 24 || value.empty() ||
      value.size() % kLineBytes != 0 || value.size() > kMaxFilterBytes) {
    return Unknown();
  }
  copies.filter_ = value;
  return copies;
}

PromotedCopies PromotedCopies::Unknown() {
  PromotedCopies copies;
  copies.count_ = 1;
  return copies;
}

bool PromotedCopies::MayContain(const Slice& user_key,
                                SequenceNumber seq) const {
  if (count_ == 0 || filter_.empty()) {
    return count_ > 0;
  }
  const uint64_t hash = Hash(user_key, seq);
  return FastLocalBloomImpl::HashMayMatch(Lower32of64(hash), Upper32of64(hash),
                                          static_cast<uint32_t>(filter_.size()),
                                          num_probes_, filter_.data());
}

void PromotedCopiesBuilder::Add(const Slice& user_key, SequenceNumber seq) {
  hashes_.push_back(Hash(user_key, seq));
  hashes_.push_back(Hash(user_key, PromotedCopies::kAnySeq));
}

std::string PromotedCopiesBuilder::Finish() const {
  assert(count() > 0);
  const uint64_t lines =
      (hashes_.size() * kBitsPerKey + 8 * kLineBytes - 1) / (8 * kLineBytes);
  const auto filter_bytes =
      static_cast<uint32_t>(std::min(lines * kLineBytes, kMaxFilterBytes));
  const int num_probes =
      FastLocalBloomImpl::ChooseNumProbes(static_cast<int>(1000 * kBitsPerKey));
  std::string value(1, kVersion);
  PutVarint64(&value, count());
  value.push_back(static_cast<char>(num_probes));
  const size_t header_bytes = value.size();
  value.resize(header_bytes + filter_bytes);
  for (const uint64_t hash : hashes_) {
    FastLocalBloomImpl::AddHash(Lower32of64(hash), Upper32of64(hash),
                                filter_bytes, num_probes, &value[header_bytes]);
  }
  return value;
}

}  // namespace ROCKSDB_NAMESPACE
