#include "verification/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/sha256.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

Status spend(Call& call, std::size_t steps) {
  return call.documents.budget().spend(1 + steps) ? Status() : refuse(kOutOfBudget);
}

// For what a function makes: elements of a list, and texts.
Status hold(Call& call, std::size_t elements, std::size_t bytes) {
  return call.documents.hold_for_now(elements * sizeof(Value) + bytes) ? Status() : refuse(kOutOfMemory);
}

Result<const List*> list_argument(Call& call, std::size_t index = 0) {
  const List* list = call.arguments[index].list();
  if (list == nullptr) {
    return refuse(fmt::format("{}() takes a list, not {} {}", call.expression.name, call.arguments[index].kind_name(),
                              call.arguments[index].shown()));
  }
  TRY_STATUS(spend(call, list->size()));
  return list;
}

Result<double> number_argument(Call& call, std::size_t index) {
  if (!call.arguments[index].is_number()) {
    return refuse(fmt::format("{}() takes a number, not {} {}", call.expression.name, call.arguments[index].kind_name(),
                              call.arguments[index].shown()));
  }
  return call.arguments[index].as_double();
}

Result<const std::string*> text_argument(Call& call, std::size_t index = 0) {
  const std::string* text = call.arguments[index].text();
  if (text == nullptr) {
    return refuse(fmt::format("{}() takes text, not {} {}", call.expression.name, call.arguments[index].kind_name(),
                              call.arguments[index].shown()));
  }
  TRY_STATUS(spend(call, text->size() / 16));
  return text;
}

// The first element that is not a number is named, so that an empty cell is found.
Result<const List*> numbers_argument(Call& call) {
  const List* list = TRY(list_argument(call));
  for (std::size_t index = 0; index < list->size(); ++index) {
    if (!(*list)[index].is_number()) {
      return refuse(
          fmt::format("{}(): element {} is {}, not a number", call.expression.name, index, (*list)[index].shown()));
    }
  }
  return list;
}

// Applies `one` to a value, or to each element of a list.
template <typename One>
Result<Value> each(Call& call, One one) {
  const List* list = call.arguments[0].list();
  if (list == nullptr) {
    return one(call.arguments[0]);
  }
  TRY_STATUS(spend(call, list->size()));
  TRY_STATUS(hold(call, list->size(), 0));
  List result;
  result.reserve(list->size());
  for (const Value& value : *list) {
    result.push_back(TRY(one(value)));
  }
  return Value(std::move(result));
}

// --- documents ---

std::string_view format_argument(const Call& call) {
  return call.arguments.size() > 1 ? std::string_view(*call.arguments[1].text()) : std::string_view();
}
Result<Value> call_artifact(Call& call) {
  return call.documents.artifact(*call.arguments[0].text(), format_argument(call));
}
Result<Value> call_input(Call& call) { return call.documents.input(*call.arguments[0].text(), format_argument(call)); }

// --- tables ---

// A copy of a text, as a value.
Result<Value> new_text(Call& call, std::string_view text) {
  TRY_STATUS(spend(call, text.size() / 64));
  TRY_STATUS(hold(call, 0, sizeof(std::string) + text.size()));
  return Value(std::string(text));
}

Result<Value> cell_value(Call& call, std::string_view cell) {
  if (cell.empty()) {
    return Value();
  }
  TRY_STATUS(spend(call, cell.size() / 8));
  auto number = Value::number(cell);
  if (number && number->big() != nullptr) {
    TRY_STATUS(hold(call, 0, cell.size()));
  }
  return number ? Result<Value>(std::move(*number)) : new_text(call, cell);
}

Result<Value> call_row_count(Call& call) {
  if (const Table* table = call.arguments[0].table(); table != nullptr) {
    return Value(table->row_count());
  }
  return Value(TRY(list_argument(call))->size());
}

Result<Value> call_columns(Call& call) {
  const Table* table = call.arguments[0].table();
  if (table == nullptr) {
    return refuse(fmt::format("columns() takes a table, not {}", call.arguments[0].kind_name()));
  }
  TRY_STATUS(hold(call, table->columns().size(), 0));
  List names;
  for (const std::string& name : table->columns()) {
    names.push_back(TRY(new_text(call, name)));
  }
  return Value(std::move(names));
}

// Of a table, or of a list of objects.
Result<Value> call_column(Call& call) {
  const std::string& name = *TRY(text_argument(call, 1));
  List cells;
  if (const Table* table = call.arguments[0].table(); table != nullptr) {
    TRY_STATUS(spend(call, table->columns().size() * (1 + name.size() / 64)));
    const std::size_t column = TRY(table->find_column(name));
    TRY_STATUS(hold(call, table->row_count(), 0));
    cells.reserve(table->row_count());
    for (std::size_t row = 0; row < table->row_count(); ++row) {
      TRY_STATUS(spend(call, 0));
      cells.push_back(TRY(cell_value(call, table->cell(row, column))));
    }
    return Value(std::move(cells));
  }
  const List* rows = TRY(list_argument(call));
  TRY_STATUS(hold(call, rows->size(), 0));
  for (const Value& row : *rows) {
    TRY_STATUS(spend(call, steps_to_insert(row.object() != nullptr ? row.object()->size() : 0, name.size())));
    const Value* cell = row.member(name);
    if (cell == nullptr) {
      return refuse(fmt::format("element {} has no \"{}\": {}", cells.size(), shown_text(name), row.shown()));
    }
    cells.push_back(*cell);
  }
  return Value(std::move(cells));
}

// --- lists ---

Result<Value> call_sum(Call& call) {
  const List* list = TRY(numbers_argument(call));
  std::int64_t whole = 0;
  bool is_whole = true;
  // Long double, so that the order of the rows hardly matters.
  long double real = 0;
  for (const Value& value : *list) {
    if (is_whole && value.whole() != nullptr) {
      if (__builtin_add_overflow(whole, *value.whole(), &whole)) {
        return refuse("the sum does not fit 64 bits");
      }
    } else {
      is_whole = false;
    }
    real +=
        value.whole() != nullptr ? static_cast<long double>(*value.whole()) : static_cast<long double>(*value.real());
  }
  if (!is_whole && !std::isfinite(static_cast<double>(real))) {
    return refuse("the sum is not a finite number");
  }
  return is_whole ? Value(whole) : Value(static_cast<double>(real));
}

Result<Value> call_mean(Call& call) {
  const std::size_t count = TRY(numbers_argument(call))->size();
  if (count == 0) {
    return refuse("mean() of an empty list");
  }
  const Value sum = TRY(call_sum(call));
  return Value(sum.as_double() / static_cast<double>(count));
}

Result<Value> extreme(Call& call, bool largest) {
  const List* list = TRY(list_argument(call));
  if (list->empty()) {
    return refuse(fmt::format("{}() of an empty list", call.expression.name));
  }
  const Value* best = &list->front();
  for (const Value& value : *list) {
    const auto ordering = TRY(order(value, *best, call.documents.budget()));
    best = (largest ? std::is_gt(ordering) : std::is_lt(ordering)) ? &value : best;
  }
  return *best;
}
Result<Value> call_min(Call& call) { return extreme(call, false); }
Result<Value> call_max(Call& call) { return extreme(call, true); }

Result<Value> call_sorted(Call& call) {
  const List* list = TRY(list_argument(call));
  const bool descending = call.arguments.size() > 1 && *call.arguments[1].text() == "desc";
  for (std::size_t index = 1; index < list->size(); ++index) {
    const auto ordering = TRY(order((*list)[index - 1], (*list)[index], call.documents.budget()));
    if (descending ? std::is_lt(ordering) : std::is_gt(ordering)) {
      return Value(false);
    }
  }
  if (list->size() == 1) {
    TRY(order(list->front(), list->front(), call.documents.budget()));
  }
  return Value(true);
}

// Distinct elements in a fixed order. Sorted one by one, so that the clock is looked at on the way.
Result<std::map<std::string, const Value*>> distinct(Call& call) {
  const List* list = TRY(list_argument(call));
  std::map<std::string, const Value*> keyed;
  for (const Value& value : *list) {
    std::string key = TRY(key_of(value, call.documents.budget()));
    TRY_STATUS(spend(call, steps_to_insert(keyed.size(), key.size())));
    TRY_STATUS(hold(call, 1, sizeof(std::string) + key.size()));
    keyed.emplace(std::move(key), &value);
  }
  return keyed;
}

Result<Value> call_unique(Call& call) {
  const std::size_t count = TRY(distinct(call)).size();
  return Value(count == call.arguments[0].list()->size());
}

Result<Value> call_set(Call& call) {
  List list;
  for (const auto& [key, value] : TRY(distinct(call))) {
    list.push_back(*value);
  }
  return Value(std::move(list));
}

Result<Value> call_count(Call& call) {
  const List* list = TRY(list_argument(call));
  return Value(static_cast<std::size_t>(std::count_if(list->begin(), list->end(), [](const Value& value) {
    return !value.is_null() && (value.boolean() == nullptr || *value.boolean());
  })));
}

Result<Value> call_present(Call& call) {
  const List* all = TRY(list_argument(call));
  TRY_STATUS(hold(call, all->size(), 0));
  List list;
  for (const Value& value : *all) {
    if (!value.is_null()) {
      list.push_back(value);
    }
  }
  return Value(std::move(list));
}

Result<Value> quantified(Call& call, bool wanted) {
  const List* list = TRY(list_argument(call));
  for (std::size_t index = 0; index < list->size(); ++index) {
    const bool* flag = (*list)[index].boolean();
    if (flag == nullptr) {
      return refuse(fmt::format("{}(): element {} is {}, not true or false", call.expression.name, index,
                                (*list)[index].shown()));
    }
    if (*flag == wanted) {
      return Value(wanted);
    }
  }
  return Value(!wanted);
}
Result<Value> call_all(Call& call) { return quantified(call, false); }
Result<Value> call_any(Call& call) { return quantified(call, true); }

Result<Value> call_len(Call& call) {
  const Value& value = call.arguments[0];
  if (value.text() != nullptr) {
    return Value(count_characters(*TRY(text_argument(call))));
  }
  if (value.object() != nullptr) {
    return Value(value.object()->size());
  }
  return call_row_count(call);
}

Result<Value> call_keys(Call& call) {
  if (call.arguments[0].object() == nullptr) {
    return refuse(fmt::format("keys() takes an object, not {}", call.arguments[0].kind_name()));
  }
  TRY_STATUS(hold(call, call.arguments[0].object()->size(), 0));
  List names;
  for (const auto& [name, value] : *call.arguments[0].object()) {
    names.push_back(TRY(new_text(call, name)));
  }
  return Value(std::move(names));
}

// --- numbers ---

// Exactly: 2^53 + 1 and 2^53 differ by 1. A double counts as the number that is written for it.
Result<Value> call_approx(Call& call) {
  const Decimal tolerance = Decimal::from_double(TRY(number_argument(call, 2)));
  const List* left = call.arguments[0].list();
  const List* right = call.arguments[1].list();
  const auto near = [&](const Value& a, const Value& b) {
    const auto left_number = exact_number(a);
    const auto right_number = exact_number(b);
    return left_number && right_number && Decimal::are_within(*left_number, *right_number, tolerance);
  };
  if (left == nullptr && right == nullptr) {
    TRY(number_argument(call, 0));
    TRY(number_argument(call, 1));
    return Value(near(call.arguments[0], call.arguments[1]));
  }
  if (left == nullptr || right == nullptr || left->size() != right->size()) {
    return refuse("approx() takes two numbers, or two lists of the same length");
  }
  constexpr std::size_t kStepsPerPair = 20;
  for (std::size_t index = 0; index < left->size(); ++index) {
    TRY_STATUS(spend(call, kStepsPerPair));
    if (!(*left)[index].is_number() || !(*right)[index].is_number()) {
      return refuse(fmt::format("approx(): element {} is {} and {}, not two numbers", index, (*left)[index].shown(),
                                (*right)[index].shown()));
    }
    if (!near((*left)[index], (*right)[index])) {
      return Value(false);
    }
  }
  return Value(true);
}

Result<Value> call_abs(Call& call) {
  return each(call, [&](const Value& value) -> Result<Value> {
    if (value.whole() != nullptr && *value.whole() != std::numeric_limits<std::int64_t>::min()) {
      return Value(std::abs(*value.whole()));
    }
    return value.is_number() ? Result<Value>(Value(std::abs(value.as_double())))
                             : refuse(fmt::format("abs() of {}, which is not a number", value.shown()));
  });
}

Result<Value> call_round(Call& call) {
  const double digits = call.arguments.size() > 1 ? TRY(number_argument(call, 1)) : 0;
  if (digits < 0 || digits > 15 || digits != std::trunc(digits)) {
    return refuse("round() takes 0 to 15 digits");
  }
  const double scale = std::pow(10.0, digits);
  return each(call, [&](const Value& value) -> Result<Value> {
    if (value.whole() != nullptr) {
      return value;
    }
    return value.is_number() ? Result<Value>(Value(std::round(value.as_double() * scale) / scale))
                             : refuse(fmt::format("round() of {}, which is not a number", value.shown()));
  });
}

Result<Value> call_number(Call& call) {
  return each(call, [&](const Value& value) -> Result<Value> {
    if (value.is_number()) {
      return value;
    }
    if (value.text() != nullptr) {
      TRY_STATUS(spend(call, value.text()->size() / 8));
    }
    const auto number = value.text() != nullptr ? Value::number(*value.text()) : std::nullopt;
    return number ? Result<Value>(*number) : refuse(fmt::format("{} is not a number", value.shown()));
  });
}

// --- text ---

Result<Value> call_matches(Call& call) {
  return each(call, [&](const Value& value) -> Result<Value> {
    if (value.text() == nullptr) {
      return refuse(fmt::format("matches() of {}, which is not text", value.shown()));
    }
    TRY_STATUS(spend(call, call.expression.pattern->cost(*value.text())));
    return Value(call.expression.pattern->found_in(*value.text()));
  });
}

Result<Value> call_lines(Call& call) {
  std::string_view text = *TRY(text_argument(call));
  List lines;
  while (!text.empty()) {
    TRY_STATUS(spend(call, 1));
    if (lines.size() >= kMaxElements) {
      return refuse(fmt::format("more than {} lines", kMaxElements));
    }
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    TRY_STATUS(hold(call, 1, 0));
    lines.push_back(TRY(new_text(call, line)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Value(std::move(lines));
}

Result<Value> call_sha256(Call& call) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::string_view text = *TRY(text_argument(call));
  base::Sha256 hash;
  for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size()))) {
    TRY_STATUS(spend(call, std::min(kPiece, text.size()) / 8));
    hash.update(text.substr(0, kPiece));
  }
  return Value(hash.hex());
}

constexpr Function kFunctions[] = {
    {"artifact",
     "artifact(\"out.csv\") or artifact(\"out\", \"csv\")",
     1,
     2,
     call_artifact,
     {Literal::path, Literal::format}},
    {"input", "input(\"data.csv\") or input(\"data\", \"csv\")", 1, 2, call_input, {Literal::path, Literal::format}},
    {"row_count", "row_count(table or list)", 1, 1, call_row_count},
    {"columns", "columns(table)", 1, 1, call_columns},
    {"column", "column(table, \"name\")", 2, 2, call_column},
    {"sum", "sum(list)", 1, 1, call_sum},
    {"mean", "mean(list)", 1, 1, call_mean},
    {"min", "min(list)", 1, 1, call_min},
    {"max", "max(list)", 1, 1, call_max},
    {"sorted", "sorted(list) or sorted(list, \"desc\")", 1, 2, call_sorted, {Literal::none, Literal::direction}},
    {"unique", "unique(list)", 1, 1, call_unique},
    {"set", "set(list)", 1, 1, call_set},
    {"count", "count(list)", 1, 1, call_count},
    {"present", "present(list)", 1, 1, call_present},
    {"all", "all(list)", 1, 1, call_all},
    {"any", "any(list)", 1, 1, call_any},
    {"len", "len(text, list, object or table)", 1, 1, call_len},
    {"keys", "keys(object)", 1, 1, call_keys},
    {"approx", "approx(a, b, tolerance)", 3, 3, call_approx},
    {"abs", "abs(number or list)", 1, 1, call_abs},
    {"round", "round(number or list, digits)", 1, 2, call_round},
    {"number", "number(text or list)", 1, 1, call_number},
    {"matches", "matches(text or list, \"pattern\")", 2, 2, call_matches, {Literal::none, Literal::pattern}},
    {"lines", "lines(text)", 1, 1, call_lines},
    {"sha256", "sha256(text)", 1, 1, call_sha256},
};

}  // namespace

std::span<const Function> all_functions() { return kFunctions; }

const Function* find_function(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const Function& f) { return f.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const Function& function : kFunctions) {
    names.push_back(function.name);
  }
  return names;
}

}  // namespace glovebox::verification
