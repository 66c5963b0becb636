// May this program run? (P1)
//
//   Decision decision = decide(policy, question_of(request, "python"));
//
// No I/O, and no state; a clock only to bound the reading. The program's text is read only if a rule of the policy can
// depend on it. Every rule that asks or denies is told with its place; the strictest is the verdict. Approved rules (a
// person's
// `--approve RULE`, or an approval of the service) turn "ask" into "allow", never "deny".
//
// A limit above the policy's bound is denied by name, with one exception: a limit that the request left at the
// contract's default was not asked for, so it is lowered to the bound, and the decision says so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/json_writer.h"
#include "contract/limits.h"
#include "contract/run_request.h"
#include "policy/effective_policy.h"
#include "policy/program_facts.h"

namespace glovebox::policy {

// A file that travels with a program and that the program can load as code.
struct SourceFile {
  std::string_view path;
  std::optional<std::string_view> text;  // nothing: stored elsewhere, so nobody reads it here
};

// A program that checks the first one's answer (expect.cross_check), in a cell of its own.
struct SecondProgram {
  std::string_view language;
  std::string_view code;
};

// Borrows from the request.
struct PolicyQuestion {
  std::string_view language;  // its id, not an alias
  std::string_view code;
  std::vector<SourceFile> files;
  std::vector<SourceFile> packages;     // files called package.json, which may say what Node loads
  std::vector<std::string_view> paths;  // of all files, read or not
  std::optional<SecondProgram> second;
  std::vector<std::string_view> called;       // functions of the program that are called from outside of it
  std::vector<std::string_view> environment;  // names of the variables that it is given
  contract::Limits limits;
  bool wants_network = false;
  contract::Isolation isolation = contract::Isolation::container;
  std::vector<std::string> approved_rules;
};

[[nodiscard]] PolicyQuestion question_of(const contract::RunRequest& request, std::string_view language);

struct Finding {
  std::string rule;  // the id of a rule, or the key that was at fault: dynamic, unparsed, imports, limits.wall_ms
  Verdict verdict = Verdict::allow;
  Layer layer = Layer::built_in;
  std::string profile;      // of the layer
  std::string subject;      // what was found: "import of subprocess"
  std::string file;         // empty: the program itself; "expect.cross_check": the second one
  std::optional<Place> at;  // nothing: the finding is about the whole
  std::string reason;
  std::string suggestion;
  bool approved = false;  // it asked, and somebody said yes
  bool operator==(const Finding&) const = default;
};

struct LoweredLimit {
  std::uint64_t asked = 0;
  std::uint64_t granted = 0;
  bool operator==(const LoweredLimit&) const = default;
};

struct Decision {
  Verdict verdict = Verdict::allow;
  std::string policy;             // "strict@sha256:…"
  std::vector<Finding> findings;  // the strictest first, then in the order of the text
  std::uint64_t left_out = 0;     // findings beyond the first hundred
  std::map<std::string, LoweredLimit> lowered;
  contract::Limits limits;  // that the run gets
  bool read = false;        // the program's text was looked at
  std::string approved_by;  // who said yes to what was asked; empty: nobody had to
  bool operator==(const Decision&) const = default;
};

// `explain` also reads for rules that only have something to say: findings with the verdict "allow".
enum class Detail { verdict, explain };

[[nodiscard]] Decision decide(const EffectivePolicy& policy, const PolicyQuestion& question,
                              Detail detail = Detail::verdict);

// The ids of the rules that ask, each once: what somebody would have to approve.
[[nodiscard]] std::vector<std::string> asking_rules(const Decision& decision);

// One sentence: the strictest finding, its rule and its place, and how many more there are.
[[nodiscard]] std::string summary_of(const Decision& decision);

// {"decision":"deny","policy":…,"findings":[…],…}
[[nodiscard]] std::string to_json(const Decision& decision, contract::JsonStyle style = contract::JsonStyle::compact);

}  // namespace glovebox::policy
