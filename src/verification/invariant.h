// One invariant: an expression that must be true of what a run left (V2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/documents.h"
#include "verification/expression.h"

namespace glovebox::verification {

class Invariant {
 public:
  // Errors are those of the request, with the column.
  [[nodiscard]] static base::Result<Invariant> parse(std::string_view text);

  // Empty when it holds; else why not, with the values as they were seen. What cannot be evaluated does not hold.
  [[nodiscard]] std::string problem_with(Documents& documents) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  // What it needs: paths of artifacts and input files, and whether it uses the names value and input.
  struct Needs {
    std::vector<std::string> artifacts;
    std::vector<std::string> inputs;
    bool solve = false;
  };
  [[nodiscard]] Needs needs() const;

 private:
  Invariant(std::string text, Expression expression) : text_(std::move(text)), expression_(std::move(expression)) {}

  std::string text_;
  Expression expression_;
};

}  // namespace glovebox::verification
