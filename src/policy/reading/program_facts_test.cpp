#include "policy/program_facts.h"

#include <gtest/gtest.h>

#include "policy/reading/case_file.h"

namespace glovebox::policy {
namespace {

void check_cases(Syntax syntax, std::string_view name, std::size_t at_least) {
  const std::vector<FactCase> cases = read_cases(name);
  EXPECT_GE(cases.size(), at_least);
  for (const FactCase& each : cases) {
    EXPECT_EQ(describe(read_program(syntax, each.code)), each.facts) << name << ": " << each.title << "\n" << each.code;
  }
}

TEST(ProgramFacts, PythonIsReadAsTheCasesSay) { check_cases(Syntax::python, "python", 110); }
TEST(ProgramFacts, JavascriptIsReadAsTheCasesSay) { check_cases(Syntax::javascript, "javascript", 80); }
TEST(ProgramFacts, ShellIsReadAsTheCasesSay) { check_cases(Syntax::shell, "shell", 60); }

TEST(ProgramFacts, KnowsWhichLanguagesItReads) {
  EXPECT_EQ(syntax_of("python"), Syntax::python);
  EXPECT_EQ(syntax_of("javascript"), Syntax::javascript);
  EXPECT_EQ(syntax_of("bash"), Syntax::shell);
  EXPECT_EQ(syntax_of("cobol"), std::nullopt);
}

TEST(ProgramFacts, CountsBytesLinesAndNesting) {
  const ProgramFacts facts = read_program(Syntax::python, "def f():\n  if a:\n    print([(1, 2)])\n");
  EXPECT_EQ(facts.bytes, 37U);
  EXPECT_EQ(facts.lines, 3U);
  EXPECT_EQ(facts.nesting, 5U);  // two blocks, a call, a list, a tuple
  EXPECT_EQ(read_program(Syntax::python, "x").lines, 1U);
  EXPECT_EQ(read_program(Syntax::python, "").lines, 0U);
}

TEST(ProgramFacts, APlaceHasALengthWithinItsLine) {
  const ProgramFacts facts = read_program(Syntax::python, "import os\nos.system(\"x\")\n(a.\n  b())\n");
  ASSERT_EQ(facts.facts.size(), 3U);
  EXPECT_EQ(facts.facts[1].at, (Place{2, 1, 9}));
  EXPECT_EQ(facts.facts[2].name, "a.b");
  EXPECT_EQ(facts.facts[2].at, (Place{3, 2, 2}));
}

// A scanner that remembers the program before would make what is read depend on who came first.
TEST(ProgramFacts, OneProgramLeavesNoTraceInTheNext) {
  const std::string hostile[] = {"cat <<A <<B <<C\n", "x = \"\"\"\n  if a:\n", "f = eval\nimport os as print\n",
                                 "const require = 1; `${"};
  for (const Syntax syntax : {Syntax::python, Syntax::javascript, Syntax::shell}) {
    const std::string code = "rm x\ncat <<E\n$(id)\nE\nprint(1)\nrequire('fs')\n";
    const std::string before = describe(read_program(syntax, code));
    for (const std::string& each : hostile) {
      static_cast<void>(read_program(syntax, each));
      EXPECT_EQ(describe(read_program(syntax, code)), before) << each;
    }
  }
}

TEST(ProgramFacts, AProgramInAStringIsReadToABoundedDepth) {
  std::string code = "import socket";
  for (int depth = 0; depth < 8; ++depth) {
    std::string escaped;
    for (const char each : code) {
      escaped += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
    }
    code = "exec(\"" + escaped + "\")";
  }
  const ProgramFacts facts = read_program(Syntax::python, code);
  ASSERT_FALSE(facts.facts.empty());
  EXPECT_EQ(facts.facts.back().kind, FactKind::dynamic);
  EXPECT_EQ(facts.facts.back().detail, "a program in a string that could not be read");
}

}  // namespace
}  // namespace glovebox::policy
