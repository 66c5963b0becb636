// What readers read: a text with its tree, and the texts within it that would be run as programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/reading/fact_list.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

struct Source {
  std::string_view text;
  const SyntaxTree* tree = nullptr;
  std::optional<Span> inside;  // of a text within the program: where that stands, and so all its facts
};

// A constant given to exec, eval, bash -c or their like.
struct InnerProgram {
  std::string text;
  Span at;
  std::string run_by;
};

inline constexpr std::size_t kMaxInnerPrograms = 64;

}  // namespace glovebox::policy
