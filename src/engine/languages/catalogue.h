// Which languages there are: the built-in ones, and those that an operator or a user adds or overrides with a file
// <id>.toml in a directory. Nothing is read before it is asked for: finding "python" looks for one file per directory
// and parses one profile.
//
// Ids win over aliases, later directories over earlier ones, directories over built-in profiles. A profile that
// cannot be parsed is an error for its id, never a silent fall-back to the built-in one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/languages/language_profile.h"

namespace glovebox::engine {

class LanguageCatalogue {
 public:
  explicit LanguageCatalogue(std::vector<std::string> directories) : directories_(std::move(directories)) {}

  // With the contents of its support files. `unsupported` names the languages there are.
  [[nodiscard]] base::Result<LanguageProfile> find(std::string_view id_or_alias) const;
  // The id of the language a file belongs to by the end of its name: script.py → python.
  [[nodiscard]] std::optional<std::string> language_of_file(std::string_view path) const;
  // Sorted.
  [[nodiscard]] std::vector<std::string> ids() const;

 private:
  std::vector<std::string> directories_;
};

// /etc/glovebox/languages and the user's own below $XDG_CONFIG_HOME (or $HOME/.config); in that order.
[[nodiscard]] std::vector<std::string> default_language_directories();

}  // namespace glovebox::engine
