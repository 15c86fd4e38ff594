//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Writes profiles and events, knows what must come of them, and compares.
 *
 * <p>Time is the model's own: each event is a little later than the one before,
 * so that windows end, and their segments are dropped, at fixed events.
 */
final class Workload implements AutoCloseable {
  static final int PARTITIONS = 2;
  // For a machine that is busy with other things.
  private static final long DEADLINE_MILLIS = 900_000;
  private static final long MILLIS_PER_EVENT = 2;

  final int keys;
  private final int hotKeys;
  private final String broker;
  private final Random random = new Random(301);
  private final int[] generations;
  private final Map<Integer, Aggregate> totals = new HashMap<>();
  private final Map<String, Aggregate> windows = new HashMap<>();
  private final KafkaProducer<Integer, byte[]> profiles;
  private final KafkaProducer<Integer, Long> events;
  private final Admin admin;
  private long now = System.currentTimeMillis();

  Workload(String broker, int keys, int hotKeys) {
    this.keys = keys;
    this.hotKeys = hotKeys;
    this.broker = broker;
    generations = new int[keys];
    final Map<String, Object> config = Map.of(
        "bootstrap.servers", broker, "linger.ms", 5, "batch.size", 1 << 18);
    profiles = new KafkaProducer<>(
        config, new IntegerSerializer(), new ByteArraySerializer());
    events = new KafkaProducer<>(
        config, new IntegerSerializer(), new LongSerializer());
    admin = Admin.create(Map.of("bootstrap.servers", broker,
        "default.api.timeout.ms", (int) DEADLINE_MILLIS));
  }

  // ---- Writing --------------------------------------------------------------

  /** A new profile for every {@code step}th key. */
  void writeProfiles(int generation, int step) {
    for (int key = 0; key < keys; key += step) {
      generations[key] = generation;
      profiles.send(new ProducerRecord<>(
          App.PROFILES, null, now, key, Aggregate.profile(key, generation)));
    }
    profiles.flush();
  }

  private void event(int key) {
    now += MILLIS_PER_EVENT;
    final long event = random.nextInt();
    events.send(new ProducerRecord<>(App.EVENTS, null, now, key, event));
    final long joined =
        Aggregate.join(event, Aggregate.profile(key, generations[key]));
    totals.merge(
        key, Aggregate.NONE.plus(joined), (old, first) -> old.plus(joined));
    final long start = now - now % App.WINDOW.toMillis();
    windows.merge(App.windowName(key, start), Aggregate.NONE.plus(joined),
        (old, first) -> old.plus(joined));
  }

  /** One event of each key. */
  void touchAll() {
    // 7,919 is a prime, so that this is a permutation.
    for (long i = 0; i < keys; i++) {
      event((int) (i * 7919 % keys));
    }
    events.flush();
  }

  /** Hot keys, spread over all of them, get 95 % of the events. */
  void writeEvents(int count) {
    for (int i = 0; i < count; i++) {
      event(random.nextInt(100) < 95
              ? random.nextInt(hotKeys) * (keys / hotKeys)
              : random.nextInt(keys));
    }
    events.flush();
  }

  // ---- Waiting --------------------------------------------------------------

  private static List<TopicPartition> partitions(String topic) {
    final List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(new TopicPartition(topic, i));
    }
    return partitions;
  }

  private long processed(String topic) throws Exception {
    final var committed = admin.listConsumerGroupOffsets(AppProcess.APPLICATION)
                              .partitionsToOffsetAndMetadata()
                              .get();
    long sum = 0;
    for (final TopicPartition partition : partitions(topic)) {
      final var offset = committed.get(partition);
      sum += offset == null ? 0 : offset.offset();
    }
    return sum;
  }

  private long written(String topic) {
    try (var consumer = consumer(new ByteArrayDeserializer())) {
      return consumer.endOffsets(partitions(topic))
          .values()
          .stream()
          .mapToLong(Long::longValue)
          .sum();
    }
  }

  /** Until at most {@code rest} events are left to process. */
  void awaitProcessed(int rest) throws Exception {
    final long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    for (final String topic : List.of(App.PROFILES, App.EVENTS)) {
      final long target =
          written(topic) - (topic.equals(App.EVENTS) ? rest : 0);
      while (processed(topic) < target) {
        assertTrue(System.currentTimeMillis() < deadline,
            topic + ": " + processed(topic) + " of " + target);
        Thread.sleep(50);
      }
    }
  }

  // ---- Comparing ------------------------------------------------------------

  private <K> KafkaConsumer<K, byte[]> consumer(Deserializer<K> keyFormat) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", broker, "isolation.level", "read_committed",
            "auto.offset.reset", "earliest"),
        keyFormat, new ByteArrayDeserializer());
  }

  /** The last committed aggregate of each key. */
  private <K> Map<K, Aggregate> results(String topic, Deserializer<K> format) {
    final Map<K, Aggregate> results = new HashMap<>();
    try (var consumer = consumer(format)) {
      final List<TopicPartition> partitions = partitions(topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      final Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(
          each -> consumer.position(each) < ends.get(each))) {
        for (final ConsumerRecord<K, byte[]> each :
            consumer.poll(Duration.ofMillis(100))) {
          results.put(each.key(), Aggregate.of(each.value()));
        }
      }
    }
    return results;
  }

  /** REQUIRES: everything has been processed. */
  void checkOutput() {
    assertSame(totals, results(App.TOTALS_OUT, new IntegerDeserializer()));
    assertSame(windows, results(App.WINDOWS_OUT, new StringDeserializer()));
  }

  /** For a message that one can read if thousands of keys differ. */
  private static <K, V> void assertSame(Map<K, V> expected, Map<K, V> actual) {
    int wrong = 0;
    String first = "";
    for (final Map.Entry<K, V> each : expected.entrySet()) {
      final V value = actual.get(each.getKey());
      if (!each.getValue().equals(value)) {
        wrong++;
        first = each.getKey() + " is " + value + ", not " + each.getValue();
      }
    }
    assertEquals(0, wrong, first);
    assertEquals(expected.size(), actual.size(), "there are more keys");
  }

  private static long checksum(byte[] value) {
    final CRC32C checksum = new CRC32C();
    checksum.update(value);
    return checksum.getValue();
  }

  /**
   * Compares with what an instance's stores hold, all partitions together.
   * Returns how many windows were still there.
   *
   * <p>REQUIRES: everything has been processed.
   */
  int checkStores(Map<String, Long> dump) {
    final Map<String, Long> expected = new HashMap<>();
    for (final String how : List.of(".get ", ".scan ")) {
      for (int key = 0; key < keys; key++) {
        expected.put(App.PROFILES + how + key,
            checksum(Aggregate.profile(key, generations[key])));
      }
      totals.forEach((key, total)
                         -> expected.put(App.TOTALS + how + key,
                             checksum(total.toBytes())));
      // When a segment goes is Kafka's business; what is left must be right.
      windows.forEach((name, window) -> {
        if (dump.containsKey(App.WINDOWS + how + name)
            || now - Long.parseLong(name.substring(name.indexOf('@') + 1))
                < App.RETENTION.toMillis() / 2) {
          expected.put(App.WINDOWS + how + name, checksum(window.toBytes()));
        }
      });
    }
    assertSame(expected, dump);
    return (int) expected.keySet()
        .stream()
        .filter(name -> name.startsWith(App.WINDOWS + ".get"))
        .count();
  }

  @Override
  public void close() {
    profiles.close();
    events.close();
    admin.close();
  }
}
