//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import org.junit.Test;
import org.rocksdb.OptimisticTransactionDB;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.Transaction;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;
import org.rocksdb.WriteOptions;

/** Tests transactions on promoted records. */
public class HotRapTransactionTest extends HotRapTestBase {
  private final WriteOptions write = keep(new WriteOptions());
  private final ReadOptions read = keep(new ReadOptions());

  private void openAndPromote(Opener opener) throws Exception {
    open(opener, dbOptions(), familyOptions(ON));
    load(families.get(0));
    readUntilFast(families.get(0), 100, 400);
  }

  /** Changes records [begin, end) in every possible way. */
  private void change(Transaction transaction, int begin, int end)
      throws RocksDBException {
    for (int i = begin; i < end; i++) {
      assertArrayEquals(
          expected(i), transaction.getForUpdate(read, key(i), true));
      if (i % 3 == 0) {
        transaction.put(key(i), value(i, 1));
      } else if (i % 3 == 1) {
        transaction.delete(key(i));
      } else {
        transaction.singleDelete(key(i));
      }
    }
  }

  private void changed(int begin, int end) {
    for (int i = begin; i < end; i++) {
      generations[i] = i % 3 == 0 ? 1 : -1;
    }
  }

  private void reopenAndCheck(Opener opener) throws Exception {
    assertAllRight();
    settle(families.get(0));
    assertAllRight();
    close();
    open(opener, dbOptions(), familyOptions(ON));
    assertActive(families.get(0));
    assertAllRight();
    HotRap.disable(db, families.get(0));
    assertFalse(stats(families.get(0)).active());
    HotRap.enable(db, families.get(0), ON);
    readUntilFast(families.get(0), 400, 500);
    assertAllRight();
  }

  @Test
  public void pessimistic() throws Exception {
    final TransactionDBOptions options = keep(new TransactionDBOptions());
    final Opener opener = (dbOptions, path, descriptors, handles)
        -> TransactionDB.open(dbOptions, options, path, descriptors, handles);
    openAndPromote(opener);
    final TransactionDB transactionDb = (TransactionDB) db;
    try (Transaction kept = transactionDb.beginTransaction(write);
         Transaction undone = transactionDb.beginTransaction(write)) {
      change(kept, 100, 200);
      change(undone, 200, 300);
      undone.rollback();
      assertAllRight();
      kept.commit();
      changed(100, 200);
    }
    reopenAndCheck(opener);
  }

  @Test
  public void optimistic() throws Exception {
    final Opener opener = OptimisticTransactionDB::open;
    openAndPromote(opener);
    final OptimisticTransactionDB transactionDb = (OptimisticTransactionDB) db;
    try (Transaction kept = transactionDb.beginTransaction(write);
         Transaction late = transactionDb.beginTransaction(write)) {
      change(kept, 100, 200);
      late.put(key(199), value(199, 2));
      kept.commit();
      changed(100, 200);
      final RocksDBException e =
          assertThrows(RocksDBException.class, late::commit);
      assertEquals(Status.Code.Busy, e.getStatus().getCode());
    }
    reopenAndCheck(opener);
  }

  // A promotion is not a write: what a transaction has read stays valid.
  @Test
  public void aPromotionIsNoConflict() throws Exception {
    final Opener opener = OptimisticTransactionDB::open;
    open(opener, dbOptions(), familyOptions(ON));
    load(families.get(0));
    final OptimisticTransactionDB transactionDb = (OptimisticTransactionDB) db;
    try (Transaction transaction = transactionDb.beginTransaction(write)) {
      change(transaction, 100, 200);
      readUntilFast(families.get(0), 100, 400);
      transaction.commit();
      changed(100, 200);
    }
    reopenAndCheck(opener);
  }
}
