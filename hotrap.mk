# RocksDB's plugin mechanism wants this file beside CMakeLists.txt, which is
# where our sources are listed: RocksDB's CMake build would add sources that
# are named here a second time. RocksDB's own make build is not supported.
