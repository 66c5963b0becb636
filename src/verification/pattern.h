// Regular expressions of schemas and invariants: RE2, so that no text can make one slow. What RE2 cannot do
// (look-around, back references) is an error of the request.
#pragma once

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
  // Anywhere in the text, unless the pattern says ^ or $.
  [[nodiscard]] bool found_in(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace glovebox::verification
