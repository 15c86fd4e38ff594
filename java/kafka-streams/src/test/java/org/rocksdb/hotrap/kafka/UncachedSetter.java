//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.util.Map;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;

/**
 * As an application extends the setter. Without a block cache each read of the
 * slow tier does I/O, though the stores are small.
 */
public final class UncachedSetter extends HotRapConfigSetter {
  @Override
  public void setConfig(
      String storeName, Options options, Map<String, Object> configs) {
    super.setConfig(storeName, options, configs);
    final BlockBasedTableConfig table =
        (BlockBasedTableConfig) options.tableFormatConfig();
    options.setTableFormatConfig(table.setNoBlockCache(true));
  }
}
