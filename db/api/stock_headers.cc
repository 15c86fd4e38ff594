//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Ends a C++ program that was built with a stock RocksDB's headers, and that a
// link made load this library. It is a part of the shared library only.
//
// Such a program knows ColumnFamilyOptions as smaller than they are. The
// functions below are the only ones that give it any without having been given
// some; each is in the library twice, with two symbol versions
// (stock_headers.map):
//
//   ROCKSDB_HOTRAP         the function. The link editor uses this one for
//                          programs that are linked with this library, and
//                          notes the version in them.
//   ROCKSDB_STOCK_HEADERS  HotRapStockHeaders(). The library's first version:
//                          the dynamic linker uses it for programs without any
//                          version, which is how a stock RocksDB is linked.

#include <unistd.h>

extern "C" [[noreturn]] void HotRapStockHeaders() {
  static constexpr char kMessage[] =
      "librocksdb-hotrap: this C++ program was built with the headers of "
      "another RocksDB, whose structures are smaller. Build it again with the "
      "headers of librocksdb-hotrap, or run it with the library that it was "
      "built for. Only programs that use nothing but the C API need not be "
      "built again.\n";
  const ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  static_cast<void>(written);
  // As the dynamic linker ends a program that lacks a symbol.
  _exit(127);
}

#define HOTRAP_STOCK_SYMBOL(number, symbol)                 \
  extern "C" [[noreturn]] void HotRapStockHeaders##number() \
      __attribute__((alias("HotRapStockHeaders")));         \
  __asm__(".symver HotRapStockHeaders" #number "," symbol   \
          "@ROCKSDB_STOCK_HEADERS")

// ColumnFamilyOptions(), as an object and as the base of another class.
HOTRAP_STOCK_SYMBOL(1, "_ZN7rocksdb19ColumnFamilyOptionsC1Ev");
HOTRAP_STOCK_SYMBOL(2, "_ZN7rocksdb19ColumnFamilyOptionsC2Ev");
// ColumnFamilyOptions(const Options&).
HOTRAP_STOCK_SYMBOL(3, "_ZN7rocksdb19ColumnFamilyOptionsC1ERKNS_7OptionsE");
HOTRAP_STOCK_SYMBOL(4, "_ZN7rocksdb19ColumnFamilyOptionsC2ERKNS_7OptionsE");
// LoadLatestOptions(), LoadOptionsFromFile().
#define HOTRAP_OPTIONS_FILE_ARGUMENTS                      \
  "ERKNS_13ConfigOptionsE"                                 \
  "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" \
  "PNS_9DBOptionsE"                                        \
  "PSt6vectorINS_22ColumnFamilyDescriptorESaISE_EE"        \
  "PSt10shared_ptrINS_5CacheEE"
HOTRAP_STOCK_SYMBOL(
    5, "_ZN7rocksdb17LoadLatestOptions" HOTRAP_OPTIONS_FILE_ARGUMENTS);
HOTRAP_STOCK_SYMBOL(
    6, "_ZN7rocksdb19LoadOptionsFromFile" HOTRAP_OPTIONS_FILE_ARGUMENTS);
