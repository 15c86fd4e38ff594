//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// `ldb hotrap advise`: what another fast budget would give, for people.
//
// Thread safety: constant after construction.

#pragma once

#include <string>

#include "plugin/hotrap/db/advice/hit_rate_model.h"

namespace ROCKSDB_NAMESPACE {

struct AdviceOptions {
  // Money for a GB (10^9 bytes) and month; 0 if not given.
  double fast_price = 0;
  double slow_price = 0;
  // The file for a plot; empty for none.
  std::string svg;
};

// Parses a price. Returns false if it is not a number from 0 on.
bool ParsePrice(const std::string& text, double* price);

class Advice {
 public:
  // `model` must outlive this object.
  Advice(const std::string& column_family, const HitRateModel& model,
         const AdviceOptions& options);

  // A table with a plot beside it, and what the next steps cost.
  std::string ToString() const;
  std::string ToSvg() const;

 private:
  const std::string column_family_;
  const HitRateModel& model_;
  const AdviceOptions options_;
};

}  // namespace ROCKSDB_NAMESPACE
