#include "verification/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "verification/functions.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using Op = Expression::Kind;

Result<Value> finite(double number) {
  return std::isfinite(number) ? Result<Value>(Value(number)) : refuse("the result is not a finite number");
}

Result<Value> whole_arithmetic(Operator sign, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (sign) {
    case Operator::add:
      overflow = __builtin_add_overflow(left, right, &result);
      break;
    case Operator::subtract:
      overflow = __builtin_sub_overflow(left, right, &result);
      break;
    case Operator::multiply:
      overflow = __builtin_mul_overflow(left, right, &result);
      break;
    default: {
      overflow = left == std::numeric_limits<std::int64_t>::min() && right == -1;
      if (!overflow) {
        // Rounded down, as in Python; the remainder has the divisor's sign.
        const std::int64_t rest = left % right;
        const bool below = rest != 0 && (rest < 0) != (right < 0);
        result = sign == Operator::modulo ? rest + (below ? right : 0) : left / right - (below ? 1 : 0);
      }
    }
  }
  return overflow ? refuse(fmt::format("the result of {} and {} does not fit 64 bits", left, right))
                  : Result<Value>(Value(result));
}

Result<Value> arithmetic(Operator sign, const Value& left, const Value& right) {
  if (!left.is_number() || !right.is_number()) {
    return refuse(fmt::format("cannot compute with {} ({}) and {} ({})", left.shown(), left.kind_name(), right.shown(),
                              right.kind_name()));
  }
  const bool divides = sign == Operator::divide || sign == Operator::floor_divide || sign == Operator::modulo;
  if (divides && right.as_double() == 0) {
    return refuse(fmt::format("{} divided by zero", left.shown()));
  }
  if (left.whole() != nullptr && right.whole() != nullptr && sign != Operator::divide) {
    return whole_arithmetic(sign, *left.whole(), *right.whole());
  }
  const double a = left.as_double();
  const double b = right.as_double();
  switch (sign) {
    case Operator::add:
      return finite(a + b);
    case Operator::subtract:
      return finite(a - b);
    case Operator::multiply:
      return finite(a * b);
    case Operator::divide:
      return finite(a / b);
    case Operator::floor_divide:
      return finite(std::floor(a / b));
    default:
      return finite(a - b * std::floor(a / b));
  }
}

bool is_order(Operator sign) {
  return sign == Operator::less || sign == Operator::less_equal || sign == Operator::greater ||
         sign == Operator::greater_equal;
}

// == and != of two lists compare them whole, so that columns(t) == ["a", "b"] is one answer; everything else with a
// list is element by element.
bool is_elementwise(Operator sign, const Value& left, const Value& right) {
  if (sign == Operator::in || sign == Operator::not_in) {
    return false;
  }
  const bool lists = left.list() != nullptr && right.list() != nullptr;
  return is_order(sign) ? left.list() != nullptr || right.list() != nullptr
                        : !lists && (left.list() != nullptr || right.list() != nullptr);
}

}  // namespace

template <typename One>
Result<Value> Evaluator::element_by_element(const Value& left, const Value& right, One one) {
  const List* left_list = left.list();
  const List* right_list = right.list();
  if (left_list != nullptr && right_list != nullptr && left_list->size() != right_list->size()) {
    return refuse(fmt::format("lists of {} and {} elements do not fit", left_list->size(), right_list->size()));
  }
  const std::size_t count = left_list != nullptr ? left_list->size() : right_list->size();
  if (!documents_.budget().spend(count)) {
    return refuse(kOutOfBudget);
  }
  if (!documents_.hold_for_now(count * sizeof(Value))) {
    return refuse(kOutOfMemory);
  }
  List result;
  result.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    auto value =
        one(left_list != nullptr ? (*left_list)[index] : left, right_list != nullptr ? (*right_list)[index] : right);
    if (!value) {
      return refuse(fmt::format("element {}: {}", index, value.error().message));
    }
    result.push_back(std::move(*value));
  }
  return Value(std::move(result));
}

Result<Value> Evaluator::value_of(const Expression& expression) {
  if (!documents_.budget().spend(1)) {
    return refuse(kOutOfBudget);
  }
  Result<Value> value = compute(expression);
  if (value && value->list() != nullptr) {
    elements_ += value->list()->size();
    if (elements_ > kMaxElements) {
      return refuse(fmt::format("not checked: its lists have more than {} elements together", kMaxElements));
    }
  }
  return value;
}

Result<Value> Evaluator::compute(const Expression& expression) {
  switch (expression.kind) {
    case Op::literal:
      return expression.literal;
    case Op::name:
      return documents_.named(expression.name);
    case Op::call:
      return call(expression);
    case Op::list: {
      List list;
      for (const Expression& operand : expression.operands) {
        list.push_back(TRY(value_of(operand)));
      }
      return Value(std::move(list));
    }
    case Op::member:
    case Op::index:
      return step(expression);
    case Op::negate: {
      const Value operand = TRY(value_of(expression.operands[0]));
      const auto negated = [](const Value& zero, const Value& value) {
        return arithmetic(Operator::subtract, zero, value);
      };
      const Value zero(std::int64_t{0});
      return operand.list() != nullptr ? element_by_element(zero, operand, negated) : negated(zero, operand);
    }
    case Op::invert:
      return Value(!TRY(truth(expression.operands[0])));
    case Op::arithmetic: {
      const Value left = TRY(value_of(expression.operands[0]));
      const Value right = TRY(value_of(expression.operands[1]));
      const auto one = [&](const Value& a, const Value& b) { return arithmetic(expression.operators[0], a, b); };
      return left.list() != nullptr || right.list() != nullptr ? element_by_element(left, right, one)
                                                               : one(left, right);
    }
    case Op::comparison:
      return comparison(expression);
    case Op::conjunction: {
      const bool left = TRY(truth(expression.operands[0]));
      return Value(left && TRY(truth(expression.operands[1])));
    }
    case Op::disjunction: {
      const bool left = TRY(truth(expression.operands[0]));
      return Value(left || TRY(truth(expression.operands[1])));
    }
  }
  return refuse("an expression of an unknown kind");
}

Result<bool> Evaluator::truth(const Expression& expression) {
  const Value value = TRY(value_of(expression));
  if (value.boolean() == nullptr) {
    return refuse(fmt::format("{} {} is neither true nor false{}", value.kind_name(), value.shown(),
                              value.list() != nullptr ? "; wrap it in all() or any()" : ""));
  }
  return *value.boolean();
}

Result<Value> Evaluator::call(const Expression& expression) {
  Call call{expression, {}, documents_};
  for (const Expression& operand : expression.operands) {
    call.arguments.push_back(TRY(value_of(operand)));
  }
  return expression.function->call(call);
}

Result<Value> Evaluator::step(const Expression& expression) {
  const Value whole = TRY(value_of(expression.operands[0]));
  const Value key = expression.kind == Op::member ? Value(expression.name) : TRY(value_of(expression.operands[1]));
  if (whole.object() != nullptr && key.text() != nullptr) {
    if (!documents_.budget().spend(steps_to_insert(whole.object()->size(), key.text()->size()))) {
      return refuse(kOutOfBudget);
    }
    const Value* found = whole.member(*key.text());
    return found != nullptr ? Result<Value>(*found)
                            : refuse(fmt::format("there is no {} in {}", key.shown(), whole.shown()));
  }
  if (const List* list = whole.list(); list != nullptr && key.whole() != nullptr) {
    const auto size = static_cast<std::int64_t>(list->size());
    const std::int64_t index = *key.whole() < 0 ? *key.whole() + size : *key.whole();
    if (index < 0 || index >= size) {
      return refuse(fmt::format("there is no element {} in a list of {}", *key.whole(), size));
    }
    return (*list)[static_cast<std::size_t>(index)];
  }
  return refuse(fmt::format("{} has no part {}{}", whole.kind_name(), key.shown(),
                            whole.table() != nullptr ? "; use column(table, \"name\")" : ""));
}

Result<bool> Evaluator::contains(const Value& whole, const Value& part) {
  WorkBudget& budget = documents_.budget();
  if (whole.text() != nullptr && part.text() != nullptr) {
    // std::string::find would be as slow as both lengths multiplied; memmem is linear.
    if (!budget.spend(1 + (whole.text()->size() + part.text()->size()) / 8)) {
      return refuse(kOutOfBudget);
    }
    return ::memmem(whole.text()->data(), whole.text()->size(), part.text()->data(), part.text()->size()) != nullptr;
  }
  if (whole.object() != nullptr && part.text() != nullptr) {
    if (!budget.spend(steps_to_insert(whole.object()->size(), part.text()->size()))) {
      return refuse(kOutOfBudget);
    }
    return whole.member(*part.text()) != nullptr;
  }
  if (whole.list() == nullptr) {
    return refuse(fmt::format("{} cannot be in {}", part.shown(), whole.kind_name()));
  }
  for (const Value& element : *whole.list()) {
    if (TRY(equal(element, part, budget))) {
      return true;
    }
  }
  return false;
}

Result<bool> Evaluator::compare_one(Operator sign, const Value& left, const Value& right) {
  switch (sign) {
    case Operator::equal:
      return equal(left, right, documents_.budget());
    case Operator::not_equal:
      return !TRY(equal(left, right, documents_.budget()));
    case Operator::in:
      return contains(right, left);
    case Operator::not_in:
      return !TRY(contains(right, left));
    default:
      break;
  }
  const auto ordering = TRY(order(left, right, documents_.budget()));
  switch (sign) {
    case Operator::less:
      return std::is_lt(ordering);
    case Operator::less_equal:
      return std::is_lteq(ordering);
    case Operator::greater:
      return std::is_gt(ordering);
    default:
      return std::is_gteq(ordering);
  }
}

Result<Value> Evaluator::compare(Operator sign, const Value& left, const Value& right) {
  const auto one = [&](const Value& a, const Value& b) -> Result<Value> {
    const bool holds = TRY(compare_one(sign, a, b));
    return Value(holds);
  };
  return is_elementwise(sign, left, right) ? element_by_element(left, right, one) : one(left, right);
}

// a < b < c is a < b and b < c; with lists, element by element.
Result<Value> Evaluator::comparison(const Expression& expression) {
  std::optional<Value> sofar;
  Value left = TRY(value_of(expression.operands[0]));
  for (std::size_t index = 0; index < expression.operators.size(); ++index) {
    Value right = TRY(value_of(expression.operands[index + 1]));
    Value result = TRY(compare(expression.operators[index], left, right));
    left = std::move(right);
    if (!sofar) {
      sofar = std::move(result);
      continue;
    }
    const auto both = [](const Value& a, const Value& b) -> Result<Value> {
      return Value(*a.boolean() && *b.boolean());
    };
    const bool lists = sofar->list() != nullptr || result.list() != nullptr;
    sofar = lists ? TRY(element_by_element(*sofar, result, both)) : TRY(both(*sofar, result));
  }
  return *sofar;
}

std::string Evaluator::sides(const Expression& comparison) {
  std::string text;
  for (std::size_t index = 0; index < comparison.operands.size(); ++index) {
    const auto value = value_of(comparison.operands[index]);
    text += index == 0 ? "" : fmt::format(" {} ", to_string(comparison.operators[index - 1]));
    text += value ? value->shown() : value.error().message;
  }
  return "seen: " + text;
}

// Of a comparison that is a list: where it breaks, and with what.
std::string Evaluator::breaking_element(const Expression& comparison) {
  const auto result = value_of(comparison);
  if (!result || result->list() == nullptr) {
    return sides(comparison);
  }
  const List& list = *result->list();
  const auto broken = std::find_if(list.begin(), list.end(),
                                   [](const Value& value) { return value.boolean() != nullptr && !*value.boolean(); });
  const auto count = std::count_if(list.begin(), list.end(),
                                   [](const Value& value) { return value.boolean() != nullptr && !*value.boolean(); });
  if (broken == list.end()) {
    return fmt::format("none of {} elements", list.size());
  }
  const auto index = static_cast<std::size_t>(broken - list.begin());
  std::string text = fmt::format("{} of {} elements break it; element {}: ", count, list.size(), index);
  for (std::size_t side = 0; side < comparison.operands.size(); ++side) {
    const auto value = value_of(comparison.operands[side]);
    text += side == 0 ? "" : fmt::format(" {} ", to_string(comparison.operators[side - 1]));
    text += !value                                                      ? "?"
            : value->list() != nullptr && index < value->list()->size() ? (*value->list())[index].shown()
                                                                        : value->shown();
  }
  return text;
}

std::string Evaluator::why_false(const Expression& expression) {
  switch (expression.kind) {
    case Op::comparison:
      return sides(expression);
    case Op::conjunction: {
      const auto left = truth(expression.operands[0]);
      return why_false(expression.operands[left && *left ? 1 : 0]);
    }
    case Op::disjunction:
      return why_false(expression.operands[0]) + "; " + why_false(expression.operands[1]);
    case Op::call: {
      if (expression.name == "all" && expression.operands[0].kind == Op::comparison) {
        return breaking_element(expression.operands[0]);
      }
      std::string text = "seen: " + expression.name + "(";
      for (const Expression& operand : expression.operands) {
        const auto value = value_of(operand);
        text +=
            (&operand == &expression.operands.front() ? "" : ", ") + (value ? value->shown() : value.error().message);
      }
      return text + ")";
    }
    default:
      return "it is false";
  }
}

}  // namespace glovebox::verification
