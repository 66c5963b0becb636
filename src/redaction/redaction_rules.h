// What a secret looks like, as data (O2): profiles/redaction/*.toml.
//
//   [[rule]]
//   id             names the rule in "[redacted:id]" and in a record's counts: a-z, 0-9, '_'
//   reason         a sentence: what leaks if this stays
//   words          literals of 3 or more bytes; the pattern is tried only where one of them stands. A class such as
//                  "SK[0-9a-f]" stands for each of its letters
//   any_case       the words match in any case (the pattern says so itself, with (?i))
//   pattern        RE2 over bytes. Every capturing group that took part is a secret; without groups the whole match is
//   before         the match may begin so many bytes before the word; 0: the pattern begins with the word
//   inside_words   the word may follow letters, as in DB_PASSWORD; otherwise it must begin a token
//   cut_off        output was cut within the secret: a word and at least 4 letters of token up to the cut are enough,
//   if
//                  they do not look like a name
//   min_entropy    bits per byte that the secret must have; 0 also skips the [[ignore]] patterns
//   shape          "any", "mixed", "password" or "random": further checks of the secret (value_shape.h)
//   text_only      not tried on binary data: the pattern leans on how people write
//   not_after      the word does not count directly after one of these (in any case): page_ before token
//   match          examples that must be redacted by this rule
//   no_match       examples that this rule must leave alone
//
//   [[ignore]]
//   id, reason, pattern   what stands for a secret without being one; tried on the secret that a rule found
//
// Examples are templates (example_text.h), so that no file holds a string that passes for a live key. They are checked
// when a file is read with RuleCheck::full: a rule that does not do what its author believes is refused, with the file,
// line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glovebox::redaction {

enum class Shape { any, mixed, password, random };

struct Rule {
  std::string id;
  std::string reason;
  std::vector<std::string> words;  // classes expanded
  bool any_case = false;
  std::string pattern;
  std::size_t before = 0;
  bool inside_words = false;
  bool cut_off = false;
  double min_entropy = 2.0;
  Shape shape = Shape::any;
  bool text_only = false;
  std::vector<std::string> not_after;  // lower case
  std::vector<std::string> match;
  std::vector<std::string> no_match;
  bool operator==(const Rule&) const = default;
};

struct Ignore {
  std::string id;
  std::string reason;
  std::string pattern;
  bool operator==(const Ignore&) const = default;
};

struct RedactionRules {
  std::vector<Rule> rules;  // where two find the same bytes, the earlier one gives its name
  std::vector<Ignore> ignores;
  bool operator==(const RedactionRules&) const = default;
};

// `trust` is for the built-in file, whose patterns and examples a test holds: compiling them all takes longer than a
// short run does.
enum class RuleCheck { full, trust };

// file_name is for messages only.
[[nodiscard]] base::Result<RedactionRules> parse_redaction_rules(std::string_view toml_text, std::string_view file_name,
                                                                 RuleCheck check = RuleCheck::full);
// The built-in rules.
[[nodiscard]] base::Result<RedactionRules> default_redaction_rules();
// `extra` over `rules`: an equal id replaces, a new one comes first, so that an operator's name wins.
[[nodiscard]] RedactionRules merge_rules(RedactionRules rules, RedactionRules extra);

}  // namespace glovebox::redaction
