// Cases of testdata/*.cases: "### title", a program, "---", the facts that it has, one per line.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "policy/program_facts.h"

namespace glovebox::policy {

struct FactCase {
  std::string title;
  std::string code;
  std::string facts;
};

inline std::vector<FactCase> read_cases(std::string_view name) {
  std::ifstream file(fmt::format("{}/src/policy/reading/testdata/{}.cases", GLOVEBOX_SOURCE_DIR, name));
  std::vector<FactCase> cases;
  bool in_code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("### ")) {
      cases.push_back({line.substr(4), {}, {}});
      in_code = true;
    } else if (in_code && line == "---") {
      in_code = false;
    } else if (in_code) {
      cases.back().code += line + "\n";
    } else if (!line.empty()) {
      cases.back().facts += line + "\n";
    }
  }
  return cases;
}

// In the words of a case file.
inline std::string describe(const ProgramFacts& read) {
  constexpr std::string_view kKinds[] = {"import", "call", "attribute", "dynamic"};
  std::string result;
  for (const Fact& fact : read.facts) {
    result += fmt::format("{} {}{}{} @{}:{}\n", kKinds[static_cast<std::size_t>(fact.kind)], fact.name,
                          fact.detail.empty() ? "" : " | ", fact.detail, fact.at.line, fact.at.column);
  }
  if (!read.gap.empty()) {
    result += fmt::format("gap {} @{}:{}\n", read.gap, read.gap_at.line, read.gap_at.column);
  }
  return result;
}

}  // namespace glovebox::policy
