//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;

/**
 * HotRAP's tickers, which RocksJava's TickerType does not have. Bytes of
 * records are user bytes: key plus value. Thread-safe.
 */
public enum HotRapTicker {
  /** Installed compactions from the fast to the slow tier (crossings). */
  CROSSING_COMPACTIONS("rocksdb.hotrap.crossing.compactions"),
  /** Records kept on, or moved up to, the fast tier by crossings. */
  RETAINED_RECORDS("rocksdb.hotrap.retained.records"),
  RETAINED_BYTES("rocksdb.hotrap.retained.bytes"),
  /** Promoted from the promotion cache by compactions. */
  COMPACTION_PROMOTED_RECORDS("rocksdb.hotrap.compaction.promoted.records"),
  COMPACTION_PROMOTED_BYTES("rocksdb.hotrap.compaction.promoted.bytes"),
  /** Promoted by flush. */
  FLUSH_PROMOTED_RECORDS("rocksdb.hotrap.flush.promoted.records"),
  FLUSH_PROMOTED_BYTES("rocksdb.hotrap.flush.promoted.bytes"),
  /** Hot, but too few for a file: returned to the promotion cache. */
  RETURNED_RECORDS("rocksdb.hotrap.returned.records"),
  /** Hot bytes in the inputs of crossings, as estimated at picking time. */
  HOT_BYTES_ESTIMATED("rocksdb.hotrap.hot.bytes.estimated"),
  /** The same, as found. */
  HOT_BYTES_FOUND("rocksdb.hotrap.hot.bytes.found"),
  /** File bytes of tables moved to the tier of their level. */
  RELOCATED_BYTES("rocksdb.hotrap.relocated.bytes");

  private final String tickerName;

  HotRapTicker(String tickerName) {
    this.tickerName = tickerName;
  }

  /** The name in Statistics.toString(). */
  public String tickerName() {
    return tickerName;
  }

  /**
   * Returns the count since the statistics were created or reset.
   *
   * @throws IllegalStateException if the statistics are closed
   * @throws RocksDBException if HotRAP is not available
   */
  public long count(Statistics statistics) throws RocksDBException {
    HotRapLibrary.load();
    return HotRapNative.tickerCount(
        HotRap.requireOpen(statistics).getNativeHandle(), ordinal());
  }
}
