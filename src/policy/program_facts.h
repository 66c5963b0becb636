// What a program would do, as far as its text tells (P1).
//
// The text is parsed, never searched with patterns: names are followed through aliases, assignments and attributes to
// what they stand for ("os.system"), whatever they are called in the program. What cannot be followed is a fact too, of
// the kind `dynamic`, and the profile says what that means. Reading is a first filter and an explanation, never the
// wall: a program can always hide from a reader, and the kernel stops it all the same (P3).
//
// Reading is bounded in bytes, nodes, facts and time, and goes on after a syntax error: what could not be read is told
// as a gap. No I/O, no state between calls but a parser that each thread keeps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_speed.h"

namespace glovebox::policy {

enum class Syntax { python, javascript, shell };

// Of a language's name ("python", "javascript", "bash"); none: nobody can read it.
[[nodiscard]] std::optional<Syntax> syntax_of(std::string_view language);

struct Place {
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in bytes
  std::uint32_t length = 0;  // in bytes, within the line
  bool operator==(const Place&) const = default;
};

enum class FactKind {
  import,     // a module: "os", "numpy.linalg", "fs"; relative ones keep their dots; a sourced file of a shell
  call,       // something is called: "os.system", "eval", "child_process.exec"; a command of a shell
  attribute,  // something is touched without a call: "os.environ", "sys.modules", "object.__subclasses__"
  dynamic,  // something that the text does not tell; name: the function that does it ("getattr", "__import__", "eval")
};

struct Fact {
  FactKind kind = FactKind::call;
  std::string name;    // canonical, dotted; an unknown receiver is "?": "?.__subclasses__"
  std::string detail;  // of an import: what is taken from it ("path", "*"); of a dynamic one: why, in words
  Place at;
  bool operator==(const Fact&) const = default;
};

struct ProgramFacts {
  std::vector<Fact> facts;  // in the order of the text; the same name at the same place once
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint32_t nesting = 0;  // of blocks, brackets and calls: the deepest
  std::string gap;            // empty: all of it was read; else why not ("syntax error", "time", "too large", …)
  Place gap_at;
};

struct ReadBounds {
  std::size_t max_bytes = std::size_t{1} << 20U;
  std::size_t max_facts = 10'000;
  std::chrono::microseconds max_time{200'000 * base::kSlowness};
};

[[nodiscard]] ProgramFacts read_program(Syntax syntax, std::string_view code, const ReadBounds& bounds = {});

}  // namespace glovebox::policy
