// The thorough way to a tree: tree-sitter itself, for what the table parser found unclear.
//
// It explores several readings of the program at once and goes on after an error, so that a program with errors still
// shows what the rest of it does. It takes about five times as long.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "policy/reading/grammar.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

struct Recovery {
  bool out_of_time = false;
  std::optional<std::uint32_t> first_error;  // where in the text
};

[[nodiscard]] Recovery parse_recovering(const Grammar& grammar, std::string_view text,
                                        std::chrono::steady_clock::time_point deadline, SyntaxTree& tree);

}  // namespace glovebox::policy
