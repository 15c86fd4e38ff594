#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# librocksdb-hotrap-prometheus: HotRAP's metrics for programs that use
# prometheus-cpp. With HOTRAP_PROMETHEUS=ON, since it needs that library.

function(hotrap_add_prometheus hotrap_dir)
  find_package(prometheus-cpp CONFIG REQUIRED)
  set(folder ${hotrap_dir}/tools/prometheus)

  add_library(rocksdb-hotrap-prometheus SHARED EXCLUDE_FROM_ALL
    ${hotrap_dir}/tools/prometheus/hotrap_prometheus.cc)
  target_include_directories(rocksdb-hotrap-prometheus PUBLIC
    $<BUILD_INTERFACE:${folder}/include>)
  target_link_libraries(rocksdb-hotrap-prometheus
    PUBLIC prometheus-cpp::core rocksdb-shared)
  set(release "${rocksdb_VERSION_MAJOR}.${rocksdb_VERSION_MINOR}")
  set_target_properties(rocksdb-hotrap-prometheus PROPERTIES
    VERSION "${rocksdb_VERSION}-hotrap.${HOTRAP_RELEASE}"
    SOVERSION "${release}-${HOTRAP_RELEASE}")
  install(TARGETS rocksdb-hotrap-prometheus OPTIONAL
    COMPONENT prometheus LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY ${folder}/include/rocksdb OPTIONAL
    COMPONENT prometheus DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

  # A program for Prometheus to scrape: scripts/check_prometheus.py.
  add_executable(hotrap_exporter EXCLUDE_FROM_ALL
    ${hotrap_dir}/tools/prometheus/hotrap_exporter.cc
    ${hotrap_dir}/tools/prometheus/hotrap_prometheus.cc)
  target_include_directories(hotrap_exporter PRIVATE ${folder}/include)
  target_link_libraries(hotrap_exporter
    rocksdb prometheus-cpp::core prometheus-cpp::pull ${GFLAGS_LIB})
  hotrap_link_jemalloc(hotrap_exporter)
  set_target_properties(hotrap_exporter PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()
