//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/buffer_flusher.h"

#include <algorithm>
#include <cinttypes>
#include <string>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/tree/eviction.h"
#include "plugin/hotrap/ralt/tree/merge_job.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// The maximum number of runs in level 0 that wait for a merge.
constexpr size_t kMaxWaitingRuns = 16;
// One in this many flushed keys is looked up.
constexpr uint64_t kKeysToLookup = 8;
// Estimated bytes of a record in a run without its key, including its share of
// filter and index; and of a run without its records.
constexpr uint64_t kRecordBytes = 18;
constexpr uint64_t kRunBytes = 512;
constexpr uint64_t kTailDivisor = 32;
constexpr uint64_t kTailDivisorOfLongBounds = 4;

// Estimates what a record takes in a run after the previous one.
uint64_t RunBytesOf(const Slice& key, const Slice& previous_key) {
  return kRecordBytes + key.size() - key.difference_offset(previous_key);
}
}  // namespace

BufferFlusher::BufferFlusher(const RaltOptions& options, const Scoring& scoring,
                             AccessClock* clock, AccessBuffer* buffer,
                             RecentKeys* recent_keys, RunStore* store,
                             SpaceBudget* space, HitRateSample* sample)
    : options_(options),
      scoring_(scoring),
      clock_(clock),
      buffer_(buffer),
      recent_keys_(recent_keys),
      store_(store),
      space_(space),
      sample_(sample),
      random_(MakeStamp(options.db_id, options.cf_id)) {}

void BufferFlusher::AddTo(RaltStats* stats) const {
  stats->flushes = flushes_.load(std::memory_order_relaxed);
  stats->bytes_flushed = bytes_flushed_.load(std::memory_order_relaxed);
  stats->first_reads = first_reads_count();
  stats->accesses_dropped += lost_accesses_.load(std::memory_order_relaxed);
  stats->records_without_room =
      records_without_room_.load(std::memory_order_relaxed);
}

bool BufferFlusher::IsCrowded() const {
  const auto version = store_->versions().Get();
  return !version->levels.empty() &&
         version->levels[0].size() >=
             std::max<size_t>(kMaxWaitingRuns, 2 * options_.level0_runs);
}

bool BufferFlusher::MustWait() const {
  return space_->FlushMustWait(store_->Use(*store_->versions().Get()),
                               store_->PhysicalLimit());
}

Status BufferFlusher::Flush() {
  TEST_SYNC_POINT("BufferFlusher::Flush");
  TEST_KILL_RANDOM("BufferFlusher::Flush:0");
  SealedAccesses sealed = buffer_->Seal();
  store_->MarkTime();
  figures_.time = clock_->Now();
  figures_.time.first_access_counts = first_reads_.count();
  BeginPeriod(sealed);
  const uint64_t accesses = sealed.accesses;
  if (accesses == 0) {
    buffer_->Release(std::move(sealed));
    return store_->Install(store_->versions().Get(), store_->limits());
  }
  if (!store_->env().HasRoom(sealed.memory_bytes)) {
    // Not an error: if there is no room for this, there is no room for promoted
    // records either.
    lost_accesses_.fetch_add(accesses, std::memory_order_relaxed);
    buffer_->Release(std::move(sealed));
    return Status::OK();
  }
  figures_.slow_share =
      static_cast<double>(sealed.slow_weight) /
      static_cast<double>(std::max<uint64_t>(1, sealed.weight));
  std::shared_ptr<RunFile> file;
  uint64_t records = 0;
  Status s = WriteWhatFits(sealed, &records, &file);
  buffer_->Release(std::move(sealed));
  if (s.ok()) {
    s = InstallRun(file);
  }
  if (!s.ok()) {
    lost_accesses_.fetch_add(accesses, std::memory_order_relaxed);
    return s;
  }
  const uint64_t flushed_records =
      file == nullptr ? 0 : file->properties().records;
  records_without_room_.fetch_add(records - flushed_records,
                                  std::memory_order_relaxed);
  if (file != nullptr) {
    flushes_.fetch_add(1, std::memory_order_relaxed);
    bytes_flushed_.fetch_add(file->file_bytes(), std::memory_order_relaxed);
    figures_.run_bytes =
        std::max(file->file_bytes(), figures_.run_bytes / 8 * 7);
    space_->NoteFlush(file->file_bytes());
  }
  return s;
}

void BufferFlusher::BeginPeriod(const SealedAccesses& sealed) {
  // After two flushes without slow accesses, no entry counts any more.
  flushes_without_keys_ =
      sealed.slow_weight > 0 ? 0 : flushes_without_keys_ + 1;
  if (flushes_without_keys_ >= 2) {
    recent_keys_->Clear();
  }
  if (sealed.accesses > 0) {
    recent_keys_->BeginPeriod();
  }
}

Status BufferFlusher::WriteWhatFits(const SealedAccesses& sealed,
                                    uint64_t* records,
                                    std::shared_ptr<RunFile>* file) {
  MergePolicy policy;
  policy.hot_threshold = store_->limits().hot_threshold;
  BufferCursor cursor(sealed, store_->env().order, scoring_, figures_.time);
  const Survey survey = Look(sealed, &cursor);
  figures_.time.first_access_counts = first_reads_.count();
  policy.now = figures_.time;
  *records = survey.records;
  figures_.new_share = survey.new_share;
  const uint64_t room = space_->RoomForFlush(
      store_->Use(*store_->versions().Get()), store_->PhysicalLimit());
  if (room <= kRunBytes) {
    WarnOfNoRoom();
    return Status::OK();
  }
  // Write the whole run, even during a close: what is cut short here is lost.
  MergeContext context{&store_->env(), &scoring_, UINT64_MAX,
                       [this] { return store_->NewFileNumber(); },
                       [] { return false; }};
  if (survey.run_bytes + kRunBytes > room) {
    policy.drop_threshold = RankThatFits(&cursor, survey, room - kRunBytes);
    context.file_bytes = room - kRunBytes;
  }
  cursor.SeekToFirst();
  std::string last_key;
  return WriteRun(context, policy, &cursor, &last_key, file);
}

Status BufferFlusher::InstallRun(const std::shared_ptr<RunFile>& file) {
  auto version = std::make_shared<Version>(*store_->versions().Get());
  if (file != nullptr) {
    if (version->levels.empty()) {
      version->levels.resize(1);
    }
    version->levels[0].insert(version->levels[0].begin(), {file, ""});
  }
  return store_->Install(std::move(version), store_->limits());
}

void BufferFlusher::WarnOfNoRoom() {
  if (!warned_of_no_room_) {
    warned_of_no_room_ = true;
    ROCKS_LOG_WARN(options_.info_log,
                   "[%s] RALT tracks nothing for now: its physical limit of "
                   "%" PRIu64 " bytes has no room for what is accessed",
                   options_.cf_name.c_str(), store_->PhysicalLimit());
  }
}

BufferFlusher::Survey BufferFlusher::Look(const SealedAccesses& sealed,
                                          BufferCursor* cursor) {
  const auto version = store_->versions().Get();
  Survey survey;
  uint64_t lookups = 0;
  uint64_t unknown = 0;
  std::string previous_key;
  sample_->Begin(figures_.time, sealed.weight, sealed.slow_weight);
  const uint64_t accessed_bytes = clock_->accessed_bytes();
  first_reads_.Begin(accessed_bytes - flushed_until_bytes_);
  flushed_until_bytes_ = accessed_bytes;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const Slice key = cursor->record().key;
    const uint64_t hash = RunFilter::HashKey(key);
    sample_->Add(hash, cursor->record(), cursor->weight());
    const bool counted = survey.records++ % kKeysToLookup == 0;
    if (counted || FirstReads::IsSampled(hash)) {
      const bool is_new = !version->IsTracked(key, hash, store_->env().order);
      lookups += counted ? 1 : 0;
      unknown += counted && is_new ? 1 : 0;
      if (FirstReads::IsSampled(hash)) {
        first_reads_.Add(hash, cursor->record().repeated, is_new);
      }
    }
    survey.run_bytes += RunBytesOf(key, previous_key);
    previous_key.assign(key.data(), key.size());
  }
  sample_->End();
  first_reads_.End(options_.MaxHotSetBytes(),
                   data_bytes_.load(std::memory_order_relaxed));
  // Keys that the comparator does not shorten are in the index, too.
  survey.run_bytes += survey.run_bytes / (store_->env().order.is_bytewise()
                                              ? kTailDivisor
                                              : kTailDivisorOfLongBounds);
  survey.new_share =
      lookups > 0 ? static_cast<double>(unknown) / static_cast<double>(lookups)
                  : 0;
  return survey;
}

Rank BufferFlusher::RankThatFits(RecordCursor* cursor, const Survey& survey,
                                 uint64_t room) {
  RankSampler sampler(survey.run_bytes, options_.eviction_samples, &random_);
  std::string previous_key;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const AccessRecord& record = cursor->record();
    sampler.Add(scoring_.RankAt(figures_.time, record,
                                Upper32of64(RunFilter::HashKey(record.key))),
                RunBytesOf(record.key, previous_key));
    previous_key.assign(record.key.data(), record.key.size());
  }
  return sampler.Threshold(room);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
