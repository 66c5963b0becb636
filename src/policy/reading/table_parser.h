// The fast way to a tree: a plain LR parser on the tables of a tree-sitter grammar.
//
// tree-sitter's own parser keeps everything that an editor needs: several stacks at once, shared and counted subtrees,
// repair of errors. A typical program needs none of it, it takes four times as long, and on deep nesting it overflows
// the stack (docs/decisions/0024). This parser drives the same tables, lexers and scanners with one stack and an array
// of nodes. Where the tables leave a choice it takes the first one and comes back for the next if that leads nowhere.
// What it cannot parse in that way, programs with errors above all, is for the recovering parser.
//
// Bounded: by a deadline, by the depth of its stack, by how often it comes back.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "policy/reading/grammar.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

enum class TableParse {
  done,
  unclear,   // an error in the program, or more choices than it is worth following
  too_deep,  // nested deeper than kMaxStack
  out_of_time,
};

class TableParser {
 public:
  explicit TableParser(const Grammar& grammar);
  TableParser(const TableParser&) = delete;
  TableParser& operator=(const TableParser&) = delete;
  ~TableParser();

  [[nodiscard]] TableParse parse(std::string_view text, std::chrono::steady_clock::time_point deadline,
                                 SyntaxTree& tree);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace glovebox::policy
