#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Writes rocksdb.pc. RocksDB's own file does not name the dependencies of a
# static library, and is not relocatable.
#
# CMAKE_INSTALL_LIBDIR and CMAKE_INSTALL_INCLUDEDIR may be absolute. Others are
# below the prefix, which the file names by where it lies itself, if it can.
#
# scripts/check_install.py also runs this as a script: cmake -D... -P.

function(hotrap_configure_pc output)
  set(HOTRAP_PC_LIBS_PRIVATE
    "-lsnappy -llz4 -lzstd -lz -lbz2 -lpthread -ldl -lrt -lstdc++ -lm")
  foreach(kind LIBDIR INCLUDEDIR)
    set(HOTRAP_PC_${kind} "${CMAKE_INSTALL_${kind}}")
    cmake_path(IS_ABSOLUTE CMAKE_INSTALL_${kind} is_absolute)
    if(NOT is_absolute)
      string(PREPEND HOTRAP_PC_${kind} "\${prefix}/")
    endif()
  endforeach()
  cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR is_absolute)
  if(is_absolute)
    set(HOTRAP_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(HOTRAP_PC_PREFIX "\${pcfiledir}/${up}")
  endif()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/rocksdb.pc.in ${output}
    @ONLY)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  hotrap_configure_pc(${OUTPUT})
endif()
