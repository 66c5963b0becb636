#include "verification/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/sha256.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

Status spend(Call& call, std::size_t steps) {
  return call.documents.budget().spend(1 + steps) ? Status() : refuse(kOutOfBudget);
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

Value cell_value(std::string_view cell) {
  if (cell.empty()) {
    return {};
  }
  return Value::number(cell).value_or(Value(std::string(cell)));
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
  TRY_STATUS(spend(call, table->columns().size()));
  List names;
  for (const std::string& name : table->columns()) {
    names.emplace_back(name);
  }
  return Value(std::move(names));
}

// Of a table, or of a list of objects.
Result<Value> call_column(Call& call) {
  const std::string& name = *TRY(text_argument(call, 1));
  List cells;
  if (const Table* table = call.arguments[0].table(); table != nullptr) {
    const std::size_t column = TRY(table->find_column(name));
    TRY_STATUS(spend(call, table->row_count()));
    cells.reserve(table->row_count());
    for (std::size_t row = 0; row < table->row_count(); ++row) {
      cells.push_back(cell_value(table->cell(row, column)));
    }
    return Value(std::move(cells));
  }
  for (const Value& row : *TRY(list_argument(call))) {
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
    const auto ordering = TRY(order(value, *best));
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
    const auto ordering = TRY(order((*list)[index - 1], (*list)[index]));
    if (descending ? std::is_lt(ordering) : std::is_gt(ordering)) {
      return Value(false);
    }
  }
  if (list->size() == 1) {
    TRY(order(list->front(), list->front()));
  }
  return Value(true);
}

// Distinct elements in a fixed order.
Result<std::vector<std::pair<std::string, const Value*>>> distinct(Call& call) {
  const List* list = TRY(list_argument(call));
  std::vector<std::pair<std::string, const Value*>> keyed;
  for (const Value& value : *list) {
    std::string key = TRY(key_of(value, call.documents.budget()));
    keyed.emplace_back(std::move(key), &value);
  }
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(keyed.begin(), keyed.end(), by_key);
  keyed.erase(std::unique(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              keyed.end());
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
  List list;
  for (const Value& value : *TRY(list_argument(call))) {
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
  List names;
  for (const auto& [name, value] : *call.arguments[0].object()) {
    names.emplace_back(name);
  }
  return Value(std::move(names));
}

// --- numbers ---

Result<Value> call_approx(Call& call) {
  const double tolerance = TRY(number_argument(call, 2));
  const List* left = call.arguments[0].list();
  const List* right = call.arguments[1].list();
  const auto near = [&](double a, double b) { return std::abs(a - b) <= tolerance; };
  if (left == nullptr && right == nullptr) {
    const double a = TRY(number_argument(call, 0));
    return Value(near(a, TRY(number_argument(call, 1))));
  }
  if (left == nullptr || right == nullptr || left->size() != right->size()) {
    return refuse("approx() takes two numbers, or two lists of the same length");
  }
  TRY_STATUS(spend(call, left->size()));
  for (std::size_t index = 0; index < left->size(); ++index) {
    if (!(*left)[index].is_number() || !(*right)[index].is_number()) {
      return refuse(fmt::format("approx(): element {} is {} and {}, not two numbers", index, (*left)[index].shown(),
                                (*right)[index].shown()));
    }
    if (!near((*left)[index].as_double(), (*right)[index].as_double())) {
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
    lines.emplace_back(std::string(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Value(std::move(lines));
}

Result<Value> call_sha256(Call& call) {
  const std::string* text = TRY(text_argument(call));
  return Value(base::sha256_hex(*text));
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
