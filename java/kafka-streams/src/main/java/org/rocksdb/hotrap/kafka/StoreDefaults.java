//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.rocksdb.RocksDBException;
import org.rocksdb.hotrap.HotRapDefaults;
import org.rocksdb.hotrap.HotRapOptions;

/**
 * HotRAP's options for a store, by the pattern of its folder, since a setter
 * does not know the task, and the options that Kafka passes to it lead to no
 * native ones. All tasks of the process share them. A store that could not be
 * opened is never released; its options then stay, once.
 *
 * <p>Thread safety: thread-safe.
 */
final class StoreDefaults {
  // Kafka's own column family for a few offsets, with options of its own.
  private static final String OFFSETS = "offsets";
  private static final Map<String, StoreDefaults> IN_USE = new HashMap<>();

  private final String pattern;
  private final HotRapOptions options;
  private final HotRapDefaults all;
  private final HotRapDefaults offsets;
  private int users = 1;

  private StoreDefaults(String pattern, HotRapOptions options)
      throws RocksDBException {
    this.pattern = pattern;
    this.options = options;
    all = HotRapDefaults.add(pattern, "*", options);
    offsets = HotRapDefaults.add(
        pattern, OFFSETS, new HotRapOptions().setEnabled(false));
  }

  /**
   * {@code state} is the application's folder in state.dir, without symbolic
   * links.
   */
  static StoreDefaults acquire(Path state, String storeName,
      HotRapOptions options) throws RocksDBException {
    final String pattern =
        literal(state.toString()) + "/*/" + literal(storeName);
    synchronized (IN_USE) {
      final StoreDefaults known = IN_USE.get(pattern);
      if (known != null && known.options.equals(options)) {
        known.users++;
        return known;
      }
      final StoreDefaults defaults = new StoreDefaults(pattern, options);
      if (known != null) {
        // Left by an earlier application of the process, with other options.
        known.remove();
      }
      IN_USE.put(pattern, defaults);
      return defaults;
    }
  }

  /** Once for each acquire(). */
  void release() {
    synchronized (IN_USE) {
      if (--users == 0) {
        remove();
        IN_USE.remove(pattern, this);
      }
    }
  }

  private void remove() {
    all.close();
    offsets.close();
  }

  /** For fnmatch(3): the text, with any character for a special one. */
  private static String literal(String text) {
    return text.replaceAll("[\\[*?\\\\]", "?");
  }
}
