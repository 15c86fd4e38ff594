//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides whether a promotion may start, and why not. For the promotion job and
// for the statistics property. Reasons are string literals; an empty one means
// that it may.
//
// Thread safety: every function requires the DB mutex.

#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class PromotionPace;
class TierState;

class PromotionGate {
 public:
  // Returns why a promotion by flush must not start now.
  static const char* WhyNotNow(TierState* state);

  // Returns why nothing can be promoted now, for the statistics property.
  static const char* BlockedReason(TierState* state, const PromotionPace& pace);
};

}  // namespace ROCKSDB_NAMESPACE
