//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Events a second, joined with the profiles of their keys, with a store of
 * stock rocksdbjni on a disk that the kernel throttles, and with HotRAP's over
 * that disk and the machine's own. Needs root: `make bench-kafka`.
 */
class KafkaBench {
  private static final String SLOW_DISK = System.getProperty("slow.disk.sh");
  private static final int KEYS = Integer.getInteger("bench.keys", 400_000);
  private static final int WARM = Integer.getInteger("bench.warm", 60_000);
  private static final int EVENTS = Integer.getInteger("bench.events", 20_000);

  @TempDir Path folder;

  private static void slowDisk(String... arguments) throws Exception {
    final String[] command = new String[arguments.length + 1];
    command[0] = SLOW_DISK;
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
  }

  /** The class path without our native library: the next one is RocksDB's. */
  private static String stockClassPath() {
    return Arrays.stream(AppProcess.classPath().split(File.pathSeparator))
        .filter(each -> !each.matches(".*/rocksdb-hotrap(/classes|-[^/]*jar)"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private double eventsPerSecond(boolean hotrap) throws Exception {
    final Path disk = Files.createDirectories(folder.resolve("disk"));
    slowDisk(
        "up", disk.toString(), System.getProperty("bench.disk", "hdd"), "4G");
    final Path fast = Files.createDirectories(folder.resolve("app"));
    try (Broker broker = new Broker(folder.resolve("broker" + hotrap))) {
      broker.createTopics(
          Workload.PARTITIONS, App.PROFILES, App.EVENTS, App.TOTALS_OUT);
      final Path slow = Files.createDirectories(disk.resolve("mnt/slow"));
      final Map<String, String> config = new HashMap<>(Map.of(App.LOOKUPS,
          "true", StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
          StreamsConfig.AT_LEAST_ONCE, StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
          "200", StreamsConfig.NUM_STREAM_THREADS_CONFIG, "2",
          StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, "0",
          StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG,
          hotrap ? BenchSetters.HotRap.class.getName()
                 : BenchSetters.Stock.class.getName(),
          HotRapStoreConfig.SLOW_ROOT, slow.toString(),
          HotRapStoreConfig.FAST_BUDGET, Long.toString(16L << 20)));
      if (!hotrap) {
        config.put(StreamsConfig.STATE_DIR_CONFIG, slow.toString());
      }
      try (Workload workload = new Workload(broker.address(), KEYS, KEYS / 20);
           AppProcess app = new AppProcess(fast, broker.address(), KEYS, config,
               List.of(SLOW_DISK, "exec", disk.toString()),
               hotrap ? AppProcess.classPath() : stockClassPath())) {
        app.awaitRunning();
        workload.writeProfiles(0, 1);
        workload.awaitProcessed(0);
        workload.writeEvents(WARM);
        workload.awaitProcessed(0);
        final long start = System.nanoTime();
        workload.writeEvents(EVENTS);
        workload.awaitProcessed(0);
        return EVENTS / ((System.nanoTime() - start) / 1e9);
      }
    } finally {
      slowDisk("down", disk.toString());
    }
  }

  @Test
  void lookups() throws Exception {
    final double stock = eventsPerSecond(false);
    System.out.printf("stock: %.0f events/s%n", stock);
    final double hotrap = eventsPerSecond(true);
    System.out.printf(
        "HotRAP: %.0f events/s, %.2f times as many%n", hotrap, hotrap / stock);
  }
}
