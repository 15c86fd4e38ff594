//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * HotRAP's metrics of a column family for Micrometer: each number of the
 * property rocksdb.hotrap.stats as rocksdb.hotrap.NAME, counters as function
 * counters, all else as gauges, with the meanings and units that the library
 * tells (rocksdb.hotrap.metrics).
 *
 * <pre>
 * new HotRapMetrics(db, family, Tags.of("db", "orders")).bindTo(registry);
 * </pre>
 *
 * A reading asks for one number, which takes the DB's mutex for about a
 * microsecond. Once the DB or the handle is closed it is NaN; remove the meters
 * before closing them if readings may run at the same time. Any thread.
 */
public final class HotRapMetrics implements MeterBinder {
  private static final String PREFIX = "rocksdb.hotrap.";

  /** What is asked of the DB. */
  interface Source {
    /** Returns a map property, or an empty map if there is none. */
    Map<String, String> map(String property);
    /** Returns a number of rocksdb.hotrap.stats; NaN if it is not known. */
    double number(String name);
  }

  private final Source source;
  private final Tags tags;

  /** The tag "column_family" is added to the given ones. */
  public HotRapMetrics(
      RocksDB db, ColumnFamilyHandle family, Iterable<Tag> tags) {
    this(new DbSource(db, family),
        Tags.of("column_family", name(family)).and(tags));
  }

  HotRapMetrics(Source source, Tags tags) {
    this.source = source;
    this.tags = tags;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    source.map("rocksdb.hotrap.metrics").forEach((name, description) -> {
      // "counter bytes What it means".
      final String[] words = description.split(" ", 3);
      if (words.length < 3) {
        return;
      }
      final String unit = words[1];
      if ("counter".equals(words[0])) {
        FunctionCounter.builder(PREFIX + name, source, s -> s.number(name))
            .description(words[2])
            .baseUnit(unit)
            .tags(tags)
            .register(registry);
      } else if ("gauge".equals(words[0])) {
        Gauge.builder(PREFIX + name, source, s -> s.number(name))
            .description(words[2])
            .baseUnit(unit)
            .tags(tags)
            .strongReference(true)
            .register(registry);
      }
    });
  }

  private static String name(ColumnFamilyHandle family) {
    try {
      return new String(family.getName(), UTF_8);
    } catch (RocksDBException e) {
      return "";
    }
  }

  private static final class DbSource implements Source {
    private final RocksDB db;
    private final ColumnFamilyHandle family;

    DbSource(RocksDB db, ColumnFamilyHandle family) {
      this.db = db;
      this.family = family;
    }

    @Override
    public Map<String, String> map(String property) {
      try {
        return db.getMapProperty(family, property);
      } catch (RocksDBException e) {
        return Map.of();
      }
    }

    @Override
    public double number(String name) {
      if (!db.isOwningHandle() || !family.isOwningHandle()) {
        return Double.NaN;
      }
      try {
        return db.getLongProperty(family, PREFIX + "stats." + name);
      } catch (RocksDBException e) {
        // Not a whole number, or not there while RALT is closed.
        final String text = map(PREFIX + "stats").get(name);
        return text == null ? Double.NaN : Double.parseDouble(text);
      }
    }
  }
}
