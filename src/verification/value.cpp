#include "verification/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "contract/json_writer.h"
#include "verification/decimal.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;

void append_shown(const Value& value, std::string& text) {
  if (text.size() > kShownBytes) {
    return;
  }
  const auto entries = [&](const auto& list, char open, char close, auto write) {
    text += open;
    bool first = true;
    for (const auto& entry : list) {
      if (text.size() > kShownBytes) {
        break;
      }
      text += first ? "" : ", ";
      first = false;
      write(entry);
    }
    text += close;
  };
  const auto quoted = [](std::string_view part) { return contract::quote_json(part.substr(0, kShownBytes + 1)); };
  if (const auto* flag = value.boolean(); flag != nullptr) {
    text += *flag ? "true" : "false";
  } else if (value.whole() != nullptr) {
    text += std::to_string(*value.whole());
  } else if (value.real() != nullptr) {
    text += fmt::format("{}", *value.real());
  } else if (value.big() != nullptr) {
    text += value.big()->digits->substr(0, kShownBytes + 1);
  } else if (value.text() != nullptr) {
    text += quoted(*value.text());
  } else if (value.list() != nullptr) {
    entries(*value.list(), '[', ']', [&](const Value& entry) { append_shown(entry, text); });
  } else if (value.object() != nullptr) {
    entries(*value.object(), '{', '}', [&](const auto& entry) {
      text += quoted(entry.first) + ": ";
      append_shown(entry.second, text);
    });
  } else if (value.table() != nullptr) {
    text += fmt::format("a table of {} rows with the columns ", value.table()->row_count());
    entries(value.table()->columns(), '[', ']', [&](const std::string& name) { text += quoted(name); });
  } else {
    text += "null";
  }
}

// x86's long double holds every 64-bit integer and every double, so that comparing them rounds nothing.
static_assert(std::numeric_limits<long double>::digits >= 64);
long double exact(const Value& value) {
  return value.whole() != nullptr ? static_cast<long double>(*value.whole()) : static_cast<long double>(*value.real());
}

}  // namespace

std::optional<Value> Value::number(std::string_view text) {
  const auto decimal = Decimal::parse(text);
  if (!decimal) {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  if (text.find_first_of(".eE") == text.npos) {
    std::int64_t whole = 0;
    if (const auto [rest, problem] = std::from_chars(text.data(), end, whole); problem == std::errc() && rest == end) {
      return Value(whole);
    }
    return Value(BigNumber{std::make_shared<const std::string>(text)});
  }
  double real = 0;
  const auto [rest, problem] = std::from_chars(text.data(), end, real);
  if (problem == std::errc() && rest == end) {
    return Value(real);
  }
  // Too small for a double is nearly 0; too large is no double at all.
  return decimal->magnitude() <= 0 ? Value(0.0) : Value(BigNumber{std::make_shared<const std::string>(text)});
}

// Depth is bounded by the reader. Takes the tree apart as it goes.
Value Value::from_json(JsonValue json) {
  switch (json.kind) {
    case JsonValue::Kind::boolean:
      return Value(json.text == "true");
    case JsonValue::Kind::integer:
    case JsonValue::Kind::real:
      return number(json.text).value_or(Value(BigNumber{std::make_shared<const std::string>(json.text)}));
    case JsonValue::Kind::string:
      return Value(std::move(json.text));
    case JsonValue::Kind::array: {
      List list;
      list.reserve(json.members.size());
      for (JsonMember& member : json.members) {
        list.push_back(from_json(std::move(member.value)));
      }
      return Value(std::move(list));
    }
    case JsonValue::Kind::object: {
      Object object;
      object.reserve(json.members.size());
      for (JsonMember& member : json.members) {
        object.emplace_back(std::move(member.key), from_json(std::move(member.value)));
      }
      std::sort(object.begin(), object.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      return Value(std::move(object));
    }
    default:
      return {};
  }
}

const Value* Value::member(std::string_view name) const {
  const Object* members = object();
  if (members == nullptr) {
    return nullptr;
  }
  const auto found = std::lower_bound(members->begin(), members->end(), name,
                                      [](const auto& each, std::string_view key) { return each.first < key; });
  return found != members->end() && found->first == name ? &found->second : nullptr;
}

std::string_view Value::kind_name() const {
  static constexpr std::string_view kNames[] = {
      "null", "true or false", "a number",  "a number", "a number beyond 64 bits",
      "text", "a list",        "an object", "a table"};
  return kNames[data_.index()];
}

std::string Value::shown() const {
  std::string text;
  append_shown(*this, text);
  return shown_text(text);
}

std::optional<Decimal> exact_number(const Value& value) {
  if (value.big() != nullptr) {
    return Decimal::parse(*value.big()->digits);
  }
  if (value.whole() != nullptr) {
    return Decimal::parse(std::to_string(*value.whole()));
  }
  return value.real() != nullptr ? std::optional(Decimal::from_double(*value.real())) : std::nullopt;
}

Result<bool> equal(const Value& left, const Value& right, WorkBudget& budget) {
  if (!budget.spend(1)) {
    return refuse(kOutOfBudget);
  }
  if (left.is_number() && right.is_number()) {
    return exact(left) == exact(right);
  }
  if (left.text() != nullptr && right.text() != nullptr) {
    return budget.spend(std::min(left.text()->size(), right.text()->size()) / 64)
               ? Result<bool>(*left.text() == *right.text())
               : refuse(kOutOfBudget);
  }
  if (left.boolean() != nullptr && right.boolean() != nullptr) {
    return *left.boolean() == *right.boolean();
  }
  const bool numbers = (left.is_number() || left.big() != nullptr) && (right.is_number() || right.big() != nullptr);
  if (numbers) {
    const std::size_t digits = (left.big() != nullptr ? left.big()->digits->size() : 0) +
                               (right.big() != nullptr ? right.big()->digits->size() : 0);
    const auto left_number = budget.spend(4 + digits / 8) ? exact_number(left) : std::nullopt;
    const auto right_number = left_number ? exact_number(right) : std::nullopt;
    if (!right_number) {
      return refuse(budget.spent_out() ? kOutOfBudget
                                       : fmt::format("{} and {} cannot be compared", left.shown(), right.shown()));
    }
    return *left_number == *right_number;
  }
  if (left.list() != nullptr && right.list() != nullptr) {
    bool same = left.list()->size() == right.list()->size();
    for (std::size_t index = 0; same && index < left.list()->size(); ++index) {
      same = TRY(equal((*left.list())[index], (*right.list())[index], budget));
    }
    return same;
  }
  if (left.object() != nullptr && right.object() != nullptr) {
    bool same = left.object()->size() == right.object()->size();
    for (std::size_t index = 0; same && index < left.object()->size(); ++index) {
      const auto& [left_key, left_value] = (*left.object())[index];
      const auto& [right_key, right_value] = (*right.object())[index];
      if (!budget.spend(left_key.size() / 64)) {
        return refuse(kOutOfBudget);
      }
      same = left_key == right_key && TRY(equal(left_value, right_value, budget));
    }
    return same;
  }
  if (left.table() != nullptr || right.table() != nullptr) {
    return refuse("tables cannot be compared; compare their columns");
  }
  return left.is_null() && right.is_null();
}

Result<std::partial_ordering> order(const Value& left, const Value& right, WorkBudget& budget) {
  const std::size_t bytes =
      left.text() != nullptr && right.text() != nullptr ? std::min(left.text()->size(), right.text()->size()) : 0;
  if (!budget.spend(1 + bytes / 64)) {
    return refuse(kOutOfBudget);
  }
  if (left.is_number() && right.is_number()) {
    return exact(left) <=> exact(right);
  }
  if (left.text() != nullptr && right.text() != nullptr) {
    return std::partial_ordering(left.text()->compare(*right.text()) <=> 0);
  }
  return refuse(fmt::format("{} ({}) and {} ({}) have no order", left.shown(), left.kind_name(), right.shown(),
                            right.kind_name()));
}

Result<std::string> key_of(const Value& value, WorkBudget& budget) {
  const std::size_t bytes = value.text() != nullptr  ? value.text()->size()
                            : value.big() != nullptr ? value.big()->digits->size()
                                                     : 0;
  if (!budget.spend(1 + bytes / 16)) {
    return refuse(kOutOfBudget);
  }
  if (value.table() != nullptr) {
    return refuse("a table cannot be an element");
  }
  if (value.text() != nullptr) {
    return "s" + std::to_string(value.text()->size()) + ":" + *value.text();
  }
  if (value.real() != nullptr && std::trunc(*value.real()) == *value.real() && std::abs(*value.real()) < 0x1p63) {
    return std::to_string(static_cast<std::int64_t>(*value.real()));  // 2.0 and 2 are one number
  }
  if (value.real() != nullptr || value.big() != nullptr) {
    const auto number = exact_number(value);
    return number ? Result<std::string>(number->canonical())
                  : refuse(fmt::format("{} cannot be compared", value.shown()));
  }
  std::string key;
  if (value.list() != nullptr) {
    for (const Value& element : *value.list()) {
      key += TRY(key_of(element, budget)) + ",";
    }
    return "[" + key + "]";
  }
  if (value.object() != nullptr) {
    for (const auto& [name, element] : *value.object()) {
      if (!budget.spend(name.size() / 16)) {
        return refuse(kOutOfBudget);
      }
      key += std::to_string(name.size()) + ":" + name + TRY(key_of(element, budget)) + ",";
    }
    return "{" + key + "}";
  }
  return value.shown();
}

}  // namespace glovebox::verification
