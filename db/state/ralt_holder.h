//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Holds the RALT of one column family: opens it in its folder, lends it, and
// closes it. If the column family was dropped, what is left goes as well.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/ralt.h"
#include "port/port.h"
#include "rocksdb/hotrap.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class Figures;
class TierJobs;

class RaltHolder {
 public:
  // `jobs` must outlive this object.
  RaltHolder(DBImpl* db, ColumnFamilyData* cfd, const TierJobs* jobs);
  // Tears RALT down if the column family was dropped: in this thread if the DB
  // closes, else in RALT's. REQUIRES: DB mutex held unless the DB closes.
  ~RaltHolder();
  RaltHolder(const RaltHolder&) = delete;
  RaltHolder& operator=(const RaltHolder&) = delete;

  // ---- Any thread --------------------------------------------------------

  // Returns nullptr while RALT is not open. Closing the DB waits for reads,
  // compactions and jobs; others need a Pin.
  Ralt* get() const { return ralt_.load(std::memory_order_acquire); }

  // Keeps RALT open for callers that closing the DB does not wait for: Close()
  // waits until all pins are gone. get() returns nullptr while RALT is not
  // open.
  class Pin {
   public:
    explicit Pin(const RaltHolder& holder)
        : lock_(&holder.pins_), ralt_(holder.get()) {}
    const Ralt* get() const { return ralt_; }

   private:
    ReadLock lock_;
    const Ralt* const ralt_;
  };

  // Adds the statistics property's figures.
  void AddTo(Figures* figures) const;

  // Makes links in the folder `to` of RALT's files with all accesses so far
  // (Ralt::Copy()). Waits until RALT has flushed these. NotFound if there are
  // none. RALT may not be open yet.
  Status CopyTo(const std::string& to, std::vector<std::string>* names) const;

  // ---- For the tier ------------------------------------------------------

  // Returns true the first time: the caller has RALT opened. From then on,
  // there may be a folder. REQUIRES: DB mutex held.
  bool TakeOpening();
  // Opens RALT, after removing folders that no column family has any more.
  // `spare_bytes`: see SpaceReservation. `share_bytes`: of the budget, if it is
  // shared. REQUIRES: DB mutex not held, in a job.
  void Open(const HotRapOptions& options, uint64_t spare_bytes,
            uint64_t share_bytes);
  // Passes on what has changed of the options that an open RALT follows, and of
  // the share. REQUIRES: DB mutex held.
  void Configure(const HotRapOptions& options, uint64_t share_bytes);

  // Flushes and closes RALT. REQUIRES: DB mutex not held, no job left.
  void Close();

 private:
  RaltCaps CapsOf(const HotRapOptions& options, uint64_t share_bytes) const;
  // Removes folders of column families that were dropped while HotRAP was off,
  // or shortly before the process was killed.
  void RemoveFoldersLeftBehind();

  DBImpl* const db_;
  ColumnFamilyData* const cfd_;
  const TierJobs* const jobs_;

  std::atomic<Ralt*> ralt_{nullptr};
  std::unique_ptr<Ralt> owned_;  // written by Open() and Close() only
  std::atomic<bool> opening_is_due_{true};
  // What RALT has, once it is open. Protected by the DB mutex.
  std::optional<RaltCaps> caps_;
  mutable port::RWMutex pins_;
};

}  // namespace ROCKSDB_NAMESPACE
