//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Feeds bytes to RALT's readers as the contents of its files, with checksums
// and footers put right, so that what is behind them is reached too. Nothing
// may crash, hang or read out of bounds. The first byte says which part the
// rest is: see FuzzPart.
void FuzzRaltFiles(const uint8_t* data, size_t size);

enum class FuzzPart : uint8_t {
  kRawManifest,
  kManifestBody,
  kRawRun,
  kDataBlock,
  kIndex,
  kProperties,
  kFilter,
  kCount,
};

// A valid input of the part, to start from.
std::string MakeFuzzSeed(FuzzPart part);

}  // namespace ROCKSDB_NAMESPACE::ralt
