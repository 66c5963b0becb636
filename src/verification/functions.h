// The functions of the language of invariants: a table, so that the parser, the evaluator and the documentation agree.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/documents.h"
#include "verification/expression.h"
#include "verification/value.h"

namespace glovebox::verification {

// Memory of one invariant: how many elements its intermediate lists may have together.
inline constexpr std::size_t kMaxElements = 2'000'000;

struct Call {
  const Expression& expression;
  std::vector<Value> arguments;
  Documents& documents;
};

// Arguments that have to be strings in the text itself, so that they can be checked before the run.
enum class Literal { none, path, pattern, direction, format };

struct Function {
  std::string_view name;
  std::string_view usage;
  std::size_t least_arguments;
  std::size_t most_arguments;
  base::Result<Value> (*call)(Call& call);
  std::array<Literal, 3> literals{};
};

[[nodiscard]] const Function* find_function(std::string_view name);
[[nodiscard]] std::vector<std::string_view> function_names();
[[nodiscard]] std::span<const Function> all_functions();

}  // namespace glovebox::verification
