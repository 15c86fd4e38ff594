//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Slows and stops the writes of a DB, through RocksDB's WriteController, as the
// budgets of its fast paths ask for (JointBrake). The budgets of one DB share
// an object of this class.
//
// Thread safety: REQUIRES the DB mutex, unless a comment says otherwise.

#pragma once

#include <cstdint>
#include <memory>

#include "plugin/hotrap/db/budget/joint_brake.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;
class WriteControllerToken;

class DbBrake {
 public:
  explicit DbBrake(DBImpl* db);
  ~DbBrake();
  DbBrake(const DbBrake&) = delete;
  DbBrake& operator=(const DbBrake&) = delete;

  // A budget asks for this from now on. `who` is only compared.
  void Apply(const void* who, const JointBrake::Wish& wish);
  // A budget goes. Needs no mutex if it asks for nothing.
  void Remove(const void* who);

  // The rate of writes that was set last.
  uint64_t rate() const { return joint_.set_rate(); }

 private:
  // Whether RocksDB slows writes for reasons of its own.
  bool RocksDBDelays() const;
  void Settle(const void* who, const JointBrake::Wish& wish,
              bool rocksdb_delays);

  DBImpl* const db_;
  JointBrake joint_;
  std::unique_ptr<WriteControllerToken> delay_;
  std::unique_ptr<WriteControllerToken> stop_;
  std::unique_ptr<WriteControllerToken> pressure_;
};

}  // namespace ROCKSDB_NAMESPACE
