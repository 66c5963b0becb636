#include "policy/program_facts.h"

#include <algorithm>
#include <memory>

#include "policy/reading/fact_list.h"
#include "policy/reading/grammar.h"
#include "policy/reading/javascript_reader.h"
#include "policy/reading/nesting.h"
#include "policy/reading/python_reader.h"
#include "policy/reading/recovering_parser.h"
#include "policy/reading/shell_reader.h"
#include "policy/reading/source_form.h"
#include "policy/reading/table_parser.h"

namespace glovebox::policy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxInnerDepth = 3;
constexpr const char* kTooDeep = "nested too deeply";
constexpr const char* kTime = "time";

// What a thread keeps from one program to the next: making it costs more than reading a small program.
struct Workspace {
  explicit Workspace(Syntax of) : syntax(of), grammar(grammar_of(of)), parser(grammar) {}

  const Syntax syntax;
  const Grammar& grammar;
  TableParser parser;
  SyntaxTree tree;
};

Workspace& workspace_of(Syntax syntax) {
  static thread_local std::unique_ptr<Workspace> kept[3];
  auto& workspace = kept[static_cast<std::size_t>(syntax)];
  if (!workspace) {
    workspace = std::make_unique<Workspace>(syntax);
  }
  return *workspace;
}

struct Gap {
  std::string why;
  std::uint32_t at = 0;
};

// The tree of as much of the text as can be read, and what is missing.
std::optional<Gap> parse_text(Workspace& workspace, std::string_view text, Clock::time_point deadline,
                              SyntaxTree& tree) {
  switch (workspace.parser.parse(text, deadline, tree)) {
    case TableParse::done:
      return std::nullopt;
    case TableParse::too_deep:
      tree.clear();
      return Gap{kTooDeep, 0};
    case TableParse::out_of_time:
      tree.clear();
      return Gap{kTime, 0};
    case TableParse::unclear:
      break;
  }
  const Recovery recovery = parse_recovering(workspace.grammar, text, deadline, tree);
  if (recovery.out_of_time) {
    tree.clear();
    return Gap{kTime, 0};
  }
  return recovery.first_error ? std::optional<Gap>({"syntax error", *recovery.first_error}) : std::nullopt;
}

std::optional<Gap> parse(Workspace& workspace, std::string_view text, Clock::time_point deadline, SyntaxTree& tree) {
  const std::optional<Gap> gap = parse_text(workspace, text, deadline, tree);
  if (const auto hidden = find_hidden_text(workspace.syntax, text); hidden && tree.root != kNoNode) {
    return Gap{hidden->why, hidden->at};
  }
  if (const auto unclear = find_unclear_comment(workspace.syntax, text, tree); unclear && !gap) {
    return Gap{unclear->why, unclear->at};
  }
  return gap;
}

// The program and the programs in its strings. Whether all of it could be read in time.
template <typename Reader>
bool read_all(Reader&& reader, std::string_view code, Workspace& workspace, FactList& facts,
              Clock::time_point deadline) {
  reader.read({code, &workspace.tree, std::nullopt});
  std::vector<InnerProgram> inner = reader.take_inner();
  bool in_time = true;
  for (int depth = 0; !inner.empty(); ++depth) {
    std::vector<InnerProgram> next;
    for (InnerProgram& each : inner) {
      if (auto plain = with_plain_separators(workspace.syntax, each.text)) {
        each.text = std::move(*plain);
      }
      SyntaxTree tree;
      const auto gap = depth == kMaxInnerDepth ? Gap{kTooDeep, 0} : parse(workspace, each.text, deadline, tree);
      in_time = in_time && (!gap || gap->why != kTime);
      if (gap) {
        facts.add(FactKind::dynamic, each.at, each.run_by, "a program in a string that could not be read");
      }
      if (tree.root == kNoNode) {
        continue;
      }
      reader.read({each.text, &tree, each.at});
      for (InnerProgram& deeper : reader.take_inner()) {
        next.push_back(std::move(deeper));
      }
    }
    inner = std::move(next);
  }
  return in_time && !reader.out_of_time();
}

bool read_facts(Syntax syntax, std::string_view code, Workspace& workspace, FactList& facts,
                Clock::time_point deadline) {
  switch (syntax) {
    case Syntax::python: {
      static thread_local PythonNames known;
      known.names.forget_program();
      return read_all(PythonReader(known, facts, deadline), code, workspace, facts, deadline);
    }
    case Syntax::javascript: {
      static thread_local JavascriptNames known;
      known.names.forget_program();
      return read_all(JavascriptReader(known, facts, deadline), code, workspace, facts, deadline);
    }
    case Syntax::shell:
      break;
  }
  return read_all(ShellReader(facts, deadline), code, workspace, facts, deadline);
}

}  // namespace

std::optional<Syntax> syntax_of(std::string_view language) {
  if (language == "python") {
    return Syntax::python;
  }
  if (language == "javascript") {
    return Syntax::javascript;
  }
  if (language == "bash") {
    return Syntax::shell;
  }
  return std::nullopt;
}

ProgramFacts read_program(Syntax syntax, std::string_view code, const ReadBounds& bounds) {
  ProgramFacts result;
  const std::optional<std::string> plain = with_plain_separators(syntax, code);
  if (plain) {
    code = *plain;
  }
  result.bytes = code.size();
  result.lines = static_cast<std::uint64_t>(std::count(code.begin(), code.end(), '\n')) +
                 (code.empty() || code.back() == '\n' ? 0 : 1);
  if (code.size() > bounds.max_bytes) {
    result.gap = "too large";
    return result;
  }
  const Clock::time_point deadline = Clock::now() + bounds.max_time;
  Workspace& workspace = workspace_of(syntax);
  std::optional<Gap> gap = parse(workspace, code, deadline, workspace.tree);
  result.nesting = gap && gap->why == kTooDeep ? UINT32_MAX : nesting_of(workspace.tree);
  FactList facts(bounds.max_facts);
  if (workspace.tree.root != kNoNode && !read_facts(syntax, code, workspace, facts, deadline)) {
    gap = Gap{kTime, 0};
  } else if (facts.full()) {
    gap = Gap{"too many facts", 0};
  }
  if (gap) {
    result.gap = gap->why;
    result.gap_at = Places(code).of({gap->at, gap->at});
  }
  result.facts = std::move(facts).finish(code);
  return result;
}

}  // namespace glovebox::policy
