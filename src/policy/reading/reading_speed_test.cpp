// Reading stands on the path of every run that a profile has rules for.
//
// Times depend on the machine and on who else uses it, so the bar is a ratio: all of the reading, facts included,
// against tree-sitter's parse of the same text alone, taken in turns. It is a third to a half of that; a reading that
// becomes several times slower no longer is. `glovebox bench --mode policy` measures the time itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "base/build_speed.h"
#include "policy/program_facts.h"
#include "policy/reading/recovering_parser.h"

namespace glovebox::policy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTurns = 400;

// Compilers that leave templates as they are slow down C++ far more than tree-sitter's C; so do sanitizers.
#ifdef __OPTIMIZE__
constexpr bool kSlowedDown = base::kSanitized;
#else
constexpr bool kSlowedDown = true;
#endif

std::string sample(std::string_view name) {
  std::stringstream text;
  text << std::ifstream(fmt::format("{}/bench/programs/{}", GLOVEBOX_SOURCE_DIR, name)).rdbuf();
  return text.str();
}

template <typename Work>
double microseconds(const Work& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

void compare(Syntax syntax, std::string_view name) {
  const std::string code = sample(name);
  ASSERT_FALSE(code.empty());
  EXPECT_EQ(read_program(syntax, code).gap, "");
  // The fastest of many turns is what the work takes when nobody interrupts it.
  double reading = 1e9;
  double parsing = 1e9;
  SyntaxTree tree;
  for (int turn = 0; turn < kTurns; ++turn) {
    reading = std::min(reading, microseconds([&] { static_cast<void>(read_program(syntax, code)); }));
    const auto deadline = Clock::now() + std::chrono::minutes(1);
    parsing = std::min(
        parsing, microseconds([&] { static_cast<void>(parse_recovering(grammar_of(syntax), code, deadline, tree)); }));
  }
  fmt::print("{}: {} bytes, read in {:.1f} us, parsed by tree-sitter in {:.1f} us: {:.2f}\n", name, code.size(),
             reading, parsing, reading / parsing);
  EXPECT_LT(reading, parsing) << name;
}

TEST(ReadingSpeed, FiftyLinesAreReadFasterThanTreeSitterParsesThem) {
  if (kSlowedDown) {
    GTEST_SKIP() << "only an optimised build without sanitizers shows what reading costs";
  }
  compare(Syntax::python, "fifty_lines.py");
  compare(Syntax::javascript, "fifty_lines.js");
  compare(Syntax::shell, "fifty_lines.sh");
}

}  // namespace
}  // namespace glovebox::policy
