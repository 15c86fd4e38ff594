//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.LocalTime;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker, and two instances of an application in processes of their own, each
 * with its stores over two folders. Each store holds several times its fast
 * budget.
 */
class KafkaStreamsTest {
  private static final int KEYS = 16_000;
  private static final int HOT_KEYS = KEYS / 40;
  private static final Map<String, String> CONFIG = Map.of(
      StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG,
      UncachedSetter.class.getName(), StreamsConfig.NUM_STREAM_THREADS_CONFIG,
      "2", HotRapStoreConfig.FAST_BUDGET, "2097152", HotRapStoreConfig.OPTIONS,
      "promotion_cache_bytes=16K;cached_hit_sampling=1;"
          + "promote_only_if_slower=false;");

  @TempDir Path folder;
  private Broker broker;
  private Workload workload;

  @BeforeEach
  void start() throws Exception {
    broker = new Broker(folder.resolve("broker"));
    broker.createTopics(Workload.PARTITIONS, App.PROFILES, App.EVENTS,
        App.TOTALS_OUT, App.WINDOWS_OUT);
    workload = new Workload(broker.address(), KEYS, HOT_KEYS);
  }

  @AfterEach
  void stop() throws Exception {
    workload.close();
    broker.close();
  }

  private AppProcess app(String name) throws Exception {
    return new AppProcess(folder.resolve(name), broker.address(), KEYS, CONFIG);
  }

  private static void step(String what) {
    System.out.println(LocalTime.now() + " " + what);
  }

  private static long promoted(AppProcess app) throws IOException {
    final Map<String, Long> stats = app.stats();
    return stats.get(App.PROFILES + ".promoted_records")
        + stats.get(App.PROFILES + ".compaction_promoted_records");
  }

  /** The part of reads of profiles that is served by the fast tier. */
  private double hitRate(AppProcess app, int events) throws Exception {
    final Map<String, Long> before = app.stats();
    workload.writeEvents(events);
    workload.awaitProcessed(0);
    final Map<String, Long> after = app.stats();
    final String fast = App.PROFILES + ".get_hits_fast";
    final String slow = App.PROFILES + ".get_hits_slow";
    final double fastHits = after.get(fast) - before.get(fast);
    return fastHits / (fastHits + after.get(slow) - before.get(slow));
  }

  // ---- Folders --------------------------------------------------------------

  private static Set<Path> tables(AppProcess app) throws IOException {
    try (Stream<Path> files = Files.walk(app.slow())) {
      return files.filter(file -> file.toString().endsWith(".sst"))
          .collect(Collectors.toSet());
    }
  }

  /** Files, whatever their names. */
  private static Set<Object> identities(Set<Path> files) throws IOException {
    final Set<Object> identities = new HashSet<>();
    for (final Path file : files) {
      final BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class);
      identities.add(
          attributes.fileKey() + " " + attributes.lastModifiedTime());
    }
    return identities;
  }

  /** Every folder with tables belongs to a store that is there. */
  private static void assertNothingLeftOver(AppProcess app) throws IOException {
    for (final Path table : tables(app)) {
      final Path store = Path.of("/").resolve(
          app.slow().toRealPath().relativize(table.getParent().toRealPath()));
      assertTrue(Files.exists(store.resolve("CURRENT")), table.toString());
    }
  }

  // ---- The test -------------------------------------------------------------

  @Test
  void anInstanceIsKilledAndItsStateReplaced() throws Exception {
    try (AppProcess first = app("first"); AppProcess second = app("second")) {
      first.awaitRunning();
      second.awaitRunning();
      step("both run");
      workload.writeProfiles(0, 1);
      workload.awaitProcessed(0);
      workload.touchAll();
      workload.writeEvents(20_000);
      workload.awaitProcessed(0);
      workload.checkOutput();
      step("promoted " + promoted(first) + " and " + promoted(second));
      assertTrue(promoted(first) > 0, first.stats().toString());
      assertTrue(promoted(second) > 0, second.stats().toString());

      // Its standbys have the aggregates, and the rest of what was written.
      workload.writeEvents(12_000);
      workload.awaitProcessed(6_000);
      first.kill();
      step("one is killed");
      workload.awaitProcessed(0);
      workload.checkOutput();
      second.awaitRunning();
      assertTrue(workload.checkStores(second.dump()) > 0);
      step("the other has taken over");

      // With exactly-once processing Kafka deletes the state that a kill left,
      // but not what is on the slow tier, and restores it from the changelogs:
      // of a third of the profiles another generation.
      workload.writeProfiles(1, 3);
      workload.awaitProcessed(0);
      final Set<Object> stale = identities(tables(first));
      assertFalse(stale.isEmpty());
      try (AppProcess again = app("first")) {
        again.awaitRunning();
        again.awaitRestored();
        step("the first is back");
        stale.retainAll(identities(tables(again)));
        assertEquals(Set.of(), stale);
        second.stop();
        again.awaitRunning();
        workload.writeEvents(10_000);
        workload.awaitProcessed(0);
        workload.checkOutput();
        assertTrue(workload.checkStores(again.dump()) > 0);
        step("the second has stopped");
        again.stop();
      }
    }
  }

  @Test
  void aRestartIsWarmAndNothingIsLeftOver() throws Exception {
    workload.writeProfiles(0, 1);
    final double before;
    try (AppProcess app = app("first")) {
      app.awaitRunning();
      workload.awaitProcessed(0);
      workload.writeEvents(8_000);
      workload.awaitProcessed(0);
      before = hitRate(app, 3_000);
      assertTrue(promoted(app) > 0, app.stats().toString());
      app.stop();
    }
    try (AppProcess app = app("first")) {
      app.awaitRunning();
      assertNothingLeftOver(app);
      final double after = hitRate(app, 2_000);
      step("hit rate " + after + ", was " + before);
      assertTrue(after > before - 0.1, after + ", was " + before);
      workload.checkOutput();
      workload.checkStores(app.dump());
      app.stop();
    }
  }
}
