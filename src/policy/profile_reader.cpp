// A profile's TOML, strictly.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "base/toml_reader.h"
#include "contract/limit_table.h"
#include "policy/name_pattern.h"
#include "policy/profile.h"
#include "policy/profile_examples.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxFileBytes = 256U << 10U;
constexpr std::size_t kMaxRules = 500;
constexpr std::size_t kMaxItems = 1000;
constexpr std::size_t kMaxTextBytes = 1000;
constexpr std::size_t kMaxExampleBytes = 16U << 10U;
constexpr std::size_t kMaxId = 48;
constexpr std::size_t kMaxComplaint = 500;
constexpr std::uint64_t kMostBytes = 1ULL << 30U;

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= kMaxId && std::all_of(text.begin(), text.end(), [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
           more.find(letter) != std::string_view::npos;
  });
}

class Reader : public base::TomlReader {
 public:
  Reader(std::string_view file_name, Profile& profile) : TomlReader(file_name, kMaxComplaint), profile_(profile) {}

  using TomlReader::refuse;
  void refuse(const FilePlace& at, std::string_view why) { refuse(toml::source_position{at.line, at.column}, why); }

  void remember(std::string key, const toml::source_region& region) {
    profile_.places[std::move(key)] = {region.begin.line, region.begin.column};
  }

  // Nothing when the key is not there.
  std::optional<std::string> text(const toml::table& table, std::string_view key, std::size_t most = kMaxTextBytes) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto* value = node->as_string();
    if (value == nullptr || value->get().empty() || value->get().size() > most) {
      refuse(node->source(), fmt::format("'{}' must be a text of 1 to {} bytes", key, most));
      return std::nullopt;
    }
    return value->get();
  }
  std::string required_text(const toml::table& table, std::string_view key) {
    if (table.get(key) == nullptr) {
      refuse(table.source(), fmt::format("'{}' is missing", key));
    }
    return text(table, key).value_or("");
  }

  std::vector<std::string> texts(const toml::table& table, std::string_view key, std::size_t most_bytes) {
    std::vector<std::string> found;
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return found;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() > kMaxItems) {
      refuse(node->source(), fmt::format("'{}' must be a list of at most {} texts", key, kMaxItems));
      return found;
    }
    for (const toml::node& item : *array) {
      if (item.as_string() == nullptr || item.as_string()->get().size() > most_bytes) {
        refuse(item.source(), fmt::format("'{}' must be a list of texts of at most {} bytes", key, most_bytes));
        return found;
      }
      found.push_back(item.as_string()->get());
    }
    return found;
  }

  // `path` and a number lead to the place of each.
  std::vector<std::string> names(const toml::table& table, std::string_view key, const std::string& path) {
    std::vector<std::string> found = texts(table, key, kMaxTextBytes);
    for (std::size_t index = 0; index < found.size(); ++index) {
      const toml::source_region& region = table.get(key)->as_array()->get(index)->source();
      if (!is_name_pattern(found[index])) {
        refuse(region, fmt::format("'{}' is not a name such as os.system, os.* or *.__globals__", found[index]));
      }
      remember(fmt::format("{}[{}]", path, index), region);
    }
    return found;
  }

  std::optional<Verdict> verdict(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto* text = node->as_string();
    const auto value = text == nullptr ? std::nullopt : parse_verdict(text->get());
    if (!value) {
      refuse(node->source(), fmt::format("'{}' must be \"allow\", \"ask\" or \"deny\"", key));
    }
    return value;
  }

  std::optional<std::uint64_t> number(const toml::table& table, std::string_view key, std::uint64_t least,
                                      std::uint64_t most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto* value = node->as_integer();
    if (value == nullptr || value->get() < static_cast<std::int64_t>(least) ||
        value->get() > static_cast<std::int64_t>(most)) {
      refuse(node->source(), fmt::format("'{}' must be a whole number from {} to {}", key, least, most));
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(value->get());
  }

 private:
  Profile& profile_;
};

void read_head(Reader& reader, const toml::table& root, std::string_view name, Profile& profile) {
  if (const auto said = reader.text(root, "name"); said && *said != name) {
    reader.refuse(root.get("name")->source(), fmt::format("the file is that of '{}', not of '{}'", name, *said));
  }
  profile.name = name;
  profile.description = reader.text(root, "description").value_or("");
  profile.languages = reader.texts(root, "languages", kMaxId);
  for (std::size_t index = 0; index < profile.languages.size(); ++index) {
    const toml::source_region& region = root.get("languages")->as_array()->get(index)->source();
    if (!is_word(profile.languages[index], "_+-")) {
      reader.refuse(region, fmt::format("'{}' is not a language's name", profile.languages[index]));
    }
    reader.remember(fmt::format("languages[{}]", index), region);
  }
  if (const toml::node* node = root.get("languages"); node != nullptr && profile.languages.empty()) {
    reader.refuse(node->source(), "'languages' names at least one; leave it out to allow all");
  }
  if (const auto said = reader.verdict(root, "dynamic"); said) {
    profile.otherwise[static_cast<std::size_t>(FactKind::dynamic)].verdict = *said;
    reader.remember("dynamic", root.get("dynamic")->source());
  }
  if (const auto said = reader.verdict(root, "unparsed"); said) {
    profile.unparsed = *said;
    reader.remember("unparsed", root.get("unparsed")->source());
  }
  if (const auto said = reader.text(root, "network"); said) {
    if (*said != "none" && *said != "allowed") {
      reader.refuse(root.get("network")->source(), "'network' must be \"none\" or \"allowed\"");
    }
    profile.network_allowed = *said == "allowed";
    reader.remember("network", root.get("network")->source());
  }
  if (const auto said = reader.text(root, "isolation"); said) {
    const auto level = contract::parse_isolation(*said);
    if (!level || *level == contract::Isolation::none || *level == contract::Isolation::wasm) {
      reader.refuse(root.get("isolation")->source(), "'isolation' must be \"process\", \"container\" or \"vm\"");
    }
    profile.isolation = level.value_or(contract::Isolation::vm);
    reader.remember("isolation", root.get("isolation")->source());
  }
}

void read_caps(Reader& reader, const toml::table& root, Profile& profile) {
  if (const toml::table* caps = reader.table(root, "program"); caps != nullptr) {
    reader.only(*caps, {"max_bytes", "max_lines", "max_nesting"});
    const auto read = [&](std::string_view key, std::uint64_t& into) {
      if (const auto value = reader.number(*caps, key, 1, kMostBytes); value) {
        into = *value;
        reader.remember(fmt::format("program.{}", key), caps->get(key)->source());
      }
    };
    read("max_bytes", profile.program.max_bytes);
    read("max_lines", profile.program.max_lines);
    read("max_nesting", profile.program.max_nesting);
  }
  if (const toml::table* limits = reader.table(root, "limits"); limits != nullptr) {
    for (const auto& [key, node] : *limits) {
      const auto field =
          std::find_if(contract::kLimitTable.begin(), contract::kLimitTable.end(),
                       [name = key.str()](const contract::LimitField& each) { return each.name == name; });
      if (field == contract::kLimitTable.end()) {
        reader.refuse(key.source(), fmt::format("there is no limit '{}' in the contract", key.str()));
        continue;
      }
      if (const auto value = reader.number(*limits, key.str(), field->least, field->most); value) {
        profile.limits[std::string(key.str())] = *value;
        reader.remember(fmt::format("limits.{}", key.str()), node.source());
      }
    }
  }
}

// [imports], [calls] and [attributes] are short for two rules and what is done otherwise.
void read_lists(Reader& reader, const toml::table& root, FactKind kind, Profile& profile) {
  const std::string key = std::string(to_string(kind)) + "s";
  const toml::table* table = reader.table(root, key);
  if (table == nullptr) {
    return;
  }
  reader.only(*table, {"allow", "forbid", "otherwise", "reason", "suggestion"});
  const auto index = static_cast<std::size_t>(kind);
  Otherwise& otherwise = profile.otherwise[index];
  otherwise.reason = reader.text(*table, "reason").value_or("");
  otherwise.suggestion = reader.text(*table, "suggestion").value_or("");
  const auto add = [&](std::string_view list, Verdict verdict) {
    Rule rule;
    rule.id = fmt::format("{}_{}", key, list);
    rule.verdict = verdict;
    rule.names[index] = reader.names(*table, list, fmt::format("{}.{}", key, list));
    if (verdict != Verdict::allow) {
      rule.reason = otherwise.reason;
      rule.suggestion = otherwise.suggestion;
    }
    profile.rules.push_back(std::move(rule));
  };
  if (table->get("forbid") != nullptr) {
    add("forbid", Verdict::deny);
  }
  if (table->get("allow") != nullptr) {
    add("allow", Verdict::allow);
    otherwise.verdict = Verdict::deny;
    reader.remember(key + ".otherwise", table->get("allow")->source());
  }
  if (const auto said = reader.verdict(*table, "otherwise"); said) {
    otherwise.verdict = *said;
    reader.remember(key + ".otherwise", table->get("otherwise")->source());
  }
}

void read_rule(Reader& reader, const toml::table& table, Profile& profile) {
  reader.only(table, {"id", "verdict", "language", "import", "call", "attribute", "dynamic", "reason", "suggestion",
                      "match", "no_match"});
  Rule rule;
  rule.id = reader.required_text(table, "id");
  if (!is_word(rule.id, "_")) {
    reader.refuse(table.source(), fmt::format("'id' has 1 to {} letters of a-z, 0-9 and _", kMaxId));
  }
  if (const auto verdict = reader.verdict(table, "verdict"); verdict) {
    rule.verdict = *verdict;
  } else {
    reader.refuse(table.source(), fmt::format("the rule {} has no 'verdict'", rule.id));
  }
  rule.language = reader.text(table, "language", kMaxId).value_or("");
  std::size_t names = 0;
  for (const FactKind kind : {FactKind::import, FactKind::call, FactKind::attribute, FactKind::dynamic}) {
    auto& list = rule.names[static_cast<std::size_t>(kind)];
    list = reader.names(table, to_string(kind), fmt::format("rule.{}.{}", rule.id, to_string(kind)));
    names += list.size();
  }
  if (names == 0) {
    reader.refuse(table.source(),
                  fmt::format("the rule {} names nothing: import, call, attribute or dynamic", rule.id));
  }
  rule.reason = reader.required_text(table, "reason");
  rule.suggestion = reader.text(table, "suggestion").value_or("");
  rule.match = reader.texts(table, "match", kMaxExampleBytes);
  rule.no_match = reader.texts(table, "no_match", kMaxExampleBytes);
  if (rule.match.empty() || rule.no_match.empty()) {
    reader.refuse(table.source(), fmt::format("the rule {} needs an example in 'match' and in 'no_match'", rule.id));
  }
  reader.remember("rule." + rule.id, table.source());
  for (const std::string_view key : {"match", "no_match"}) {
    if (const toml::node* node = table.get(key); node != nullptr) {
      reader.remember(fmt::format("rule.{}.{}", rule.id, key), node->source());
    }
  }
  profile.rules.push_back(std::move(rule));
}

void read_rules(Reader& reader, const toml::table& root, Profile& profile) {
  const toml::node* node = root.get("rule");
  if (node == nullptr) {
    return;
  }
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() > kMaxRules) {
    return reader.refuse(node->source(),
                         fmt::format("'rule' must be a list of at most {} tables: [[rule]]", kMaxRules));
  }
  for (const toml::node& item : *array) {
    if (item.as_table() == nullptr) {
      return reader.refuse(item.source(), "'rule' must be a list of tables: [[rule]]");
    }
    read_rule(reader, *item.as_table(), profile);
  }
  std::set<std::string_view> ids;
  for (const Rule& rule : profile.rules) {
    if (!ids.insert(rule.id).second) {
      reader.refuse(profile.places["rule." + rule.id], fmt::format("there are two rules '{}'", rule.id));
    }
  }
}

// toml++ 3.3 reaches code that it believes unreachable with some letters outside of ASCII.
std::optional<toml::source_position> first_foreign_character(std::string_view text) {
  toml::source_position at{1, 1};
  for (const char letter : text) {
    if ((letter & 0x80) != 0 || letter == '\0') {
      return at;
    }
    at = letter == '\n' ? toml::source_position{at.line + 1, 1} : toml::source_position{at.line, at.column + 1};
  }
  return std::nullopt;
}

void read_profile(Reader& reader, const toml::table& root, std::string_view name, Profile& profile) {
  reader.only(root, {"name", "description", "languages", "dynamic", "unparsed", "network", "isolation", "program",
                     "limits", "imports", "calls", "attributes", "rule"});
  read_head(reader, root, name, profile);
  read_caps(reader, root, profile);
  for (const FactKind kind : {FactKind::import, FactKind::call, FactKind::attribute}) {
    read_lists(reader, root, kind, profile);
  }
  read_rules(reader, root, profile);
}

}  // namespace

base::Result<Profile> parse_profile(std::string_view toml_text, std::string_view file_name, std::string_view name,
                                    ExampleCheck check) {
  if (toml_text.size() > kMaxFileBytes) {
    return base::fail(base::ErrorCode::invalid_request,
                      fmt::format("{}: larger than {} bytes", file_name, kMaxFileBytes));
  }
  Profile profile;
  profile.file_name = file_name;
  profile.text = toml_text;
  profile.sha256 = base::sha256_hex(toml_text);
  Reader reader(file_name, profile);
  if (const auto foreign = first_foreign_character(toml_text); foreign) {
    reader.refuse(*foreign, "only ASCII text is allowed");
    return base::fail(*reader.complaint());
  }
  try {
    const toml::table root = toml::parse(toml_text, file_name);
    read_profile(reader, root, name, profile);
  } catch (const toml::parse_error& error) {
    reader.refuse(error.source().begin, error.description());
  } catch (const std::logic_error& error) {
    reader.refuse(toml::source_position{1, 1}, error.what());
  }
  if (reader.complaint()) {
    return base::fail(*reader.complaint());
  }
  if (check == ExampleCheck::full) {
    TRY_STATUS(check_examples(profile));
  }
  return profile;
}

}  // namespace glovebox::policy
