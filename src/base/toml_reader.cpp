#include "base/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace glovebox::base {
namespace {

std::optional<toml::source_position> first_foreign_character(std::string_view text) {
  const auto at = std::find_if(text.begin(), text.end(), [](char byte) { return (byte & 0x80) != 0; });
  if (at == text.end()) {
    return std::nullopt;
  }
  const std::string_view before = text.substr(0, static_cast<std::size_t>(at - text.begin()));
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return toml::source_position{
      static_cast<toml::source_index>(std::count(before.begin(), before.end(), '\n') + 1),
      static_cast<toml::source_index>(before.size() - line_start + 1),
  };
}

}  // namespace

Result<toml::table> TomlReader::open(std::string_view text, const TomlKind& kind) {
  if (text.size() > kind.most_bytes) {
    refuse(toml::source_position{}, fmt::format("{} has at most {} bytes", kind.name, kind.most_bytes));
    return fail(*complaint_);
  }
  if (const auto at = first_foreign_character(text)) {
    refuse(*at, kind.about_foreign);
    return fail(*complaint_);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse(error.source(), error.description());
  } catch (const std::logic_error& error) {
    refuse(toml::source_position{}, error.what());
  }
  return fail(*complaint_);
}

void TomlReader::refuse(const toml::source_position& at, std::string_view why) {
  if (!complaint_) {
    complaint_ = make_error(ErrorCode::invalid_request,
                            fmt::format("{}:{}:{}: {}", file_name_, at.line, at.column, printable(why, most_bytes_)));
  }
}

void TomlReader::only(const toml::table& table, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, node] : table) {
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
      refuse(key.source(), fmt::format("unknown key '{}'; known here: {}", key.str(), fmt::join(keys, ", ")));
    }
  }
}

toml::source_region TomlReader::place(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  return node == nullptr ? table.source() : node->source();
}

bool TomlReader::flag(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node != nullptr && !node->is_boolean()) {
    refuse(node->source(), fmt::format("'{}' must be true or false", key));
    return false;
  }
  return node != nullptr && node->as_boolean()->get();
}

const toml::table* TomlReader::table(const toml::table& parent, std::string_view key) {
  const toml::node* node = parent.get(key);
  if (node != nullptr && !node->is_table()) {
    refuse(node->source(), fmt::format("'{}' must be a table", key));
    return nullptr;
  }
  return node == nullptr ? nullptr : node->as_table();
}

}  // namespace glovebox::base
