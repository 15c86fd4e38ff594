#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).

import os
import sys

import rockstore

# Arguments: the DB's folder, on the fast disk, and any on the slow one. The
# module knows neither paths nor options as strings: the environment does.
fast, slow = sys.argv[1:]
os.environ["ROCKSDB_HOTRAP"] = (
    f"enabled=true;slow_root={slow};fast_budget_bytes=40G")
with rockstore.open_database(fast) as db:
    db.put(b"key", b"value")
    print("value:", db.get(b"key").decode())
    # Nor does it know properties.
    db.ffi.cdef("char* rocksdb_property_value(rocksdb_t*, const char*);")
    stats = db.lib.rocksdb_property_value(db.db, b"rocksdb.hotrap.stats")
    for line in db.ffi.string(stats).decode().splitlines():
        if line.startswith("active: "):
            print(line)
    db.lib.rocksdb_free(stats)
