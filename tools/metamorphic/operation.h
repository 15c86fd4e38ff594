//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The operations that a seed generates. Each is a line of text, the format in
// which shrunk lists are saved:
//
//   put 0 17 12 300
//   batch ; put 0 3 40 100 ; delete 1 3
//
// A line has a verb, its numbers in the order given by kVerbs (operation.cc),
// and the operations inside it. "#" starts a comment.
//
// Any list and any part of it can run, so that lists can be shrunk: an
// operation that refers to a missing snapshot or iterator does nothing.

#pragma once

#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

enum class Verb {
  // Writes. `value`, a number, and `bytes` determine what they write.
  kPut,
  kPutEntity,  // wide columns
  kMerge,
  kDelete,
  kDeleteRange,  // [key, end)
  // The only writes for keys from kSingleBegin on. A Put if the key does not
  // exist and a SingleDelete if it does, otherwise nothing: the contract of
  // SingleDelete.
  kSinglePut,
  kSingleDelete,
  kLoad,    // puts of [key, end), with value + i
  kBatch,   // the writes inside it, atomically
  kIngest,  // the same, by one file per column family; the first of equal keys
  // Reads, at the snapshot in `slot`; kNow means without one.
  kGet,
  kGetEntity,
  kMultiGet,  // the gets inside it
  kMultiGetEntity,
  kScan,  // [key, end)
  kScanBack,
  kHot,    // gets of [key, end), `count` times: makes them hot
  kCheck,  // everything, by every kind of read
  kCopy,   // everything, in a copy: mode 0 a checkpoint, 1 a restored backup
  // Snapshots and iterators, in slots.
  kSnapshot,
  kRelease,
  kIterator,
  kWalk,  // from `key`, `count` entries
  kWalkBack,
  kCloseIterator,
  // Operations that change no answer.
  kFlush,         // of both column families
  kCompactRange,  // [key, end); moves the files to `level`, if given
  kCompactFiles,  // those files of `level` that `mask` selects
  kHotRap,        // SetOptions; see HotRapMode
  kDisturb,       // damages RALT's files as configured
  kWait,          // for the end of all background work
  kReopen,        // mode 1: flushed before
};

// What kHotRap sets. Does nothing in configurations without HotRAP.
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
// Whether the operation uses Get or GetEntity, perhaps among others.
bool AsksGet(Verb verb);

std::string ToText(const Operation& operation);
Status ParseOperation(const std::string& line, Operation* operation);

// Write and read a script. It starts with the lines of `comment`.
Status WriteScript(const std::string& path, const std::string& comment,
                   const std::vector<Operation>& operations);
Status ReadScript(const std::string& path, std::vector<Operation>* operations);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
