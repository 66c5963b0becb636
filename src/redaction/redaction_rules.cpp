#include "redaction/redaction_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/toml_reader.h"
#include "redaction/embedded.h"
#include "redaction/example_text.h"
#include "redaction/text_scan.h"

namespace glovebox::redaction {
namespace {

constexpr base::TomlKind kRulesFile = {
    "a file of redaction rules", 512U << 10U,
    "only ASCII characters may stand in redaction rules; write others as \\x.. in a pattern"};
constexpr std::size_t kMaxItems = 512;
constexpr std::size_t kMaxRules = 1000;
constexpr std::size_t kMaxPattern = 4096;
constexpr std::size_t kMaxWords = 512;  // of one rule, classes expanded
constexpr std::size_t kMaxWord = 64;
constexpr std::size_t kMaxBefore = 64U << 10U;
constexpr std::size_t kMaxId = 48;

// A list of strings with the place of each.
struct Placed {
  std::string text;
  toml::source_region where;
};

class Reader : public base::TomlReader {
 public:
  using TomlReader::TomlReader;

  std::string required_text(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr || node->as_string() == nullptr || node->as_string()->get().empty()) {
      refuse(place(table, key), fmt::format("'{}' must be a string", key));
      return {};
    }
    return node->as_string()->get();
  }

  std::vector<Placed> texts(const toml::table& table, std::string_view key) {
    std::vector<Placed> found;
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return found;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() > kMaxItems) {
      refuse(node->source(), fmt::format("'{}' must be a list of at most {} strings", key, kMaxItems));
      return found;
    }
    for (const toml::node& item : *array) {
      if (item.as_string() == nullptr) {
        refuse(item.source(), fmt::format("'{}' must be a list of strings", key));
        return found;
      }
      found.push_back({item.as_string()->get(), item.source()});
    }
    return found;
  }

  double number(const toml::table& table, std::string_view key, double otherwise, double most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return otherwise;
    }
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !(*value >= 0 && *value <= most)) {
      refuse(node->source(), fmt::format("'{}' must be a number from 0 to {}", key, most));
      return otherwise;
    }
    return *value;
  }

  std::vector<const toml::table*> tables(const toml::table& root, std::string_view key) {
    std::vector<const toml::table*> found;
    const toml::node* node = root.get(key);
    const toml::array* array = node == nullptr ? nullptr : node->as_array();
    if (node != nullptr && (array == nullptr || array->size() > kMaxRules)) {
      refuse(node->source(), fmt::format("'{}' must be a list of at most {} tables", key, kMaxRules));
      return found;
    }
    for (std::size_t index = 0; array != nullptr && index < array->size(); ++index) {
      const toml::node& item = *array->get(index);
      if (item.as_table() == nullptr) {
        refuse(item.source(), fmt::format("'{}' must be a list of tables", key));
        return found;
      }
      found.push_back(item.as_table());
    }
    return found;
  }
};

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxId && std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

// The letters of "[a-f09]", from behind the bracket on; `word` is left behind the closing one.
std::optional<std::string> read_class(std::string_view& word) {
  const std::size_t close = word.find(']');
  if (close == std::string_view::npos || close == 0) {
    return std::nullopt;
  }
  std::string letters;
  for (std::size_t index = 0; index < close; ++index) {
    if (index + 2 < close && word[index + 1] == '-') {
      for (char letter = word[index]; letter <= word[index + 2] && letters.size() < 128; ++letter) {
        letters += letter;
      }
      index += 2;
    } else {
      letters += word[index];
    }
  }
  word.remove_prefix(close + 1);
  return letters;
}

// "SK[0-9a-f]" → SK0, SK1, …
std::optional<std::vector<std::string>> expand_word(std::string_view word) {
  std::vector<std::string> words = {""};
  while (!word.empty()) {
    std::string letters(1, word.front());
    word.remove_prefix(1);
    if (letters == "[") {
      auto in_class = read_class(word);
      if (!in_class) {
        return std::nullopt;
      }
      letters = std::move(*in_class);
    }
    if (words.size() * letters.size() > kMaxWords) {
      return std::nullopt;
    }
    std::vector<std::string> longer;
    for (const std::string& begun : words) {
      for (const char letter : letters) {
        longer.push_back(begun + letter);
      }
    }
    words = std::move(longer);
  }
  return words;
}

void read_words(Reader& reader, const toml::table& table, Rule& rule) {
  for (const Placed& word : reader.texts(table, "words")) {
    auto expanded = expand_word(word.text);
    if (!expanded || expanded->front().size() < WordFinder::kMinWord || expanded->front().size() > kMaxWord) {
      reader.refuse(word.where,
                    fmt::format("a word has {} to {} bytes and classes like [0-9a-f]", WordFinder::kMinWord, kMaxWord));
      return;
    }
    rule.words.insert(rule.words.end(), expanded->begin(), expanded->end());
  }
  if (rule.words.empty() || rule.words.size() > kMaxWords) {
    reader.refuse(Reader::place(table, "words"), fmt::format("a rule has 1 to {} words", kMaxWords));
  }
}

Shape read_shape(Reader& reader, const toml::table& table) {
  if (table.get("shape") == nullptr) {
    return Shape::any;
  }
  constexpr std::array<std::pair<std::string_view, Shape>, 4> kShapes = {
      {{"any", Shape::any}, {"mixed", Shape::mixed}, {"password", Shape::password}, {"random", Shape::random}}};
  const std::string name = reader.required_text(table, "shape");
  for (const auto& [known, shape] : kShapes) {
    if (known == name) {
      return shape;
    }
  }
  reader.refuse(Reader::place(table, "shape"), "'shape' must be any, mixed, password or random");
  return Shape::any;
}

std::vector<std::string> texts_only(std::vector<Placed> placed) {
  std::vector<std::string> texts;
  texts.reserve(placed.size());
  for (Placed& each : placed) {
    texts.push_back(std::move(each.text));
  }
  return texts;
}

Rule read_rule(Reader& reader, const toml::table& table) {
  reader.only(table, {"id", "reason", "words", "any_case", "pattern", "before", "inside_words", "cut_off",
                      "min_entropy", "shape", "text_only", "not_after", "match", "no_match"});
  Rule rule;
  rule.id = reader.required_text(table, "id");
  if (!is_id(rule.id)) {
    reader.refuse(Reader::place(table, "id"), fmt::format("'id' has 1 to {} letters of a-z, 0-9 and _", kMaxId));
  }
  rule.reason = reader.required_text(table, "reason");
  rule.pattern = reader.required_text(table, "pattern");
  if (rule.pattern.size() > kMaxPattern) {
    reader.refuse(Reader::place(table, "pattern"), fmt::format("'pattern' has at most {} bytes", kMaxPattern));
  }
  read_words(reader, table, rule);
  rule.any_case = reader.flag(table, "any_case");
  rule.before = static_cast<std::size_t>(reader.number(table, "before", 0, static_cast<double>(kMaxBefore)));
  rule.inside_words = reader.flag(table, "inside_words");
  rule.cut_off = reader.flag(table, "cut_off");
  rule.min_entropy = reader.number(table, "min_entropy", rule.min_entropy, 8);
  rule.shape = read_shape(reader, table);
  rule.text_only = reader.flag(table, "text_only");
  rule.not_after = texts_only(reader.texts(table, "not_after"));
  for (std::string& ending : rule.not_after) {
    std::transform(ending.begin(), ending.end(), ending.begin(), to_lower);
  }
  rule.match = texts_only(reader.texts(table, "match"));
  rule.no_match = texts_only(reader.texts(table, "no_match"));
  if (rule.match.empty() || rule.no_match.empty()) {
    reader.refuse(table.source(), fmt::format("the rule {} needs an example in 'match' and in 'no_match'", rule.id));
  }
  return rule;
}

Ignore read_ignore(Reader& reader, const toml::table& table) {
  reader.only(table, {"id", "reason", "pattern"});
  return {reader.required_text(table, "id"), reader.required_text(table, "reason"),
          reader.required_text(table, "pattern")};
}

// The rule by itself, with what it will ignore, against its own examples.
void check_rule(Reader& reader, const toml::table& table, const Rule& rule, const std::vector<Ignore>& ignores) {
  RedactionRules alone;
  alone.rules = {rule};
  alone.ignores = ignores;
  const TextScan scan(std::move(alone), {});
  if (const auto status = scan.check_patterns(); !status) {
    reader.refuse(Reader::place(table, "pattern"), status.error().message);
    return;
  }
  for (const std::string_view key : {"match", "no_match"}) {
    for (const Placed& example : reader.texts(table, key)) {
      const auto text = expand_example(example.text);
      if (!text) {
        reader.refuse(example.where, "an example's template is @{kind:count}");
        return;
      }
      Counts counts;
      const bool found = scan.redact(*text, counts).has_value();
      if (found != (key == "match")) {
        reader.refuse(example.where,
                      fmt::format("the rule {} {} this example", rule.id, found ? "must not match" : "does not match"));
        return;
      }
    }
  }
}

RedactionRules read_rules(Reader& reader, const toml::table& root, RuleCheck check) {
  RedactionRules rules;
  reader.only(root, {"rule", "ignore"});
  for (const toml::table* table : reader.tables(root, "ignore")) {
    rules.ignores.push_back(read_ignore(reader, *table));
  }
  std::set<std::string> ids;
  const auto tables = reader.tables(root, "rule");
  for (const toml::table* table : tables) {
    rules.rules.push_back(read_rule(reader, *table));
    if (!ids.insert(rules.rules.back().id).second) {
      reader.refuse(Reader::place(*table, "id"), fmt::format("the id {} is taken", rules.rules.back().id));
    }
  }
  for (std::size_t index = 0; check == RuleCheck::full && index < tables.size() && !reader.complaint(); ++index) {
    check_rule(reader, *tables[index], rules.rules[index], rules.ignores);
  }
  return rules;
}

}  // namespace

base::Result<RedactionRules> parse_redaction_rules(std::string_view toml_text, std::string_view file_name,
                                                   RuleCheck check) {
  Reader reader(file_name);
  const toml::table root = TRY(reader.open(toml_text, kRulesFile));
  RedactionRules rules = read_rules(reader, root, check);
  if (reader.complaint()) {
    return base::fail(*reader.complaint());
  }
  return rules;
}

base::Result<RedactionRules> default_redaction_rules() {
  RedactionRules rules;
  for (const base::EmbeddedFile& file : embedded_rule_files()) {
    RedactionRules more = TRY(parse_redaction_rules(file.text, file.path, RuleCheck::trust));
    rules = merge_rules(std::move(rules), std::move(more));
  }
  return rules;
}

RedactionRules merge_rules(RedactionRules rules, RedactionRules extra) {
  const auto replace = [](auto& kept, auto& added) {
    std::erase_if(kept, [&](const auto& old) {
      return std::any_of(added.begin(), added.end(), [&](const auto& each) { return each.id == old.id; });
    });
    kept.insert(kept.begin(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  };
  replace(rules.rules, extra.rules);
  replace(rules.ignores, extra.ignores);
  return rules;
}

}  // namespace glovebox::redaction
