// What the readers of TOML files share: a text that nobody vouches for is opened, and what is wrong with it is told as
// file:line:column.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/toml_library.h"

namespace glovebox::base {

// What a kind of file is held to before it is parsed, and the words for it.
struct TomlKind {
  std::string_view name;  // "a language profile"
  std::size_t most_bytes;
  std::string_view about_foreign;  // the complaint about a character outside of ASCII
};

// Keeps the first complaint; every getter after it answers with an empty value.
class TomlReader {
 public:
  // `file_name` has to outlive the reader; a complaint is cut after `most_bytes`.
  explicit TomlReader(std::string_view file_name, std::size_t most_bytes = 400)
      : file_name_(file_name), most_bytes_(most_bytes) {}

  // Refuses what is not ASCII: toml++ 3.3 runs into undefined behaviour on some letters outside of quotes, and an id, a
  // path or a variable has no use for look-alikes.
  [[nodiscard]] Result<toml::table> open(std::string_view text, const TomlKind& kind);

  [[nodiscard]] const std::optional<Error>& complaint() const { return complaint_; }

  void refuse(const toml::source_position& at, std::string_view why);
  void refuse(const toml::source_region& where, std::string_view why) { refuse(where.begin, why); }

  void only(const toml::table& table, std::initializer_list<std::string_view> keys);

  // Of the key's value, or of the table where it has none.
  [[nodiscard]] static toml::source_region place(const toml::table& table, std::string_view key);

  // An absent flag is false.
  bool flag(const toml::table& table, std::string_view key);
  // nullptr when absent.
  const toml::table* table(const toml::table& parent, std::string_view key);

 private:
  std::string_view file_name_;
  std::size_t most_bytes_;
  std::optional<Error> complaint_;
};

}  // namespace glovebox::base
