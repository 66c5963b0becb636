# One folder, one library: the link graph is the dependency rule (DESIGN: dependencies point to lower numbers only).

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(glovebox_options INTERFACE)
target_compile_options(
  glovebox_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
                             $<$<BOOL:${GLOVEBOX_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105329).
  target_compile_options(glovebox_options INTERFACE -Wno-restrict)
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

# glovebox_test(rel_path_test SOURCES rel_path_test.cpp DEPENDS base): unit tests live beside the code.
function(glovebox_test name)
  if(NOT GLOVEBOX_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE glovebox_${dependency})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE GLOVEBOX_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 120 LABELS unit)
endfunction()
