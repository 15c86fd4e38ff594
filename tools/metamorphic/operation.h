//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a seed stands for: a list of operations, each a line of text, which a
// shrunk list is kept in:
//
//   put 0 17 12 300
//   batch ; put 0 3 40 100 ; delete 1 3
//
// A verb, its numbers in the order that kVerbs (operation.cc) says, and the
// operations inside it. "#" starts a comment.
//
// Any list is meant to run, and any part of it: what refers to a snapshot or
// an iterator that isn't there does nothing, so that a list can be shrunk.

#pragma once

#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

enum class Verb {
  // Writes. What they write is told by `value`, its number, and `bytes`.
  kPut,
  kPutEntity,  // wide columns
  kMerge,
  kDelete,
  kDeleteRange,  // [key, end)
  // The only ones for the keys from kSingleBegin on. A Put if the key is not
  // there, a SingleDelete if it is, else nothing: the contract of SingleDelete.
  kSinglePut,
  kSingleDelete,
  kLoad,    // puts of [key, end), value + i each
  kBatch,   // the writes inside it, at once
  kIngest,  // likewise, by a file a column family; of equal keys the first
  // Reads, at the snapshot in `slot`; kNow: without one.
  kGet,
  kGetEntity,
  kMultiGet,  // the gets inside it
  kMultiGetEntity,
  kScan,  // [key, end)
  kScanBack,
  kHot,    // gets of [key, end), `count` times: makes them hot
  kCheck,  // all that there is, in every way
  // Snapshots and iterators, in slots.
  kSnapshot,
  kRelease,
  kIterator,
  kWalk,  // from `key`, `count` entries
  kWalkBack,
  kCloseIterator,
  // Changes no answer.
  kFlush,         // of both column families
  kCompactRange,  // [key, end); `level`, if any, is where its files go then
  kCompactFiles,  // files of `level`, of those that the bits of `mask` say
  kHotRap,        // SetOptions; see HotRapMode
  kDisturb,       // what a configuration does to RALT's files
  kWait,          // for the end of all background work
  kReopen,        // mode 1: flushed before
};

// What kHotRap sets. A configuration without HotRAP does nothing.
enum class HotRapMode {
  kOff,
  kAsConfigured,
  kTinyCache,
  kAllHot,
  kMoreFastLevels,
  kNoByCompaction,
  kEnd,
};

struct Operation {
  static constexpr int kNow = -1;
  static constexpr int kNoLevel = -1;

  Verb verb = Verb::kWait;
  int cf = 0;
  int key = 0;
  int end = 0;
  int value = 0;
  int bytes = 0;
  int slot = kNow;
  int count = 0;
  int level = 0;
  int mask = 0;
  int mode = 0;
  std::vector<Operation> parts;
};

constexpr int kNumColumnFamilies = 2;
constexpr int kNumKeys = 200;
constexpr int kSingleBegin = 170;
constexpr int kNumSlots = 4;

bool IsWrite(Verb verb);
// Asks Get or GetEntity, perhaps among others.
bool AsksGet(Verb verb);

std::string ToText(const Operation& operation);
Status ParseOperation(const std::string& line, Operation* operation);

// A script. The lines of `comment` stand at its top.
Status WriteScript(const std::string& path, const std::string& comment,
                   const std::vector<Operation>& operations);
Status ReadScript(const std::string& path, std::vector<Operation>* operations);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
