#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# RocksJava as RocksDB builds it, on the same library as everything else, plus
# the native part of the add-on jar (java/hotrap).

# It searches a complete JDK, but does not need AWT, which a headless JDK
# lacks.
find_package(JNI REQUIRED COMPONENTS JVM)
set(JAVA_AWT_INCLUDE_PATH ${JAVA_INCLUDE_PATH} CACHE PATH "not needed")

function(hotrap_extend_java)
  set(libraries ${THIRDPARTY_LIBS} ${SYSTEM_LIBS})
  list(REMOVE_ITEM libraries ${GFLAGS_LIB} JeMalloc::JeMalloc)
  set_target_properties(rocksdbjni PROPERTIES
    LINK_LIBRARIES "$<TARGET_FILE:rocksdb>;${libraries}"
    UNITY_BUILD ${HOTRAP_UNITY}
    UNITY_BUILD_BATCH_SIZE ${HOTRAP_UNITY_BATCH})
  set(hotrap_dir ${PROJECT_SOURCE_DIR}/plugin/hotrap)
  list(TRANSFORM hotrap_JNI_SOURCES PREPEND ${hotrap_dir}/)
  target_sources(rocksdbjni PRIVATE ${hotrap_JNI_SOURCES})
  set_source_files_properties(${hotrap_JNI_SOURCES}
    TARGET_DIRECTORY rocksdbjni PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_OPTIONS "${hotrap_COMPILE_OPTIONS}")
  # One of its sources includes a header generated from the test classes.
  add_dependencies(rocksdbjni rocksdb rocksdbjni_test_headers)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    # The name that NativeLibraryLoader searches.
    set_target_properties(rocksdbjni PROPERTIES
      OUTPUT_NAME rocksdbjni-linux-aarch64)
  endif()
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL hotrap_extend_java)
