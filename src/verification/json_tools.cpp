#include "verification/json_tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "contract/json_writer.h"
#include "verification/decimal.h"

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

base::Result<JsonValue> read_document(std::string_view text) {
  contract::JsonOptions options;
  options.bounds = {kMaxDocumentBytes, kMaxDocumentDepth, kMaxDocumentValues, kMaxDocumentValues};
  auto document = contract::parse_json(text, options);
  if (!document && !document.error().field.empty()) {
    document.error().message = document.error().field + ": " + document.error().message;
  }
  return document;
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

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

}  // namespace glovebox::verification
