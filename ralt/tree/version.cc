//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/version.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE::ralt {

template <typename Test>
bool Version::AnyFilter(const Slice& key, const KeyOrder& order,
                        const Test& test) const {
  if (levels.empty()) {
    return false;
  }
  for (const RunSlice& slice : levels[0]) {
    if (test(slice.file->filter())) {
      return true;
    }
  }
  for (size_t level = 1; level < levels.size(); ++level) {
    const auto found = std::partition_point(
        levels[level].begin(), levels[level].end(), [&](const RunSlice& s) {
          return order.Less(s.file->properties().largest, key);
        });
    if (found != levels[level].end() && test(found->file->filter())) {
      return true;
    }
  }
  return false;
}

bool Version::IsHot(const Slice& key, uint64_t key_hash,
                    const KeyOrder& order) const {
  return AnyFilter(key, order, [&](const RunFilter& filter) {
    return filter.HasHot(key_hash);
  });
}

bool Version::IsTracked(const Slice& key, uint64_t key_hash,
                        const KeyOrder& order) const {
  return AnyFilter(key, order, [&](const RunFilter& filter) {
    return filter.Has(key_hash);
  });
}

uint64_t Version::HotBytes(const Slice& begin, const Slice& end,
                           const KeyOrder& order, double new_share,
                           uint64_t* error) const {
  const size_t deepest = deepest_level();
  double sum = 0;
  double error_sum = 0;
  for (size_t level = 0; level < levels.size(); ++level) {
    auto first = levels[level].begin();
    auto last = levels[level].end();
    if (level > 0) {
      first = std::partition_point(first, last, [&](const RunSlice& s) {
        return order.Less(s.file->properties().largest, begin);
      });
      last = std::partition_point(first, last, [&](const RunSlice& s) {
        return order.Less(s.file->properties().smallest, end);
      });
    }
    uint64_t level_bytes = 0;
    uint64_t level_error = 0;
    for (auto slice = first; slice != last; ++slice) {
      const bool trimmed =
          !slice->begin.empty() && order.Less(begin, slice->begin);
      level_bytes += slice->file->HotBytes(
          trimmed ? Slice(slice->begin) : begin, end, &level_error);
    }
    const double share = level < deepest ? new_share : 1;
    sum += static_cast<double>(level_bytes) * share;
    error_sum += static_cast<double>(level_error) * share;
  }
  *error = static_cast<uint64_t>(error_sum);
  return static_cast<uint64_t>(sum);
}

bool Version::empty() const {
  return std::all_of(levels.begin(), levels.end(),
                     [](const auto& level) { return level.empty(); });
}

size_t Version::deepest_level() const {
  for (size_t level = levels.size(); level > 0; --level) {
    if (!levels[level - 1].empty()) {
      return level - 1;
    }
  }
  return 0;
}

uint64_t Version::LevelBytes(size_t level) const {
  uint64_t sum = 0;
  if (level < levels.size()) {
    for (const RunSlice& slice : levels[level]) {
      sum += slice.file->file_bytes();
    }
  }
  return sum;
}

namespace {
// Returns the fraction of the file's data that no merge has consumed yet.
double PartLeft(const RunSlice& slice) {
  if (slice.begin.empty()) {
    return 1;
  }
  const RunIndex& index = slice.file->index();
  const size_t block = index.FindBlock(slice.begin, slice.file->env().order);
  return 1 - static_cast<double>(index.offset(block)) /
                 static_cast<double>(index.offset(index.blocks()));
}

uint64_t Part(double part, uint64_t whole) {
  return static_cast<uint64_t>(part * static_cast<double>(whole));
}
}  // namespace

uint64_t Version::LevelRecords(size_t level) const {
  uint64_t sum = 0;
  if (level < levels.size()) {
    for (const RunSlice& slice : levels[level]) {
      sum += Part(PartLeft(slice), slice.file->properties().records);
    }
  }
  return sum;
}

VersionTotals::VersionTotals(const Version& version, double new_share) {
  const size_t deepest = version.deepest_level();
  double upper_hot_bytes = 0;
  double upper_physical_bytes = 0;
  for (size_t level = 0; level < version.levels.size(); ++level) {
    for (const RunSlice& slice : version.levels[level]) {
      const RunProperties& properties = slice.file->properties();
      const double left = PartLeft(slice);
      ++runs;
      records += Part(left, properties.records);
      hot_records += Part(left, properties.hot_records);
      hot_bytes += Part(left, properties.hot_bytes);
      tracked_bytes += Part(left, properties.tracked_bytes);
      physical_bytes += slice.file->file_bytes();
      filter_memory_bytes += slice.file->filter().bits().size();
      index_memory_bytes +=
          slice.file->IndexMemoryBytes() + slice.begin.capacity();
      if (level < deepest) {
        upper_hot_bytes += left * static_cast<double>(properties.hot_bytes);
        upper_physical_bytes += slice.file->file_bytes();
      }
    }
  }
  const double again = 1 - new_share;
  // Subtracts sums of fractions, rounded down.
  const auto minus = [](uint64_t whole, double part) {
    return whole - std::min(whole, static_cast<uint64_t>(part));
  };
  distinct_hot_bytes = minus(hot_bytes, again * upper_hot_bytes);
  distinct_physical_bytes = minus(physical_bytes, again * upper_physical_bytes);
}

void VersionHolder::Set(std::shared_ptr<const Version> version) {
  for (size_t i = 0; i < slots_.Size(); ++i) {
    // Each core gets its own control block.
    std::shared_ptr<const Version> reference(version.get(),
                                             [version](const Version*) {});
    Slot* const slot = slots_.AccessAtCore(i);
    {
      std::lock_guard<SpinMutex> lock(slot->mutex);
      slot->version.swap(reference);
    }
    // The old reference, perhaps the last one, is dropped outside the lock.
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
