//! The calls that kvdb-rocksdb's own tests make.

use kvdb_rocksdb::{Database, DatabaseConfig};
use kvdb_shared_tests as st;
use std::io;

fn create(columns: u32) -> io::Result<(tempfile::TempDir, Database)> {
    let folder = tempfile::tempdir()?;
    let db = Database::open(&DatabaseConfig::with_columns(columns), folder.path())?;
    Ok((folder, db))
}

macro_rules! shared {
    ($name:ident, $test:ident, $columns:expr) => {
        #[test]
        fn $name() -> io::Result<()> {
            let (_folder, db) = create($columns)?;
            st::$test(&db)
        }
    };
}

shared!(get_fails_with_non_existing_column, test_get_fails_with_non_existing_column, 1);
shared!(put_and_get, test_put_and_get, 1);
shared!(delete_and_get, test_delete_and_get, 1);
shared!(delete_prefix, test_delete_prefix, st::DELETE_PREFIX_NUM_COLUMNS);
shared!(iter, test_iter, 1);
shared!(iter_with_prefix, test_iter_with_prefix, 1);
shared!(complex, test_complex, 1);
shared!(stats, test_io_stats, st::IO_STATS_NUM_COLUMNS);

#[test]
fn secondary_db_catches_up() -> io::Result<()> {
    let (primary, db) = create(1)?;
    let folder = tempfile::tempdir()?;
    let mut config = DatabaseConfig::with_columns(1);
    config.secondary = Some(folder.path().to_owned());
    let secondary = Database::open(&config, primary.path())?;

    let mut transaction = db.transaction();
    transaction.put(0, b"key1", b"mule");
    transaction.put(0, b"key2", b"cat");
    db.write(transaction)?;

    secondary.try_catch_up_with_primary()?;
    assert_eq!(secondary.get(0, b"key2")?.as_deref(), Some(&b"cat"[..]));
    Ok(())
}

#[test]
fn columns_come_and_go() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    {
        let mut db = Database::open(&DatabaseConfig::with_columns(1), folder.path())?;
        for columns in 2..=5 {
            db.add_column()?;
            assert_eq!(db.num_columns(), columns);
        }
    }
    let mut db = Database::open(&DatabaseConfig::with_columns(5), folder.path())?;
    for columns in (1..5).rev() {
        db.remove_last_column()?;
        assert_eq!(db.num_columns(), columns);
    }
    Ok(())
}
