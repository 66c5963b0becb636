// Test help: decides a call by reading the profile rule by rule, knowing nothing of BPF.
#pragma once

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <algorithm>
#include <cstdint>

#include "seccomp_compiler/profile.h"

namespace glovebox::seccomp_compiler {

inline bool test_holds(const ArgumentTest& test, std::uint64_t argument) {
  const std::uint64_t value = test.bits == 64 ? argument : argument & ((1ULL << test.bits) - 1);
  if (test.values.empty()) {
    return test.low <= value && value <= test.high;
  }
  return std::find(test.values.begin(), test.values.end(), value & test.mask) != test.values.end();
}

inline std::uint32_t expected_return(const Profile& profile, std::size_t index) {
  const Rule& rule = profile.rules[index];
  if (rule.action == Action::allow) {
    return SECCOMP_RET_ALLOW;
  }
  return rule.action == Action::refuse_quietly ? SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(rule.sys_errno)
                                               : SECCOMP_RET_USER_NOTIF | static_cast<std::uint32_t>(index);
}

inline std::uint32_t expected_return(const Profile& profile, const seccomp_data& data) {
  if (data.arch != AUDIT_ARCH_X86_64) {
    return SECCOMP_RET_KILL_PROCESS;
  }
  const auto number = static_cast<std::uint32_t>(data.nr);
  if (data.nr != -1 && (number >> 30U) != 0) {
    return SECCOMP_RET_KILL_PROCESS;
  }
  const auto found = profile.placements.find(number);
  if (found == profile.placements.end()) {
    return expected_return(profile, profile.unlisted);
  }
  if (const auto* rule = std::get_if<RuleIndex>(&found->second)) {
    return expected_return(profile, rule->value);
  }
  const Conditional& conditional = profile.conditionals[std::get<ConditionalIndex>(found->second).value];
  for (const Case& one : conditional.cases) {
    if (std::all_of(one.tests.begin(), one.tests.end(),
                    [&](const ArgumentTest& test) { return test_holds(test, data.args[test.argument]); })) {
      return expected_return(profile, one.rule);
    }
  }
  return expected_return(profile, conditional.otherwise);
}

// Values at which a verdict can change: everything the tests mention, its neighbours, and the same with other high
// bits.
inline std::vector<std::uint64_t> interesting_values(const Conditional& conditional, std::uint32_t argument) {
  std::vector<std::uint64_t> values = {0, 1, 0x7fffffff, 0xffffffff, 1ULL << 32U, ~0ULL};
  for (const Case& one : conditional.cases) {
    for (const ArgumentTest& test : one.tests) {
      if (test.argument != argument) {
        continue;
      }
      std::vector<std::uint64_t> mentioned = test.values;
      mentioned.insert(mentioned.end(), {test.mask, ~test.mask, test.low, test.high});
      for (const std::uint64_t value : mentioned) {
        for (const std::uint64_t near : {value, value - 1, value + 1, value | ~test.mask}) {
          values.insert(values.end(), {near, near ^ (1ULL << 32U), near ^ (1ULL << 63U), near ^ (1ULL << 16U)});
        }
      }
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace glovebox::seccomp_compiler
