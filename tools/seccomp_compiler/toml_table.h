// A TOML table read key by key; finish() refuses keys that nobody asked for.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/result.h"
#include "base/toml_library.h"

namespace glovebox::seccomp_compiler {

[[nodiscard]] inline std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string_view file) : table_(table), file_(file) {}

  [[nodiscard]] std::size_t line() const { return line_of(table_); }

  // nullptr when absent.
  [[nodiscard]] const toml::node* find(std::string_view key) {
    asked_.insert(std::string(key));
    return table_.get(key);
  }

  [[nodiscard]] base::Result<std::string> text(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr || !node->is_string()) {
      return refuse(fmt::format("{} must be given, as text", key), node);
    }
    std::string value = node->as_string()->get();
    if (value.empty() || value.find_first_of(std::string_view("\n\r\t\0", 4)) != std::string::npos) {
      return refuse(fmt::format("{} must be one line of text", key), node);
    }
    return value;
  }

  [[nodiscard]] base::Result<const toml::array*> array(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr || !node->is_array() || node->as_array()->empty()) {
      return refuse(fmt::format("{} must be given, as a list with something in it", key), node);
    }
    return node->as_array();
  }

  [[nodiscard]] base::Result<const toml::table*> table(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr || !node->is_table()) {
      return refuse(fmt::format("[{}] must be given", key), node);
    }
    return node->as_table();
  }

  [[nodiscard]] base::Status finish() const {
    for (const auto& [key, node] : table_) {
      if (!asked_.contains(std::string(key.str()))) {
        return refuse(fmt::format("unknown key {}", key.str()), &node);
      }
    }
    return {};
  }

  // The message carries the line of `node`, or of the table when there is none.
  [[nodiscard]] tl::unexpected<base::Error> refuse(std::string_view message, const toml::node* node = nullptr) const {
    return base::fail(base::ErrorCode::invalid_request,
                      fmt::format("{}:{}: {}", file_, node == nullptr ? line() : line_of(*node), message));
  }

 private:
  const toml::table& table_;
  std::string_view file_;
  std::set<std::string> asked_;
};

}  // namespace glovebox::seccomp_compiler
