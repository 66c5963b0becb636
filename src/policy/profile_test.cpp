#include "policy/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/test_support.h"

namespace glovebox::policy {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kRule = R"toml(
[[rule]]
id = "processes"
verdict = "deny"
call = ["os.system"]
reason = "no"
match = ["import os\nos.system('ls')"]
no_match = ["import os"]
)toml";

TEST(Profile, BuiltInOnesAreWholeAndTheirExamplesHold) {
  const auto names = built_in_profile_names();
  EXPECT_EQ(names,
            (std::vector<std::string>{"data_analysis", "default", "sandboxed_python", "strict", "unrestricted"}));
  for (const std::string& name : names) {
    const auto profile = built_in_profile(name, ExampleCheck::full);
    ASSERT_TRUE(profile && *profile) << name << ": " << (profile && !*profile ? profile->error().message : "");
    EXPECT_EQ((*profile)->name, name);
    EXPECT_FALSE((*profile)->description.empty()) << name;
    for (const Rule& rule : (*profile)->rules) {
      EXPECT_TRUE(rule.verdict == Verdict::allow || !rule.suggestion.empty()) << name << " " << rule.id;
    }
  }
  EXPECT_FALSE(built_in_profile("nobody"));
}

TEST(Profile, ReadsEveryKey) {
  const Profile profile = parsed(std::string(R"toml(
name = "test"
description = "d"
languages = ["python", "bash"]
dynamic = "ask"
unparsed = "deny"
network = "none"
isolation = "container"
[program]
max_bytes = 100
max_lines = 10
max_nesting = 5
[limits]
wall_ms = 1000
[imports]
allow = ["json", "os"]
forbid = ["socket"]
otherwise = "ask"
reason = "r"
suggestion = "s"
)toml") + kRule);
  EXPECT_EQ(profile.languages, (std::vector<std::string>{"python", "bash"}));
  EXPECT_EQ(profile.otherwise[0].verdict, Verdict::ask);
  EXPECT_EQ(profile.otherwise[3].verdict, Verdict::ask);
  EXPECT_EQ(profile.unparsed, Verdict::deny);
  EXPECT_FALSE(profile.network_allowed);
  EXPECT_EQ(profile.isolation, contract::Isolation::container);
  EXPECT_EQ(profile.program, (ProgramCaps{100, 10, 5}));
  EXPECT_EQ(profile.limits.at("wall_ms"), 1000U);
  ASSERT_EQ(profile.rules.size(), 3U);
  EXPECT_EQ(profile.rules[0].id, "imports_forbid");
  EXPECT_EQ(profile.rules[1].id, "imports_allow");
  EXPECT_EQ(profile.rules[2].id, "processes");
  EXPECT_EQ(where(profile, "limits.wall_ms"), "test.toml:14:11: ");
}

TEST(Profile, AnAllowListDeniesTheRestUnlessItSaysOtherwise) {
  EXPECT_EQ(parsed("[imports]\nallow = [\"json\"]").otherwise[0].verdict, Verdict::deny);
  EXPECT_EQ(parsed("[imports]\nforbid = [\"json\"]").otherwise[0].verdict, Verdict::allow);
  EXPECT_EQ(parsed("[imports]\nallow = [\"json\"]\notherwise = \"allow\"").otherwise[0].verdict, Verdict::allow);
}

TEST(Profile, BrokenFilesAreRefusedWithLineAndColumn) {
  struct Case {
    const char* text;
    const char* place;
    const char* why;
  };
  const Case cases[] = {
      {"dynamic = \"maybe\"", "test.toml:1:11: ", "allow"},
      {"\n\ncolour = \"red\"", "test.toml:3:1: ", "unknown key 'colour'"},
      {"name = \"other\"", "test.toml:1:8: ", "not of 'other'"},
      {"a = ", "test.toml:1:", ""},
      {"[imports]\nallow = \"json\"", "test.toml:2:9: ", "list"},
      {"[imports]\nallow = [\"json\", 5]", "test.toml:2:18: ", "list of texts"},
      {"[imports]\nallow = [\"js on\"]", "test.toml:2:10: ", "not a name"},
      {"[limits]\nwall_s = 5", "test.toml:2:1: ", "no limit 'wall_s'"},
      {"[limits]\nwall_ms = 0", "test.toml:2:11: ", "from 1"},
      {"[limits]\nwall_ms = 1.5", "test.toml:2:11: ", "whole number"},
      {"[program]\nmax_lines = -1", "test.toml:2:13: ", "from 1"},
      {"languages = []", "test.toml:1:13: ", "at least one"},
      {"languages = [\"Py thon\"]", "test.toml:1:14: ", "language's name"},
      {"network = \"some\"", "test.toml:1:11: ", "none"},
      {"isolation = \"none\"", "test.toml:1:13: ", "container"},
      {"rule = 5", "test.toml:1:8: ", "[[rule]]"},
      {"[[rule]]\nid = \"x\"", "test.toml:1:1: ", "verdict"},
      {"[[rule]]\nid = \"X\"\nverdict = \"deny\"", "test.toml:1:1: ", "a-z"},
      {"[[rule]]\nid = \"x\"\nverdict = \"deny\"\nreason = \"r\"", "test.toml:1:1: ", "names nothing"},
      {"[[rule]]\nid = \"x\"\nverdict = \"deny\"\ncall = [\"a\"]", "test.toml:1:1: ", "'reason' is missing"},
      {"[[rule]]\nid = \"x\"\nverdict = \"deny\"\ncall = [\"a\"]\nreason = \"r\"", "test.toml:1:1: ", "example"},
      {"name = \"t\xc3\xa4st\"", "test.toml:1:10: ", "ASCII"},
  };
  for (const Case& each : cases) {
    const std::string told = complaint(each.text);
    EXPECT_THAT(told, StartsWith(each.place)) << each.text;
    EXPECT_THAT(told, HasSubstr(each.why)) << each.text;
  }
}

TEST(Profile, ARuleThatDoesNotDoWhatItsExamplesSayIsRefused) {
  std::string wrong = kRule;
  wrong.replace(wrong.find("os.system('ls')"), 15, "os.listdir('.')");
  EXPECT_THAT(complaint(wrong), HasSubstr("test.toml:7:9: the rule processes does not match its example"));
  wrong = kRule;
  wrong.replace(wrong.find("no_match = [\"import os\"]"), 24, "no_match = [\"import os as o\\no.system('ls')\"]");
  EXPECT_THAT(complaint(wrong), HasSubstr("must not match"));
}

TEST(Profile, TwoRulesOfOneNameAreRefused) {
  EXPECT_THAT(complaint(std::string(kRule) + kRule), HasSubstr("two rules 'processes'"));
}

TEST(Profile, HostileFilesAreRefusedAndHarmless) {
  EXPECT_THAT(complaint(std::string(1U << 20U, 'x')), HasSubstr("larger than"));
  EXPECT_THAT(complaint(std::string("a = \"\0\"", 7)), HasSubstr("ASCII"));
  EXPECT_NE(complaint("[=\n"), "accepted");
  EXPECT_NE(complaint(std::string(50'000, '[')), "accepted");
  std::string many = "[imports]\nallow = [";
  for (int index = 0; index < 2000; ++index) {
    many += "\"a\",";
  }
  EXPECT_THAT(complaint(many + "]"), HasSubstr("at most 1000"));
  std::string deep = "a = ";
  for (int index = 0; index < 300; ++index) {
    deep += "[";
  }
  EXPECT_NE(complaint(deep), "accepted");
  EXPECT_EQ(complaint("description = \"\\u001b[31m\""), "accepted");
}

TEST(Profile, AnExampleThatCannotBeReadShowsNothing) {}

TEST(Profile, NamesInListsAreTriedOut) {
  EXPECT_EQ(complaint("[imports]\nforbid = [\"subprocess\", \"numpy.linalg\", \"os.*\", \"fs/promises\"]\n"),
            "accepted");
  EXPECT_EQ(complaint("[calls]\nforbid = [\"os.system\", \"os.exec*\", \"*.popen\", \"eval\", \"apt-get\", \"*\"]\n"),
            "accepted");
  EXPECT_EQ(complaint("[attributes]\nforbid = [\"*.__globals__\", \"sys.modules\", \"/dev/tcp\"]\n"), "accepted");
  EXPECT_EQ(complaint("languages = [\"javascript\"]\n[calls]\nallow = [\"fs/promises.readFile\", \"fetch\", \"$\"]\n"),
            "accepted");
  EXPECT_THAT(complaint("languages = [\"python\"]\n[calls]\nforbid = [\"eval\", \"builtins.exec\"]\n"),
              HasSubstr("3:19: 'builtins.exec' matches no program"))
      << "it is exec, wherever it is taken from";
  EXPECT_THAT(complaint("languages = [\"javascript\"]\n[imports]\nallow = [\"node:fs\"]\n"),
              HasSubstr("'node:fs' matches no program"))
      << "the prefix is dropped";
  EXPECT_THAT(complaint("languages = [\"python\"]\n[calls]\nforbid = [\"apt-get\"]\n"),
              HasSubstr("matches no program"));
}

}  // namespace
}  // namespace glovebox::policy
