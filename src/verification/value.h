// What an invariant computes with: immutable values that share what is large.
//
// Numbers: whole numbers are exact within 64 bits, all others are doubles. A whole number beyond 64 bits, and any
// number beyond the doubles, is kept as it is written; it can be compared for equality and nothing else, because
// anything else would be rounded in silence.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "verification/decimal.h"
#include "verification/json_tools.h"
#include "verification/table.h"

namespace glovebox::verification {

class Value;
using List = std::vector<Value>;
using Object = std::vector<std::pair<std::string, Value>>;

struct BigNumber {
  std::shared_ptr<const std::string> digits;
};

class Value {
 public:
  using Data = std::variant<std::monostate, bool, std::int64_t, double, BigNumber, std::shared_ptr<const std::string>,
                            std::shared_ptr<const List>, std::shared_ptr<const Object>, std::shared_ptr<const Table>>;

  Value() = default;  // null
  explicit Value(bool value) : data_(value) {}
  explicit Value(std::int64_t value) : data_(value) {}
  explicit Value(std::size_t value) : data_(static_cast<std::int64_t>(value)) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(BigNumber value) : data_(std::move(value)) {}
  explicit Value(std::string text) : data_(std::make_shared<const std::string>(std::move(text))) {}
  explicit Value(List list) : data_(std::make_shared<const List>(std::move(list))) {}
  explicit Value(Object object) : data_(std::make_shared<const Object>(std::move(object))) {}
  explicit Value(Table table) : data_(std::make_shared<const Table>(std::move(table))) {}

  // A number as JSON writes it, or nothing.
  [[nodiscard]] static std::optional<Value> number(std::string_view text);
  [[nodiscard]] static Value from_json(JsonValue value);

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const std::int64_t* whole() const { return std::get_if<std::int64_t>(&data_); }
  [[nodiscard]] const double* real() const { return std::get_if<double>(&data_); }
  [[nodiscard]] const BigNumber* big() const { return std::get_if<BigNumber>(&data_); }
  [[nodiscard]] bool is_number() const { return whole() != nullptr || real() != nullptr; }
  [[nodiscard]] double as_double() const { return whole() != nullptr ? static_cast<double>(*whole()) : *real(); }
  [[nodiscard]] const std::string* text() const { return shared<std::string>(); }
  [[nodiscard]] const List* list() const { return shared<List>(); }
  [[nodiscard]] const Object* object() const { return shared<Object>(); }
  [[nodiscard]] const Table* table() const { return shared<Table>(); }
  // Of an object; null if there is none of this name, or it is no object.
  [[nodiscard]] const Value* member(std::string_view name) const;

  // "a number", "a table": for messages.
  [[nodiscard]] std::string_view kind_name() const;
  // JSON-like, cut.
  [[nodiscard]] std::string shown() const;

 private:
  template <typename T>
  [[nodiscard]] const T* shared() const {
    const auto* held = std::get_if<std::shared_ptr<const T>>(&data_);
    return held == nullptr ? nullptr : held->get();
  }

  Data data_;
};

// Of any two values; a number is never equal to a text. Lists are compared element by element.
[[nodiscard]] base::Result<bool> equal(const Value& left, const Value& right, WorkBudget& budget);
// Numbers with numbers, text with text; anything else is an error that says so.
[[nodiscard]] base::Result<std::partial_ordering> order(const Value& left, const Value& right, WorkBudget& budget);
// Of a number; nothing for one whose exponent is absurd, and for what is no number.
[[nodiscard]] std::optional<Decimal> exact_number(const Value& value);
// The same text for equal values.
[[nodiscard]] base::Result<std::string> key_of(const Value& value, WorkBudget& budget);

}  // namespace glovebox::verification
