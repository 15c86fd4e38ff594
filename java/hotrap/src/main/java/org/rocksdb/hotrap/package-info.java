//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

/**
 * HotRAP for RocksJava: options, a switch, statistics and tickers beside the
 * unmodified classes of rocksdbjni. The jar also has RocksDB's native library,
 * with HotRAP inside; see {@link org.rocksdb.hotrap.HotRap}.
 */
package org.rocksdb.hotrap;
