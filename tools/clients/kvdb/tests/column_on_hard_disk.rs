//! A node keeps one column family on a hard disk, and the rest of its DB on an
//! SSD. The crate cannot do that; the environment variable ROCKSDB_HOTRAP does
//! it without a line of code, and keeps what is hot on the SSD.

use kvdb_rocksdb::{Database, DatabaseConfig};
use std::{fs, path::Path};

const KEYS: u32 = 20_000;
const HOT_KEYS: u32 = 500;
const VALUE_BYTES: usize = 1_000;
const FAST_BUDGET_BYTES: u64 = 6 << 20;
const COPIES: &str = "rocksdb.hotrap.promoted-copies";

fn key(i: u32) -> [u8; 4] {
    // Scattered, so that hot keys are not neighbours.
    i.wrapping_mul(2_654_435_761).to_be_bytes()
}

fn value(i: u32) -> Vec<u8> {
    let mut state = u64::from(i) + 1;
    (0..VALUE_BYTES)
        .map(|_| {
            // Not to be compressed.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect()
}

/// The bytes of the tables in a folder and those below.
fn table_bytes(folder: &Path) -> u64 {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                table_bytes(&entry.path())
            } else if entry.path().extension().is_some_and(|e| e == "sst") {
                entry.metadata().unwrap().len()
            } else {
                0
            }
        })
        .sum()
}

#[test]
fn hot_records_stay_on_the_ssd() {
    let folder = tempfile::tempdir().unwrap();
    let (ssd, hdd) = (folder.path().join("ssd"), folder.path().join("hdd"));
    fs::create_dir(&ssd).unwrap();
    fs::create_dir(&hdd).unwrap();
    let conf = folder.path().join("hotrap.conf");
    let section = format!(
        "[DB \"{}/*\" \"col1\"]\n  slow_root={}\n  fast_budget_bytes={FAST_BUDGET_BYTES}\n  \
         promotion_cache_bytes=64K\n  promote_only_if_slower=false\n",
        ssd.display(),
        hdd.display()
    );
    fs::write(&conf, section).unwrap();
    std::env::set_var("ROCKSDB_HOTRAP", format!("@{}", conf.display()));

    let path = ssd.join("db");
    let mut config = DatabaseConfig::with_columns(2);
    // In MiB; the smallest one. Level 1 gets as much.
    config.memory_budget.insert(0, 1);
    config.memory_budget.insert(1, 1);
    config.compaction.initial_file_size = 256 << 10;
    {
        let db = Database::open(&config, &path).unwrap();
        for first in (0..KEYS).step_by(100) {
            let mut transaction = db.transaction();
            for i in first..first + 100 {
                transaction.put_vec(1, &key(i), value(i));
            }
            transaction.put(0, b"height", &first.to_be_bytes());
            db.write(transaction).unwrap();
        }
        db.force_compact(1).unwrap();
        assert!(table_bytes(&hdd) > 2 * FAST_BUDGET_BYTES);

        for _ in 0..20 {
            for i in 0..HOT_KEYS {
                assert_eq!(db.get(1, &key(i)).unwrap().unwrap(), value(i));
            }
        }
    }
    {
        // Every answer is right after it was opened again.
        let db = Database::open(&config, &path).unwrap();
        for i in 0..KEYS {
            assert_eq!(db.get(1, &key(i)).unwrap().unwrap(), value(i));
        }
        assert_eq!(db.get(0, b"height").unwrap().unwrap(), (KEYS - 100).to_be_bytes());
        assert_eq!(db.iter(1).count(), KEYS as usize);
    }
    assert!(table_bytes(&ssd) <= FAST_BUDGET_BYTES);

    // The crate shows no properties.
    let columns = ["default", "col0", "col1"];
    let db = rocksdb::DB::open_cf(&rocksdb::Options::default(), &path, columns).unwrap();
    let column = db.cf_handle("col1").unwrap();
    let copies = db.property_int_value_cf(column, COPIES).unwrap().unwrap();
    assert!(copies > u64::from(HOT_KEYS) / 2, "{copies} promoted copies");
}
