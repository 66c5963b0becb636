#include "engine/languages/program_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/build_speed.h"
#include "base/temporary_directory.h"
#include "base/utf8.h"
#include "engine/languages/catalogue.h"
#include "engine/languages/language_command.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// An image with a few modules and commands, so that what is similar does not depend on this machine.
class SmallImage {
 public:
  SmallImage() {
    for (const char* directory :
         {"usr/lib/python3/dist-packages/pandas", "usr/lib/python3/dist-packages/sklearn", "usr/lib/python3.11/json",
          "usr/lib/python3/dist-packages/matplotlib", "usr/share/nodejs/lodash", "usr/share/nodejs/chalk", "usr/bin"}) {
      fs::create_directories(root_ / directory);
    }
    for (const char* file : {"usr/lib/python3/dist-packages/matplotlib/pyplot.py", "usr/bin/python3", "usr/bin/cat"}) {
      std::ofstream(root_ / file).put('\n');
    }
  }
  [[nodiscard]] std::string root() const { return root_.string(); }

 private:
  base::TemporaryDirectory temporary_{"image"};
  const fs::path root_ = temporary_.path();
};

LanguageProfile language(std::string_view id) {
  auto profile = LanguageCatalogue({}).find(id);
  EXPECT_TRUE(profile.has_value()) << id;
  return profile.has_value() ? *profile : LanguageProfile();
}

struct Case {
  fs::path path;
  std::string before_error;  // the file up to its expected explanation
  std::map<std::string, std::string> sections;
};

Case read_case(const fs::path& path) {
  Case result{path, {}, {}};
  std::ifstream file(path);
  std::string line;
  std::string section;
  while (std::getline(file, line)) {
    if (line.starts_with("=== ")) {
      section = line.substr(4);
      result.sections[section];
    } else {
      result.sections[section] += line + "\n";
    }
    if (section != "error") {
      result.before_error += line + "\n";
    }
  }
  return result;
}

Json to_json(const std::optional<contract::RunError>& error) {
  if (!error) {
    return nullptr;
  }
  const auto number = [](const std::optional<std::uint32_t>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"code", std::string(base::to_string(error->code))},
          {"type", error->type},
          {"message", error->message},
          {"line", number(error->line)},
          {"column", number(error->column)},
          {"hint", error->hint},
          {"traceback", error->traceback}};
}

ProgramEnd parse_end(const std::string& text) {
  std::istringstream stream(text);
  std::string kind;
  int value = 0;
  stream >> kind >> value;
  return kind == "signal" ? ProgramEnd{std::nullopt, value} : ProgramEnd{value, std::nullopt};
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(GLOVEBOX_SOURCE_DIR "/src/engine/languages/testdata")) {
    if (entry.path().extension() == ".txt") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class RecordedErrors : public testing::TestWithParam<std::string> {};

TEST_P(RecordedErrors, AreExplainedAsExpected) {
  Case recorded = read_case(fs::path(GLOVEBOX_SOURCE_DIR "/src/engine/languages/testdata") / (GetParam() + ".txt"));
  std::string id = recorded.sections["language"];
  id.erase(id.find_last_not_of('\n') + 1);
  const LanguageProfile profile = language(id);
  const SmallImage image;
  const std::string path = program_path(profile);
  const std::vector<std::string> files = {"data.csv"};
  const auto error = explain_program_error(profile, parse_end(recorded.sections["end"]), recorded.sections["stderr"],
                                           {recorded.sections["program"], path, files}, ModuleLookup(image.root()));
  const Json actual = to_json(error);
  if (std::getenv("GLOVEBOX_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(recorded.path) << recorded.before_error << "=== error\n" << actual.dump(2) << "\n";
    GTEST_SKIP() << "wrote " << recorded.path;
  }
  EXPECT_EQ(actual.dump(2), Json::parse(recorded.sections["error"]).dump(2));
}

INSTANTIATE_TEST_SUITE_P(Testdata, RecordedErrors, testing::ValuesIn(case_names()),
                         [](const auto& each) { return each.param; });

TEST(ProgramError, ThereAreEnoughRecordedCases) { EXPECT_GE(case_names().size(), 60U); }

TEST(ProgramError, AProgramThatEndedWellHasNone) {
  EXPECT_FALSE(explain_program_error(language("python"), {0, std::nullopt},
                                     "Traceback (most recent call last):\nX: y\n", {"", "/glovebox/main.py"},
                                     ModuleLookup()));
}

TEST(ProgramError, AnotherExitCodeThanOneIsNotBlamedOnALoggedTraceback) {
  const auto error = explain_program_error(language("python"), {3, std::nullopt},
                                           "Traceback (most recent call last):\nValueError: logged\n",
                                           {"", "/glovebox/main.py"}, ModuleLookup());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, base::ErrorCode::program_exit);
}

TEST(ProgramError, FramesOfShimsAreNotShown) {
  const auto error = explain_program_error(
      language("python"), {1, std::nullopt},
      "Traceback (most recent call last):\n  File \"/glovebox/support/solve.py\", line 9, in _call\n    solve()\n"
      "  File \"/glovebox/main.py\", line 2, in solve\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n",
      {"def solve(x):\n    1/0\n", "/glovebox/main.py"}, ModuleLookup());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 2U);
  EXPECT_EQ(error->column, 5U);
  EXPECT_THAT(error->traceback, testing::Not(testing::HasSubstr("support")));
}

TEST(ProgramError, AThreadsTracebackExplainsTheExitOnlyIfNothingElseDoes) {
  const std::string thread =
      "Exception in thread Thread-1 (work):\nTraceback (most recent call last):\n"
      "  File \"/glovebox/main.py\", line 4, in work\nKeyError: 'a'\n";
  const auto alone =
      explain_program_error(language("python"), {1, std::nullopt}, thread, {"", "/glovebox/main.py"}, ModuleLookup());
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->type, "KeyError");
  const auto both = explain_program_error(language("python"), {1, std::nullopt},
                                          "Traceback (most recent call last):\nValueError: real\n" + thread,
                                          {"", "/glovebox/main.py"}, ModuleLookup());
  ASSERT_TRUE(both);
  EXPECT_EQ(both->type, "ValueError");
}

TEST(ProgramError, ASignalWithoutWordsIsNamed) {
  const auto error =
      explain_program_error(language("bash"), {std::nullopt, SIGSEGV}, "", {"", "/glovebox/main.sh"}, ModuleLookup());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, base::ErrorCode::program_signal);
  EXPECT_EQ(error->type, "SIGSEGV");
  EXPECT_FALSE(error->hint.empty());
  EXPECT_EQ(signal_name(77), "signal 77");
}

std::string repeat(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t index = 0; index < count; ++index) {
    result += text;
  }
  return result;
}

// Texts made to be slow, large or confusing.
std::vector<std::pair<std::string, std::string>> hostile_texts() {
  const std::string frame = "  File \"/glovebox/main.py\", line 1, in f\n    f()\n";
  return {
      {"escapes", std::string(1 << 20, '\x1b')},
      {"zeros", std::string(1 << 20, '\0')},
      {"line_ends", std::string(1 << 20, '\n')},
      {"broken_text", repeat("\xff\xc0\xe2\x28", 1 << 18)},
      {"many_frames", "Traceback (most recent call last):\n" + repeat(frame, 100'000) + "ValueError: \xff deep\n"},
      {"many_headers", repeat("Traceback (most recent call last):\n", 30'000) + "E: x\n"},
      {"many_links",
       repeat("Traceback (most recent call last):\nE: x\n\nDuring handling of the above exception, another exception "
              "occurred:\n\n",
              5'000)},
      {"one_long_line", "Traceback (most recent call last):\n" + std::string(1 << 20, 'A') + ": x\n"},
      {"group_bars", "  + Exception Group Traceback (most recent call last):\n" + repeat("  | x\n", 100'000)},
      {"node_headers", repeat("/glovebox/main.js:1\n\n\n\n", 50'000)},
      {"node_frames",
       "/glovebox/main.js:1\nx\n^\n\nError: x\n" + repeat("    at f (/glovebox/main.js:1:1)\n", 100'000)},
      {"node_parentheses", "/glovebox/main.js:1\nx\n^\n\nError: x\n    at " + std::string(200'000, '(') + ")\n"},
      {"bash_lines", repeat("/glovebox/main.sh: line 1: x: command not found\n", 50'000)},
      {"huge_numbers", "  File \"/glovebox/main.py\", line 99999999999999999999\n    x\n    ^\nSyntaxError: x\n"},
      {"far_line", "  File \"/glovebox/main.py\", line 4294967295\n    x\n    ^\nSyntaxError: x\n"},
      {"markup", "/glovebox/main.sh: line 1: {}{0}%n%s: command not found\n"},
  };
}

TEST(ProgramError, HostileTextIsExplainedQuicklyAndInBounds) {
  for (const char* id : {"python", "javascript", "bash"}) {
    const LanguageProfile profile = language(id);
    const std::string path = program_path(profile);
    for (const auto& [name, text] : hostile_texts()) {
      for (const ProgramEnd& end : {ProgramEnd{1, std::nullopt}, ProgramEnd{127, std::nullopt},
                                    ProgramEnd{std::nullopt, SIGABRT}, ProgramEnd{std::nullopt, SIGINT}}) {
        SCOPED_TRACE(std::string(id) + " " + name);
        const auto start = std::chrono::steady_clock::now();
        const auto error = explain_program_error(profile, end, text, {"f()\n", path}, ModuleLookup("/nowhere"));
        const auto spent = std::chrono::steady_clock::now() - start;
        ASSERT_TRUE(error);
        EXPECT_LT(spent, std::chrono::seconds(base::kSlowness));
        EXPECT_LE(error->message.size(), 2'000U);
        EXPECT_LE(error->traceback.size(), 8'000U);
        EXPECT_LE(error->type.size(), 120U);
        for (const std::string& part : {error->type, error->message, error->traceback, error->hint}) {
          EXPECT_TRUE(base::is_valid_utf8(part));
          EXPECT_EQ(part, base::sanitize_output(part));
        }
      }
    }
  }
}

TEST(ProgramError, TheEndOfALongTextCounts) {
  const auto error =
      explain_program_error(language("python"), {1, std::nullopt},
                            repeat("noise\n", 300'000) + "Traceback (most recent call last):\nValueError: at the end\n",
                            {"", "/glovebox/main.py"}, ModuleLookup());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "at the end");
}

TEST(ProgramError, PatternsOfAProfileExplainOtherLanguages) {
  LanguageProfile perl;
  perl.id = "perl";
  perl.file_name = "main.pl";
  perl.error_patterns = {
      {R"(^Can't locate (?P<message>\S+) in @INC)", base::ErrorCode::import_error, "missing_module", "no such module"},
      {R"(^(?P<message>.*) at (?P<file>\S+) line (?P<line>\d+)\.$)", base::ErrorCode::runtime_error, "die", ""}};
  const ProgramText text{"die 1", "/glovebox/main.pl"};
  const auto died = explain_program_error(perl, {255, std::nullopt},
                                          "warning at /usr/lib/x.pl line 9.\nno rows at /glovebox/main.pl line 3.\n",
                                          text, ModuleLookup());
  ASSERT_TRUE(died);
  EXPECT_EQ(died->type, "die");
  EXPECT_EQ(died->message, "no rows");
  EXPECT_EQ(died->line, 3U);
  const auto elsewhere =
      explain_program_error(perl, {255, std::nullopt}, "bad at /usr/lib/x.pl line 9.\n", text, ModuleLookup());
  ASSERT_TRUE(elsewhere);
  EXPECT_FALSE(elsewhere->line.has_value());
  const auto silent = explain_program_error(perl, {255, std::nullopt}, "what\n", text, ModuleLookup());
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->code, base::ErrorCode::program_exit);
}

}  // namespace
}  // namespace glovebox::engine
