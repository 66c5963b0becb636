#include "engine/languages/language_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/languages/catalogue.h"
#include "engine/languages/language_command.h"

namespace glovebox::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kSmallest = R"(id = "awk"
name = "AWK"
file_name = "main.awk"
command = ["/usr/bin/awk", "-f", "{program}"]
)";

std::string complaint(std::string_view text) {
  const auto profile = parse_language_profile(text, "x.toml");
  return profile.has_value() ? "accepted" : profile.error().message;
}

std::string with(std::string_view more) { return std::string(kSmallest) + std::string(more); }

TEST(LanguageProfile, FourLinesAreEnough) {
  const auto profile = parse_language_profile(kSmallest, "awk.toml");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(profile->id, "awk");
  EXPECT_EQ(profile->error_format, ErrorFormat::generic);
  EXPECT_TRUE(profile->solve_command.empty());
}

TEST(LanguageProfile, AnUnknownKeyIsRefusedWithItsPlace) {
  EXPECT_THAT(complaint(with("colour = \"red\"\n")), HasSubstr("x.toml:5:1: unknown key 'colour'"));
  EXPECT_THAT(complaint(with("[errors]\nformat = \"bash\"\nfoo = 1\n")), HasSubstr("x.toml:7:1: unknown key 'foo'"));
  EXPECT_THAT(complaint(with("[[support]]\nfrom = \"a\"\nto = \"support/a\"\nmode = 1\n")),
              HasSubstr("unknown key 'mode'"));
  EXPECT_THAT(complaint(with("[modules]\nentry = \"(x)\"\npath = 1\n")), HasSubstr("unknown key 'path'"));
  EXPECT_THAT(complaint(with("[[requires]]\npath = \"/x\"\npackage = \"x\"\nwhy = 1\n")),
              HasSubstr("unknown key 'why'"));
}

TEST(LanguageProfile, BrokenTomlIsRefusedWithItsPlace) {
  EXPECT_THAT(complaint("id = \n"), HasSubstr("x.toml:1:"));
  EXPECT_THAT(complaint(with("id = \"twice\"\n")), HasSubstr("x.toml:5:"));
  EXPECT_THAT(complaint(std::string(300'000, '#')), HasSubstr("at most"));
}

TEST(LanguageProfile, OnlyAsciiIsAccepted) {
  EXPECT_THAT(complaint(with("\xd2\x92 = 1\n")), HasSubstr("x.toml:5:1: only ASCII"));
  EXPECT_THAT(complaint(with("# caf\xc3\xa9\n")), HasSubstr("x.toml:5:6: only ASCII"));
}

TEST(LanguageProfile, MissingAndMistypedValuesAreRefused) {
  EXPECT_THAT(complaint("name = \"x\"\n"), HasSubstr("'id' is missing"));
  EXPECT_THAT(complaint("id = 3\n"), HasSubstr("'id' must be a string"));
  EXPECT_THAT(complaint(with("aliases = \"py\"\n")), HasSubstr("'aliases' must be a list"));
  EXPECT_THAT(complaint(with("aliases = [1]\n")), HasSubstr("'aliases' must be a string"));
  EXPECT_THAT(complaint(with("env = 1\n")), HasSubstr("'env' must be a table"));
  EXPECT_THAT(complaint(with("support = [1]\n")), HasSubstr("'support' must be a list of tables"));
  EXPECT_THAT(complaint(with("[env]\nA = \"x\\u0000y\"\n")), HasSubstr("NUL"));
}

TEST(LanguageProfile, NamesAndPathsAreChecked) {
  EXPECT_THAT(complaint(with("aliases = [\"../x\"]\n")), HasSubstr("'aliases'"));
  EXPECT_THAT(complaint(with("extensions = [\"py\"]\n")), HasSubstr("'extensions'"));
  EXPECT_THAT(complaint(with("[env]\n\"A=B\" = \"x\"\n")), HasSubstr("environment variable"));
  EXPECT_THAT(complaint(with("[[support]]\nfrom = \"../a\"\nto = \"support/a\"\n")), HasSubstr("'from'"));
  EXPECT_THAT(complaint(with("[[support]]\nfrom = \"a\"\nto = \"main.awk\"\n")), HasSubstr("below support/"));
  EXPECT_THAT(
      complaint(with("[[support]]\nfrom = \"a\"\nto = \"support/a\"\n[[support]]\nfrom = \"b\"\nto = \"support/a\"\n")),
      HasSubstr("used twice"));
  EXPECT_THAT(complaint(with("[[requires]]\npath = \"awk\"\npackage = \"x\"\n")), HasSubstr("absolute"));
  EXPECT_THAT(complaint(with("host_paths = [\"/root/.ssh\"]\n")), HasSubstr("below /etc"));
  EXPECT_THAT(complaint(with("host_paths = [\"/etc/../root\"]\n")), HasSubstr("below /etc"));
  EXPECT_THAT(complaint(with("solve_command = [\"awk\"]\n")), HasSubstr("absolute path"));
  for (const char* name : {"", "a/b", "..", "input.json", "support"}) {
    EXPECT_THAT(complaint("id = \"a\"\nname = \"A\"\nfile_name = \"" + std::string(name) + "\"\ncommand = [\"/a\"]\n"),
                HasSubstr("'file_name'"))
        << name;
  }
  EXPECT_TRUE(is_language_name("c++"));
  EXPECT_FALSE(is_language_name("C"));
  EXPECT_FALSE(is_language_name(std::string(33, 'a')));
}

TEST(LanguageProfile, UnknownPlaceholdersAndPatternsAreRefused) {
  EXPECT_THAT(complaint(with("solve_command = [\"/a\", \"{progam}\"]\n")), HasSubstr("{progam}"));
  EXPECT_THAT(complaint(with("[env]\nX = \"{home}\"\n")), HasSubstr("{home}"));
  EXPECT_EQ(complaint(with("[env]\nX = \"{1..3} { } {memory_mib}\"\n")), "accepted");
  EXPECT_THAT(complaint(with("[errors]\nformat = \"cobol\"\n")), HasSubstr("'format' must be"));
  EXPECT_THAT(
      complaint(with("[errors]\nformat = \"generic\"\n[[errors.patterns]]\nmatch = \"(\"\ncode = \"runtime_error\"\n")),
      HasSubstr("'match' must be an RE2 pattern"));
  EXPECT_THAT(
      complaint(with("[errors]\nformat = \"generic\"\n[[errors.patterns]]\nmatch = \"x\"\ncode = \"denied\"\n")),
      HasSubstr("'code' must be"));
  EXPECT_THAT(
      complaint(with("[errors]\nformat = \"bash\"\n[[errors.patterns]]\nmatch = \"x\"\ncode = \"runtime_error\"\n")),
      HasSubstr("generic only"));
  EXPECT_THAT(complaint(with("[modules]\nentry = \"x\"\n")), HasSubstr("'entry' must be an RE2 pattern with 1"));
}

TEST(LanguageProfile, ADeterministicRunHasWordsAndVariablesOfItsOwn) {
  const auto profile = parse_language_profile(
      with("[env]\nA = \"1\"\nB = \"2\"\n[deterministic]\narguments = [\"--seed={memory_mib}\"]\n"
           "[deterministic.env]\nB = \"3\"\n"),
      "awk.toml");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  const auto command = command_line(*profile, ProgramForm::script, 8ULL << 20U, {"x"}, Repeatability::deterministic);
  EXPECT_THAT(*command, ElementsAre("/usr/bin/awk", "--seed=8", "-f", "/glovebox/main.awk", "x"));
  EXPECT_THAT(environment(*profile, 1, Repeatability::deterministic),
              ElementsAre(std::pair("A", "1"), std::pair("B", "3")));
  EXPECT_THAT(*command_line(*profile, ProgramForm::script, 1, {}),
              ElementsAre("/usr/bin/awk", "-f", "/glovebox/main.awk"));
  EXPECT_EQ(environment(*profile, 1).at("B"), "2");
}

TEST(LanguageProfile, TheDeterministicPartIsCheckedLikeTheRest) {
  EXPECT_THAT(complaint(with("[deterministic]\nseed = 1\n")), HasSubstr("unknown key 'seed'"));
  EXPECT_THAT(complaint(with("[deterministic]\narguments = [1]\n")), HasSubstr("'arguments' must be a string"));
  EXPECT_THAT(complaint(with("[deterministic]\narguments = [\"{seed}\"]\n")), HasSubstr("{seed}"));
  EXPECT_THAT(complaint(with("[deterministic.env]\n\"A=B\" = \"x\"\n")), HasSubstr("environment variable"));
}

TEST(LanguageCommand, PlaceholdersAreFilledInAndArgumentsComeLast) {
  const auto profile = LanguageCatalogue({}).find("javascript");
  ASSERT_TRUE(profile.has_value());
  const auto script = command_line(*profile, ProgramForm::script, 256ULL << 20U, {"{program}", "b"});
  ASSERT_TRUE(script.has_value());
  EXPECT_THAT(*script, ElementsAre("/usr/bin/node", "--max-old-space-size=192", "--require",
                                   "/glovebox/support/preload.js", "/glovebox/main.js", "{program}", "b"));
  const auto solve = command_line(*profile, ProgramForm::solve, 8ULL << 20U, {});
  ASSERT_TRUE(solve.has_value());
  EXPECT_THAT(*solve, ElementsAre("/usr/bin/node", "--max-old-space-size=16", "--require",
                                  "/glovebox/support/preload.js", "/glovebox/support/solve.js", "/glovebox/main.js",
                                  "/glovebox/input.json", "/tmp/.glovebox-value.json"));
}

TEST(LanguageCommand, TheEnvironmentIsTheProfilesOwn) {
  const auto profile = LanguageCatalogue({}).find("python");
  ASSERT_TRUE(profile.has_value());
  const auto variables = environment(*profile, 256ULL << 20U);
  EXPECT_EQ(variables.at("PYTHONPATH"), "/glovebox/support/site:/work");
  EXPECT_EQ(variables.size(), profile->env.size());
}

TEST(LanguageCommand, ALanguageWithoutSolveFormSaysSo) {
  const auto profile = parse_language_profile(kSmallest, "awk.toml");
  ASSERT_TRUE(profile.has_value());
  const auto command = command_line(*profile, ProgramForm::solve, 1, {});
  ASSERT_FALSE(command.has_value());
  EXPECT_EQ(command.error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(command.error().field, "input");
}

TEST(LanguageCommand, WhatTheImageLacksIsNamedWithItsPackage) {
  const auto profile = LanguageCatalogue({}).find("python");
  ASSERT_TRUE(profile.has_value());
  const auto missing = check_requirements(*profile, "/nowhere");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, base::ErrorCode::image_unavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("python3 is missing"));
  EXPECT_EQ(missing.error().hint, "apt-get install python3");
  LanguageProfile here = *profile;
  here.required = {{"/usr", "base-files"}};
  EXPECT_TRUE(check_requirements(here, "/").has_value());
}

}  // namespace
}  // namespace glovebox::engine
