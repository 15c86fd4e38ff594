//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.util.Collections;
import org.junit.Test;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.TtlDB;

/** Tests a DB whose records have a time to live. */
public class HotRapTtlTest extends HotRapTestBase {
  private static final int DAY_SECS = 24 * 60 * 60;

  // TtlDB's values end in a time, and it has a compaction filter.
  @Test
  public void answersStayRight() throws Exception {
    final Opener opener = (options, path, descriptors, handles)
        -> TtlDB.open(options, path, descriptors, handles,
            Collections.nCopies(descriptors.size(), DAY_SECS), false);
    open(opener, dbOptions(), familyOptions(ON), familyOptions(null));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    assertActive(family);
    assertEquals("hotrap.enabled is false",
        stats(families.get(1)).inactiveReason());
    for (int round = 0; round < 10; round++) {
      slowReads(family, 100, 400);
    }
    assertNotEquals(0, stats(family).hitsSlow());
    for (int i = 200; i < 300; i++) {
      put(i, 1);
    }
    assertAllRight();
    HotRap.disable(db, family);
    HotRap.enable(db, families.get(1), ON);
    assertActive(families.get(1));
    assertAllRight();
    close();
    open(opener, dbOptions(), familyOptions(ON), familyOptions(ON));
    assertTrue(stats(families.get(0)).active());
    assertAllRight();
  }
}
