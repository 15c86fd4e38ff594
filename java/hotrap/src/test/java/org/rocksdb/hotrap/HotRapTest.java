//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.Test;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.ByteBufferGetStatus;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.Status;
import org.rocksdb.TableFileCreationInfo;

/** Tests that hot records are promoted, and that every answer stays right. */
public class HotRapTest extends HotRapTestBase {
  private void loadAndPromote() throws Exception {
    open(familyOptions(ON));
    load(families.get(0));
    readUntilFast(families.get(0), 100, 400);
  }

  @Test
  public void whatIsReadOftenComesToTheFastTier() throws Exception {
    open(familyOptions(ON));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    long slowBytes = 0;
    for (final LiveFileMetaData file : db.getLiveFilesMetaData()) {
      slowBytes += file.path().equals(slow().toString()) ? file.size() : 0;
    }
    assertTrue(slowBytes > 2 * FAST_BYTES);
    assertTrue(slowReads(family, 100, 400) > 150);

    readUntilFast(family, 100, 400);
    for (int i = 200; i < 300; i++) {
      put(i, 1);
    }
    for (int i = 300; i < 310; i++) {
      db.delete(key(i));
      generations[i] = -1;
    }
    assertAllRight();

    close();
    open(familyOptions(ON));
    assertAllRight();
    // Stock behaviour reads the same files.
    close();
    open(familyOptions(null));
    assertEquals("hotrap.enabled is false",
        stats(families.get(0)).inactiveReason());
    assertAllRight();
  }

  @Test
  public void eachColumnFamilyIsOnItsOwn() throws Exception {
    open(familyOptions(null), familyOptions(ON), familyOptions(null));
    for (final ColumnFamilyHandle family : families) {
      load(family);
    }
    readUntilFast(families.get(1), 100, 400);
    for (final int other : new int[] {0, 2}) {
      for (int round = 0; round < 10; round++) {
        for (int i = 100; i < 400; i++) {
          assertArrayEquals(value(i, 0), db.get(families.get(other), key(i)));
        }
      }
      assertFalse(stats(families.get(other)).active());
    }
    assertAllRight();
    for (int i = 0; i < RECORDS; i++) {
      assertArrayEquals(value(i, 0), db.get(families.get(1), key(i)));
    }
    // A column family created while the DB is open.
    families.add(db.createColumnFamily(
        new ColumnFamilyDescriptor(
            "later".getBytes(UTF_8), familyOptions(ON))));
    assertActive(families.get(3));
    db.dropColumnFamily(families.get(1));
  }

  @Test
  public void allWaysToReadAgree() throws Exception {
    loadAndPromote();
    final Snapshot snapshot = db.getSnapshot();
    for (int i = 200; i < 300; i++) {
      put(i, 1);
    }
    readUntilFast(families.get(0), 400, 700);

    final List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      keys.add(key(i));
    }
    final List<byte[]> values = db.multiGetAsList(keys);
    for (int i = 0; i < 1000; i++) {
      assertArrayEquals("record " + i, expected(i), values.get(i));
    }

    final List<ByteBuffer> keyBuffers = new ArrayList<>();
    final List<ByteBuffer> valueBuffers = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      keyBuffers.add(ByteBuffer.allocateDirect(keys.get(i).length)
                         .put(keys.get(i))
                         .flip());
      valueBuffers.add(ByteBuffer.allocateDirect(VALUE_BYTES));
    }
    final List<ByteBufferGetStatus> answers =
        db.multiGetByteBuffers(keyBuffers, valueBuffers);
    for (int i = 0; i < 1000; i++) {
      assertEquals(Status.Code.Ok, answers.get(i).status.getCode());
      assertEquals(ByteBuffer.wrap(expected(i)), answers.get(i).value);
    }

    try (ReadOptions old = new ReadOptions().setSnapshot(snapshot)) {
      for (int i = 0; i < 1000; i++) {
        assertArrayEquals(value(i, 0), db.get(old, key(i)));
      }
      final List<byte[]> oldValues = db.multiGetAsList(old, keys);
      for (int i = 0; i < 1000; i++) {
        assertArrayEquals(value(i, 0), oldValues.get(i));
      }
    }
    db.releaseSnapshot(snapshot);

    try (RocksIterator iterator = db.newIterator()) {
      int i = 0;
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        assertArrayEquals(key(i), iterator.key());
        assertArrayEquals(expected(i), iterator.value());
        i++;
      }
      assertEquals(RECORDS, i);
      for (iterator.seekToLast(); iterator.isValid(); iterator.prev()) {
        i--;
        assertArrayEquals(key(i), iterator.key());
        assertArrayEquals(expected(i), iterator.value());
      }
      assertEquals(0, i);
      iterator.status();
    }
  }

  // A promoted record exists twice, and SingleDelete removes both.
  @Test
  public void singleDeleteTakesPromotedRecords() throws Exception {
    loadAndPromote();
    for (int i = 150; i < 350; i++) {
      db.singleDelete(key(i));
      generations[i] = -1;
    }
    assertAllRight();
    settle(families.get(0));
    assertAllRight();
    db.compactRange();
    assertAllRight();
    close();
    open(familyOptions(ON));
    assertAllRight();
    assertNull(db.get(key(200)));
  }

  // Promotions create files, of which a listener in Java learns.
  @Test
  public void listenersUnderstandPromotions() throws Exception {
    final ConcurrentLinkedQueue<String> files = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<Status> failed = new ConcurrentLinkedQueue<>();
    final AbstractEventListener listener = keep(new AbstractEventListener() {
      @Override
      public void onTableFileCreated(TableFileCreationInfo info) {
        files.add(info.getFilePath());
        if (info.getStatus().getCode() != Status.Code.Ok) {
          failed.add(info.getStatus());
        }
      }
    });
    open(dbOptions().setListeners(List.of(listener)), familyOptions(ON));
    load(families.get(0));
    assertFalse(files.isEmpty());
    readUntilFast(families.get(0), 100, 400);
    settle(families.get(0));
    assertAllRight();
    close();
    assertTrue(failed.toString(), failed.isEmpty());
  }
}
