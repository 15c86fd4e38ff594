//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import org.rocksdb.RocksDBException;

/**
 * Options for DBs that are opened without a way to their options, by a
 * framework: in column families that do not set HotRAP's options themselves,
 * of DBs that this process opens, or creates a column family in, until this is
 * closed. The environment variable ROCKSDB_HOTRAP is not asked then.
 *
 * <p>Thread-safe.
 */
public final class HotRapDefaults implements AutoCloseable {
  private long id;

  private HotRapDefaults(long id) {
    this.id = id;
  }

  /**
   * Adds options. Of several that fit, the last one counts, as a whole.
   *
   * @param dbPattern of the DB's absolute folder, as in fnmatch(3); a star also
   *     stands for slashes
   * @param familyPattern of the column family's name
   * @param options with enabled=true to switch HotRAP on
   * @throws IllegalArgumentException if an option is unknown or invalid
   * @throws RocksDBException if HotRAP is not available
   */
  public static HotRapDefaults add(String dbPattern, String familyPattern,
      HotRapOptions options) throws RocksDBException {
    HotRapLibrary.load();
    return new HotRapDefaults(HotRapNative.addDefaults(
        dbPattern, familyPattern, options.toString()));
  }

  /** DBs that are open keep the options. A second call has no effect. */
  @Override
  public synchronized void close() {
    if (id != 0) {
      HotRapNative.removeDefaults(id);
      id = 0;
    }
  }
}
