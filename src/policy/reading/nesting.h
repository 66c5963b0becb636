// How deep a program nests: blocks, brackets and calls.
#pragma once

#include <cstdint>

#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

[[nodiscard]] std::uint32_t nesting_of(const SyntaxTree& tree);

}  // namespace glovebox::policy
