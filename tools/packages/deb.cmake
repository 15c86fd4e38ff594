#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Debian packages of what is installed, by CPack: `make deb`.
#
#   librocksdb-hotrap         the shared library
#   librocksdb-hotrap-dev     headers, static library, CMake, pkg-config
#   librocksdb-hotrap-tools   ldb, sst_dump, db_bench, hotrap_bench, ralt_dump
#   librocksdb-hotrap-java    RocksJava with HotRAP, if it was built
#
# The version is RocksDB's and our release's, 11.8.1-hotrap.1. CPack has
# dpkg-shlibdeps compute what libraries are needed.

# Installs what Debian wants of each package, but not with `make install`.
function(hotrap_deb_documents component package source_dir)
  set(document_dir ${PROJECT_BINARY_DIR}/packages/${package})
  set(HOTRAP_PACKAGE ${package})
  configure_file(${source_dir}/changelog.in ${document_dir}/changelog @ONLY)
  execute_process(
    COMMAND gzip -9nf ${document_dir}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${source_dir}/copyright
    DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${document_dir}/changelog.gz RENAME changelog.Debian.gz
    DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
  if(EXISTS ${source_dir}/${package}.lintian-overrides)
    install(FILES ${source_dir}/${package}.lintian-overrides RENAME ${package}
      DESTINATION share/lintian/overrides COMPONENT ${component}
      EXCLUDE_FROM_ALL)
  endif()
endfunction()

function(hotrap_make_debs source_dir)
  # Who builds packages for others says so in Debian's variables.
  if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
    set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  else()
    set(maintainer "HotRAP <hotrap@localhost>")
  endif()
  string(STRIP "${maintainer}" maintainer)

  set(CPACK_GENERATOR DEB)
  set(CPACK_COMPONENTS_ALL runtime devel tools)
  set(CPACK_PACKAGE_NAME librocksdb-hotrap)
  set(CPACK_PACKAGE_VERSION ${rocksdb_VERSION})
  set(CPACK_DEBIAN_PACKAGE_RELEASE hotrap.${HOTRAP_RELEASE})
  set(CPACK_PACKAGE_CONTACT "${maintainer}")
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${maintainer}")
  # Each package has its own, as the first line of its description.
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "https://rocksdb.org/")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  string(CONCAT about
    "RocksDB is an embedded key-value store. With HotRAP it keeps hot records\n"
    "on a fast disk, one by one, and the rest on a large, slow one.\n\n")

  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME librocksdb-hotrap)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  # Which package a program needs that was linked with the library. CPack would
  # take the first library that ours needs for ours.
  get_target_property(soversion rocksdb-shared SOVERSION)
  set(control_dir ${PROJECT_BINARY_DIR}/packages/control)
  file(WRITE ${control_dir}/shlibs "librocksdb-hotrap ${soversion} \
librocksdb-hotrap (>= ${rocksdb_VERSION}-hotrap.${HOTRAP_RELEASE})\n")
  file(WRITE ${control_dir}/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    ${control_dir}/shlibs ${control_dir}/triggers)
  string(CONCAT CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "RocksDB with hot records on the fast disk - library\n${about}"
    "This package has the shared library.")

  set(CPACK_DEBIAN_DEVEL_PACKAGE_NAME librocksdb-hotrap-dev)
  set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
  set(CPACK_COMPONENT_DEVEL_DEPENDS runtime)
  # For the static library, and for find_package(RocksDB).
  set(CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS
    "libc6-dev, libsnappy-dev, liblz4-dev, libzstd-dev, zlib1g-dev, libbz2-dev")
  set(CPACK_DEBIAN_DEVEL_PACKAGE_SHLIBDEPS OFF)
  # The same headers and library names.
  set(CPACK_DEBIAN_DEVEL_PACKAGE_CONFLICTS librocksdb-dev)
  set(CPACK_DEBIAN_DEVEL_PACKAGE_REPLACES librocksdb-dev)
  set(CPACK_DEBIAN_DEVEL_PACKAGE_PROVIDES
    "librocksdb-dev (= ${rocksdb_VERSION})")
  string(CONCAT CPACK_COMPONENT_DEVEL_DESCRIPTION
    "RocksDB with hot records on the fast disk - development\n${about}"
    "This package has the headers, the static library, and CMake and\n"
    "pkg-config files, under RocksDB's own names.")

  set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME librocksdb-hotrap-tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION database)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_CONFLICTS rocksdb-tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_REPLACES rocksdb-tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_PROVIDES
    "rocksdb-tools (= ${rocksdb_VERSION})")
  string(CONCAT CPACK_COMPONENT_TOOLS_DESCRIPTION
    "RocksDB with hot records on the fast disk - tools\n${about}"
    "This package has ldb, sst_dump, db_bench, hotrap_bench and ralt_dump.")

  hotrap_deb_documents(runtime librocksdb-hotrap ${source_dir})
  hotrap_deb_documents(devel librocksdb-hotrap-dev ${source_dir})
  hotrap_deb_documents(tools librocksdb-hotrap-tools ${source_dir})

  if(WITH_JNI)
    # RocksJava's base differs from that of the other packages.
    set(CPACK_COMPONENTS_ALL java)
    set(CPACK_DEBIAN_JAVA_PACKAGE_NAME librocksdb-hotrap-java)
    set(CPACK_DEBIAN_JAVA_PACKAGE_SECTION java)
    # Those of the native library, which is inside a jar.
    set(CPACK_DEBIAN_JAVA_PACKAGE_SHLIBDEPS OFF)
    set(CPACK_DEBIAN_JAVA_PACKAGE_DEPENDS
      "libc6, libstdc++6, libsnappy1v5, liblz4-1, libzstd1, zlib1g, libbz2-1.0")
    string(CONCAT CPACK_COMPONENT_JAVA_DESCRIPTION
      "RocksDB with hot records on the fast disk - Java\n${about}"
      "This package has RocksJava with its native library, and the add-on jar\n"
      "for a stock RocksJava.")
    hotrap_deb_documents(java librocksdb-hotrap-java ${source_dir})
    install(DIRECTORY ${PROJECT_BINARY_DIR}/java/
      DESTINATION share/java COMPONENT java EXCLUDE_FROM_ALL
      FILES_MATCHING
      PATTERN "rocksdbjni-*-linux*.jar" PATTERN "rocksdb-hotrap-*.jar"
      PATTERN "*-sources.jar" EXCLUDE PATTERN "*-javadoc.jar" EXCLUDE
      PATTERN CMakeFiles EXCLUDE)
  endif()
  include(CPack)
endfunction()
