// Programs made to hurt their reader: each ends soon, says what it left out, and leaves the stack alone.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/build_speed.h"
#include "base/utf8.h"
#include "policy/program_facts.h"

namespace glovebox::policy {
namespace {

constexpr Syntax kAll[] = {Syntax::python, Syntax::javascript, Syntax::shell};
constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

std::string repeat(std::string_view unit, std::size_t bytes) {
  std::string result;
  result.reserve(bytes);
  while (result.size() + unit.size() <= bytes) {
    result += unit;
  }
  return result;
}

// A test machine may be busy, and sanitizers are slow; without the bounds these take minutes.
constexpr std::chrono::seconds kPatience{20 * base::kSlowness};

// On a stack that does not hold a level per byte.
ProgramFacts read_on_small_stack(Syntax syntax, const std::string& code) {
  struct Job {
    Syntax syntax;
    const std::string& code;
    ProgramFacts facts;
  } job{syntax, code, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kMegabyte / 2);
  pthread_t thread{};
  EXPECT_EQ(pthread_create(
                &thread, &attributes,
                [](void* payload) -> void* {
                  auto& self = *static_cast<Job*>(payload);
                  ReadBounds bounds;
                  bounds.max_time = std::chrono::milliseconds(40);
                  self.facts = read_program(self.syntax, self.code, bounds);
                  return nullptr;
                },
                &job),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return std::move(job.facts);
}

void expect_end(std::string_view name, const std::string& code) {
  for (const Syntax syntax : kAll) {
    const auto start = std::chrono::steady_clock::now();
    const ProgramFacts facts = read_on_small_stack(syntax, code);
    EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience) << name;
    for (const Fact& fact : facts.facts) {
      EXPECT_LE(fact.name.size(), 1'000U) << name;
      EXPECT_TRUE(base::is_valid_utf8(fact.name) && base::is_valid_utf8(fact.detail)) << name;
    }
  }
}

TEST(ReadingBounds, AMegabyteOfOneThingEnds) {
  for (const std::string_view unit : {"(",
                                      "[",
                                      "{",
                                      "([{",
                                      "-",
                                      "not ",
                                      "1+",
                                      "a.b",
                                      "f(",
                                      "lambda:",
                                      "if a:\n",
                                      "\"",
                                      "'",
                                      "`",
                                      "`${",
                                      "f\"{",
                                      "${",
                                      "$(",
                                      "$((",
                                      "<<A ",
                                      "cat <<A\n",
                                      "#\n",
                                      "//\n",
                                      "\n",
                                      "\\\n",
                                      " ",
                                      "\t",
                                      "a=",
                                      "a,",
                                      "a|",
                                      "/",
                                      "<a>",
                                      "=>",
                                      "async(",
                                      "(a=",
                                      "@",
                                      "*",
                                      "from a import *\n",
                                      "import a\n",
                                      "case x in ",
                                      "if ",
                                      "1 if 2 else ",
                                      "x:",
                                      ";",
                                      "\"a\" ",
                                      "{a:",
                                      "(a,",
                                      "!",
                                      "\x01",
                                      "\xff",
                                      "\xf0\x9f\x98\x80",
                                      "\xe2\x80\xae"}) {
    expect_end(unit, repeat(unit, kMegabyte));
  }
}

TEST(ReadingBounds, AnErrorBeforeDeepNestingEnds) {
  for (const std::string_view unit : {"(", "[", "{", "a.b.", "1+", "f(", "$(", "if a:\n "}) {
    expect_end(unit, "$ ) = =\n" + repeat(unit, kMegabyte - 16));
  }
}

TEST(ReadingBounds, BalancedDeepNestingEnds) {
  for (const auto& [open, close] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"(", ")"}, {"[", "]"}, {"{", "}"}, {"f(", ")"}, {"({a:", "})"}, {"(a=", ")"}, {"$(", ")"}, {"(a,", ")"}}) {
    const std::size_t half = kMegabyte / 2 - 8;
    expect_end(open, repeat(open, half) + "1" + repeat(close, half * close.size() / open.size()));
    expect_end(open, repeat(open, half) + "1" + repeat(close, half * close.size() / open.size()) + "=>1");
  }
}

TEST(ReadingBounds, WhatNestsTooDeeplyIsAGap) {
  const ProgramFacts facts = read_program(Syntax::python, repeat("(", kMegabyte));
  EXPECT_EQ(facts.gap, "nested too deeply");
  EXPECT_EQ(facts.gap_at.line, 1U);
}

TEST(ReadingBounds, WhatIsTooLargeIsNotRead) {
  const std::string code = "import os\n" + repeat("#\n", kMegabyte);
  const ProgramFacts facts = read_program(Syntax::python, code);
  EXPECT_EQ(facts.gap, "too large");
  EXPECT_TRUE(facts.facts.empty());
  EXPECT_EQ(facts.bytes, code.size());
}

TEST(ReadingBounds, ALineOfTenMegabytesIsReadIfAllowed) {
  ReadBounds bounds;
  bounds.max_bytes = 16 * kMegabyte;
  bounds.max_time = std::chrono::seconds(60);
  const std::string code = "import os; x = \"" + std::string(10 * kMegabyte, 'a') + "\"; os.system(x)";
  const ProgramFacts facts = read_program(Syntax::python, code, bounds);
  EXPECT_EQ(facts.gap, "");
  ASSERT_EQ(facts.facts.size(), 2U);
  EXPECT_EQ(facts.facts[1].name, "os.system");
}

TEST(ReadingBounds, TooManyFactsAreAGap) {
  ReadBounds bounds;
  bounds.max_facts = 10;
  const ProgramFacts facts = read_program(Syntax::python, repeat("f()\n", 400), bounds);
  EXPECT_EQ(facts.gap, "too many facts");
  EXPECT_EQ(facts.facts.size(), 10U);
}

TEST(ReadingBounds, NoTimeIsAGap) {
  ReadBounds bounds;
  bounds.max_time = std::chrono::microseconds(0);
  for (const Syntax syntax : kAll) {
    EXPECT_EQ(read_program(syntax, repeat("ls b\n", kMegabyte / 2), bounds).gap, "time");
  }
}

// Each comment lets the scanner look at all that follow it.
TEST(ReadingBounds, AMegabyteOfCommentsStaysWithinItsTime) {
  ReadBounds bounds;
  bounds.max_time = std::chrono::milliseconds(50);
  const auto start = std::chrono::steady_clock::now();
  const ProgramFacts facts = read_program(Syntax::python, "x = (\n" + repeat("#\n", kMegabyte - 64) + ")", bounds);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
  EXPECT_TRUE(facts.gap.empty() || facts.gap == "time") << facts.gap;
}

TEST(ReadingBounds, LongChainsOfAliasesEnd) {
  std::string forwards = "import os\nf0 = os.system\n";
  std::string backwards;
  for (int each = 0; each < 20'000; ++each) {
    forwards += fmt::format("f{} = f{}\n", each + 1, each);
    backwards += fmt::format("f{} = f{}\n", each, each + 1);
  }
  const ProgramFacts facts = read_program(Syntax::python, forwards + "f20000('x')\n", {kMegabyte, 100'000, {}});
  EXPECT_EQ(facts.gap, "time");
  ReadBounds patient{kMegabyte, 100'000, std::chrono::seconds(60)};
  EXPECT_EQ(read_program(Syntax::python, forwards + "f20000('x')\n", patient).facts.back().name, "os.system");
  expect_end("aliases backwards", backwards + "import os\nf20000 = os.system\nf0('x')\n");
}

TEST(ReadingBounds, ValuesThatGrowEnd) {
  expect_end("doubling", "x = 'a'\n" + repeat("x = x + x\n", 4'000) + "__import__(x)\n");
  expect_end("replacing",
             "__import__('" + std::string(100'000, 'a') + "'" + repeat(".replace('a', 'b')", 20'000) + ")");
  expect_end("self", repeat("x = x.y.z()\n", 100'000));
  expect_end("tuples", "a = (b, b)\n" + repeat("a = (a, a)\nfor a in a: a()\n", 100'000));
}

// Each ends by its time or before it. kPatience is far above that, and far below what a word more for each word takes.
TEST(ReadingBounds, CommandsWithinCommandsEnd) {
  const std::string variable = "a=" + std::string(60'000, 'x') + "\n";
  const std::string choice = "c=1\nc=2\nc=3\n";
  for (const std::string& code :
       {repeat("nice ", kMegabyte - 64) + "ls", repeat("command ", kMegabyte - 64) + "ls",
        repeat("find -exec ", kMegabyte - 64) + "ls", "awk '" + repeat("||", kMegabyte - 64) + "'",
        variable + "ls " + repeat("$a ", kMegabyte - 70'000), variable + "b=$a" + repeat("''", kMegabyte - 70'000),
        variable + choice + "b=$a" + repeat("$c", kMegabyte - 70'000)}) {
    const auto start = std::chrono::steady_clock::now();
    const ProgramFacts facts = read_on_small_stack(Syntax::shell, code);
    EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience) << code.substr(code.size() - 40);
    EXPECT_TRUE(facts.gap.empty() || facts.gap == "time" || facts.gap == "nested too deeply") << facts.gap;
  }
}

TEST(ReadingBounds, ShortRowsOfWrappersAreReadToTheirEnd) {
  const auto last = [](const std::string& code) { return read_program(Syntax::shell, code).facts.back().name; };
  EXPECT_EQ(last(repeat("nice ", 5'000) + "curl x"), "curl");
  EXPECT_EQ(last(repeat("find -exec ", 1'000) + "curl x"), "curl");
  EXPECT_EQ(last("find . -exec ls \\; -exec find -exec curl x \\; \\;"), "curl");
}

TEST(ReadingBounds, OddBytesDoNotHideWhatFollows) {
  for (const std::string_view code : {"\xef\xbb\xbfimport os\nos.system('x')\n", "import os\r\nos.system('x')\r\n",
                                      "import os\n# \xff\xfe\nos.system('x')\n", "import os\n\f\nos.system('x')\n"}) {
    const ProgramFacts facts = read_program(Syntax::python, code);
    ASSERT_EQ(facts.facts.size(), 2U) << code;
    EXPECT_EQ(facts.facts[1].name, "os.system");
    EXPECT_EQ(facts.gap, "");
  }
}

TEST(ReadingBounds, ANulIsAGapAndNotTheEnd) {
  const std::string code("import os\n\0\nos.system('x')\n", 28);
  const ProgramFacts facts = read_program(Syntax::python, code);
  EXPECT_EQ(facts.gap, "a zero byte");
  EXPECT_EQ(facts.facts.back().name, "os.system");
}

TEST(ReadingBounds, NamesOfAnyLengthAreCut) {
  const ProgramFacts facts = read_program(Syntax::python, std::string(100'000, 'a') + "()");
  ASSERT_EQ(facts.facts.size(), 1U);
  EXPECT_LT(facts.facts[0].name.size(), 300U);
}

}  // namespace
}  // namespace glovebox::policy
