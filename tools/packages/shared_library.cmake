#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# The shared library, its names, and the programs that are installed. The
# reasons are in docs/design/2026-11-27-a-name-of-its-own.md.
#
#   librocksdb-hotrap.so.11.8-1   SONAME: RocksDB's release, then ours
#   librocksdb.so                 a link to it, for -lrocksdb
#   rocksdb-hotrap/librocksdb.so.11, .11.8
#                                 links with a stock RocksDB's SONAMEs, in a
#                                 folder that is searched only if one says so

# Creates rocksdb-shared from the objects of the target rocksdb.
function(hotrap_add_shared_library hotrap_dir libraries)
  # RocksDB's own rule compiles every file again. Here all objects are position
  # independent, so both libraries use the same ones.
  add_library(rocksdb-shared SHARED $<TARGET_OBJECTS:rocksdb>)
  target_include_directories(rocksdb-shared PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${hotrap_dir}/include>)
  target_link_libraries(rocksdb-shared PRIVATE ${libraries})
  set_target_properties(rocksdb-shared PROPERTIES LINKER_LANGUAGE CXX)
  set(lib "${CMAKE_INSTALL_LIBDIR}")

  if(HOTRAP_STOCK)
    set_target_properties(rocksdb-shared PROPERTIES
      OUTPUT_NAME rocksdb
      VERSION ${rocksdb_VERSION}
      SOVERSION ${rocksdb_VERSION_MAJOR})
  else()
    set(release "${rocksdb_VERSION_MAJOR}.${rocksdb_VERSION_MINOR}")
    set(soversion "${release}-${HOTRAP_RELEASE}")
    set_target_properties(rocksdb-shared PROPERTIES
      OUTPUT_NAME rocksdb-hotrap
      VERSION "${rocksdb_VERSION}-hotrap.${HOTRAP_RELEASE}"
      SOVERSION ${soversion})
    set(map ${hotrap_dir}/db/api/stock_headers.map)
    target_sources(rocksdb-shared PRIVATE
      ${hotrap_dir}/db/api/stock_headers.cc)
    target_link_options(rocksdb-shared PRIVATE "LINKER:--version-script=${map}")
    set_property(TARGET rocksdb-shared PROPERTY LINK_DEPENDS ${map})

    set(soname librocksdb-hotrap.so.${soversion})
    # What an older build left, under a stock RocksDB's names.
    file(REMOVE
      ${PROJECT_BINARY_DIR}/librocksdb.so.${rocksdb_VERSION}
      ${PROJECT_BINARY_DIR}/librocksdb.so.${rocksdb_VERSION_MAJOR})
    set(stock_names ${PROJECT_BINARY_DIR}/rocksdb-hotrap)
    file(MAKE_DIRECTORY ${stock_names})
    file(CREATE_LINK ${soname} ${PROJECT_BINARY_DIR}/librocksdb.so SYMBOLIC)
    # As RocksDB's CMake build names it, and as its Makefile and Debian do.
    foreach(version ${rocksdb_VERSION_MAJOR} ${release})
      file(CREATE_LINK ../${soname} ${stock_names}/librocksdb.so.${version}
        SYMBOLIC)
    endforeach()
    install(FILES ${PROJECT_BINARY_DIR}/librocksdb.so
      COMPONENT devel DESTINATION "${lib}")
    install(DIRECTORY ${stock_names} COMPONENT runtime DESTINATION "${lib}")
  endif()

  install(
    TARGETS rocksdb-shared
    EXPORT RocksDBTargets
    LIBRARY DESTINATION "${lib}"
    COMPONENT runtime NAMELINK_COMPONENT devel
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endfunction()

# Installs the programs that were built. They are linked with the static
# library, and run without any other.
function(hotrap_install_programs)
  foreach(program ${ARGV})
    if(TARGET ${program})
      install(TARGETS ${program} OPTIONAL
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
    endif()
  endforeach()
endfunction()
