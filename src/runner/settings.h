// Every setting of glovebox.toml: its name, its bounds, what it means, and where it goes. The parser, the messages and
// the documentation read this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace glovebox::runner {

struct Config;

struct NumberSetting {
  std::uint64_t least;
  std::uint64_t most;
  void (*set)(Config&, std::uint64_t);
};
struct FlagSetting {
  void (*set)(Config&, bool);
};
// One of a few words; no words: any text.
struct WordSetting {
  std::span<const std::string_view> words;
  void (*set)(Config&, std::string);
};
struct ListSetting {
  void (*set)(Config&, std::vector<std::string>);
};

struct Setting {
  std::string_view table;  // "": before the first table
  std::string_view name;
  std::string_view meaning;
  std::variant<NumberSetting, FlagSetting, WordSetting, ListSetting> kind;
};

[[nodiscard]] std::span<const Setting> all_settings();

}  // namespace glovebox::runner
