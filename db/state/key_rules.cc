//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/key_rules.h"

#include <mutex>
#include <string>

namespace ROCKSDB_NAMESPACE {

namespace {

std::vector<RangeOfKeys> Resolved(const std::vector<HotRapKeyRange>& option) {
  std::vector<RangeOfKeys> ranges;
  ranges.reserve(option.size());
  for (const HotRapKeyRange& range : option) {
    ranges.push_back(RangeOfKeys::Of(range));
  }
  return ranges;
}

std::string Text(const HotRapKeyRange& range) {
  const auto hex = [](const std::string& key) {
    return "0x" + Slice(key).ToString(/*hex=*/true);
  };
  return range.prefix.empty()
             ? "{begin=" + hex(range.begin) + ";end=" + hex(range.end) + "}"
             : "{prefix=" + hex(range.prefix) + "}";
}

Status ValidateRanges(const Comparator* ucmp, const std::string& name,
                      const std::vector<HotRapKeyRange>& ranges) {
  for (const HotRapKeyRange& range : ranges) {
    const auto bad = [&](const std::string& why) {
      return Status::InvalidArgument("hotrap." + name + " has " + Text(range) +
                                     "; " + why);
    };
    if (!range.prefix.empty() && (!range.begin.empty() || !range.end.empty())) {
      return bad("a range with a prefix must have no begin and no end");
    }
    if (!range.prefix.empty() && ucmp != BytewiseComparator()) {
      return bad(std::string("in the order of ") + ucmp->Name() +
                 " keys with a prefix are no range: give begin and end");
    }
    if (KeyRangeSet::IsEmpty(ucmp, RangeOfKeys::Of(range))) {
      return bad(std::string("its begin must be before its end, in the order "
                             "of ") +
                 ucmp->Name());
    }
  }
  return Status::OK();
}

}  // namespace

KeyRules::KeyRules(const Comparator* ucmp)
    : ucmp_(ucmp), pinned_(ucmp), excluded_(ucmp) {}

Status KeyRules::Validate(const Comparator* ucmp,
                          const HotRapOptions& options) {
  if (ucmp->timestamp_size() > 0) {
    return Status::OK();  // HotRAP is inactive.
  }
  Status s = ValidateRanges(ucmp, "pinned_ranges", options.pinned_ranges);
  if (s.ok()) {
    s = ValidateRanges(ucmp, "excluded_ranges", options.excluded_ranges);
  }
  if (!s.ok()) {
    return s;
  }
  const KeyRangeSet excluded(ucmp, Resolved(options.excluded_ranges));
  for (const HotRapKeyRange& range : options.pinned_ranges) {
    if (KeyRangeSet(ucmp, {RangeOfKeys::Of(range)}).Overlaps(excluded)) {
      return Status::InvalidArgument(
          "hotrap.pinned_ranges has " + Text(range) +
          "; it must not overlap a range of hotrap.excluded_ranges");
    }
  }
  return Status::OK();
}

KeyRules::Rule KeyRules::LookUp(const Slice& user_key) const {
  const Core* const core = cores_.Access();
  std::lock_guard<SpinMutex> lock(core->mutex);
  if (core->excluded.Contains(user_key)) {
    return Rule::kExcluded;
  }
  return core->pinned.Contains(user_key) ? Rule::kPinned : Rule::kNone;
}

bool KeyRules::PinsAll(const Slice& smallest, const Slice& largest) const {
  if (!any_.load(std::memory_order_relaxed)) {
    return false;
  }
  const Core* const core = cores_.Access();
  std::lock_guard<SpinMutex> lock(core->mutex);
  return core->pinned.ContainsAll(smallest, largest);
}

bool KeyRules::PinsAny(const Slice& smallest, const Slice& largest) const {
  if (!any_.load(std::memory_order_relaxed)) {
    return false;
  }
  const Core* const core = cores_.Access();
  std::lock_guard<SpinMutex> lock(core->mutex);
  return core->pinned.Overlaps(smallest, largest);
}

bool KeyRules::Configure(const HotRapOptions& options) {
  const bool pinned_changed = pinned_option_ != options.pinned_ranges;
  if (!pinned_changed && excluded_option_ == options.excluded_ranges) {
    return false;
  }
  if (pinned_changed) {
    pinned_option_ = options.pinned_ranges;
    pinned_ = KeyRangeSet(ucmp_, wanted());
    wanted_number_++;
  }
  excluded_option_ = options.excluded_ranges;
  excluded_ = KeyRangeSet(ucmp_, Resolved(excluded_option_));
  Publish();
  return pinned_changed;
}

std::vector<RangeOfKeys> KeyRules::wanted() const {
  return Resolved(pinned_option_);
}

void KeyRules::SetPinnedInForce(const KeyRangeSet& pinned) {
  pinned_ = pinned;
  Publish();
}

void KeyRules::Publish() {
  for (size_t i = 0; i < cores_.Size(); i++) {
    Core* const core = cores_.AccessAtCore(i);
    KeyRangeSet pinned = pinned_;
    KeyRangeSet excluded = excluded_;
    std::lock_guard<SpinMutex> lock(core->mutex);
    std::swap(core->pinned, pinned);
    std::swap(core->excluded, excluded);
  }
  any_.store(!pinned_.empty() || !excluded_.empty(), std::memory_order_relaxed);
}

}  // namespace ROCKSDB_NAMESPACE
