//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/operation.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

struct Field {
  const char* name;
  int Operation::*member;
  int least;
  int end;
};

constexpr int kMaxNumber = 1 << 30;
constexpr int kMaxValueBytes = 1 << 20;
constexpr Field kCf = {"cf", &Operation::cf, 0, kNumColumnFamilies};
// Single-delete keys have their own range, because SingleDelete must not be
// mixed with other writes.
constexpr Field kKey = {"key", &Operation::key, 0, kSingleBegin};
constexpr Field kEnd = {"end", &Operation::end, 0, kSingleBegin + 1};
constexpr Field kSingleKey = {"key", &Operation::key, kSingleBegin, kNumKeys};
constexpr Field kAnyKey = {"key", &Operation::key, 0, kNumKeys};
constexpr Field kAnyEnd = {"end", &Operation::end, 0, kNumKeys + 1};
constexpr Field kValue = {"value", &Operation::value, 0, kMaxNumber};
constexpr Field kBytes = {"bytes", &Operation::bytes, 0, kMaxValueBytes};
constexpr Field kSnapshotOrNow = {"snapshot", &Operation::slot, Operation::kNow,
                                  kNumSlots};
constexpr Field kSlot = {"slot", &Operation::slot, 0, kNumSlots};
constexpr Field kCount = {"count", &Operation::count, 0, kMaxNumber};
constexpr Field kLevel = {"level", &Operation::level, Operation::kNoLevel, 10};
constexpr Field kMask = {"mask", &Operation::mask, 0, kMaxNumber};
constexpr Field kMode = {"mode", &Operation::mode, 0, 10};

struct VerbInfo {
  Verb verb;
  const char* name;
  bool is_write;
  std::vector<Field> fields;
};

const std::vector<VerbInfo> kVerbs = {
    {Verb::kPut, "put", true, {kCf, kKey, kValue, kBytes}},
    {Verb::kPutEntity, "put_entity", true, {kCf, kKey, kValue, kBytes}},
    {Verb::kMerge, "merge", true, {kCf, kKey, kValue, kBytes}},
    {Verb::kDelete, "delete", true, {kCf, kKey}},
    {Verb::kDeleteRange, "delete_range", true, {kCf, kKey, kEnd}},
    {Verb::kSinglePut, "single_put", true, {kCf, kSingleKey, kValue, kBytes}},
    {Verb::kSingleDelete, "single_delete", true, {kCf, kSingleKey}},
    {Verb::kLoad, "load", true, {kCf, kKey, kEnd, kValue, kBytes}},
    {Verb::kBatch, "batch", false, {}},
    {Verb::kIngest, "ingest", false, {}},
    {Verb::kGet, "get", false, {kCf, kAnyKey, kSnapshotOrNow}},
    {Verb::kGetEntity, "get_entity", false, {kCf, kAnyKey, kSnapshotOrNow}},
    {Verb::kMultiGet, "multiget", false, {kSnapshotOrNow}},
    {Verb::kMultiGetEntity, "multiget_entity", false, {kSnapshotOrNow}},
    {Verb::kScan, "scan", false, {kCf, kAnyKey, kAnyEnd, kSnapshotOrNow}},
    {Verb::kScanBack,
     "scan_back",
     false,
     {kCf, kAnyKey, kAnyEnd, kSnapshotOrNow}},
    {Verb::kHot, "hot", false, {kCf, kAnyKey, kAnyEnd, kCount}},
    {Verb::kCheck, "check", false, {kSnapshotOrNow}},
    {Verb::kCopy, "copy", false, {kMode}},
    {Verb::kSnapshot, "snapshot", false, {kSlot}},
    {Verb::kRelease, "release", false, {kSlot}},
    {Verb::kIterator, "iterator", false, {kSlot, kCf}},
    {Verb::kWalk, "walk", false, {kSlot, kAnyKey, kCount}},
    {Verb::kWalkBack, "walk_back", false, {kSlot, kAnyKey, kCount}},
    {Verb::kCloseIterator, "close_iterator", false, {kSlot}},
    {Verb::kFlush, "flush", false, {}},
    {Verb::kCompactRange,
     "compact_range",
     false,
     {kCf, kAnyKey, kAnyEnd, kLevel, kMode}},
    {Verb::kCompactFiles, "compact_files", false, {kCf, kLevel, kMask}},
    {Verb::kHotRap, "hotrap", false, {kMode}},
    {Verb::kDisturb, "disturb", false, {}},
    {Verb::kWait, "wait", false, {}},
    {Verb::kReopen, "reopen", false, {kMode}},
};

const VerbInfo& InfoOf(Verb verb) {
  return *std::find_if(kVerbs.begin(), kVerbs.end(),
                       [&](const VerbInfo& info) { return info.verb == verb; });
}

bool MayHold(Verb outer, Verb inner) {
  switch (outer) {
    case Verb::kBatch:
      return IsWrite(inner) && inner != Verb::kLoad;
    case Verb::kIngest:
      return inner == Verb::kPut || inner == Verb::kPutEntity ||
             inner == Verb::kMerge || inner == Verb::kDelete ||
             inner == Verb::kDeleteRange;
    case Verb::kMultiGet:
    case Verb::kMultiGetEntity:
      return inner == Verb::kGet;
    default:
      return false;
  }
}

Status ParseWords(const std::vector<std::string>& words, Operation* operation) {
  if (words.empty()) {
    return Status::InvalidArgument("no verb");
  }
  const auto info =
      std::find_if(kVerbs.begin(), kVerbs.end(),
                   [&](const VerbInfo& verb) { return verb.name == words[0]; });
  if (info == kVerbs.end()) {
    return Status::InvalidArgument("unknown verb", words[0]);
  }
  if (words.size() != info->fields.size() + 1) {
    return Status::InvalidArgument("wrong number of arguments", words[0]);
  }
  operation->verb = info->verb;
  for (size_t i = 0; i < info->fields.size(); i++) {
    const Field& field = info->fields[i];
    int number = 0;
    std::istringstream stream(words[i + 1]);
    if (!(stream >> number) || !stream.eof() || number < field.least ||
        number >= field.end) {
      return Status::InvalidArgument(words[0] + ": " + field.name,
                                     words[i + 1]);
    }
    operation->*field.member = number;
  }
  return Status::OK();
}

}  // namespace

bool IsWrite(Verb verb) { return InfoOf(verb).is_write; }

bool AsksGet(Verb verb) {
  switch (verb) {
    case Verb::kGet:
    case Verb::kGetEntity:
    case Verb::kHot:
    case Verb::kCheck:
      return true;
    default:
      return false;
  }
}

std::string ToText(const Operation& operation) {
  const VerbInfo& info = InfoOf(operation.verb);
  std::string text = info.name;
  for (const Field& field : info.fields) {
    text += " " + std::to_string(operation.*field.member);
  }
  for (const Operation& part : operation.parts) {
    text += " ; " + ToText(part);
  }
  return text;
}

Status ParseOperation(const std::string& line, Operation* operation) {
  std::istringstream stream(line);
  std::vector<std::vector<std::string>> groups(1);
  for (std::string word; stream >> word;) {
    if (word == ";") {
      groups.emplace_back();
    } else {
      groups.back().push_back(word);
    }
  }
  *operation = Operation();
  Status s = ParseWords(groups[0], operation);
  for (size_t i = 1; i < groups.size() && s.ok(); i++) {
    Operation part;
    s = ParseWords(groups[i], &part);
    if (s.ok() && !MayHold(operation->verb, part.verb)) {
      s = Status::InvalidArgument(
          InfoOf(operation->verb).name + std::string(" can't hold"),
          InfoOf(part.verb).name);
    }
    operation->parts.push_back(std::move(part));
  }
  return s;
}

Status WriteScript(const std::string& path, const std::string& comment,
                   const std::vector<Operation>& operations) {
  std::ofstream file(path, std::ios::trunc);
  for (const std::string& line : StringSplit(comment, '\n')) {
    file << "# " << line << '\n';
  }
  for (const Operation& operation : operations) {
    file << ToText(operation) << '\n';
  }
  file.close();
  return file ? Status::OK() : Status::IOError("cannot write", path);
}

Status ReadScript(const std::string& path, std::vector<Operation>* operations) {
  operations->clear();
  std::ifstream file(path);
  if (!file) {
    return Status::NotFound("cannot read", path);
  }
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    Operation operation;
    const Status s = ParseOperation(line, &operation);
    if (!s.ok()) {
      return Status::InvalidArgument(path + ":" + std::to_string(number),
                                     s.ToString());
    }
    operations->push_back(std::move(operation));
  }
  return Status::OK();
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
