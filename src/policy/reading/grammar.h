// One language's grammar: tree-sitter's tables, and which of its symbols and fields are which of ours.
#pragma once

#include <span>
#include <vector>

#include "policy/program_facts.h"
#include "policy/reading/syntax_kinds.h"

struct TSLanguage;

namespace glovebox::policy {

struct Grammar {
  const TSLanguage* language = nullptr;
  std::vector<Kind> kinds;    // by the grammar's symbol
  std::vector<Field> fields;  // by the grammar's field
  // A failed attempt of its scanner may leave traces in the scanner's state, which then has to be put back.
  bool scanner_needs_undo = false;
};

// Made once, on the first call; never fails, since the tables are compiled in.
[[nodiscard]] const Grammar& grammar_of(Syntax syntax);

}  // namespace glovebox::policy
