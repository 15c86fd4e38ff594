//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells listeners what HotRAP has done, from a job: who reports may hold the DB
// mutex, and a listener may call anything.
//
// Thread safety: any thread; the DB mutex may be held or not.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "port/port.h"
#include "rocksdb/hotrap_listener.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;
class TierJobs;

class HotRapEvents {
 public:
  // Of `listeners`, those that derive from HotRapListener hear of events.
  // `jobs` must outlive this object.
  HotRapEvents(DBImpl* db, TierJobs* jobs,
               const std::vector<std::shared_ptr<EventListener>>& listeners);
  HotRapEvents(const HotRapEvents&) = delete;
  HotRapEvents& operator=(const HotRapEvents&) = delete;

  // Whether anybody listens. If not, a report does nothing.
  bool wanted() const { return !listeners_.empty(); }

  void Report(const HotRapPromotionInfo& info);
  void Report(const HotRapCrossingInfo& info);
  void Report(const HotRapWriteStallInfo& info);

 private:
  using Event = std::function<void(HotRapListener*)>;

  void Add(Event event);
  // The job: delivers what waits, oldest first.
  void Deliver();

  DBImpl* const db_;
  TierJobs* const jobs_;
  std::vector<std::shared_ptr<HotRapListener>> listeners_;

  port::Mutex mutex_;
  // Protected by mutex_.
  std::deque<Event> waiting_;
  bool delivers_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
