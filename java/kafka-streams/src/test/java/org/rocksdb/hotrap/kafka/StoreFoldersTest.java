//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is deleted below a root, and what is not. */
class StoreFoldersTest {
  @TempDir Path temporary;
  private Path root;
  private Path state;
  private StoreFolders folders;

  @BeforeEach
  void make() throws IOException {
    root = Files.createDirectories(temporary.resolve("slow"));
    state = temporary.toRealPath().resolve("state/app");
    sweep();
  }

  @AfterEach
  void release() throws IOException {
    folders.release();
  }

  /** As before a store is opened. */
  private void sweep() throws IOException {
    final StoreFolders next = StoreFolders.acquire(root, state);
    if (folders != null) {
      folders.release();
    }
    folders = next;
  }

  private Path slow(String store) {
    return root.resolve(state.getRoot().relativize(state)).resolve(store);
  }

  private void file(Path folder, String name) throws IOException {
    Files.writeString(Files.createDirectories(folder).resolve(name), name);
  }

  private void db(String store, String... files) throws IOException {
    Files.createDirectories(state.resolve(store));
    for (final String file : files) {
      file(state.resolve(store), file);
    }
  }

  @Test
  void aStoreThatHasTakenTheFolderKeepsIt() throws IOException {
    db("0_1/rocksdb/store", "CURRENT", "HOTRAP_PATHS");
    file(slow("0_1/rocksdb/store"), "000012.sst");
    sweep();
    assertTrue(Files.exists(slow("0_1/rocksdb/store/000012.sst")));
  }

  // Between the making of its folders and of CURRENT.
  @Test
  void aStoreThatIsBeingMadeKeepsItsFolder() throws IOException {
    db("0_1/rocksdb/store", "HOTRAP_PATHS");
    Files.createDirectories(slow("0_1/rocksdb/store"));
    sweep();
    assertTrue(Files.exists(slow("0_1/rocksdb/store")));
  }

  @Test
  void whatADeletedTaskLeftGoes() throws IOException {
    file(slow("0_1/rocksdb/store"), "000012.sst");
    file(slow("0_1/rocksdb/store/ralt"), "run");
    sweep();
    assertFalse(Files.exists(slow("0_1")));
  }

  @Test
  void whatADeletedStoreLeftGoesAndOthersStay() throws IOException {
    db("0_1/windows/windows.120000", "CURRENT", "HOTRAP_PATHS");
    file(slow("0_1/windows/windows.120000"), "000007.sst");
    file(slow("0_1/windows/windows.60000"), "000007.sst");
    // Wiped, and made again but for its DB.
    db("0_1/rocksdb/store");
    file(slow("0_1/rocksdb/store"), "000007.sst");
    // Wiped, and the folder is there to be wiped still.
    db("0_2/rocksdb/store", "000009.sst", "HOTRAP_PATHS");
    file(slow("0_2/rocksdb/store"), "000008.sst");
    sweep();
    assertTrue(Files.exists(slow("0_1/windows/windows.120000/000007.sst")));
    assertFalse(Files.exists(slow("0_1/windows/windows.60000")));
    assertFalse(Files.exists(slow("0_1/rocksdb/store")));
    assertFalse(Files.exists(slow("0_2/rocksdb/store")));
  }

  // A store that was made anew while HotRAP was off.
  @Test
  void whatIsNotOfTheDBThatIsThereGoes() throws IOException {
    db("0_1/rocksdb/store", "CURRENT");
    file(slow("0_1/rocksdb/store"), "000012.sst");
    sweep();
    assertFalse(Files.exists(slow("0_1/rocksdb/store")));
  }

  @Test
  void aLinkToTheStateIsTheSameFolder() throws IOException {
    db("0_1/rocksdb/store", "CURRENT", "HOTRAP_PATHS");
    file(slow("0_1/rocksdb/store"), "000012.sst");
    final Path link =
        Files.createSymbolicLink(temporary.resolve("link"), state.getParent());
    StoreFolders.acquire(root, link.resolve("app")).release();
    assertTrue(Files.exists(slow("0_1/rocksdb/store/000012.sst")));
  }

  /** Its main() tries to take the folder. */
  static final class Other {
    public static void main(String[] args) {
      try {
        StoreFolders.acquire(Path.of(args[0]), Path.of(args[1]));
      } catch (IOException e) {
        System.exit(e.getMessage().contains("another process") ? 3 : 2);
      }
    }
  }

  private int other() throws Exception {
    return new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp", AppProcess.classPath(), Other.class.getName(), root.toString(),
        state.toString())
        .inheritIO()
        .start()
        .waitFor();
  }

  @Test
  void anotherProcessIsKeptOut() throws Exception {
    // Two stores of this process.
    final StoreFolders second = StoreFolders.acquire(root, state);
    second.release();
    assertEquals(3, other());
    folders.release();
    assertEquals(0, other());
    folders = StoreFolders.acquire(root, state);
  }

  @Test
  void aMissingRootIsAnError() {
    assertThrows(IOException.class,
        () -> StoreFolders.acquire(temporary.resolve("none"), state));
  }
}
