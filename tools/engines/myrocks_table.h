//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tables, their rows and their keys, encoded as MyRocks does: a key begins with
// the four bytes of its index; the primary key has the row, a secondary key has
// the indexed value and then the primary key.
//
// Rows describe themselves: what a row holds follows from its table, its
// number and its version. Each eighth version is one in which the row is
// deleted. So a model needs no more than the version.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/engines/mapped_array.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// The column families, in the order of their handles. The name of the fourth
// makes its order reverse.
enum MyRocksFamily : int {
  kDefaultFamily,
  kPrimaryFamily,
  kSecondaryFamily,
  kReverseFamily,
  kTtlFamily,
  kSystemFamily,
  kFamilies,
};
extern const char* const kMyRocksFamilyNames[kFamilies];

struct SecondaryIndex {
  uint32_t index;
  MyRocksFamily family;
  // The indexed value is another one after so many versions, and is the first
  // one again after so many values. 0: it never is.
  uint32_t versions_per_value;
  uint32_t values;
};

// The model's knowledge of a row. A version is acknowledged after its commit
// has returned, and pending from before the commit. Zero: never written.
struct RowState {
  std::atomic<uint32_t> acked;
  std::atomic<uint32_t> pending;
  // When the acknowledged version was written, in seconds; of tables with TTL.
  std::atomic<uint64_t> written_secs;
};

inline bool IsDeleted(uint32_t version) { return version % 8 == 0; }

// A table. Constant but for what is said to be atomic.
class MyRocksTable {
 public:
  enum State : int { kAbsent, kLive, kDropping };

  MyRocksTable(const std::string& _name, uint32_t _number,
               const std::string& model_file, uint64_t _rows)
      : name(_name), number(_number), rows(_rows), model(model_file, _rows) {}

  std::string PrimaryKey(uint64_t row) const;
  std::string SecondaryKey(const SecondaryIndex& index, uint64_t row,
                           uint32_t version) const;
  // What comes before the primary key: index and value.
  std::string SecondaryPrefix(const SecondaryIndex& index, uint64_t row,
                              uint32_t version) const;
  std::string RowValue(uint64_t row, uint32_t version, uint64_t secs) const;
  // Of a table without TTL it is empty, as MyRocks writes it.
  std::string SecondaryValue(uint64_t secs) const;

  // The row at the end of a primary or secondary key.
  static uint64_t RowOf(const Slice& key);
  // Returns false if the value is no value of that row, of any version.
  bool DecodeRow(uint64_t row, const Slice& value, uint32_t* version,
                 uint64_t* secs) const;
  uint64_t SecsOf(const Slice& value) const;
  bool Expired(uint64_t written_secs, uint64_t now_secs) const {
    return ttl_secs > 0 && written_secs + ttl_secs <= now_secs;
  }

  // Threads that use a table that may be dropped hold it.
  bool Acquire();
  void Release() { users_.fetch_sub(1); }
  // Waits for those that hold the table.
  void SetState(State state);
  State state() const { return state_.load(); }

  const std::string name;
  const uint32_t number;
  const uint64_t rows;
  uint32_t primary_index = 0;
  MyRocksFamily primary_family = kPrimaryFamily;
  std::vector<SecondaryIndex> secondary;
  uint64_t ttl_secs = 0;
  // Rows 2 k and 2 k + 1 are always written together.
  bool paired = false;
  size_t payload_bytes = 0;
  MappedArray<RowState> model;

 private:
  std::atomic<State> state_{kAbsent};
  std::atomic<int> users_{0};
};

// The four bytes of an index, and the end of its keys.
std::string IndexStart(uint32_t index);
uint32_t IndexOf(const Slice& key);

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
