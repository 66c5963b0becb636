// Text → tokens of the language of invariants.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glovebox::verification {

struct Token {
  enum class Kind { name, number, string, sign, end };

  Kind kind = Kind::end;
  std::string text;  // of a string: decoded
  std::size_t position = 0;
};

[[nodiscard]] base::Result<std::vector<Token>> tokens_of(std::string_view text);

// "column 14: …"
[[nodiscard]] base::Error error_at(std::size_t position, std::string message);

}  // namespace glovebox::verification
