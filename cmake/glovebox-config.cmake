# An installed libglovebox: find_package(glovebox REQUIRED), then link glovebox::glovebox. Headers are included relative to
# include/glovebox ("runner/runner.h"). Everything is one archive; what it uses of others is linked here.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL)
find_dependency(ZLIB)
foreach(library re2 sqlite3 zstd)
  find_library(glovebox_${library} ${library} REQUIRED)
endforeach()

get_filename_component(glovebox_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET glovebox::glovebox)
  add_library(glovebox::glovebox STATIC IMPORTED)
  set_target_properties(glovebox::glovebox PROPERTIES
    IMPORTED_LOCATION ${glovebox_prefix}/lib/libglovebox.a
    INTERFACE_INCLUDE_DIRECTORIES ${glovebox_prefix}/include/glovebox)
  target_compile_features(glovebox::glovebox INTERFACE cxx_std_20)
  target_link_libraries(glovebox::glovebox INTERFACE
    ${glovebox_re2} ${glovebox_sqlite3} ${glovebox_zstd} ZLIB::ZLIB OpenSSL::Crypto Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
