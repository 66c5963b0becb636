// A decision for people, the way a good compiler tells of errors: the place, the line, a caret, why, what instead.
//
// The text comes from a program that nobody trusts: control characters are shown as \xNN, and long lines are cut around
// the place.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "policy/decision.h"

namespace glovebox::cli {

enum class Colour { off, on };

struct ShownSource {
  std::string name;  // of the program, as it was typed
  std::string_view code;
};

// Findings, what was lowered, and one line with the verdict.
[[nodiscard]] std::string describe(const policy::Decision& decision, const ShownSource& source, Colour colour);

}  // namespace glovebox::cli
