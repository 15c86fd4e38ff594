//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/key_space.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr size_t kDigits = 16;

// A multiplier with good spectral properties (S. Vigna and G. Steele,
// "Computationally easy, spectrally good multipliers", 2021). Not the golden
// ratio: RankScrambler walks by that, and two equal strides would line up.
constexpr uint64_t kMultiplier = 0xd1342543de82ef95;

// Inverse of an odd number mod 2^64 by Newton's iteration: an odd number is its
// own inverse mod 8, and each step doubles the number of right bits.
constexpr uint64_t InverseOfOdd(uint64_t odd) {
  uint64_t inverse = odd;
  for (int right_bits = 3; right_bits < 64; right_bits *= 2) {
    inverse *= 2 - odd * inverse;
  }
  return inverse;
}

constexpr uint64_t kInverse = InverseOfOdd(kMultiplier);
static_assert(kMultiplier * kInverse == 1);

}  // namespace

SyntheticKeySpace::SyntheticKeySpace(size_t key_bytes)
    : prefix_(key_bytes - kDigits, 'k') {
  assert(key_bytes >= kMinKeyBytes);
}

void SyntheticKeySpace::KeyOf(uint64_t id, std::string* key) const {
  char digits[kDigits];
  const auto end =
      std::to_chars(digits, digits + kDigits, id * kMultiplier, 16);
  const size_t length = static_cast<size_t>(end.ptr - digits);
  key->assign(prefix_);
  key->append(kDigits - length, '0');
  key->append(digits, length);
}

bool SyntheticKeySpace::IdOf(const Slice& key, uint64_t* id) const {
  if (key.size() != prefix_.size() + kDigits || !key.starts_with(prefix_)) {
    return false;
  }
  const char* const begin = key.data() + prefix_.size();
  uint64_t scattered = 0;
  const auto end = std::from_chars(begin, begin + kDigits, scattered, 16);
  if (end.ec != std::errc() || end.ptr != begin + kDigits) {
    return false;
  }
  *id = scattered * kInverse;
  return true;
}

std::vector<uint64_t> SyntheticKeySpace::IdsInKeyOrder(uint64_t count) const {
  // Digits of equal number are in the order of what they stand for.
  std::vector<uint64_t> ids(count);
  for (uint64_t id = 0; id < count; ++id) {
    ids[id] = id * kMultiplier;
  }
  std::sort(ids.begin(), ids.end());
  for (uint64_t& id : ids) {
    id *= kInverse;
  }
  return ids;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
