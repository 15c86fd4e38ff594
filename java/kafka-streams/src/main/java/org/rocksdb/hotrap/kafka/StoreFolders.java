//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of one application below a root that HotRAP adds to state.dir.
 * Kafka deletes a store by deleting its folder in state.dir, and knows nothing
 * of these, so that their tables stay behind: after each kill with exactly-once
 * processing, after a task has moved, after a window's segment has ended. The
 * library refuses to make a new DB where tables of another one lie, so they
 * are deleted before a store is opened.
 *
 * <p>Tables are left over if, after they were seen, there is no DB in state.dir
 * or it is one that has not taken the folder, which it does in its file
 * HOTRAP_PATHS before it writes the first table there. A store that is being
 * made has no tables. So this may run while other stores are opened or deleted,
 * in other threads, as long as each open is preceded by it.
 *
 * <p>Another process with the same folders would lose its tables to this, or to
 * RocksDB itself. A lock keeps it out, also in another container.
 *
 * <p>Thread safety: thread-safe.
 */
final class StoreFolders {
  private static final Logger LOG = LoggerFactory.getLogger(StoreFolders.class);
  private static final String LOCK = ".hotrap.lock";
  // Of this process, by the folder that is locked.
  private static final Map<Path, StoreFolders> IN_USE = new HashMap<>();

  // Below the root, and in state.dir.
  private final Path folder;
  private final Path state;
  private final FileChannel channel;
  private int users = 0;

  private StoreFolders(Path folder, Path state) throws IOException {
    this.folder = folder;
    this.state = state;
    Files.createDirectories(folder);
    channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE,
        StandardOpenOption.WRITE);
  }

  /**
   * Takes the folder below {@code root} for a store that is about to be opened,
   * and deletes what was left over. {@code state} is the application's folder
   * in state.dir.
   *
   * @throws IOException if another process uses the folder, or it cannot be
   *     used
   */
  static StoreFolders acquire(Path root, Path state) throws IOException {
    synchronized (IN_USE) {
      Files.createDirectories(state);
      // The library names folders so, without symbolic links.
      final Path real = state.toRealPath();
      final Path folder =
          root.toRealPath().resolve(real.getRoot().relativize(real));
      StoreFolders folders = IN_USE.get(folder);
      if (folders == null) {
        folders = new StoreFolders(folder, real);
        folders.lock();
        IN_USE.put(folder, folders);
      }
      folders.users++;
      folders.sweep();
      return folders;
    }
  }

  /** Once for each acquire(). */
  void release() throws IOException {
    synchronized (IN_USE) {
      if (--users == 0) {
        IN_USE.remove(folder);
        channel.close();
      }
    }
  }

  private void lock() throws IOException {
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      LOG.debug("Held by this process", e);
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new IOException("another process uses " + folder
          + "; each process needs a root of its own");
    }
  }

  /** A store's folder is task/kind/name, in state.dir and here. */
  private void sweep() throws IOException {
    sweep(folder, 3);
  }

  private void sweep(Path parent, int depth) throws IOException {
    try (DirectoryStream<Path> children =
             Files.newDirectoryStream(parent, Files::isDirectory)) {
      for (final Path child : children) {
        final Path counterpart = state.resolve(folder.relativize(child));
        if (depth > 1) {
          sweep(child, depth - 1);
          if (!Files.exists(counterpart)) {
            deleteIfEmpty(child);
          }
        } else if (isLeftOver(child, counterpart)) {
          LOG.info(
              "Deleting {}, left over from a store that was deleted", child);
          delete(child);
        }
      }
    }
  }

  private static boolean isLeftOver(Path child, Path db) throws IOException {
    final boolean hasTables;
    try (DirectoryStream<Path> tables =
             Files.newDirectoryStream(child, "*.sst")) {
      hasTables = tables.iterator().hasNext();
    }
    // In this order: see above.
    return hasTables ? !Files.exists(db.resolve("CURRENT"))
            || !Files.exists(db.resolve("HOTRAP_PATHS"))
                     : !Files.exists(db);
  }

  private static void deleteIfEmpty(Path folder) throws IOException {
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException e) {
      LOG.debug("In use", e);
    }
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(folder, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult visitFile(
          Path file, BasicFileAttributes attributes) throws IOException {
        Files.deleteIfExists(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult postVisitDirectory(Path child, IOException failure)
          throws IOException {
        if (failure != null && !(failure instanceof NoSuchFileException)) {
          throw failure;
        }
        Files.deleteIfExists(child);
        return FileVisitResult.CONTINUE;
      }
    });
  }
}
