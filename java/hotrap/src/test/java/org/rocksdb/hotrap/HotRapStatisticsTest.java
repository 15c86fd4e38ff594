//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.HistogramType;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/** Tests HotRAP's tickers, for which RocksJava has no names. */
public class HotRapStatisticsTest extends HotRapTestBase {
  /** As shown in docs/java.md. */
  private static long ticker(Statistics statistics, String name) {
    final Matcher matcher =
        Pattern.compile(Pattern.quote(name) + " COUNT : (\\d+)")
            .matcher(statistics.toString());
    assertTrue(name + " not in " + statistics, matcher.find());
    return Long.parseLong(matcher.group(1));
  }

  @Test
  public void tickersStandInTheText() throws Exception {
    final Statistics statistics = keep(new Statistics());
    open(dbOptions().setStatistics(statistics), familyOptions(ON));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    assertEquals(
        0, ticker(statistics, "rocksdb.hotrap.flush.promoted.records"));
    assertTrue(
        ticker(statistics, "rocksdb.hotrap.crossing.compactions") > 0);
    readUntilFast(family, 100, 400);
    final long promoted =
        ticker(statistics, "rocksdb.hotrap.flush.promoted.records")
        + ticker(statistics, "rocksdb.hotrap.compaction.promoted.records");
    assertTrue(promoted > 0);
    assertTrue(promoted <= promoted(family));
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
    assertEquals(statistics.getTickerCount(TickerType.NUMBER_KEYS_READ),
        ticker(statistics, "rocksdb.number.keys.read"));
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
    statistics.reset();
    assertEquals(
        0, ticker(statistics, "rocksdb.hotrap.crossing.compactions"));
  }
}
