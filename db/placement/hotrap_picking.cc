//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/hotrap_picking.h"

#include <algorithm>

#include "db/version_edit.h"
#include "plugin/hotrap/ralt/ralt.h"

namespace ROCKSDB_NAMESPACE {

namespace {

struct Candidate {
  int index = 0;
  const FileMetaData* file = nullptr;
  uint64_t cost_bytes = 0;
  // Benefit per byte of cost. Assumes that nothing is hot until HotSize is
  // known.
  double gain = 0;
};

// Returns the key and value bytes of the user's records; 0 if the file's
// properties have not been read.
uint64_t UserBytes(const FileMetaData& file) {
  const uint64_t bytes = file.raw_key_size + file.raw_value_size;
  return bytes - std::min(bytes, file.num_entries * kNumInternalBytes);
}

double Gain(const Candidate& candidate, uint64_t hot_bytes) {
  const uint64_t bytes = std::max(candidate.file->compensated_file_size,
                                  candidate.file->fd.GetFileSize());
  return static_cast<double>(bytes - std::min(bytes, hot_bytes)) /
         static_cast<double>(std::max<uint64_t>(1, candidate.cost_bytes));
}

// Computes the costs in one linear pass over both levels.
std::vector<Candidate> WithCosts(
    const InternalKeyComparator& icmp, const std::vector<FileMetaData*>& files,
    const std::vector<FileMetaData*>& next_level_files) {
  const Comparator* const ucmp = icmp.user_comparator();
  std::vector<Candidate> candidates;
  candidates.reserve(files.size());
  auto next = next_level_files.begin();
  for (size_t i = 0; i < files.size(); i++) {
    Candidate candidate;
    candidate.index = static_cast<int>(i);
    candidate.file = files[i];
    candidate.cost_bytes = files[i]->fd.GetFileSize();
    while (next != next_level_files.end() &&
           ucmp->Compare((*next)->largest.user_key(),
                         files[i]->smallest.user_key()) < 0) {
      ++next;
    }
    // The last overlapping file may overlap the next input too.
    for (auto it = next; it != next_level_files.end() &&
                         ucmp->Compare((*it)->smallest.user_key(),
                                       files[i]->largest.user_key()) <= 0;
         ++it) {
      candidate.cost_bytes += (*it)->fd.GetFileSize();
      next = it;
    }
    candidate.gain = Gain(candidate, 0);
    candidates.push_back(candidate);
  }
  return candidates;
}

}  // namespace

uint64_t EstimateHotBytes(const FileMetaData& file, const Ralt* ralt,
                          uint64_t* error) {
  if (ralt == nullptr) {
    return 0;
  }
  const uint64_t user_bytes = UserBytes(file);
  return std::min(
      ralt->HotBytes(file.smallest.user_key(), file.largest.user_key(), error),
      user_bytes > 0 ? user_bytes : file.fd.GetFileSize());
}

uint64_t EstimateHotSize(const FileMetaData& file, const Ralt* ralt) {
  uint64_t error = 0;
  const uint64_t hot_bytes = EstimateHotBytes(file, ralt, &error);
  const uint64_t user_bytes = UserBytes(file);
  if (user_bytes == 0 || hot_bytes == 0) {
    return hot_bytes;
  }
  // HotBytes() excludes the last key of the range.
  const uint64_t last_record_bytes =
      user_bytes / std::max<uint64_t>(1, file.num_entries);
  // A file that only seems to have a cold part would be picked again and again.
  // Treat it as hot; it is picked when it is the oldest.
  if (hot_bytes + error + last_record_bytes >= user_bytes) {
    return file.fd.GetFileSize();
  }
  return static_cast<uint64_t>(static_cast<double>(file.fd.GetFileSize()) *
                               static_cast<double>(hot_bytes) /
                               static_cast<double>(user_bytes));
}

std::vector<int> OrderForCrossing(
    const InternalKeyComparator& icmp, const std::vector<FileMetaData*>& files,
    const std::vector<FileMetaData*>& next_level_files,
    const std::function<uint64_t(const FileMetaData&)>& hot_size) {
  std::vector<Candidate> candidates = WithCosts(icmp, files, next_level_files);
  // Ties keep their order, which is by key.
  const auto larger_gain = [](const Candidate& a, const Candidate& b) {
    if (a.file->marked_for_compaction != b.file->marked_for_compaction) {
      return a.file->marked_for_compaction;
    }
    return a.gain > b.gain;
  };
  const auto asked_end =
      candidates.begin() + static_cast<std::ptrdiff_t>(std::min(
                               candidates.size(), kMaxHotSizesInOrdering));
  if (asked_end != candidates.end()) {
    std::stable_sort(candidates.begin(), candidates.end(), larger_gain);
  }
  for (auto it = candidates.begin(); it != asked_end; ++it) {
    it->gain = Gain(*it, hot_size(*it->file));
  }
  std::stable_sort(candidates.begin(), asked_end, larger_gain);
  const auto all_hot = std::stable_partition(
      candidates.begin(), candidates.end(), [](const Candidate& candidate) {
        return candidate.gain > 0 || candidate.file->marked_for_compaction;
      });
  std::sort(all_hot, candidates.end(),
            [](const Candidate& a, const Candidate& b) {
              return a.file->fd.GetNumber() < b.file->fd.GetNumber();
            });
  std::vector<int> order;
  order.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    order.push_back(candidate.index);
  }
  return order;
}

}  // namespace ROCKSDB_NAMESPACE
