//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/db_brake.h"

#include "plugin/hotrap/db/access/db_access.h"

namespace ROCKSDB_NAMESPACE {

DbBrake::DbBrake(DBImpl* db) : db_(db) {}

DbBrake::~DbBrake() = default;

bool DbBrake::RocksDBDelays() const {
  for (auto* cfd : *DbAccess(db_).versions()->GetColumnFamilySet()) {
    if (cfd->initialized() && cfd->GetSuperVersion() != nullptr &&
        cfd->GetSuperVersion()->write_stall_condition ==
            WriteStallCondition::kDelayed) {
      return true;
    }
  }
  return false;
}

void DbBrake::Apply(const void* who, const JointBrake::Wish& wish) {
  db_->mutex()->AssertHeld();
  if (wish.any() || joint_.Has(who)) {
    Settle(who, wish, RocksDBDelays());
  }
}

void DbBrake::Remove(const void* who) {
  if (joint_.Has(who)) {
    // Column families may be half gone.
    Settle(who, JointBrake::Wish(), /*rocksdb_delays=*/false);
  }
}

void DbBrake::Settle(const void* who, const JointBrake::Wish& wish,
                     bool rocksdb_delays) {
  WriteController* const controller = DbAccess(db_).work().write_controller();
  joint_.Observe(controller->delayed_write_rate(), rocksdb_delays);
  const bool braked = joint_.brakes();
  const bool stopped = joint_.stops();
  joint_.Set(who, wish);

  if (!joint_.hastens()) {
    pressure_.reset();
  } else if (pressure_ == nullptr) {
    pressure_ = controller->GetCompactionPressureToken();
  }
  if (!joint_.stops()) {
    stop_.reset();
  } else if (stop_ == nullptr) {
    stop_ = controller->GetStopToken();
  }
  const uint64_t rate = joint_.Rate(rocksdb_delays);
  if (!joint_.delays()) {
    delay_.reset();
  } else if (delay_ == nullptr) {
    delay_ = controller->GetDelayToken(rate);
  }
  if (braked || joint_.brakes()) {
    controller->set_delayed_write_rate(rate);
    joint_.NoteSet(controller->delayed_write_rate());
  }
  if (stopped && !joint_.stops()) {
    DbAccess(db_).work().SignalBackgroundWork();
  }
}

}  // namespace ROCKSDB_NAMESPACE
