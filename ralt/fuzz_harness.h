//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Feeds the bytes to RALT's readers as the contents of its files. Checksums and
// footers are corrected, so that the code behind them is reached too. The
// readers must not crash, hang or read out of bounds. The first byte selects
// the part that the rest is used for; see FuzzPart.
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

// Returns a valid input for the part, as a seed.
std::string MakeFuzzSeed(FuzzPart part);

}  // namespace ROCKSDB_NAMESPACE::ralt
