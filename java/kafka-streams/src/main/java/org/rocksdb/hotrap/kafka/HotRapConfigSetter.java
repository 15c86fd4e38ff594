//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.CompactionStyle;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.hotrap.HotRap;

/**
 * Puts the stores of a Kafka Streams application on a fast and a slow disk, and
 * keeps hot records on the fast one:
 *
 * <pre>
 * rocksdb.config.setter=org.rocksdb.hotrap.kafka.HotRapConfigSetter
 * hotrap.slow.root=/hdd/my-app
 * hotrap.fast.budget.bytes=1073741824
 * </pre>
 *
 * <p>{@link HotRapStoreConfig} has all entries. Kafka takes one setter: to set
 * other options, too, extend this class and override {@link #setConfig}. Call
 * super's method first, which sets leveled compaction, and sizes of memtables,
 * tables and levels that suit the fast budget.
 *
 * <p>Thread safety: Kafka uses an object for one RocksDB, one call at a time;
 * many of them may be in use in a process.
 */
public class HotRapConfigSetter implements RocksDBConfigSetter {
  // Those of RocksDB and of Kafka Streams, which large budgets keep.
  private static final long MAX_LEVEL_BASE = 256L << 20;
  private static final long MAX_TABLE = 64L << 20;
  private static final long MAX_MEMTABLE = 16L << 20;
  // RocksDB's least.
  private static final long MIN_MEMTABLE = 64L << 10;

  private final List<StoreFolders> folders = new ArrayList<>();
  private StoreDefaults defaults;

  /**
   * {@inheritDoc}
   *
   * @throws ConfigException if an entry is wrong
   * @throws ProcessorStateException if a root cannot be used, or the native
   *     library is not ours
   */
  @Override
  public void setConfig(
      String storeName, Options options, Map<String, Object> configs) {
    final HotRapStoreConfig config = HotRapStoreConfig.of(storeName, configs);
    // Kafka's universal compaction has no levels to put on two disks. Not a
    // matter of whether HotRAP is on, which may change from run to run.
    options.setCompactionStyle(CompactionStyle.LEVEL);
    try {
      // Without symbolic links: the library looks for this name.
      final Path state =
          Files.createDirectories(HotRapStoreConfig.applicationFolder(configs))
              .toRealPath();
      for (final Path root :
          new Path[] {config.slowRoot(), config.fastRoot()}) {
        if (root != null) {
          folders.add(StoreFolders.acquire(root, state));
        }
      }
      if (config.enabled()) {
        HotRap.load();
        fit(options, config.fastBudgetBytes());
        defaults = StoreDefaults.acquire(state, storeName, config.toOptions());
      }
    } catch (IOException | RocksDBException e) {
      release(e);
      throw new ProcessorStateException("Store " + storeName
              + " cannot be put on two disks: " + e.getMessage(),
          e);
    } catch (RuntimeException e) {
      release(e);
      throw e;
    }
  }

  /** A fast budget is at least twice a level, and has room for L0. */
  private static void fit(Options options, long budgetBytes) {
    final long levelBase = Math.min(MAX_LEVEL_BASE, budgetBytes / 8);
    options.setMaxBytesForLevelBase(levelBase);
    options.setTargetFileSizeBase(Math.min(MAX_TABLE, levelBase / 4));
    options.setWriteBufferSize(
        Math.max(MIN_MEMTABLE, Math.min(MAX_MEMTABLE, levelBase / 4)));
  }

  /** Subclasses that override it must call it. */
  @Override
  public void close(String storeName, Options options) {
    release(null);
  }

  private void release(Exception earlier) {
    if (defaults != null) {
      defaults.release();
      defaults = null;
    }
    for (final StoreFolders each : folders) {
      try {
        each.release();
      } catch (IOException e) {
        if (earlier == null) {
          throw new ProcessorStateException(e);
        }
        earlier.addSuppressed(e);
      }
    }
    folders.clear();
  }
}
