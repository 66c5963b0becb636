# One folder, one library: the link graph is the dependency rule (DESIGN: dependencies point to lower numbers only).

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)

# The files of a library are compiled together, some at a time: most of the time goes into headers. Names in anonymous
# namespaces are therefore unique within a library; `make build-apart` shows that each file still stands by itself.
if(GLOVEBOX_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
endif()

add_library(glovebox_options INTERFACE)
target_compile_options(
  glovebox_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
                             $<$<BOOL:${GLOVEBOX_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105329).
  target_compile_options(glovebox_options INTERFACE -Wno-restrict)
  # Files compiled together look like headers to it, whose anonymous namespaces would differ from user to user.
  target_compile_options(glovebox_options INTERFACE $<$<BOOL:${GLOVEBOX_UNITY}>:-Wno-subobject-linkage>)
endif()
target_include_directories(glovebox_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(GLOVEBOX_STATIC)
  find_library(OPENSSL_CRYPTO_STATIC libcrypto.a REQUIRED)
  set(GLOVEBOX_CRYPTO ${OPENSSL_CRYPTO_STATIC})
else()
  set(GLOVEBOX_CRYPTO OpenSSL::Crypto)
endif()

# glovebox_library(base SOURCES a.cpp b.cpp DEPENDS os contract)
function(glovebox_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  add_library(glovebox_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(glovebox_${name} PUBLIC glovebox_options)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(glovebox_${name} PUBLIC glovebox_${dependency})
  endforeach()
  target_link_libraries(glovebox_${name} PRIVATE ${ARG_LINKS})
endfunction()

# glovebox_test(rel_path_test SOURCES rel_path_test.cpp DEPENDS base): unit tests live beside the code. THREADS: several
# threads meet in it, so that it is worth its time under the thread sanitizer (target thread_tests, label threads).
function(glovebox_test name)
  if(NOT GLOVEBOX_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "THREADS" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE glovebox_${dependency})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  # A test takes longer to compile than to run. Not -O0: the linker may take the test's copy of an inline function for
  # the library's calls as well.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${name} PRIVATE GLOVEBOX_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)
  endif()
  add_dependencies(unit_tests ${name})
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 400)
  set_property(TEST unit.${name} APPEND PROPERTY LABELS unit)
  if(ARG_THREADS)
    if(NOT TARGET thread_tests)
      add_custom_target(thread_tests)
    endif()
    add_dependencies(thread_tests ${name})
    set_property(TEST unit.${name} APPEND PROPERTY LABELS threads)
  endif()
endfunction()

# A test that makes real cells, labelled cells instead of unit. No cell's first process can carry a sanitizer's runtime:
# a build with sanitizers has to take the launcher of another build (GLOVEBOX_TEST_LAUNCHER), or leave these tests out.
function(glovebox_cells_test name)
  if(NOT GLOVEBOX_TESTS)
    return()
  endif()
  glovebox_test(${name} ${ARGN})
  get_property(labels TEST unit.${name} PROPERTY LABELS)
  list(TRANSFORM labels REPLACE "^unit$" "cells")
  set_tests_properties(unit.${name} PROPERTIES LABELS "${labels}")
  if(GLOVEBOX_TEST_LAUNCHER)
    target_compile_definitions(${name} PRIVATE GLOVEBOX_LAUNCHER_PATH="${GLOVEBOX_TEST_LAUNCHER}")
  else()
    add_dependencies(${name} glovebox-launcher)
    target_compile_definitions(${name} PRIVATE GLOVEBOX_LAUNCHER_PATH="$<TARGET_FILE:glovebox-launcher>")
  endif()
endfunction()
