// Regular expressions of schemas and invariants: RE2, whose time is at most the text's length times the pattern's size,
// and cost() says so. What RE2 cannot do (look-around, back references) is an error of the request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace glovebox::verification {

class Pattern {
 public:
  [[nodiscard]] static base::Result<Pattern> compile(std::string_view text);
  // Steps of work that looking for it in this text may take.
  [[nodiscard]] std::uint64_t cost(std::string_view text) const;
  // Anywhere in the text, unless the pattern says ^ or $.
  [[nodiscard]] bool found_in(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace glovebox::verification
