// Reading stands on the path of every run that a profile has rules for. The figures are printed; only absurd ones fail,
// since a build machine may be busy and a sanitizer slow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "policy/program_facts.h"

namespace glovebox::policy {
namespace {

std::string sample(std::string_view name) {
  std::stringstream text;
  text << std::ifstream(fmt::format("{}/src/policy/reading/testdata/{}", GLOVEBOX_SOURCE_DIR, name)).rdbuf();
  return text.str();
}

double median_us(Syntax syntax, const std::string& code, int times) {
  std::vector<double> taken;
  for (int turn = 0; turn < times; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    const ProgramFacts facts = read_program(syntax, code);
    const std::chrono::duration<double, std::micro> one = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(facts.gap, "");
    taken.push_back(one.count());
  }
  std::nth_element(taken.begin(), taken.begin() + times / 2, taken.end());
  return taken[static_cast<std::size_t>(times / 2)];
}

TEST(ReadingSpeed, FiftyLinesCostMicroseconds) {
  for (const auto& [syntax, name] :
       {std::pair{Syntax::python, "fifty_lines.py"}, std::pair{Syntax::javascript, "fifty_lines.js"},
        std::pair{Syntax::shell, "fifty_lines.sh"}}) {
    const std::string code = sample(name);
    ASSERT_FALSE(code.empty());
    const double one = median_us(syntax, code, 1'000);
    fmt::print("{}: {} lines, {} bytes, {} facts: {:.1f} us\n", name, read_program(syntax, code).lines, code.size(),
               read_program(syntax, code).facts.size(), one);
    EXPECT_LT(one, 5'000) << name;
  }
}

}  // namespace
}  // namespace glovebox::policy
