//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.HistogramType;
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/** Tests HotRAP's statistics and tickers. */
public class HotRapStatisticsTest extends HotRapTestBase {
  @Test
  public void tickersAreThoseOfTheLibrary() throws Exception {
    HotRap.load();
    assertArrayEquals(HotRapNative.tickers(),
        Arrays.stream(HotRapTicker.values())
            .map(HotRapTicker::tickerName)
            .toArray());
  }

  @Test
  public void tickersCount() throws Exception {
    final Statistics statistics = keep(new Statistics());
    for (final HotRapTicker ticker : HotRapTicker.values()) {
      assertEquals(0, ticker.count(statistics));
    }
    open(dbOptions().setStatistics(statistics), familyOptions(ON));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    assertEquals(0, HotRapTicker.FLUSH_PROMOTED_RECORDS.count(statistics));
    assertTrue(HotRapTicker.CROSSING_COMPACTIONS.count(statistics) > 0);
    readUntilFast(family, 100, 400);
    settle(family);
    final long promoted = HotRapTicker.FLUSH_PROMOTED_RECORDS.count(statistics)
        + HotRapTicker.COMPACTION_PROMOTED_RECORDS.count(statistics);
    assertTrue(promoted > 0);
    assertTrue(promoted <= stats(family).promotedRecords());
    for (final HotRapTicker ticker : HotRapTicker.values()) {
      assertTrue(ticker + " in " + statistics,
          statistics.toString().contains(
              ticker.tickerName() + " COUNT : " + ticker.count(statistics)
              + "\n"));
    }
  }

  @Test
  public void resetApplies() throws Exception {
    final Statistics statistics = keep(new Statistics());
    open(dbOptions().setStatistics(statistics), familyOptions(ON));
    load(families.get(0));
    assertNotEquals(
        0, HotRapTicker.CROSSING_COMPACTIONS.count(statistics));
    statistics.reset();
    assertEquals(0, HotRapTicker.CROSSING_COMPACTIONS.count(statistics));
  }

  @Test
  public void statsAreTheProperty() throws Exception {
    open(familyOptions(ON));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    HotRapStats stats = stats(family);
    assertEquals(2, stats.firstSlowLevel());
    assertEquals(FAST_BYTES, stats.fastBudgetBytes());
    assertEquals("", stats.promotionBlockedReason());
    assertEquals(0, stats.promotedRecords());
    readUntilFast(family, 100, 400);
    settle(family);
    stats = stats(family);
    assertEquals(stats.flushPromotedRecords()
            + stats.compactionPromotedRecords(),
        stats.promotedRecords());
    // Keys have 11 bytes.
    assertEquals(stats.promotedRecords() * (11 + VALUE_BYTES),
        stats.promotedBytes());
    assertEquals(stats.retainedRecords() * (11 + VALUE_BYTES),
        stats.retainedBytes());
    assertTrue(stats.hitsSlowWithIo() <= stats.hitsSlow());
    assertTrue(stats.hitsFast() > 0);
    assertTrue(stats.promotedCopies() > 0);
    assertEquals("1", stats.asMap().get("active"));
    assertTrue(stats.toString().contains("\nactive: 1\n"));
  }

  // The meaning of RocksJava's tickers does not change.
  @Test
  public void rocksJavasTickersAndHistogramsWork() throws Exception {
    final Statistics statistics = keep(new Statistics());
    open(dbOptions().setStatistics(statistics), familyOptions(ON));
    load(families.get(0));
    readUntilFast(families.get(0), 100, 400);
    assertEquals(RECORDS,
        statistics.getTickerCount(TickerType.NUMBER_KEYS_WRITTEN));
    assertTrue(statistics.toString().contains(
        "rocksdb.number.keys.read COUNT : "
        + statistics.getTickerCount(TickerType.NUMBER_KEYS_READ) + "\n"));
    for (final TickerType type : TickerType.values()) {
      // Not a ticker; RocksJava's own collector skips it, too.
      if (type != TickerType.TICKER_ENUM_MAX) {
        assertTrue(type.name(), statistics.getTickerCount(type) >= 0);
      }
    }
    for (final HistogramType type : HistogramType.values()) {
      if (type != HistogramType.HISTOGRAM_ENUM_MAX) {
        statistics.getHistogramData(type);
        statistics.getHistogramString(type);
      }
    }
    assertTrue(
        statistics.getHistogramData(HistogramType.DB_GET).getCount() > 0);
  }

  @Test
  public void versions() throws Exception {
    assertTrue(HotRap.isAvailable());
    assertEquals("", HotRap.unavailableReason());
    open(familyOptions(ON));
    assertEquals(db.getProperty("rocksdb.hotrap.version"), HotRap.version());
    assertTrue(HotRap.version().startsWith(
        RocksDB.rocksdbVersion().toString() + "-hotrap."));
  }
}
