// Which names a rule is about, and how they are found fast.
//
//   os.system      exactly this; for imports and attributes also everything below it: numpy is numpy.linalg too
//   os.*  os.exec* what begins so
//   *.__globals__  this attribute of anything, also of what could not be followed
//   *              everything
//
// A call is also found behind another name (pathlib.os.system is os.system). What is handed on without a call counts as
// called, and a call on something that is touched counts as touching it: os.environ.get touches os.environ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/program_facts.h"

namespace glovebox::policy {

// Letters, digits, _, $, -, / and @ between dots; a star at the beginning ("*."), or at the end, or alone.
[[nodiscard]] bool is_name_pattern(std::string_view text);

class PatternIndex {
 public:
  // `tag` comes back from find().
  void add(FactKind kind, std::string_view pattern, std::uint32_t tag);
  [[nodiscard]] bool empty() const { return patterns_.empty(); }
  // The tags of all patterns that are about the fact, each once, in rising order.
  void find(const Fact& fact, std::vector<std::uint32_t>& tags) const;
  // `from os import *` takes os.system along: adds the tags of patterns below a module that is taken whole.
  void find_taken_along(const Fact& fact, std::vector<std::uint32_t>& tags) const;
  // The tags of patterns for imports of a module that `name` belongs to: http.client of http.client.HTTPConnection.
  void find_module_of(std::string_view name, std::vector<std::uint32_t>& tags) const;
  // Adds the tags of patterns of this kind that name something below `name`.
  void find_below(FactKind kind, std::string_view name, std::vector<std::uint32_t>& tags) const;

 private:
  struct Pattern {
    FactKind kind;
    std::string text;  // without its stars
    bool anywhere;     // began with "*."
    bool prefix;       // ended with "*"
    std::uint32_t tag;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  void find_name(FactKind kind, std::string_view name, std::vector<std::uint32_t>& tags) const;
  [[nodiscard]] static bool matches(const Pattern& pattern, std::string_view rest, bool at_start);

  std::vector<Pattern> patterns_;
  std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>> by_segment_;
  std::vector<std::uint32_t> loose_;  // without a whole segment to look for: "*", "exec*"
};

}  // namespace glovebox::policy
