//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import org.rocksdb.RocksDBException;

/**
 * The functions of java/hotrap/jni. Handles are native pointers of RocksJava's
 * objects, which the caller keeps open. IllegalArgumentException if an option
 * is unknown or its value invalid. Thread-safe, as far as the objects are.
 */
final class HotRapNative {
  private HotRapNative() {}

  /** Such as 10.4.2-hotrap.1. */
  static native String version();

  /** Names and values of what the string sets, alternately. */
  static native String[] parse(String options);

  /** Changes column family options; `isOptions` if they are an Options. */
  static native void apply(long handle, boolean isOptions, String options);

  /** Names and values of all fields, alternately. */
  static native String[] get(long handle, boolean isOptions);

  /** The native write_buffer_size. */
  static native long writeBufferSize(long handle, boolean isOptions);

  static native void setOptions(long db, long columnFamily, String options)
      throws RocksDBException;

  /** Returns a number for removeDefaults(), which is not 0. */
  static native long addDefaults(
      String dbPattern, String familyPattern, String options);

  static native void removeDefaults(long id);

  /** Names of the tickers, in their order. */
  static native String[] tickers();

  static native long tickerCount(long statistics, int ticker);
}
