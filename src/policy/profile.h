// A policy profile is one file of data (P2): profiles/policies/<name>.toml.
//
//   name            what a request says in `policy`; the file's name without .toml
//   description     a sentence for people
//   languages       which may run at all; left out: all
//   dynamic         what becomes of what the text does not tell: allow (default), ask, deny
//   unparsed        what becomes of text that cannot be read, wholly or in part: allow (default), ask, deny
//   network         "none": a request may ask for no network; "allowed" (default)
//   isolation       the weakest level that will do: "process" (default), "container", "vm"
//   [program]       caps: max_bytes, max_lines, max_nesting
//   [limits]        upper bounds, by the names of the contract: wall_ms, memory_bytes, …
//   [imports]       allow = [names], forbid = [names], otherwise = verdict of what `allow` does not name (default:
//   deny), [calls]         reason, suggestion. The same three times: modules; what is called; what is touched.
//   [attributes]
//   [[rule]]        id           names the rule in findings, records and approvals: a-z, 0-9, '_'
//                   verdict      allow, ask, deny
//                   language     left out: all
//                   import, call, attribute, dynamic      lists of names that it is about; at least one name in all
//                   reason       a sentence: why
//                   suggestion   a sentence: what to do instead
//                   match        programs that this rule must find something in
//                   no_match     programs that it must leave alone
//
// Names are dotted and canonical, as program_facts.h gives them (name_pattern.h says what matches). Of all rules that
// match a fact the strictest counts; where none does, the table's `otherwise`. Parsing is strict: an unknown key, a
// wrong type, a bad name or a broken example is refused with the file, line and column, because a rule that does not
// do what its author believes is worse than none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"
#include "policy/program_facts.h"
#include "policy/verdict.h"

namespace glovebox::policy {

inline constexpr std::size_t kFactKinds = 4;
[[nodiscard]] std::string_view to_string(FactKind kind);

struct Rule {
  std::string id;
  Verdict verdict = Verdict::deny;
  std::string language;                                      // empty: all
  std::array<std::vector<std::string>, kFactKinds> names{};  // by FactKind
  std::string reason;
  std::string suggestion;
  std::vector<std::string> match;
  std::vector<std::string> no_match;
  bool operator==(const Rule&) const = default;
};

// What becomes of a fact that no rule of the profile is about.
struct Otherwise {
  Verdict verdict = Verdict::allow;
  std::string reason;
  std::string suggestion;
  bool operator==(const Otherwise&) const = default;
};

// Of the text; 0: no cap.
struct ProgramCaps {
  std::uint64_t max_bytes = 0;
  std::uint64_t max_lines = 0;
  std::uint64_t max_nesting = 0;
  bool operator==(const ProgramCaps&) const = default;
};

// Where something stands in the profile's file; 1-based.
struct FilePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const FilePlace&) const = default;
};

struct Profile {
  std::string name;
  std::string description;
  std::vector<std::string> languages;
  std::array<Otherwise, kFactKinds> otherwise{};  // by FactKind; that of `dynamic` facts is the key `dynamic`
  Verdict unparsed = Verdict::allow;
  bool network_allowed = true;
  contract::Isolation isolation = contract::Isolation::process;
  ProgramCaps program;
  std::map<std::string, std::uint64_t> limits;  // name → the most
  std::vector<Rule> rules;
  std::string file_name;                    // for messages
  std::string text;                         // the file's
  std::string sha256;                       // of the file's text
  std::map<std::string, FilePlace> places;  // of what the file says, by key: "limits.wall_ms", "rule.sockets"
  bool operator==(const Profile&) const = default;
};

// "file:line:column: " of a key that the file has; without place if it has none.
[[nodiscard]] std::string where(const Profile& profile, const std::string& key);

// `trust` is for built-in profiles, whose examples a test holds: reading them at every start would cost more than a
// run.
enum class ExampleCheck { full, trust };

// `name` is what the file must call itself; a workspace's file may leave its name out. file_name is for messages.
[[nodiscard]] base::Result<Profile> parse_profile(std::string_view toml_text, std::string_view file_name,
                                                  std::string_view name, ExampleCheck check = ExampleCheck::full);

// Built-in ones, by the names of their files; sorted.
[[nodiscard]] std::vector<std::string> built_in_profile_names();
// Nothing: there is no such built-in profile.
[[nodiscard]] std::optional<base::Result<Profile>> built_in_profile(std::string_view name,
                                                                    ExampleCheck check = ExampleCheck::trust);

}  // namespace glovebox::policy
