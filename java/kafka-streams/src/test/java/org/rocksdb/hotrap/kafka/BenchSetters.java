//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;

/** What the benchmark sets for both systems. */
final class BenchSetters {
  private BenchSetters() {}

  /** Reads go to the disk, and not to memory that the test has to spare. */
  private static void direct(Options options) {
    options.setUseDirectReads(true);
    options.setUseDirectIoForFlushAndCompaction(true);
    final BlockBasedTableConfig table =
        (BlockBasedTableConfig) options.tableFormatConfig();
    options.setTableFormatConfig(table.setNoBlockCache(true));
  }

  /** Kafka's own options. */
  public static final class Stock implements RocksDBConfigSetter {
    @Override
    public void setConfig(
        String storeName, Options options, Map<String, Object> configs) {
      direct(options);
    }

    @Override
    public void close(String storeName, Options options) {}
  }

  public static final class HotRap extends HotRapConfigSetter {
    @Override
    public void setConfig(
        String storeName, Options options, Map<String, Object> configs) {
      super.setConfig(storeName, options, configs);
      direct(options);
    }
  }
}
