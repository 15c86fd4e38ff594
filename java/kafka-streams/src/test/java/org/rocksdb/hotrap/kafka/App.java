//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.zip.CRC32C;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.LagInfo;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.internals.StoreProbe;

/**
 * An application in a process of its own: joins events with the profile of
 * their key, and aggregates them by key, and by key and window.
 *
 * <p>Each line on standard input is a command, answered by one line that starts
 * with "@": {@code state}, {@code stats}, {@code lag}, {@code dump FILE} (what
 * the local stores hold, by scan and by Get) and {@code close}.
 */
public final class App {
  static final String PROFILES = "profiles";
  static final String EVENTS = "events";
  static final String TOTALS = "totals";
  static final String WINDOWS = "windows";
  static final String TOTALS_OUT = "totals-out";
  static final String WINDOWS_OUT = "windows-out";
  /** An entry of the properties, for a benchmark. */
  static final String LOOKUPS = "app.lookups";
  static final Duration WINDOW = Duration.ofSeconds(20);
  // The least that gives segments, of 60 s each, that come and go.
  static final Duration RETENTION = Duration.ofSeconds(120);

  private App() {}

  /** Only the joins, if `lookups`. */
  static Topology topology(boolean lookups) {
    final var bytes = Serdes.ByteArray();
    final var keys = Serdes.Integer();
    final StreamsBuilder builder = new StreamsBuilder();
    final KTable<Integer, byte[]> profiles = builder.table(PROFILES,
        Consumed.with(keys, bytes),
        Materialized.<Integer, byte[], KeyValueStore<Bytes, byte[]>>as(PROFILES)
            .withKeySerde(keys)
            .withValueSerde(bytes)
            .withCachingDisabled());
    final KStream<Integer, Long> events =
        builder.stream(EVENTS, Consumed.with(keys, Serdes.Long()))
            .leftJoin(profiles, Aggregate::join);
    if (lookups) {
      events.filter((key, value) -> false).to(TOTALS_OUT);
      return builder.build();
    }
    final KGroupedStream<Integer, Long> joined =
        events.groupByKey(Grouped.with(keys, Serdes.Long()));
    joined
        .aggregate(Aggregate.NONE::toBytes,
            (key, event, old)
                -> Aggregate.of(old).plus(event).toBytes(),
            Materialized
                .<Integer, byte[], KeyValueStore<Bytes, byte[]>>as(TOTALS)
                .withKeySerde(keys)
                .withValueSerde(bytes)
                .withCachingDisabled())
        .toStream()
        .to(TOTALS_OUT, Produced.with(keys, bytes));
    joined.windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW))
        .aggregate(Aggregate.NONE::toBytes,
            (key, event, old)
                -> Aggregate.of(old).plus(event).toBytes(),
            Materialized
                .<Integer, byte[], WindowStore<Bytes, byte[]>>as(WINDOWS)
                .withKeySerde(keys)
                .withValueSerde(bytes)
                .withRetention(RETENTION)
                .withCachingDisabled())
        .toStream()
        .map((window, value)
                 -> KeyValue.pair(
                     windowName(window.key(), window.window().start()), value))
        .to(WINDOWS_OUT, Produced.with(Serdes.String(), bytes));
    events.process(StoreProbe.supplier(PROFILES, TOTALS, WINDOWS), PROFILES,
        TOTALS, WINDOWS);
    return builder.build();
  }

  static String windowName(int key, long start) {
    return key + "@" + start;
  }

  private static void dump(KafkaStreams streams, Path file, int keys)
      throws Exception {
    try (PrintStream out = new PrintStream(
             Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
      for (final String name : new String[] {PROFILES, TOTALS}) {
        final ReadOnlyKeyValueStore<Integer, byte[]> store =
            streams.store(StoreQueryParameters.fromNameAndType(
                name, QueryableStoreTypes.keyValueStore()));
        for (int key = 0; key < keys; key++) {
          line(out, name + ".get", Integer.toString(key), store.get(key));
        }
        try (var all = store.all()) {
          while (all.hasNext()) {
            final KeyValue<Integer, byte[]> each = all.next();
            line(out, name + ".scan", each.key.toString(), each.value);
          }
        }
      }
      final var windows = streams.store(StoreQueryParameters.fromNameAndType(
          WINDOWS, QueryableStoreTypes.<Integer, byte[]>windowStore()));
      try (var all = windows.all()) {
        while (all.hasNext()) {
          final var each = all.next();
          final int key = each.key.key();
          final long start = each.key.window().start();
          final String window = windowName(key, start);
          line(out, WINDOWS + ".scan", window, each.value);
          line(out, WINDOWS + ".get", window, windows.fetch(key, start));
        }
      }
    }
  }

  private static void line(
      PrintStream out, String kind, String key, byte[] value) {
    if (value != null) {
      final CRC32C checksum = new CRC32C();
      checksum.update(value);
      out.println(kind + " " + key + " " + checksum.getValue());
    }
  }

  /** Records that the stores of all partitions are behind, or -1. */
  private static long lag(KafkaStreams streams) {
    long sum = 0;
    final var stores = streams.allLocalStorePartitionLags();
    for (final String name : new String[] {PROFILES, TOTALS, WINDOWS}) {
      final var partitions = stores.get(name);
      if (partitions == null || partitions.size() < Workload.PARTITIONS) {
        return -1;
      }
      for (final LagInfo each : partitions.values()) {
        sum += each.offsetLag();
      }
    }
    return sum;
  }

  private static String answer(String[] command, KafkaStreams streams, int keys)
      throws Exception {
    switch (command[0]) {
      case "state":
        return streams.state().toString();
      case "stats": {
        final StringBuilder line = new StringBuilder();
        StoreProbe.stats().forEach(
            (name,
                sum) -> line.append(name).append('=').append(sum).append(' '));
        return line.toString();
      }
      case "lag":
        return Long.toString(lag(streams));
      case "dump":
        dump(streams, Path.of(command[1]), keys);
        return "dumped";
      case "close":
        return "closed " + streams.close(Duration.ofMinutes(1));
      default:
        return "unknown command";
    }
  }

  /** Arguments: a properties file, and the number of keys. */
  public static void main(String[] args) throws Exception {
    final Properties properties = new Properties();
    try (var in = Files.newInputStream(Path.of(args[0]))) {
      properties.load(in);
    }
    final KafkaStreams streams =
        new KafkaStreams(topology(properties.containsKey(LOOKUPS)), properties);
    streams.setUncaughtExceptionHandler(failure -> {
      failure.printStackTrace();
      return StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse
          .SHUTDOWN_CLIENT;
    });
    streams.start();
    final BufferedReader in = new BufferedReader(
        new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer;
      try {
        answer = answer(line.split(" ", 2), streams, Integer.parseInt(args[1]));
      } catch (Exception e) {
        e.printStackTrace();
        answer = "failed: " + e;
      }
      System.out.println("@" + answer);
      if (answer.startsWith("closed")) {
        return;
      }
    }
    // The test has gone.
    Runtime.getRuntime().halt(1);
  }
}
