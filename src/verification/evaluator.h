// Computes an expression over documents. Missing data and mixed-up kinds are errors, never a value that might pass.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "verification/documents.h"
#include "verification/expression.h"

namespace glovebox::verification {

class Evaluator {
 public:
  explicit Evaluator(Documents& documents) : documents_(documents) {}

  [[nodiscard]] base::Result<Value> value_of(const Expression& expression);
  // Why an expression that is false is: the values of both sides, the element that breaks the rule.
  [[nodiscard]] std::string why_false(const Expression& expression);

 private:
  [[nodiscard]] base::Result<Value> compute(const Expression& expression);
  [[nodiscard]] base::Result<Value> call(const Expression& expression);
  [[nodiscard]] base::Result<Value> step(const Expression& expression);
  [[nodiscard]] base::Result<Value> comparison(const Expression& expression);
  [[nodiscard]] base::Result<Value> compare(Operator sign, const Value& left, const Value& right);
  [[nodiscard]] base::Result<bool> compare_one(Operator sign, const Value& left, const Value& right);
  [[nodiscard]] base::Result<bool> contains(const Value& whole, const Value& part);
  // Applies `one` to two values, or element by element if one of them is a list.
  template <typename One>
  [[nodiscard]] base::Result<Value> element_by_element(const Value& left, const Value& right, One one);
  [[nodiscard]] base::Result<bool> truth(const Expression& expression);
  [[nodiscard]] std::string sides(const Expression& comparison);
  [[nodiscard]] std::string breaking_element(const Expression& comparison);

  Documents& documents_;
  std::size_t elements_ = 0;
};

}  // namespace glovebox::verification
