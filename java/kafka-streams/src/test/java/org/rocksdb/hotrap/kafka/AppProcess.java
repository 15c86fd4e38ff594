//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.streams.StreamsConfig;

/** An instance of {@link App} in a process of its own. */
final class AppProcess implements AutoCloseable {
  static final String APPLICATION = "hotrap-test";

  final Path folder;
  private final Process process;
  private final BufferedReader answers;

  /**
   * Starts an instance with its files below {@code folder}: {@code fast/} has
   * Kafka's state, {@code slow/} is the root of the slow tier.
   */
  AppProcess(Path folder, String broker, int keys, Map<String, String> more)
      throws IOException {
    this(folder, broker, keys, more, List.of(), classPath());
  }

  /** The same, as arguments of a command, and with another class path. */
  AppProcess(Path folder, String broker, int keys, Map<String, String> more,
      List<String> command, String classPath) throws IOException {
    this.folder = folder;
    Files.createDirectories(slow());
    final Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION);
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, fast().toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
        StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, "1");
    properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, "1");
    properties.put(HotRapStoreConfig.SLOW_ROOT, slow().toString());
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, "300");
    properties.put("auto.offset.reset", "earliest");
    properties.put("session.timeout.ms", "10000");
    properties.put("heartbeat.interval.ms", "1000");
    properties.putAll(more);
    final Path file = folder.resolve("app.properties");
    try (var out = Files.newOutputStream(file)) {
      properties.store(out, null);
    }
    final List<String> arguments = new ArrayList<>(command);
    arguments.addAll(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx400m", "-XX:+UseSerialGC", "-cp", classPath, App.class.getName(),
        file.toString(), Integer.toString(keys)));
    process = new ProcessBuilder(arguments)
                  .redirectError(ProcessBuilder.Redirect.appendTo(
                      folder.resolve("log").toFile()))
                  .start();
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  static String classPath() {
    return System.getProperty(
        "surefire.test.class.path", System.getProperty("java.class.path"));
  }

  Path fast() {
    return folder.resolve("fast");
  }

  Path slow() {
    return folder.resolve("slow");
  }

  private String ask(String command) throws IOException {
    try {
      process.outputWriter().write(command + "\n");
      process.outputWriter().flush();
      for (String line = answers.readLine(); line != null;
           line = answers.readLine()) {
        if (line.startsWith("@")) {
          return line.substring(1);
        }
      }
    } catch (IOException e) {
      throw new IOException("no answer to " + command + log(), e);
    }
    throw new IOException("no answer to " + command + log());
  }

  private String log() throws IOException {
    return "; its log:\n" + Files.readString(folder.resolve("log"));
  }

  void awaitRunning() throws Exception {
    for (String state = ask("state"); !state.equals("RUNNING");
         state = ask("state")) {
      assertTrue(!state.equals("ERROR") && !state.equals("NOT_RUNNING"),
          state + log());
      Thread.sleep(100);
    }
  }

  /**
   * Until it has all partitions of all stores, as active or standby ones, but
   * for a few records: the marker of a transaction's end counts as one that is
   * missing.
   */
  void awaitRestored() throws Exception {
    for (long lag = -1; lag < 0 || lag > 50; lag = Long.parseLong(ask("lag"))) {
      Thread.sleep(100);
    }
  }

  /** Counters of HotRAP by "store.counter"; of the stores of active tasks. */
  Map<String, Long> stats() throws IOException {
    final Map<String, Long> stats = new TreeMap<>();
    for (final String each : ask("stats").split(" ")) {
      final String[] pair = each.split("=");
      if (pair.length == 2) {
        stats.put(pair[0], Long.parseLong(pair[1]));
      }
    }
    return stats;
  }

  /** Checksums by "store.get key" and "store.scan key". */
  Map<String, Long> dump() throws IOException {
    final Path file = folder.resolve("dump");
    assertEquals("dumped", ask("dump " + file), "" + log());
    final Map<String, Long> checksums = new HashMap<>();
    for (final String line : Files.readAllLines(file)) {
      final int space = line.lastIndexOf(' ');
      checksums.put(
          line.substring(0, space), Long.parseLong(line.substring(space + 1)));
    }
    Files.delete(file);
    return checksums;
  }

  /** As if the machine had lost power, for the application. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** A clean end. */
  void stop() throws Exception {
    assertEquals("closed true", ask("close"), "" + log());
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    assertEquals(0, process.exitValue(), "" + log());
  }

  @Override
  public void close() {
    kill();
  }
}
