//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/compaction_copies.h"

#include <algorithm>
#include <set>
#include <utility>

#include "db/column_family.h"
#include "db/compaction/compaction.h"
#include "db/table_cache.h"
#include "db/version_set.h"
#include "file/filename.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/copies_collector.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/table/promotion_record_iterator.h"
#include "util/hash.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

namespace {
uint64_t RecordHash(const Slice& user_key, SequenceNumber seq) {
  return GetSliceNPHash64(user_key, seq);
}
}  // namespace

// If a column family has one path, and all its tables are open and were looked
// at when the DB was opened, it is known which tables hold copies. So a column
// family that never used HotRAP pays nothing for this question.
bool CompactionCopies::MayExist(const ColumnFamilyData& cfd) {
  return cfd.ioptions().cf_paths.size() > 1 ||
         cfd.hotrap.copy_marks().total() > 0 ||
         cfd.ioptions().skip_stats_update_on_db_open ||
         cfd.table_cache()->get_cache().get()->GetCapacity() <
             TableCache::kInfiniteCapacity;
}

// The check for one output, called in key order.
class CompactionCopies::OutputCheck {
 public:
  explicit OutputCheck(const CompactionCopies* copies)
      : copies_(copies),
        level_ptrs_(std::make_shared<std::vector<size_t>>(
            copies->compaction_.number_levels(), 0)) {}

  bool operator()(const ParsedInternalKey& ikey) const {
    if (!copies_->MayBeCopy(ikey.user_key, ikey.sequence)) {
      return false;
    }
    return !copies_->compaction_.KeyNotExistsBeyondOutputLevel(
        ikey.user_key, level_ptrs_.get());
  }

 private:
  const CompactionCopies* copies_;
  std::shared_ptr<std::vector<size_t>> level_ptrs_;
};

std::shared_ptr<CompactionCopies> CompactionCopies::Find(
    const Compaction& compaction,
    const std::vector<PromotionRecordPtr>& promoted,
    const std::shared_ptr<CompactionCopies>& previous,
    InstrumentedMutex* db_mutex) {
  std::shared_ptr<CompactionCopies> copies(
      new CompactionCopies(compaction, promoted));
  copies->FindInInputs();
  const ImmutableOptions& ioptions = compaction.immutable_options();
  ColumnFamilyData* const cfd = compaction.column_family_data();
  if (HasFilter(ioptions) && MayExist(*cfd)) {
    if (previous != nullptr && previous->filtered_ != nullptr) {
      copies->filtered_ = std::move(previous->filtered_);
    } else if (ioptions.cf_paths.size() > 1) {
      copies->filtered_ = std::make_unique<FilterRegister::Compaction>(
          &cfd->hotrap.filter_register(), cfd->user_comparator());
    }
    // Taken after the registration, as copies that are made from then on are
    // known to the register. The version that the inputs were picked from may
    // be too old.
    Version* version = nullptr;
    {
      InstrumentedMutexLock lock(db_mutex);
      version = cfd->current();
      version->Ref();
    }
    copies->FindAbove(*version);
    InstrumentedMutexLock lock(db_mutex);
    version->Unref();
  }
  if (copies->inputs_.empty() && copies->above_.empty() && promoted.empty() &&
      copies->filtered_ == nullptr) {
    return nullptr;
  }
  {
    InstrumentedMutexLock lock(db_mutex);
    copies->to_remove_ = cfd->hotrap.copies_to_remove();
  }
  CopiesCollectorOptions options;
  options.timestamp_size = copies->ucmp_->timestamp_size();
  if (copies->Sinks()) {
    options.sinks = [all = copies.get()](const ParsedInternalKey& ikey) {
      return all->Undecided(ikey.user_key, ikey.sequence);
    };
  }
  copies->collectors_ = WithCopiesCollector(
      *cfd->internal_tbl_prop_coll_factories(), options,
      [checks = copies.get()] { return OutputCheck(checks); });
  return copies;
}

CompactionCopies::~CompactionCopies() {
  std::string smallest;
  std::string largest;
  if (filtered_ == nullptr || !filtered_->GetRange(&smallest, &largest)) {
    return;
  }
  // A read that saw an older version must not put a record into the cache that
  // the filter has changed or removed since.
  ColumnFamilyData* const cfd = compaction_.column_family_data();
  TierState* const state = cfd->hotrap.active_state();
  if (state != nullptr) {
    state->db()->mutex()->AssertHeld();
    state->cache().RefuseClaimed({cfd->current()->GetVersionNumber(),
                                  InvalidationRing::kSlowTierChanged, smallest,
                                  largest});
  }
}

bool CompactionCopies::Sinks() const {
  switch (compaction_.compaction_reason()) {
    case CompactionReason::kPeriodicCompaction:
    case CompactionReason::kTtl:
    case CompactionReason::kRoundRobinTtl:
    case CompactionReason::kFilesMarkedForCompaction:
      return true;
    default:
      // Writes push the tables down, or the user does.
      return false;
  }
}

CompactionCopies::CompactionCopies(
    const Compaction& compaction,
    const std::vector<PromotionRecordPtr>& promoted)
    : compaction_(compaction),
      promoted_(promoted),
      ucmp_(compaction.column_family_data()->user_comparator()) {}

void CompactionCopies::FindInInputs() {
  const TablePropertiesCollection& properties =
      compaction_.GetInputTableProperties();
  for (size_t i = 0; i < compaction_.num_input_levels(); i++) {
    for (const FileMetaData* file : *compaction_.inputs(i)) {
      const auto found = properties.find(
          TableFileName(compaction_.immutable_options().cf_paths,
                        file->fd.GetNumber(), file->fd.GetPathId()));
      LookAt(file, found != properties.end() ? found->second : nullptr,
             &inputs_);
    }
  }
}

void CompactionCopies::FindAbove(const Version& version) {
  std::set<uint64_t> input_numbers;
  for (size_t i = 0; i < compaction_.num_input_levels(); i++) {
    for (const FileMetaData* file : *compaction_.inputs(i)) {
      input_numbers.insert(file->fd.GetNumber());
    }
  }
  const VersionStorageInfo& storage = *version.storage_info();
  const ReadOptions read_options(Env::IOActivity::kCompaction);
  // An input of the output level may be wider than those of the start level,
  // so a copy of one of its records may be in another table of that level, or
  // in between.
  const int end = std::max(1, compaction_.output_level());
  for (int level = 0; level < end; level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      if (input_numbers.count(file->fd.GetNumber()) > 0 ||
          ucmp_->CompareWithoutTimestamp(
              file->largest.user_key(), compaction_.GetSmallestUserKey()) < 0 ||
          ucmp_->CompareWithoutTimestamp(compaction_.GetLargestUserKey(),
                                         file->smallest.user_key()) < 0) {
        continue;
      }
      std::shared_ptr<const TableProperties> properties;
      version.GetTableProperties(read_options, &properties, file)
          .PermitUncheckedError();
      LookAt(file, std::move(properties), &above_);
    }
  }
}

void CompactionCopies::LookAt(const FileMetaData* file,
                              std::shared_ptr<const TableProperties> properties,
                              std::vector<Table>* tables) const {
  // A table whose properties cannot be read may hold any copy.
  const PromotedCopies copies = properties != nullptr
                                    ? PromotedCopies::In(*properties)
                                    : PromotedCopies::Unknown();
  if (copies.count() > 0) {
    tables->push_back({file, std::move(properties), copies});
  }
}

bool CompactionCopies::AnyHolds(const std::vector<Table>& tables,
                                const Slice& user_key,
                                SequenceNumber seq) const {
  const Slice marked_key =
      StripTimestampFromUserKey(user_key, ucmp_->timestamp_size());
  return std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
    return ucmp_->CompareWithoutTimestamp(table.file->smallest.user_key(),
                                          user_key) <= 0 &&
           ucmp_->CompareWithoutTimestamp(
               user_key, table.file->largest.user_key()) <= 0 &&
           table.copies.MayContain(marked_key, seq);
  });
}

std::vector<PromotionRecordPtr>::const_iterator
CompactionCopies::FirstPromotedFrom(const Slice& user_key) const {
  return std::lower_bound(
      promoted_.begin(), promoted_.end(), user_key,
      [&](const PromotionRecordPtr& record, const Slice& key) {
        return ucmp_->Compare(record->user_key, key) < 0;
      });
}

bool CompactionCopies::AnyPromotedIn(const Slice& start,
                                     const Slice& end) const {
  const auto first = FirstPromotedFrom(start);
  return first != promoted_.end() &&
         ucmp_->Compare((*first)->user_key, end) < 0;
}

bool CompactionCopies::IsPromoted(const Slice& user_key,
                                  SequenceNumber seq) const {
  const auto found = FirstPromotedFrom(user_key);
  return found != promoted_.end() &&
         ucmp_->Compare((*found)->user_key, user_key) == 0 &&
         PromotedSequenceNumber((*found)->seq) == seq;
}

bool CompactionCopies::Removes(const ParsedInternalKey& ikey) const {
  // A promoted copy may have got its value into a blob file since. Of other
  // types the filter can only err. What the compaction itself takes from the
  // promotion cache is counted, and must come through.
  return (ikey.type == kTypeValue || ikey.type == kTypeWideColumnEntity ||
          ikey.type == kTypeBlobIndex) &&
         std::any_of(to_remove_.begin(), to_remove_.end(),
                     [&](const auto& ranges) {
                       return ranges->Contains(ikey.user_key);
                     }) &&
         AnyHolds(inputs_, ikey.user_key, ikey.sequence) &&
         !IsPromoted(ikey.user_key, ikey.sequence);
}

bool CompactionCopies::MayBeCopy(const Slice& user_key,
                                 SequenceNumber seq) const {
  return AnyHolds(inputs_, user_key, seq) || IsPromoted(user_key, seq);
}

bool CompactionCopies::MayHaveCopyAbove(const Slice& user_key,
                                        SequenceNumber seq) const {
  // The original may have got number 0 after it was promoted.
  return AnyHolds(above_, user_key, seq == 0 ? PromotedCopies::kAnySeq : seq);
}

bool CompactionCopies::MayFilter(const ParsedInternalKey& ikey,
                                 std::vector<size_t>* level_ptrs) const {
  if ((MayBeCopy(ikey.user_key, ikey.sequence) &&
       !compaction_.KeyNotExistsBeyondOutputLevel(ikey.user_key, level_ptrs)) ||
      MayHaveCopyAbove(ikey.user_key, ikey.sequence) ||
      (filtered_ != nullptr && !filtered_->Claim(ikey.user_key))) {
    MutexLock lock(&mutex_);
    undecided_.insert(RecordHash(ikey.user_key, ikey.sequence));
    return false;
  }
  TierState* const state =
      compaction_.column_family_data()->hotrap.active_state();
  if (filtered_ != nullptr && state != nullptr) {
    state->cache().EraseClaimed(ikey.user_key);
  }
  return true;
}

bool CompactionCopies::Undecided(const Slice& user_key,
                                 SequenceNumber seq) const {
  MutexLock lock(&mutex_);
  return !undecided_.empty() && undecided_.count(RecordHash(user_key, seq)) > 0;
}

bool CompactionCopies::MaySkip(const Slice& start, const Slice& end) const {
  if (AnyMayBeIn(start, end) ||
      (filtered_ != nullptr && !filtered_->ClaimRange(start, end))) {
    return false;
  }
  TierState* const state =
      compaction_.column_family_data()->hotrap.active_state();
  if (filtered_ != nullptr && state != nullptr) {
    state->cache().EraseClaimed(start, end);
  }
  return true;
}

bool CompactionCopies::AnyMayBeIn(const Slice& start, const Slice& end) const {
  const auto overlaps = [&](const Table& table) {
    return ucmp_->CompareWithoutTimestamp(table.file->smallest.user_key(),
                                          end) < 0 &&
           ucmp_->CompareWithoutTimestamp(start,
                                          table.file->largest.user_key()) <= 0;
  };
  if (std::any_of(above_.begin(), above_.end(), overlaps)) {
    return true;
  }
  std::vector<size_t> level_ptrs(compaction_.number_levels(), 0);
  return (std::any_of(inputs_.begin(), inputs_.end(), overlaps) ||
          AnyPromotedIn(start, end)) &&
         !compaction_.KeyRangeNotExistsBeyondOutputLevel(start, end,
                                                         &level_ptrs);
}

}  // namespace ROCKSDB_NAMESPACE
