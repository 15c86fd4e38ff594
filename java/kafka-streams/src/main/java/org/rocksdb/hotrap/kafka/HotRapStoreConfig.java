//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.StreamsConfig;
import org.rocksdb.RocksDBException;
import org.rocksdb.hotrap.HotRapOptions;

/**
 * The entries {@code hotrap.*} of an application's configuration, as they apply
 * to one store. An entry that is unknown or wrong is a ConfigException.
 *
 * <p>Immutable.
 */
public final class HotRapStoreConfig extends AbstractConfig {
  public static final String PREFIX = "hotrap.";
  /** Followed by a store's name, and the name of an entry without "hotrap.". */
  public static final String STORE_PREFIX = PREFIX + "store.";
  public static final String ENABLED = PREFIX + "enabled";
  public static final String SLOW_ROOT = PREFIX + "slow.root";
  public static final String FAST_ROOT = PREFIX + "fast.root";
  public static final String FAST_BUDGET = PREFIX + "fast.budget.bytes";
  public static final String OPTIONS = PREFIX + "options";

  private static final long MIN_BUDGET = 1 << 20;
  // HotRAP's least and its default.
  private static final long MIN_ACCESS_BUFFER = 64L << 10;
  private static final long MAX_ACCESS_BUFFER = 64L << 20;
  private static final ConfigDef DEFINITION =
      new ConfigDef()
          .define(ENABLED, Type.BOOLEAN, true, Importance.HIGH,
              "Tracks, keeps and promotes hot records. While it is false, a "
                  + "store that has two tiers keeps them.")
          .define(SLOW_ROOT, Type.STRING, null, Importance.HIGH,
              "A folder on the slow disk, absolute and existing, of this "
                  + "process alone. state.dir is then on the fast one.")
          .define(FAST_ROOT, Type.STRING, null, Importance.MEDIUM,
              "The same on the fast disk, if state.dir is on the slow one.")
          .define(FAST_BUDGET, Type.LONG, 0, Importance.HIGH,
              "Bytes of the fast disk for each RocksDB: a store has one for "
                  + "each task and replica, a windowed one for each segment.")
          .define(OPTIONS, Type.STRING, "", Importance.LOW,
              "More of HotRAP's options, such as auto_tune=false;.");

  private HotRapStoreConfig(Map<String, Object> entries) {
    super(DEFINITION, entries, false);
  }

  /**
   * Returns the configuration of a store, or of a segment of it, whose name
   * has a dot and the time after the store's.
   */
  static HotRapStoreConfig of(String storeName, Map<String, Object> configs) {
    final Map<String, Object> entries = new HashMap<>();
    for (final Map.Entry<String, Object> each : configs.entrySet()) {
      final String key = each.getKey();
      if (key.startsWith(STORE_PREFIX)) {
        entryOfStore(key);
      } else if (key.startsWith(PREFIX)) {
        checkKnown(key, key);
        entries.put(key, each.getValue());
      }
    }
    final String ofSegment = storeName.replaceFirst("\\.-?\\d+$", "");
    for (final String name : new String[] {ofSegment, storeName}) {
      for (final String key : DEFINITION.names()) {
        final String ofStore = STORE_PREFIX + name + "." + tail(key);
        if (configs.containsKey(ofStore)) {
          entries.put(key, configs.get(ofStore));
        }
      }
    }
    final HotRapStoreConfig config = new HotRapStoreConfig(entries);
    config.check();
    return config;
  }

  private static String tail(String key) {
    return key.substring(PREFIX.length());
  }

  private static void entryOfStore(String key) {
    if (DEFINITION.names().stream().noneMatch(
            known -> key.endsWith("." + tail(known)))) {
      throw new ConfigException(key + " must end with the name of an entry, "
          + "such as " + STORE_PREFIX + "NAME." + tail(FAST_BUDGET));
    }
  }

  private static void checkKnown(String key, String name) {
    if (!DEFINITION.names().contains(name)) {
      throw new ConfigException(key + " is no entry; the entries are "
          + DEFINITION.names() + ", and " + STORE_PREFIX + "NAME. with them");
    }
  }

  private void check() {
    for (final String key : new String[] {SLOW_ROOT, FAST_ROOT}) {
      if (getString(key) != null && !Path.of(getString(key)).isAbsolute()) {
        throw new ConfigException(
            key, getString(key), "must be an absolute path, such as /hdd");
      }
    }
    if (!enabled()) {
      return;
    }
    if (slowRoot() == null && fastRoot() == null) {
      throw new ConfigException(SLOW_ROOT, null,
          "must be a folder on the slow disk; or set " + FAST_ROOT
              + " if state.dir is on the slow disk, or " + ENABLED + "=false");
    }
    if (fastBudgetBytes() < MIN_BUDGET) {
      throw new ConfigException(FAST_BUDGET, fastBudgetBytes(),
          "must be the bytes of the fast disk for each RocksDB, at least "
              + MIN_BUDGET);
    }
  }

  boolean enabled() {
    return getBoolean(ENABLED);
  }

  private Path root(String key) {
    return getString(key) == null ? null : Path.of(getString(key)).normalize();
  }

  /** Null if there is none. */
  Path slowRoot() {
    return root(SLOW_ROOT);
  }

  /** Null if there is none. */
  Path fastRoot() {
    return root(FAST_ROOT);
  }

  /** REQUIRES: enabled() */
  long fastBudgetBytes() {
    return getLong(FAST_BUDGET);
  }

  /** REQUIRES: enabled(), and HotRAP is available. */
  HotRapOptions toOptions() throws RocksDBException {
    final HotRapOptions options;
    try {
      options = getString(OPTIONS).isBlank()
          ? new HotRapOptions()
          : HotRapOptions.parse(getString(OPTIONS));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(OPTIONS, getString(OPTIONS), e.getMessage());
    }
    if (slowRoot() != null) {
      options.setSlowRoot(slowRoot());
    }
    if (fastRoot() != null) {
      options.setFastRoot(fastRoot());
    }
    if (!options.asMap().containsKey("access_buffer_bytes")) {
      // Its default is for one DB; a process has many stores.
      options.setAccessBufferBytes(Math.max(MIN_ACCESS_BUFFER,
          Math.min(MAX_ACCESS_BUFFER, fastBudgetBytes() / 64)));
    }
    return options.setEnabled(true).setFastBudgetBytes(fastBudgetBytes());
  }

  /** The folder of an application's state: state.dir and application.id. */
  static Path applicationFolder(Map<String, Object> configs) {
    return Path
        .of(configs.get(StreamsConfig.STATE_DIR_CONFIG).toString(),
            configs.get(StreamsConfig.APPLICATION_ID_CONFIG).toString())
        .toAbsolutePath()
        .normalize();
  }
}
