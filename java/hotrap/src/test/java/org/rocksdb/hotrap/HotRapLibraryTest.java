//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.rocksdb.RocksDB;

/**
 * Tests which native library a JVM loads, with several class paths, each in a
 * JVM of its own.
 */
public class HotRapLibraryTest {
  private static final String NO_HOTRAP = " has loaded a native library without"
      + " HotRAP; put rocksdb-hotrap before rocksdbjni on the class path, or"
      + " call HotRap.load() before any other class of RocksDB";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Where a class was loaded from. */
  private static Path origin(Class<?> type) throws URISyntaxException {
    return Path.of(
        type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static Path addOn() throws URISyntaxException {
    return origin(HotRap.class);
  }

  /** rocksdbjni's classes, without a native library. */
  private static Path classes() throws URISyntaxException {
    return origin(RocksDB.class);
  }

  /** rocksdbjni with its native library, as it is published. */
  private static Path stock() throws IOException {
    try (Stream<Path> jars = Files.list(
             Path.of(System.getProperty("stock.folder")))) {
      return jars.findFirst().orElseThrow();
    }
  }

  private static String base() {
    return RocksDB.rocksdbVersion().toString();
  }

  /** Runs LibraryProbe; returns its lines. */
  private List<String> probe(List<String> options, List<Path> classPath,
      String... steps) throws Exception {
    final List<String> command = new ArrayList<>();
    command.add(
        Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx128m");
    command.add("-Djava.io.tmpdir=" + folder.newFolder());
    command.addAll(options);
    command.add("-classpath");
    command.add(Stream.concat(classPath.stream(),
                          Stream.of(origin(LibraryProbe.class)))
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator)));
    command.add(LibraryProbe.class.getName());
    command.addAll(Arrays.asList(steps));
    final Process process = new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .start();
    final String output = new String(
        process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(output, 0, process.waitFor());
    return Arrays.asList(output.split("\n"));
  }

  private List<String> probe(List<Path> classPath, String... steps)
      throws Exception {
    return probe(List.of(), classPath, steps);
  }

  @Test
  public void beforeTheClasses() throws Exception {
    assertEquals(List.of("active true 2", "true", "loaded"),
        probe(List.of(addOn(), classes()), folder.newFolder().toString(),
            "available", "load"));
  }

  @Test
  public void afterTheClasses() throws Exception {
    assertEquals(List.of(base(), "", "active true 2"),
        probe(List.of(classes(), addOn()), "rocksdb", "reason",
            folder.newFolder().toString()));
  }

  @Test
  public void beforeAStockLibrary() throws Exception {
    assertEquals(List.of("active true 2", "", HotRap.version()),
        probe(List.of(addOn(), stock()), folder.newFolder().toString(),
            "reason", "version"));
  }

  @Test
  public void loadedBeforeAStockLibrary() throws Exception {
    assertEquals(List.of("loaded", "active true 2", base()),
        probe(List.of(stock(), addOn()), "load",
            folder.newFolder().toString(), "rocksdb"));
    assertEquals(List.of("true", HotRap.version()),
        probe(List.of(stock(), addOn()), "available", "version"));
  }

  @Test
  public void afterAStockLibrary() throws Exception {
    final String reason = "RocksDB " + base() + NO_HOTRAP;
    final String exception =
        "RocksDBException: HotRAP is not available: " + reason;
    assertEquals(List.of(base(), "false", reason, exception, exception,
                     exception, exception),
        probe(List.of(stock(), addOn()), "rocksdb", "available", "reason",
            "load", "version", "parse", "ticker"));
    // As a program sees it that only calls enable(): options come first.
    assertEquals(List.of(exception),
        probe(List.of(stock(), addOn()), folder.newFolder().toString()));
  }

  // What the loader leaves behind would fill /tmp.
  @Test
  public void noFilesStay() throws Exception {
    final Path tmp = folder.newFolder().toPath();
    assertEquals(List.of("loaded"),
        probe(List.of("-Djava.io.tmpdir=" + tmp), List.of(addOn(), classes()),
            "load"));
    assertEquals(List.of(), List.of(tmp.toFile().list()));
  }

  @Test
  public void noFolderForTheLibrary() throws Exception {
    final String line =
        probe(List.of("-Djava.io.tmpdir=/no/such/folder"),
            List.of(addOn(), classes()), "reason").get(0);
    assertTrue(
        line, line.startsWith("the native library cannot be loaded: "));
    assertTrue(line, line.contains("/no/such/folder"));
  }

  /** A folder with another version of a class of rocksdbjni. */
  private Path otherClasses() throws Exception {
    final Path other = folder.newFolder().toPath();
    final Path source = other.resolve("HistogramType.java");
    Files.writeString(source,
        "package org.rocksdb; public enum HistogramType { DB_GET }");
    assertEquals(0,
        ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d",
            other.toString(), source.toString()));
    return other;
  }

  @Test
  public void classesOfAnotherVersion() throws Exception {
    final List<Path> classPath = List.of(otherClasses(), addOn(), classes());
    final String reason = "rocksdb-hotrap " + HotRap.version()
        + " needs rocksdbjni " + base() + ", but the classes in file:"
        + classes() + " are of another version; use rocksdbjni " + base();
    assertEquals(
        List.of(reason, "RocksDBException: HotRAP is not available: " + reason),
        probe(classPath, "reason", "load"));
    // RocksDB's own loader, which knows nothing of the add-on.
    assertEquals(List.of("IncompatibleClassChangeError: " + reason),
        probe(classPath, "rocksdb"));
  }

  @Test
  public void anotherClassLoader() throws Exception {
    HotRap.load();
    try (URLClassLoader loader = new URLClassLoader(
             new URL[] {addOn().toUri().toURL()}, null) {
           @Override
           protected Class<?> findClass(String name)
               throws ClassNotFoundException {
             return name.startsWith("org.rocksdb.hotrap.")
                 ? super.findClass(name)
                 : Class.forName(name);
           }
         }) {
      assertEquals("rocksdb-hotrap and rocksdbjni have different class"
              + " loaders; put both jars into one folder or class path",
          loader.loadClass(HotRap.class.getName())
              .getMethod("unavailableReason")
              .invoke(null));
    }
  }
}
