//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/linxGnu/grocksdb"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Arguments: the DB's folder, on the fast disk, and any on the slow one.
func main() {
	fast, slow := os.Args[1], os.Args[2]
	base := grocksdb.NewDefaultOptions()
	base.SetCreateIfMissing(true)
	options, err := grocksdb.GetOptionsFromString(base,
		"hotrap={enabled=true;slow_root="+slow+";fast_budget_bytes=40G;}")
	must(err)
	db, err := grocksdb.OpenDb(options, fast)
	must(err)
	defer db.Close()

	must(db.Put(grocksdb.NewDefaultWriteOptions(), []byte("key"), []byte("value")))
	value, err := db.GetBytes(grocksdb.NewDefaultReadOptions(), []byte("key"))
	must(err)
	fmt.Printf("value: %s\n", value)

	for _, line := range strings.Split(db.GetProperty("rocksdb.hotrap.stats"), "\n") {
		if strings.HasPrefix(line, "active: ") {
			fmt.Println(line)
		}
	}
}
