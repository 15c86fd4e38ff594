//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

use rocksdb::{Options, DB};
use std::error::Error;

// Arguments: the DB's folder, on the fast disk, and any on the slow one.
fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    let (fast, slow) = (&folders[0], &folders[1]);
    let mut options = Options::default();
    options.create_if_missing(true);
    let options = options.get_options_from_string(format!(
        "hotrap={{enabled=true;slow_root={slow};fast_budget_bytes=40G;}}"
    ))?;
    let db = DB::open(&options, fast)?;

    db.put("key", "value")?;
    let value = db.get("key")?.ok_or("the key is gone")?;
    println!("value: {}", String::from_utf8(value)?);

    let stats = db.property_value("rocksdb.hotrap.stats")?.unwrap_or_default();
    let active = stats.lines().find(|line| line.starts_with("active: "));
    println!("{}", active.unwrap_or("active: 0"));
    Ok(())
}
