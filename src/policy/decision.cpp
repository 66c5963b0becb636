#include "policy/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <tuple>

#include "base/build_speed.h"
#include "base/utf8.h"
#include "contract/limit_table.h"
#include "policy/node_resolution.h"
#include "policy/source_files.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxFindings = 100;
constexpr std::size_t kMaxSubjectBytes = 200;
constexpr std::size_t kMaxSourceFiles = 64;
constexpr const char* kSecondProgram = "expect.cross_check";
constexpr auto kReadingTime = std::chrono::microseconds(300'000 * base::kSlowness);  // for all texts of one question

std::string_view verb_of(FactKind kind) {
  switch (kind) {
    case FactKind::import:
      return "import of";
    case FactKind::call:
      return "call of";
    case FactKind::attribute:
      return "use of";
    case FactKind::dynamic:
      return "what the text does not tell:";
  }
  return "";
}

// A carriage return alone ends a line in Python and JavaScript.
std::uint64_t line_ends(std::string_view code) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    count += code[at] == '\n' || (code[at] == '\r' && code.substr(at + 1, 1) != "\n") ? 1 : 0;
  }
  return count;
}

// Variables by which an interpreter is told to load or run something before the program.
bool can_load_code(std::string_view name) {
  constexpr std::array<std::string_view, 8> kHarmless = {
      "NODE_ENV",         "NODE_NO_WARNINGS", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING",
      "PYTHONUNBUFFERED", "PYTHONUTF8",       "PYTHONWARNINGS"};
  constexpr std::array<std::string_view, 8> kNames = {"BASH_ENV",  "BASHOPTS",       "ENV", "PATH", "PS4",
                                                      "SHELLOPTS", "PROMPT_COMMAND", "HOME"};
  if (std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end()) {
    return false;
  }
  return name.starts_with("NODE_") || name.starts_with("PYTHON") || name.starts_with("BASH_FUNC") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string subject_of(const Fact& fact) {
  std::string text = fmt::format("{} {}", verb_of(fact.kind), fact.name);
  if (fact.kind == FactKind::import && !fact.detail.empty()) {
    text += fact.detail == "*" ? " (all of it)" : "." + fact.detail;
  } else if (fact.kind == FactKind::dynamic && !fact.detail.empty()) {
    text += ", " + fact.detail;
  }
  return base::printable(text, kMaxSubjectBytes);
}

// Collects what the layers have to say about one question.
class Judge {
 public:
  Judge(const EffectivePolicy& policy, const PolicyQuestion& question, Detail detail)
      : policy_(policy), question_(question), detail_(detail) {
    decision_.policy = policy.reference();
    decision_.limits = question.limits;
  }

  Decision judge() {
    for (std::size_t layer = 0; layer < policy_.layers().size(); ++layer) {
      judge_request(policy_.layers()[layer]);
    }
    if (policy_.needs_facts() || (detail_ == Detail::explain && policy_.has_rules())) {
      judge_text();
    }
    return finish();
  }

 private:
  void add(Finding finding, const PolicyLayer& layer) {
    finding.layer = layer.layer;
    finding.profile = layer.profile->name;
    const auto& approved = question_.approved_rules;
    finding.approved =
        finding.verdict == Verdict::ask && std::find(approved.begin(), approved.end(), finding.rule) != approved.end();
    if (!finding.approved) {
      decision_.verdict = strictest(decision_.verdict, finding.verdict);
    }
    const auto says_the_same = [&](const Finding& each) {
      return each.rule == finding.rule && each.verdict == finding.verdict;
    };
    if (all_.size() < kMaxFindings * 4 || std::none_of(all_.begin(), all_.end(), says_the_same)) {
      all_.push_back(std::move(finding));
    } else {
      ++decision_.left_out;
    }
  }

  void judge_request(const PolicyLayer& layer) {
    const Profile& profile = *layer.profile;
    const auto deny = [&](std::string rule, std::string subject, std::string reason, std::string suggestion) {
      Finding finding;
      finding.rule = std::move(rule);
      finding.verdict = Verdict::deny;
      finding.subject = std::move(subject);
      finding.reason = std::move(reason);
      finding.suggestion = std::move(suggestion);
      add(std::move(finding), layer);
    };
    if (question_.wants_network && !profile.network_allowed) {
      deny("network", "network.allow", "the profile has no network", "pass the data as files");
    }
    if (strength(question_.isolation) < strength(profile.isolation)) {
      deny("isolation", fmt::format("isolation \"{}\"", contract::to_string(question_.isolation)),
           fmt::format("the profile wants \"{}\" at least", contract::to_string(profile.isolation)),
           fmt::format("ask for \"{}\"", contract::to_string(profile.isolation)));
    }
    judge_limits(profile, deny);
    judge_size(profile, question_.language, question_.code, deny);
    if (question_.second) {
      judge_size(profile, question_.second->language, question_.second->code, deny);
    }
  }

  template <typename Deny>
  static void judge_size(const Profile& profile, std::string_view language, std::string_view code, const Deny& deny) {
    const auto& languages = profile.languages;
    if (!languages.empty() && std::find(languages.begin(), languages.end(), language) == languages.end()) {
      deny("languages", fmt::format("a program in {}", language),
           fmt::format("the profile is for {}", fmt::join(languages, ", ")),
           fmt::format("write it in {}", languages.front()));
    }
    const ProgramCaps& caps = profile.program;
    if (caps.max_bytes != 0 && code.size() > caps.max_bytes) {
      deny("program.max_bytes", fmt::format("a program of {} bytes", code.size()),
           fmt::format("at most {} bytes are allowed", caps.max_bytes), "move data out of the program into files");
    }
    const std::uint64_t lines = line_ends(code) + 1;
    if (caps.max_lines != 0 && lines > caps.max_lines) {
      deny("program.max_lines", fmt::format("a program of {} lines", lines),
           fmt::format("at most {} lines are allowed", caps.max_lines), "do less in one program");
    }
  }

  template <typename Deny>
  void judge_limits(const Profile& profile, const Deny& deny) {
    constexpr contract::Limits kDefaults;
    for (const auto& [name, most] : profile.limits) {
      const auto field = std::find_if(contract::kLimitTable.begin(), contract::kLimitTable.end(),
                                      [&key = name](const contract::LimitField& each) { return each.name == key; });
      const std::uint64_t asked = question_.limits.*(field->member);
      std::uint64_t& granted = decision_.limits.*(field->member);
      if (asked <= most) {
        continue;
      }
      if (asked == kDefaults.*(field->member)) {
        granted = std::min(granted, most);
        decision_.lowered[name] = {asked, granted};
      } else {
        deny("limits." + name, fmt::format("limits.{} = {}", name, asked), fmt::format("at most {} is allowed", most),
             fmt::format("ask for {} or less", most));
      }
    }
  }

  void judge_text() {
    decision_.read = true;
    judge_environment();
    if (question_.called.empty()) {
      judge_program("", question_.language, question_.code);
    } else {
      judge_program("", question_.language, code_with_calls());
    }
    if (question_.second) {
      judge_program(kSecondProgram, question_.second->language, question_.second->code);
    }
    judge_packages();
    for (const SourceFile& file : question_.files) {
      const auto own_syntax = syntax_of_file(file.path);
      if (file.text && own_syntax) {
        judge_source({std::string(file.path), language_of(*own_syntax), *file.text, *own_syntax});
      } else {
        unparsed(std::string(file.path), fmt::format("the code in {}", file.path),
                 "it was not read: it is compiled, it is stored elsewhere, or there is too much of it", {});
      }
    }
  }

  void judge_packages() {
    const bool runs_node =
        question_.language == "javascript" || (question_.second && question_.second->language == "javascript");
    for (const SourceFile& file : question_.packages) {
      const auto redirection = runs_node ? find_redirection(question_, file.path, file.text, deadline_) : std::nullopt;
      if (redirection) {
        unparsed(std::string(file.path), fmt::format("the package in {}", file.path), *redirection, {});
      }
    }
  }

  // What is called by its name is used by the program, although not in its text.
  [[nodiscard]] std::string code_with_calls() const {
    std::string text(question_.code);
    for (const std::string_view name : question_.called) {
      text += question_.language == "javascript" ? fmt::format("\n;{}(input);", name)
                                                 : fmt::format("\n\n{}(input)\n", name);
    }
    return text;
  }

  void judge_environment() {
    for (const std::string_view name : question_.environment) {
      if (can_load_code(name)) {
        unparsed("", fmt::format("the environment variable {}", name), "it can make the interpreter load code", {});
      }
    }
  }

  void judge_program(const char* file, std::string_view language, std::string_view code) {
    if (const auto syntax = syntax_of(language); syntax) {
      judge_source({file, language, code, *syntax});
    } else {
      unparsed(file, fmt::format("a program in {}", language), "nobody can read this language here", {});
    }
  }

  struct Source {
    std::string file;
    std::string_view language;
    std::string_view text;
    Syntax syntax;
  };

  // Where a program's own modules are looked for from.
  static std::string_view own_path(const Source& source) {
    return source.file == kSecondProgram ? std::string_view() : std::string_view(source.file);
  }

  void judge_source(const Source& source) {
    const std::string& file = source.file;
    const auto left = deadline_ - std::chrono::steady_clock::now();
    if (left <= left.zero()) {
      return unparsed(file, "text that nobody had time to read", "what cannot be read cannot be judged", {});
    }
    ReadBounds bounds;
    bounds.max_time = std::min(bounds.max_time, std::chrono::duration_cast<std::chrono::microseconds>(left));
    const ProgramFacts read = read_program(source.syntax, source.text, bounds);
    if (!read.gap.empty()) {
      unparsed(file, "text that cannot be read: " + read.gap, "what cannot be read cannot be judged", read.gap_at);
    }
    for (std::size_t layer = 0; layer < policy_.layers().size(); ++layer) {
      const Profile& profile = *policy_.layers()[layer].profile;
      if (profile.program.max_nesting != 0 && read.nesting > profile.program.max_nesting) {
        Finding finding;
        finding.rule = "program.max_nesting";
        finding.verdict = Verdict::deny;
        finding.file = file;
        finding.subject = fmt::format("a program nested {} deep", read.nesting);
        finding.reason = fmt::format("at most {} levels are allowed", profile.program.max_nesting);
        finding.suggestion = "split it into functions";
        add(std::move(finding), policy_.layers()[layer]);
      }
      told_by_import_.assign(profile.rules.size(), 0);
      for (const Fact& fact : read.facts) {
        judge_fact(layer, fact, source);
      }
      for (const Fact& fact : read.facts) {
        judge_module_of(layer, fact, source);
      }
    }
  }

  void judge_fact(std::size_t number, const Fact& fact, const Source& source) {
    const std::string& file = source.file;
    const PolicyLayer& layer = policy_.layers()[number];
    const Profile& profile = *layer.profile;
    policy_.rules(number).find(fact, numbers_);
    bool judged = false;
    for (const std::uint32_t index : numbers_) {
      const Rule& rule = profile.rules[index];
      if (!is_about(rule, source)) {
        continue;
      }
      judged = true;
      told_by_import_[index] = told_by_import_[index] != 0 || fact.kind == FactKind::import ? 1 : 0;
      if (rule.verdict != Verdict::allow || (detail_ == Detail::explain && !rule.reason.empty())) {
        add(finding_of(rule, fact, file), layer);
      }
    }
    const Otherwise& otherwise = profile.otherwise[static_cast<std::size_t>(fact.kind)];
    if (judged || otherwise.verdict == Verdict::allow ||
        (fact.kind == FactKind::import && is_own_import(fact.name, source))) {
      return;
    }
    const bool dynamic = fact.kind == FactKind::dynamic;
    const std::string key = dynamic ? "dynamic" : std::string(to_string(fact.kind)) + "s";
    const std::string reason =
        !otherwise.reason.empty() ? otherwise.reason
        : dynamic                 ? "the program hides what it does here, or decides it only when it runs"
                                  : fmt::format("the profile names what is allowed, and {} is not among it", fact.name);
    const std::string suggestion = !otherwise.suggestion.empty() ? otherwise.suggestion
                                   : dynamic                     ? "name the module, function or attribute in the text"
                                                                 : "";
    add(finding_of(key, otherwise.verdict, reason, suggestion, fact, file), layer);
  }

  // Looking for each of thousands among thousands of files takes time too.
  [[nodiscard]] bool is_own_import(const std::string& module, const Source& source) const {
    return std::chrono::steady_clock::now() < deadline_ &&
           is_own_module(question_, source.syntax, module, own_path(source));
  }

  // A module of Python's can be there without an import that names it: once anybody has loaded http.client, it is a
  // member of http. Where the import is there as well, that is the finding.
  void judge_module_of(std::size_t number, const Fact& fact, const Source& source) {
    if (source.syntax != Syntax::python || (fact.kind != FactKind::call && fact.kind != FactKind::attribute)) {
      return;
    }
    const PolicyLayer& layer = policy_.layers()[number];
    policy_.rules(number).find_module_of(fact.name, numbers_);
    for (const std::uint32_t index : numbers_) {
      const Rule& rule = layer.profile->rules[index];
      if (told_by_import_[index] == 0 && is_about(rule, source)) {
        add(finding_of(rule, fact, source.file), layer);
      }
    }
  }

  static bool is_about(const Rule& rule, const Source& source) {
    return rule.language.empty() || rule.language == source.language;
  }

  static Finding finding_of(const Rule& rule, const Fact& fact, const std::string& file) {
    return finding_of(rule.id, rule.verdict, rule.reason.empty() ? "the profile forbids it by name" : rule.reason,
                      rule.suggestion, fact, file);
  }

  static Finding finding_of(const std::string& rule, Verdict verdict, const std::string& reason,
                            const std::string& suggestion, const Fact& fact, const std::string& file) {
    Finding finding;
    finding.rule = rule;
    finding.verdict = verdict;
    finding.subject = subject_of(fact);
    finding.file = file;
    finding.at = fact.at;
    finding.reason = reason;
    finding.suggestion = suggestion;
    return finding;
  }

  void unparsed(const std::string& file, const std::string& subject, const std::string& reason,
                std::optional<Place> at) {
    for (const PolicyLayer& layer : policy_.layers()) {
      if (layer.profile->unparsed == Verdict::allow) {
        continue;
      }
      Finding finding;
      finding.rule = "unparsed";
      finding.verdict = layer.profile->unparsed;
      finding.subject = base::printable(subject, kMaxSubjectBytes);
      finding.file = file;
      finding.at = at;
      finding.reason = reason;
      finding.suggestion = at ? "correct the text at this place" : "pass it as text of the request";
      add(std::move(finding), layer);
    }
  }

  Decision finish() {
    const auto key = [](const Finding& finding) {
      const Place at = finding.at.value_or(Place{0, 0, 0});
      return std::tuple(-static_cast<int>(finding.verdict), std::string_view(finding.file), at.line, at.column,
                        std::string_view(finding.rule));
    };
    std::stable_sort(all_.begin(), all_.end(), [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    shorten();
    decision_.findings = std::move(all_);
    return std::move(decision_);
  }

  // Of every rule at least the first finding stays: who approves must see each thing that is asked.
  void shorten() {
    if (all_.size() <= kMaxFindings) {
      return;
    }
    std::set<std::pair<std::string, Verdict>> seen;
    const auto is_repeated = [&](const Finding& each) { return !seen.emplace(each.rule, each.verdict).second; };
    std::vector<char> repeated;
    for (const Finding& each : all_) {
      repeated.push_back(is_repeated(each) ? 1 : 0);
    }
    std::size_t room = kMaxFindings - std::min(kMaxFindings, seen.size());
    std::vector<Finding> kept;
    for (std::size_t index = 0; index < all_.size(); ++index) {
      if (repeated[index] != 0 && room == 0) {
        ++decision_.left_out;
        continue;
      }
      room -= repeated[index] != 0 ? 1 : 0;
      kept.push_back(std::move(all_[index]));
    }
    all_ = std::move(kept);
  }

  const EffectivePolicy& policy_;
  const PolicyQuestion& question_;
  const Detail detail_;
  const std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + kReadingTime;
  Decision decision_;
  std::vector<Finding> all_;
  std::vector<std::uint32_t> numbers_;
  std::vector<char> told_by_import_;  // by a rule's number, for the text and the layer at hand
};

}  // namespace

PolicyQuestion question_of(const contract::RunRequest& request, std::string_view language) {
  PolicyQuestion question;
  question.language = language;
  question.code = request.code;
  question.limits = request.limits;
  question.wants_network = !request.network.allow.empty();
  question.isolation = request.isolation;
  for (const auto& [name, value] : request.env) {
    question.environment.push_back(name);
  }
  for (const contract::InputFile& file : request.files) {
    question.paths.emplace_back(file.path.str());
    if (is_package_file(file.path.str())) {
      const auto* text = std::get_if<std::string>(&file.content);
      question.packages.push_back(
          {file.path.str(), text == nullptr ? std::nullopt : std::optional<std::string_view>(*text)});
    }
    const bool readable = syntax_of_file(file.path.str()).has_value();
    if (!readable && !is_opaque_code(file.path.str())) {
      continue;
    }
    const auto* text =
        readable && question.files.size() < kMaxSourceFiles ? std::get_if<std::string>(&file.content) : nullptr;
    question.files.push_back(
        {file.path.str(), text == nullptr ? std::nullopt : std::optional<std::string_view>(*text)});
  }
  return question;
}

Decision decide(const EffectivePolicy& policy, const PolicyQuestion& question, Detail detail) {
  return Judge(policy, question, detail).judge();
}

std::vector<std::string> asking_rules(const Decision& decision) {
  std::vector<std::string> rules;
  for (const Finding& finding : decision.findings) {
    if (finding.verdict == Verdict::ask && !finding.approved &&
        std::find(rules.begin(), rules.end(), finding.rule) == rules.end()) {
      rules.push_back(finding.rule);
    }
  }
  return rules;
}

}  // namespace glovebox::policy
