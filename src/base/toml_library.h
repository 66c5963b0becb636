// toml++, for toml_reader.h and the few .cpp files that read TOML; included by no other header of a library.
//
// Version 3.3 asserts what hostile text can break ("[=" as a table header) and, with NDEBUG, lets the compiler assume
// it; some letters outside of ASCII reach code that it believes unreachable. So a broken assertion is an exception here
// (std::logic_error beside toml::parse_error), and readers refuse text that is not ASCII first. Its code is compiled
// once, in toml_library.cpp.
#pragma once

#include <stdexcept>

#pragma push_macro("NDEBUG")
#undef NDEBUG
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wterminate"  // some of the assertions stand in noexcept functions
#endif
#define TOML_ASSERT(condition) ((condition) ? void() : throw std::logic_error("not TOML: " #condition))
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#pragma GCC diagnostic pop
#pragma pop_macro("NDEBUG")
