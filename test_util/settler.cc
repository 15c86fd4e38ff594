//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/test_util/settler.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// The first level that may be slow.
constexpr size_t kFirstSlowLevel = 2;
constexpr int kKeysPerRound = 64;
// A key is hot once it was read a few times.
constexpr int kReadsPerKey = 2;
// Rounds without a write after which the DB is left alone until the next write.
constexpr int kRoundsAfterWrite = 4;
// Rounds before the DB closes; promotions run in the pauses between them.
constexpr int kLastRounds = 3;
// The program may have paused the DB's work, so that a round never ends.
constexpr auto kLongestWait = std::chrono::seconds(1);
}  // namespace

class Settler::Worker : public std::enable_shared_from_this<Worker> {
 public:
  Worker(DB* db, const HotRapForce::Library& library,
         std::chrono::milliseconds pause)
      : db_(db), library_(library), pause_(pause), process_(getpid()) {}

  void Start() {
    std::thread([self = shared_from_this()] { self->Run(); }).detach();
  }

  void Add(uint32_t cf_id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cursors_.try_emplace(cf_id);
  }

  // Returns after the last rounds, or when it took too long.
  void Finish() {
    if (process_ != getpid()) {
      return;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    finishing_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kLongestWait,
                      [this] { return finished_ || ended_; });
  }

  void RequestStop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_.store(true);
    changed_.notify_all();
  }

  // Returns false if the thread still ran after `longest`.
  bool Await(std::chrono::milliseconds longest) {
    if (process_ != getpid()) {
      // The thread stayed in the process that this one was forked from.
      return true;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, longest, [this] { return ended_; });
  }

 private:
  void Run() {
    Loop();
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  void Loop() {
    SequenceNumber written = 0;
    int rounds = 0;
    auto pause = pause_;
    while (Sleep(pause)) {
      pause = pause_;
      if (!library_.is_open(db_)) {
        continue;
      }
      const SequenceNumber now = db_->GetLatestSequenceNumber();
      rounds = now == written ? rounds + 1 : 0;
      written = now;
      if (rounds >= kRoundsAfterWrite) {
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      Round();
      // Half of the time belongs to the program.
      pause = std::max(pause_,
                       std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::steady_clock::now() - start));
    }
    if (!stopped_.load() && library_.is_open(db_)) {
      for (int i = 0; i < kLastRounds && !stopped_.load(); i++) {
        Round();
        std::this_thread::sleep_for(pause_);
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }

  // Returns false if the thread is to end, or to do its last rounds.
  bool Sleep(std::chrono::milliseconds pause) {
    std::unique_lock<std::mutex> lock(mutex_);
    return !changed_.wait_for(lock, pause,
                              [this] { return finishing_ || stopped_.load(); });
  }

  void Round() {
    for (const uint32_t cf_id : ColumnFamilies()) {
      Settle(cf_id);
    }
  }

  std::vector<uint32_t> ColumnFamilies() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<uint32_t> ids;
    for (const auto& entry : cursors_) {
      ids.push_back(entry.first);
    }
    return ids;
  }

  // An error ends the round: the program may have paused or closed the DB, or
  // does the same itself.
  void Settle(uint32_t cf_id) {
    if (stopped_.load()) {
      return;
    }
    const std::unique_ptr<ColumnFamilyHandle> handle =
        library_.handle(db_, cf_id);
    std::string cursor;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (handle == nullptr) {
        cursors_.erase(cf_id);
        return;
      }
      cursor = cursors_[cf_id];
    }
    if (!Flush(handle.get()).ok() || !CompactDown(handle.get()).ok()) {
      return;
    }
    Read(handle.get(), &cursor);
    const std::lock_guard<std::mutex> lock(mutex_);
    cursors_[cf_id] = std::move(cursor);
  }

  Status Flush(ColumnFamilyHandle* handle) {
    uint64_t entries = 0;
    if (!db_->GetIntProperty(handle, "rocksdb.num-entries-active-mem-table",
                             &entries) ||
        entries == 0) {
      return Status::OK();
    }
    FlushOptions options;
    // The other choice waits for compactions, which may be off.
    options.allow_write_stall = true;
    return db_->Flush(options, handle);
  }

  Status CompactDown(ColumnFamilyHandle* handle) {
    ColumnFamilyMetaData tree;
    db_->GetColumnFamilyMetaData(handle, &tree);
    size_t levels = 0;
    size_t deepest = 0;
    std::vector<std::string> files;
    for (size_t level = 0; level < tree.levels.size(); level++) {
      for (const SstFileMetaData& file : tree.levels[level].files) {
        files.push_back(file.name);
        levels += deepest != level || levels == 0 ? 1 : 0;
        deepest = level;
      }
    }
    if (levels > 1 && deepest >= kFirstSlowLevel) {
      CompactRangeOptions options;
      options.allow_write_stall = true;
      options.canceled = &stopped_;
      return db_->CompactRange(options, handle, nullptr, nullptr);
    }
    if (levels == 0 || deepest >= kFirstSlowLevel) {
      return Status::OK();
    }
    // CompactRange() goes down by one level only. With HotRAP, the level
    // decides the path; without, RocksDB wants it chosen.
    const size_t paths = db_->GetOptions(handle).cf_paths.size();
    return db_->CompactFiles(CompactionOptions(), handle, files,
                             static_cast<int>(tree.levels.size()) - 1,
                             static_cast<int>(paths) - 1);
  }

  // Reads the next keys, beginning at `cursor`, and moves it.
  void Read(ColumnFamilyHandle* handle, std::string* cursor) {
    ReadOptions options;
    options.total_order_seek = true;
    std::vector<std::string> keys;
    {
      const std::unique_ptr<Iterator> iterator(
          db_->NewIterator(options, handle));
      if (cursor->empty()) {
        iterator->SeekToFirst();
      } else {
        iterator->Seek(*cursor);
      }
      while (iterator->Valid() && keys.size() < kKeysPerRound) {
        keys.emplace_back(iterator->key().ToStringView());
        iterator->Next();
      }
      *cursor = iterator->Valid() ? iterator->key().ToStringView() : "";
    }
    for (int i = 0; i < kReadsPerKey; i++) {
      for (const std::string& key : keys) {
        if (stopped_.load()) {
          return;
        }
        std::string value;
        db_->Get(options, handle, key, &value).PermitUncheckedError();
      }
    }
  }

  DB* const db_;
  const HotRapForce::Library library_;
  const std::chrono::milliseconds pause_;
  const pid_t process_;
  // Also read without the mutex, by CompactRange().
  std::atomic<bool> stopped_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  bool finishing_ = false;
  bool finished_ = false;
  bool ended_ = false;
  // By column family: the key to continue at.
  std::map<uint32_t, std::string> cursors_;
};

Settler::Settler(std::chrono::milliseconds pause) : pause_(pause) {}

void Settler::Add(DB* db, uint32_t cf_id, const HotRapForce::Library& library) {
  if (pause_.count() == 0) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Worker>& worker = workers_[db];
  const bool is_new = worker == nullptr;
  if (is_new) {
    worker = std::make_shared<Worker>(db, library, pause_);
  }
  worker->Add(cf_id);
  if (is_new) {
    worker->Start();
  }
}

void Settler::Finish(DB* db) {
  std::shared_ptr<Worker> worker;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = workers_.find(db);
    if (found == workers_.end()) {
      return;
    }
    worker = found->second;
  }
  worker->Finish();
}

void Settler::Remove(DB* db) {
  std::shared_ptr<Worker> worker;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = workers_.find(db);
    if (found == workers_.end()) {
      return;
    }
    worker = found->second;
    workers_.erase(found);
  }
  worker->RequestStop();
  while (!worker->Await(std::chrono::hours(1))) {
  }
}

void Settler::Abandon() {
  std::vector<std::shared_ptr<Worker>> workers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : workers_) {
      workers.push_back(entry.second);
    }
  }
  for (const auto& worker : workers) {
    worker->RequestStop();
  }
  for (const auto& worker : workers) {
    worker->Await(kLongestWait);
  }
}

}  // namespace ROCKSDB_NAMESPACE
