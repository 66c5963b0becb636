#include <array>
#include <vector>

#include "base/stopwatch.h"
#include "bench/modes.h"
#include "bench/policy_programs.h"
#include "policy/decision.h"

namespace glovebox::bench {
namespace {

constexpr int kRounds = 2000;
constexpr int kQuickRounds = 300;

// No built-in profile has rules for a shell that would change an answer, so reading would be skipped.
constexpr const char* kShellProfile = R"toml(
languages = ["bash"]
unparsed = "deny"

[calls]
forbid = ["curl", "wget", "git", "pip", "npm", "apt-get", "ssh"]
)toml";

struct PolicyCase {
  const char* profile;
  const char* language;
  const char* program;
};

constexpr std::array kCases = {
    PolicyCase{"default", "python", "fifty_lines.py"}, PolicyCase{"sandboxed_python", "python", "fifty_lines.py"},
    PolicyCase{"strict", "javascript", "fifty_lines.js"}, PolicyCase{"shell_scripts", "bash", "fifty_lines.sh"}};

std::string program_named(std::string_view name) {
  for (const base::EmbeddedFile& program : embedded_programs()) {
    if (program.path.ends_with(name)) {
      return std::string(program.text);
    }
  }
  return {};
}

std::optional<policy::EffectivePolicy> policy_of(const std::string& name) {
  auto built_in = policy::built_in_profile(name);
  auto profile = built_in ? std::move(*built_in) : policy::parse_profile(kShellProfile, name + ".toml", name);
  if (!profile) {
    return std::nullopt;
  }
  auto effective = policy::EffectivePolicy::combine(
      name, {{policy::Layer::built_in, std::make_shared<const policy::Profile>(std::move(*profile))}}, "");
  return effective ? std::optional(std::move(*effective)) : std::nullopt;
}

}  // namespace

void measure_policy(Session& session) {
  for (const PolicyCase& each : kCases) {
    const auto effective = policy_of(each.profile);
    if (!effective || session.stopped()) {
      continue;
    }
    session.progress(std::string("policy ") + each.profile, 0, 0);
    contract::RunRequest request;
    request.code = program_named(each.program);
    std::vector<double> us;
    PolicyRow row;
    row.profile = each.profile;
    row.language = each.language;
    for (int round = 0; round < (session.options.quick() ? kQuickRounds : kRounds); ++round) {
      const auto began = std::chrono::steady_clock::now();
      const policy::Decision decision = policy::decide(*effective, policy::question_of(request, each.language));
      us.push_back(base::ms_since(began) * 1000);
      row.wrong += decision.verdict == policy::Verdict::allow ? 0 : 1;
    }
    row.us = summarize(us);
    session.report.policy.push_back(std::move(row));
  }
}

}  // namespace glovebox::bench
