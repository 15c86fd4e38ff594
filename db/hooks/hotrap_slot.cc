//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_slot.h"

#include <memory>
#include <utility>

#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "plugin/hotrap/promotion/filter_register.h"

namespace ROCKSDB_NAMESPACE {

HotRapSlot::HotRapSlot()
    : filter_register_(std::make_unique<FilterRegister>()) {}
HotRapSlot::~HotRapSlot() = default;

TierState* HotRapSlot::active_state() const {
  HotRapTier* const tier = active();
  return tier != nullptr ? &tier->state() : nullptr;
}

TierState* HotRapSlot::state() const {
  return tier_ != nullptr ? &tier_->state() : nullptr;
}

void HotRapSlot::set_tier(std::unique_ptr<HotRapTier> tier) {
  tier_ = std::move(tier);
}

void HotRapSlot::SetActive(bool active) {
  active_.store(active ? tier_.get() : nullptr, std::memory_order_release);
}

}  // namespace ROCKSDB_NAMESPACE
