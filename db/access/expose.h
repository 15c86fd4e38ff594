//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Names private members of RocksDB's classes: an explicit instantiation may.
// This saves a patch of another RocksDB file, and fails to compile if the
// members change.

#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

template <typename Tag, typename Tag::Type kMember>
struct Expose {
  friend typename Tag::Type MemberOf(Tag) { return kMember; }
};

// Then object->*MemberOf(tag()) is the member. The tag is a name of the
// library's namespace, where this has to stand.
#define HOTRAP_EXPOSE(owner, tag, type, member) \
  struct tag {                                  \
    using Type = type owner::*;                 \
    friend Type MemberOf(tag);                  \
  };                                            \
  template struct Expose<tag, &owner::member>;

}  // namespace ROCKSDB_NAMESPACE
