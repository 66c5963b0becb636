#include "engine/languages/language_profile.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/rel_path.h"
#include "base/toml_reader.h"

namespace glovebox::engine {
namespace {

constexpr base::TomlKind kProfileFile = {"a language profile", 256U << 10U,
                                         "only ASCII characters may stand in a language profile"};
constexpr std::size_t kMaxItems = 1024;
constexpr std::array<std::string_view, 6> kPlaceholders = {"program", "support",    "input",
                                                           "value",   "memory_mib", "heap_mib"};

bool is_lower(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

bool is_variable_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && std::all_of(text.begin(), text.end(), [](char letter) {
    return is_lower(letter) || is_upper(letter) || is_digit(letter) || letter == '_';
  });
}

// The first {word} that is no placeholder.
std::optional<std::string_view> unknown_placeholder(std::string_view text) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view word = text.substr(open + 1, close - open - 1);
    const bool looks_like_one = !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
      return is_lower(letter) || letter == '_';
    });
    if (looks_like_one && std::find(kPlaceholders.begin(), kPlaceholders.end(), word) == kPlaceholders.end()) {
      return word;
    }
  }
  return std::nullopt;
}

bool is_pattern(const std::string& text, int groups) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  const RE2 pattern(text, options);
  return pattern.ok() && pattern.NumberOfCapturingGroups() >= groups;
}

class Reader : public base::TomlReader {
 public:
  Reader(std::string_view file_name, PatternCheck patterns) : TomlReader(file_name), patterns_(patterns) {}

  std::string text(const toml::table& table, std::string_view key, bool required) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) {
        refuse(table.source(), fmt::format("'{}' is missing", key));
      }
      return {};
    }
    return text_of(*node, key);
  }

  std::vector<std::string> texts(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::vector<std::string>{} : texts_of(*node, key);
  }

  std::vector<std::string> texts_of(const toml::node& node, std::string_view key) {
    std::vector<std::string> values;
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() > kMaxItems) {
      refuse(node.source(), fmt::format("'{}' must be a list of at most {} strings", key, kMaxItems));
      return values;
    }
    for (const toml::node& item : *array) {
      values.push_back(text_of(item, key));
    }
    return values;
  }

  std::string text_of(const toml::node& node, std::string_view key) {
    const auto* value = node.as_string();
    if (value == nullptr) {
      refuse(node.source(), fmt::format("'{}' must be a string", key));
      return {};
    }
    if (value->get().find('\0') != std::string::npos) {
      refuse(node.source(), fmt::format("'{}' contains a NUL character", key));
      return {};
    }
    return value->get();
  }

  std::vector<const toml::table*> tables(const toml::table& parent, std::string_view key) {
    std::vector<const toml::table*> found;
    const toml::node* node = parent.get(key);
    if (node == nullptr) {
      return found;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() > kMaxItems) {
      refuse(node->source(), fmt::format("'{}' must be a list of tables", key));
      return found;
    }
    for (const toml::node& item : *array) {
      if (const toml::table* entry = item.as_table()) {
        found.push_back(entry);
      } else {
        refuse(item.source(), fmt::format("'{}' must be a list of tables", key));
      }
    }
    return found;
  }

  void check_pattern(const std::string& pattern, int groups, const toml::table& table, std::string_view key) {
    if (patterns_ == PatternCheck::compile) {
      check(is_pattern(pattern, groups), table, key,
            fmt::format("must be an RE2 pattern with {} or more groups", groups));
    }
  }

  // `key` may be absent: then the table itself is to blame.
  void check(bool good, const toml::table& table, std::string_view key, std::string_view why) {
    if (!good) {
      refuse(place(table, key), fmt::format("'{}' {}", key, why));
    }
  }

 private:
  PatternCheck patterns_;
};

void read_names(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  profile.id = reader.text(root, "id", true);
  reader.check(is_language_name(profile.id), root, "id", "must be a name like python: a-z, 0-9, '_', '+', '-', '#'");
  profile.name = reader.text(root, "name", true);
  profile.aliases = reader.texts(root, "aliases");
  reader.check(std::all_of(profile.aliases.begin(), profile.aliases.end(), is_language_name), root, "aliases",
               "must hold names like py: a-z, 0-9, '_', '+', '-', '#'");
  profile.extensions = reader.texts(root, "extensions");
  const auto is_extension = [](const std::string& text) {
    return text.size() >= 2 && text.size() <= 16 && text.front() == '.' && text.find('/') == std::string::npos;
  };
  reader.check(std::all_of(profile.extensions.begin(), profile.extensions.end(), is_extension), root, "extensions",
               "must hold endings like .py");
  profile.file_name = reader.text(root, "file_name", true);
  const auto path = base::RelPath::parse(profile.file_name);
  reader.check(path.has_value() && path->parts().size() == 1 && profile.file_name != "support" &&
                   profile.file_name != "input.json",
               root, "file_name", "must be one file name such as main.py");
}

bool is_command(const std::vector<std::string>& command) {
  return !command.empty() && command.front().starts_with('/');
}

// Words and values may have placeholders, and only known ones.
void check_placeholders(Reader& reader, const toml::table& table, std::string_view key, std::string_view text) {
  if (const auto word = unknown_placeholder(text)) {
    reader.check(false, table, key, fmt::format("has the unknown placeholder {{{}}}", *word));
  }
}

std::vector<std::string> read_command(Reader& reader, const toml::table& table, std::string_view key, bool required) {
  std::vector<std::string> command = reader.texts(table, key);
  reader.check(is_command(command) || (command.empty() && !required), table, key,
               "must start with the absolute path of a program");
  for (const std::string& word : command) {
    check_placeholders(reader, table, key, word);
  }
  return command;
}

std::map<std::string, std::string> read_env(Reader& reader, const toml::table& parent) {
  std::map<std::string, std::string> variables;
  if (const toml::table* env = reader.table(parent, "env")) {
    for (const auto& [key, node] : *env) {
      if (!is_variable_name(key.str())) {
        reader.refuse(key.source(), fmt::format("'{}' is no name of an environment variable", key.str()));
      }
      std::string value = reader.text_of(node, key.str());
      check_placeholders(reader, parent, "env", value);
      variables.emplace(key.str(), std::move(value));
    }
  }
  return variables;
}

void read_commands(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  profile.command = read_command(reader, root, "command", true);
  profile.solve_command = read_command(reader, root, "solve_command", false);
  profile.env = read_env(reader, root);
}

void read_deterministic(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  const toml::table* table = reader.table(root, "deterministic");
  if (table == nullptr) {
    return;
  }
  reader.only(*table, {"arguments", "env"});
  profile.deterministic.arguments = reader.texts(*table, "arguments");
  for (const std::string& word : profile.deterministic.arguments) {
    check_placeholders(reader, *table, "arguments", word);
  }
  profile.deterministic.env = read_env(reader, *table);
}

std::vector<SupportFile> read_support(Reader& reader, const toml::table& table) {
  std::vector<SupportFile> files;
  for (const toml::table* entry : reader.tables(table, "support")) {
    reader.only(*entry, {"from", "to"});
    SupportFile file{reader.text(*entry, "from", true), reader.text(*entry, "to", true), {}};
    reader.check(base::RelPath::parse(file.from).has_value(), *entry, "from", "must be a relative path without '..'");
    reader.check(base::RelPath::parse(file.to).has_value() && file.to.starts_with("support/"), *entry, "to",
                 "must be a relative path below support/");
    const auto same_place = [&](const SupportFile& other) { return other.to == file.to; };
    reader.check(std::none_of(files.begin(), files.end(), same_place), *entry, "to", "is used twice");
    files.push_back(std::move(file));
  }
  return files;
}

void read_files(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  profile.host_paths = reader.texts(root, "host_paths");
  const auto is_configuration = [](const std::string& path) {
    return path.starts_with("/etc/") && base::RelPath::parse(path.substr(1)).has_value();
  };
  reader.check(std::all_of(profile.host_paths.begin(), profile.host_paths.end(), is_configuration), root, "host_paths",
               "must be below /etc");
  profile.support = read_support(reader, root);
  for (const toml::table* entry : reader.tables(root, "requires")) {
    reader.only(*entry, {"path", "package"});
    Requirement need{reader.text(*entry, "path", true), reader.text(*entry, "package", true)};
    reader.check(need.path.starts_with('/'), *entry, "path", "must be absolute");
    profile.required.push_back(std::move(need));
  }
}

std::optional<base::ErrorCode> program_error_code(std::string_view text) {
  using enum base::ErrorCode;
  for (const base::ErrorCode code : {syntax_error, runtime_error, import_error, program_exit}) {
    if (text == base::to_string(code)) {
      return code;
    }
  }
  return std::nullopt;
}

void read_errors(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  const toml::table* errors = reader.table(root, "errors");
  if (errors == nullptr) {
    return;
  }
  reader.only(*errors, {"format", "patterns"});
  const std::string format = reader.text(*errors, "format", true);
  constexpr std::array<std::pair<std::string_view, ErrorFormat>, 4> kFormats = {{{"python", ErrorFormat::python},
                                                                                 {"node", ErrorFormat::node},
                                                                                 {"bash", ErrorFormat::bash},
                                                                                 {"generic", ErrorFormat::generic}}};
  const auto known =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& each) { return each.first == format; });
  reader.check(known != kFormats.end(), *errors, "format", "must be python, node, bash or generic");
  profile.error_format = known == kFormats.end() ? ErrorFormat::generic : known->second;
  for (const toml::table* entry : reader.tables(*errors, "patterns")) {
    reader.only(*entry, {"match", "code", "type", "hint"});
    ErrorPattern pattern;
    pattern.match = reader.text(*entry, "match", true);
    reader.check_pattern("(?m)" + pattern.match, 0, *entry, "match");
    const auto code = program_error_code(reader.text(*entry, "code", true));
    reader.check(code.has_value(), *entry, "code", "must be syntax_error, runtime_error, import_error or program_exit");
    pattern.code = code.value_or(base::ErrorCode::runtime_error);
    pattern.type = reader.text(*entry, "type", false);
    pattern.hint = reader.text(*entry, "hint", false);
    profile.error_patterns.push_back(std::move(pattern));
  }
  reader.check(profile.error_patterns.empty() || profile.error_format == ErrorFormat::generic, *errors, "patterns",
               "belong to the format generic only");
}

void read_modules(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  const toml::table* modules = reader.table(root, "modules");
  if (modules == nullptr) {
    return;
  }
  reader.only(*modules, {"directories", "entry", "separator", "builtin", "known_as"});
  profile.modules.directories = reader.texts(*modules, "directories");
  reader.check(std::all_of(profile.modules.directories.begin(), profile.modules.directories.end(),
                           [](const std::string& path) { return path.starts_with('/'); }),
               *modules, "directories", "must be absolute");
  profile.modules.entry = reader.text(*modules, "entry", true);
  reader.check_pattern(profile.modules.entry, 1, *modules, "entry");
  profile.modules.separator = reader.text(*modules, "separator", false);
  profile.modules.builtin = reader.texts(*modules, "builtin");
  if (const toml::table* known_as = reader.table(*modules, "known_as")) {
    for (const auto& [key, node] : *known_as) {
      profile.modules.known_as.emplace(key.str(), reader.texts_of(node, key.str()));
    }
  }
}

void read_warm(Reader& reader, const toml::table& root, LanguageProfile& profile) {
  const toml::table* table = reader.table(root, "warm");
  if (table == nullptr) {
    return;
  }
  reader.only(*table, {"kind", "command", "cold_env", "fixed_memory", "support", "set"});
  WarmProfile& warm = profile.warm;
  const std::string kind = reader.text(*table, "kind", true);
  reader.check(kind == "zygote" || kind == "started", *table, "kind", "must be zygote or started");
  warm.kind = kind == "zygote" ? WarmKind::zygote : WarmKind::started;
  warm.command = read_command(reader, *table, "command", true);
  warm.cold_env = reader.texts(*table, "cold_env");
  warm.fixed_memory = reader.flag(*table, "fixed_memory");
  warm.support = read_support(reader, *table);
  for (const toml::table* entry : reader.tables(*table, "set")) {
    reader.only(*entry, {"name", "modules", "also_for", "rehearsals"});
    WarmSet set{reader.text(*entry, "name", true), reader.texts(*entry, "modules"), reader.texts(*entry, "also_for"),
                reader.texts(*entry, "rehearsals")};
    reader.check(is_language_name(set.name), *entry, "name", "must be a name like plain");
    warm.sets.push_back(std::move(set));
  }
  reader.check(warm.sets.empty() == (warm.kind == WarmKind::started), *table, "set",
               "belongs to a zygote, which needs at least one");
}

}  // namespace

bool is_language_name(std::string_view text) {
  return !text.empty() && text.size() <= 32 && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char letter) {
           return is_lower(letter) || is_digit(letter) ||
                  std::string_view("_+-#").find(letter) != std::string_view::npos;
         });
}

base::Result<LanguageProfile> parse_language_profile(std::string_view toml_text, std::string_view file_name,
                                                     PatternCheck patterns) {
  Reader reader(file_name, patterns);
  const toml::table root = TRY(reader.open(toml_text, kProfileFile));
  LanguageProfile profile;
  reader.only(root, {"id", "name", "aliases", "extensions", "file_name", "command", "solve_command", "host_paths",
                     "env", "support", "requires", "errors", "modules", "deterministic", "warm"});
  read_names(reader, root, profile);
  read_commands(reader, root, profile);
  read_files(reader, root, profile);
  read_errors(reader, root, profile);
  read_modules(reader, root, profile);
  read_deterministic(reader, root, profile);
  read_warm(reader, root, profile);
  if (reader.complaint()) {
    return base::fail(*reader.complaint());
  }
  return profile;
}

}  // namespace glovebox::engine
