//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/view.h"

#include <cassert>

#include "plugin/hotrap/tools/metamorphic/answer.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

std::vector<KeyInFamily> KeysOf(const std::vector<Operation>& gets) {
  std::vector<KeyInFamily> keys;
  for (const Operation& get : gets) {
    keys.push_back({get.cf, get.key});
  }
  return keys;
}

// Joins keys and their texts.
std::string Join(const std::vector<KeyInFamily>& keys,
                 const std::vector<std::string>& texts) {
  std::string joined;
  for (size_t i = 0; i < keys.size(); i++) {
    joined += std::to_string(keys[i].cf) + "/" + KeyOf(keys[i].key) + "=" +
              texts[i] + " ";
  }
  return joined;
}

// Of later rounds, reports only what differs from the first.
std::string Hot(const Operation& operation, View* view) {
  std::vector<KeyInFamily> keys;
  std::vector<std::string> first;
  for (int key = operation.key; key < operation.end; key++) {
    keys.push_back({operation.cf, key});
    first.push_back(view->Get(keys.back()));
  }
  std::string answer = Join(keys, first);
  for (int round = 1; round < operation.count; round++) {
    for (size_t i = 0; i < keys.size(); i++) {
      const std::string text = view->Get(keys[i]);
      if (text != first[i]) {
        answer +=
            "round " + std::to_string(round) + ": " + Join({keys[i]}, {text});
      }
    }
  }
  return answer;
}

std::string Scans(View* view) {
  std::string answer;
  for (int cf = 0; cf < kNumColumnFamilies; cf++) {
    answer += "\nscan " + view->Scan(cf, 0, kNumKeys, false);
    answer += "\nback " + view->Scan(cf, 0, kNumKeys, true);
  }
  return answer;
}

std::string Check(View* view) {
  std::string answer = Scans(view);
  for (int cf = 0; cf < kNumColumnFamilies; cf++) {
    std::vector<KeyInFamily> keys;
    std::vector<std::string> gets;
    for (int key = 0; key < kNumKeys; key++) {
      keys.push_back({cf, key});
      gets.push_back(view->Get(keys.back()));
    }
    answer += "\ngets " + Join(keys, gets);
    answer += "\nmultiget " + Join(keys, view->MultiGet(keys));
    answer += "\nentities " + Join(keys, view->MultiGetEntity(keys));
  }
  return answer;
}

}  // namespace

std::string ReadAnswer(const Operation& operation, View* view) {
  const KeyInFamily key = {operation.cf, operation.key};
  const std::vector<KeyInFamily> keys = KeysOf(operation.parts);
  switch (operation.verb) {
    case Verb::kGet:
      return view->Get(key);
    case Verb::kGetEntity:
      return view->GetEntity(key);
    case Verb::kMultiGet:
      return Join(keys, view->MultiGet(keys));
    case Verb::kMultiGetEntity:
      return Join(keys, view->MultiGetEntity(keys));
    case Verb::kScan:
    case Verb::kScanBack:
      return view->Scan(operation.cf, operation.key, operation.end,
                        operation.verb == Verb::kScanBack);
    case Verb::kHot:
      return Hot(operation, view);
    case Verb::kCheck:
      return Check(view);
    case Verb::kCopy:
      return Scans(view);
    default:
      assert(false);
      return "";
  }
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
