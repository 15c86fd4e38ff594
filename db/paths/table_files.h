//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What the tables in a folder say by themselves, without a MANIFEST.
//
// Thread safety: plain functions.

#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/types.h"
#include "table/unique_id_impl.h"

namespace ROCKSDB_NAMESPACE {

// For files that are read and written while a DB opens, as RocksDB's own are.
IOOptions OpeningIo();

// The names of files of a type in a folder; none if it cannot be listed.
std::vector<std::string> FileNames(FileSystem* fs, const std::string& folder,
                                   FileType type);

// The names of the table files in a folder; none if it cannot be listed.
std::vector<std::string> TableNames(FileSystem* fs, const std::string& folder);

// The same with the folder.
std::vector<std::string> TablesIn(FileSystem* fs, const std::string& folder);

// Reads the properties of a table of any format.
Status ReadPropertiesOfTable(const std::shared_ptr<FileSystem>& fs,
                             const std::string& name,
                             std::unique_ptr<TableProperties>* properties);

// Whether a file has what a whole table ends with: not so a copy that was cut
// short, or for which a tool has only reserved the space.
// `id` becomes the one by which the MANIFEST knows a table: kNullUniqueId64x2
// if the table does not have what it is made of.
bool CanReadTable(FileSystem* fs, const std::string& name,
                  UniqueId64x2* id = nullptr);

// The ids of the DBs that have written the tables, as far as their properties
// say. Looks at a hundred tables at most.
std::set<std::string> DbIdsOfTables(FileSystem* fs,
                                    const std::vector<std::string>& tables);

// The ids by which tables in a DB's folder, and its IDENTITY, call the DB.
std::set<std::string> OwnDbIds(FileSystem* fs, const std::string& dbname);

}  // namespace ROCKSDB_NAMESPACE
