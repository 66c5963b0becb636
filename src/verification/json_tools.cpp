#include "verification/json_tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "contract/json_writer.h"
#include "verification/decimal.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using Kind = JsonValue::Kind;

bool append_canonical(const JsonValue& value, WorkBudget& budget, std::string& text) {
  if (!budget.spend(1 + value.text.size() / 16)) {
    return false;
  }
  switch (value.kind) {
    case Kind::integer:
    case Kind::real: {
      const auto number = Decimal::parse(value.text);
      text += number ? number->canonical() : value.text;
      return true;
    }
    case Kind::string:
      text += fmt::format("s{}:", value.text.size());
      text += value.text;
      return true;
    case Kind::array:
      text += '[';
      for (const JsonMember& member : value.members) {
        if (!append_canonical(member.value, budget, text)) {
          return false;
        }
        text += ',';
      }
      text += ']';
      return true;
    case Kind::object: {
      std::vector<const JsonMember*> members;
      members.reserve(value.members.size());
      for (const JsonMember& member : value.members) {
        members.push_back(&member);
      }
      std::uint64_t key_bytes = 0;
      for (const JsonMember& member : value.members) {
        key_bytes += member.key.size();
      }
      if (!budget.spend(members.size() * steps_to_insert(members.size(), 0) + key_bytes / 16)) {
        return false;
      }
      std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
      text += '{';
      for (const JsonMember* member : members) {
        text += fmt::format("{}:", member->key.size());
        text += member->key;
        if (!append_canonical(member->value, budget, text)) {
          return false;
        }
        text += ',';
      }
      text += '}';
      return true;
    }
    default:
      text += value.text;
      return true;
  }
}

// Stops writing soon after there is enough to show.
void append_shown(const JsonValue& value, std::string& text) {
  if (text.size() > kShownBytes) {
    return;
  }
  const auto list = [&](char open, char close, bool keys) {
    text += open;
    for (std::size_t index = 0; index < value.members.size() && text.size() <= kShownBytes; ++index) {
      text += index == 0 ? "" : ",";
      if (keys) {
        text += contract::quote_json(std::string_view(value.members[index].key).substr(0, kShownBytes)) + ":";
      }
      append_shown(value.members[index].value, text);
    }
    text += close;
  };
  switch (value.kind) {
    case Kind::array:
      return list('[', ']', false);
    case Kind::object:
      return list('{', '}', true);
    case Kind::string:
      text += contract::quote_json(std::string_view(value.text).substr(0, kShownBytes + 1));
      return;
    default:
      text += std::string_view(value.text).substr(0, kShownBytes + 1);
  }
}

}  // namespace

base::Result<JsonValue> read_document(std::string_view text, WorkBudget& budget) {
  constexpr std::size_t kBytesPerStep = 4;
  constexpr std::size_t kStepsPerValue = 4;
  // A document beyond the bounds is told so; it costs nothing.
  const std::size_t bytes = text.size() > kMaxDocumentBytes ? 0 : text.size();
  if (!budget.spend(1 + bytes / kBytesPerStep)) {
    return refuse(kOutOfBudget);
  }
  if (!budget.hold(bytes)) {
    return refuse(kOutOfMemory);
  }
  contract::JsonOptions options;
  options.bounds = {kMaxDocumentBytes, kMaxDocumentDepth, kMaxDocumentValues, kMaxDocumentValues};
  std::uint64_t read = 0;  // values and keys
  const auto fits = [&] { return read * kBytesPerValue <= budget.memory_left(); };
  options.may_go_on = [&] {
    read += contract::JsonOptions::kValuesBetweenLooks;
    return budget.spend(contract::JsonOptions::kValuesBetweenLooks * kStepsPerValue) && fits();
  };
  auto document = contract::parse_json(text, options);
  if (!document && (budget.spent_out() || !fits())) {
    return refuse(budget.spent_out() ? kOutOfBudget : kOutOfMemory);
  }
  if (document && !budget.hold(count_values(*document) * kBytesPerValue)) {
    return refuse(kOutOfMemory);
  }
  if (!document && !document.error().field.empty()) {
    document.error().message = document.error().field + ": " + document.error().message;
  }
  return document;
}

std::size_t count_values(const JsonValue& value) {
  std::size_t count = 1;
  for (const JsonMember& member : value.members) {
    count += count_values(member.value);
  }
  return count;
}

bool is_number(const JsonValue& value) { return value.kind == Kind::integer || value.kind == Kind::real; }

std::optional<std::string> canonical_text(const JsonValue& value, WorkBudget& budget) {
  std::string text;
  return append_canonical(value, budget, text) ? std::optional(std::move(text)) : std::nullopt;
}

std::string shown(const JsonValue& value) {
  std::string text;
  append_shown(value, text);
  return shown_text(text);
}

std::string shown_text(std::string_view text) { return base::printable(text, kShownBytes); }

std::string pointer_step(std::string_view pointer, std::string_view key) {
  std::string text(pointer);
  text += '/';
  for (const char letter : key) {
    if (letter == '~') {
      text += "~0";
    } else if (letter == '/') {
      text += "~1";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string shown_path(std::span<const PathStep> path) {
  std::string text;
  for (const PathStep& step : path) {
    if (text.size() > kShownBytes) {
      break;
    }
    const auto* key = std::get_if<std::string_view>(&step);
    text = pointer_step(text, key != nullptr ? std::string(key->substr(0, kShownBytes + 1))
                                             : std::to_string(std::get<std::size_t>(step)));
  }
  return base::printable(text, kShownBytes);
}

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

}  // namespace glovebox::verification
