//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.apache.kafka.streams.state.internals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * A processor that only knows the stores of its task, for a look at what HotRAP
 * does in them. In Kafka's package because no public API leads to a store's
 * RocksDB.
 *
 * <p>Thread safety: {@link #stats} may be called from any thread while no task
 * is being closed.
 */
public final class StoreProbe {
  private static final String[] COUNTERS = {"get_hits_fast", "get_hits_slow",
      "promoted_records", "compaction_promoted_records", "retained_records"};
  private static final Set<StateStore> STORES = ConcurrentHashMap.newKeySet();

  private StoreProbe() {}

  /** For {@code KStream.process()} with the names of the stores. */
  public static <K, V> ProcessorSupplier<K, V, Void, Void> supplier(
      String... names) {
    return () -> new Probe<K, V>(names);
  }

  private static final class Probe<K, V>
      extends ContextualProcessor<K, V, Void, Void> {
    private final String[] names;
    private final List<StateStore> stores = new ArrayList<>();

    Probe(String[] names) {
      this.names = names;
    }

    @Override
    public void init(ProcessorContext<Void, Void> context) {
      super.init(context);
      for (final String name : names) {
        StateStore store = context.getStateStore(name);
        while (store instanceof WrappedStateStore) {
          store = ((WrappedStateStore<?, ?, ?>) store).wrapped();
        }
        stores.add(store);
      }
      STORES.addAll(stores);
    }

    @Override
    public void process(Record<K, V> record) {}

    @Override
    public void close() {
      STORES.removeAll(stores);
    }
  }

  /** Sums over the RocksDBs of each store, by "store.counter". */
  public static Map<String, Long> stats() throws RocksDBException {
    final Map<String, Long> sums = new HashMap<>();
    for (final StateStore store : STORES) {
      for (final RocksDB db : databases(store)) {
        for (final String counter : COUNTERS) {
          sums.merge(store.name() + "." + counter,
              db.getAggregatedLongProperty("rocksdb.hotrap.stats." + counter),
              Long::sum);
        }
      }
    }
    return sums;
  }

  private static List<RocksDB> databases(StateStore store) {
    final List<RocksDB> databases = new ArrayList<>();
    if (store instanceof RocksDBStore) {
      databases.add(((RocksDBStore) store).db);
    } else {
      for (final Segment segment :
          ((AbstractRocksDBSegmentedBytesStore<?>) store).getSegments()) {
        databases.add(((RocksDBStore) segment).db);
      }
    }
    return databases;
  }
}
