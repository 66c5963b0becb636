// The fast parser must see what tree-sitter sees, and the scanners must stay within their buffers.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tree_sitter/parser.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "policy/reading/case_file.h"
#include "policy/reading/recovering_parser.h"
#include "policy/reading/source_lexer.h"
#include "policy/reading/table_parser.h"

namespace glovebox::policy {
namespace {

namespace fs = std::filesystem;

std::chrono::steady_clock::time_point in_a_minute() {
  return std::chrono::steady_clock::now() + std::chrono::minutes(1);
}

// The tree in the order of the text: both parsers put children first, but may number them differently.
std::string outline(const SyntaxTree& tree) {
  std::string result;
  std::vector<std::pair<NodeId, int>> todo = {{tree.root, 0}};
  while (!todo.empty()) {
    const auto [node, depth] = todo.back();
    todo.pop_back();
    const SyntaxNode& at = tree[node];
    result += fmt::format("{:{}}{} {} {}-{}\n", "", depth, static_cast<int>(at.kind), static_cast<int>(at.field),
                          at.start, at.end);
    std::vector<std::pair<NodeId, int>> children;
    for (NodeId child = at.first_child; child != kNoNode; child = tree[child].next) {
      EXPECT_LT(child, node);
      children.emplace_back(child, depth + 1);
    }
    todo.insert(todo.end(), children.rbegin(), children.rend());
  }
  return result;
}

// For shells the grammar leaves it open whether `A=1 B=2` and the next line are one command, and where a lone
// redirection belongs. What runs is the same.
std::string commands(const SyntaxTree& tree) {
  std::vector<std::string> found;
  for (const SyntaxNode& at : tree.nodes) {
    switch (at.kind) {
      case Kind::command_name:
      case Kind::file_redirect:
      case Kind::heredoc_body:
      case Kind::variable_assignment:
        found.push_back(fmt::format("{:8} {} {}\n", at.start, at.end, static_cast<int>(at.kind)));
        break;
      default:
        break;
    }
  }
  std::sort(found.begin(), found.end());
  return fmt::format("{}", fmt::join(found, ""));
}

struct Agreement {
  int same = 0;
  int unclear = 0;
};

void compare(Syntax syntax, const std::string& name, const std::string& code, Agreement& agreement) {
  TableParser parser(grammar_of(syntax));
  SyntaxTree fast;
  SyntaxTree thorough;
  const TableParse result = parser.parse(code, in_a_minute(), fast);
  const Recovery recovery = parse_recovering(grammar_of(syntax), code, in_a_minute(), thorough);
  if (result != TableParse::done) {
    agreement.unclear += recovery.first_error ? 0 : 1;  // some are wrong on purpose
    return;
  }
  EXPECT_EQ(recovery.first_error, std::nullopt) << name;
  if (syntax == Syntax::shell) {
    EXPECT_EQ(commands(fast), commands(thorough)) << name;
  } else {
    EXPECT_EQ(outline(fast), outline(thorough)) << name;
  }
  ++agreement.same;
}

std::string contents(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The programs of this repository: attacks, shims, tests, tools.
Agreement compare_files(Syntax syntax, const std::vector<std::string>& endings) {
  Agreement agreement;
  const fs::path root = GLOVEBOX_SOURCE_DIR;
  for (const char* folder : {"bench", "examples", "guest", "sdk/python", "tests", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const bool fits = std::find(endings.begin(), endings.end(), entry.path().extension()) != endings.end();
      if (fits && entry.is_regular_file() && entry.path().string().find("node_modules") == std::string::npos) {
        compare(syntax, entry.path().string(), contents(entry.path()), agreement);
      }
    }
  }
  return agreement;
}

TEST(Parsers, AgreeOnThePythonOfThisRepository) {
  const Agreement agreement = compare_files(Syntax::python, {".py"});
  EXPECT_GT(agreement.same, 100);
  EXPECT_LE(agreement.unclear * 20, agreement.same);
}

TEST(Parsers, AgreeOnTheJavascriptOfThisRepository) {
  const Agreement agreement = compare_files(Syntax::javascript, {".js", ".mjs"});
  EXPECT_GT(agreement.same, 5);
  EXPECT_LE(agreement.unclear * 20, agreement.same);
}

TEST(Parsers, AgreeOnTheShellOfThisRepository) {
  const Agreement agreement = compare_files(Syntax::shell, {".sh"});
  EXPECT_GT(agreement.same, 20);
  EXPECT_LE(agreement.unclear * 10, agreement.same);
}

TEST(Parsers, AgreeOnTheCases) {
  for (const auto& [syntax, name] : {std::pair{Syntax::python, "python"}, std::pair{Syntax::javascript, "javascript"},
                                     std::pair{Syntax::shell, "shell"}}) {
    Agreement agreement;
    for (const FactCase& each : read_cases(name)) {
      if (each.title != "a starred list") {  // there tree-sitter takes the star for a part of the name
        compare(syntax, each.title, each.code, agreement);
      }
    }
    EXPECT_LE(agreement.unclear * 10, agreement.same) << name;
  }
}

TEST(Parsers, OneParserReadsManyProgramsAsIfEachWereTheFirst) {
  TableParser parser(grammar_of(Syntax::python));
  const std::string code = "for a in b:\n    print(f'{a}')\n";
  SyntaxTree first;
  ASSERT_EQ(parser.parse(code, in_a_minute(), first), TableParse::done);
  SyntaxTree again;
  for (const char* other : {"if a:\n  if b:\n    x = '''", "((((", "x = f'{", ""}) {
    static_cast<void>(parser.parse(other, in_a_minute(), again));
    ASSERT_EQ(parser.parse(code, in_a_minute(), again), TableParse::done);
    EXPECT_EQ(outline(again), outline(first));
  }
}

// Its own check is four bytes too generous: third_party/grammars/bash_scanner.c.
TEST(Parsers, TheShellScannerStaysWithinItsBuffer) {
  const TSLanguage& language = *grammar_of(Syntax::shell).language;
  constexpr std::size_t kHeredocStart = 0;
  constexpr std::size_t kHeredocArrow = 23;
  for (std::size_t length = 980; length < 1'100; ++length) {
    void* scanner = language.external_scanner.create();
    const std::string text = "<<" + std::string(length, 'A') + "\n";
    SourceLexer lexer(text, in_a_minute());
    lexer.start(0);
    std::vector<char> valid(language.external_token_count, 0);
    valid[kHeredocArrow] = 1;
    ASSERT_TRUE(language.external_scanner.scan(scanner, &lexer.base, reinterpret_cast<const bool*>(valid.data())));
    valid[kHeredocArrow] = 0;
    valid[kHeredocStart] = 1;
    lexer.start(2);
    ASSERT_TRUE(language.external_scanner.scan(scanner, &lexer.base, reinterpret_cast<const bool*>(valid.data())));
    std::array<char, TREE_SITTER_SERIALIZATION_BUFFER_SIZE + 64> buffer;
    buffer.fill('\x5a');
    EXPECT_LE(language.external_scanner.serialize(scanner, buffer.data()), TREE_SITTER_SERIALIZATION_BUFFER_SIZE);
    for (std::size_t at = TREE_SITTER_SERIALIZATION_BUFFER_SIZE; at < buffer.size(); ++at) {
      ASSERT_EQ(buffer[at], '\x5a') << "a delimiter of " << length << " bytes writes behind the buffer";
    }
    language.external_scanner.destroy(scanner);
  }
}

}  // namespace
}  // namespace glovebox::policy
