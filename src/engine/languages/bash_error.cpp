// What bash says about a script: "/glovebox/main.sh: line 3: foo: command not found". The last such line before the
// end explains the exit code, unless the script chose its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "engine/languages/error_hints.h"
#include "engine/languages/error_text.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxShownLines = 20;

struct Complaint {
  std::optional<std::uint32_t> line;
  std::string_view text;
  std::string_view file;
};

struct Kind {
  std::string_view part;  // of the complaint
  std::string_view type;
  base::ErrorCode code;
  std::string_view hint;
};

constexpr std::array kKinds = {
    Kind{": command not found", "command_not_found", base::ErrorCode::runtime_error, ""},
    Kind{"syntax error near unexpected token", "syntax_error", base::ErrorCode::syntax_error,
         "the script is not valid at this line; look for an unbalanced if, for, case or quote before it"},
    Kind{"syntax error: unexpected end of file", "syntax_error", base::ErrorCode::syntax_error,
         "a block or quote is never closed; look for a missing fi, done, esac, } or end of a here-document"},
    Kind{"unexpected EOF while looking for matching", "syntax_error", base::ErrorCode::syntax_error,
         "a quote or bracket is opened at this line or later and never closed"},
    Kind{"syntax error", "syntax_error", base::ErrorCode::syntax_error, "the expression or command is not valid"},
    Kind{": unbound variable", "unbound_variable", base::ErrorCode::runtime_error,
         "with set -u a variable must be set before its use; give a default: ${name:-}"},
    Kind{": bad substitution", "bad_substitution", base::ErrorCode::runtime_error,
         "the ${…} expression is not one bash knows"},
    Kind{"division by 0", "division_by_zero", base::ErrorCode::runtime_error,
         "a divisor is zero; test it before dividing"},
    Kind{": readonly variable", "readonly_variable", base::ErrorCode::runtime_error,
         "the variable is read-only; use another name"},
    Kind{"Is a directory", "is_a_directory", base::ErrorCode::runtime_error, "name a file, not a directory"},
    Kind{"Permission denied", "permission_denied", base::ErrorCode::runtime_error, ""},
    Kind{"No such file or directory", "no_such_file", base::ErrorCode::runtime_error, ""},
    Kind{"required file not found", "no_such_file", base::ErrorCode::runtime_error,
         "the interpreter named in the first line of the script does not exist in the image"},
    Kind{"cannot execute binary file", "not_executable", base::ErrorCode::runtime_error,
         "the file is no program for this machine"},
    Kind{"Read-only file system", "read_only", base::ErrorCode::runtime_error, ""},
    Kind{"Argument list too long", "argument_list_too_long", base::ErrorCode::runtime_error,
         "too many arguments for one command; use xargs or a loop"},
    Kind{"Cannot fork", "fork_failed", base::ErrorCode::runtime_error,
         "the limit on processes is reached; start fewer at once or raise limits.processes"},
    Kind{"fork: ", "fork_failed", base::ErrorCode::runtime_error,
         "the limit on processes is reached; start fewer at once or raise limits.processes"},
    Kind{"No space left on device", "no_space", base::ErrorCode::runtime_error, ""},
    Kind{"solve: the program defines no function", "solve_missing", base::ErrorCode::runtime_error,
         "with \"input\" in the request the script has to define solve() and print one JSON value"},
    Kind{"solve: printed nothing", "solve_value", base::ErrorCode::runtime_error,
         "solve has to print exactly one JSON value on standard output"},
    Kind{"solve: what it printed is not", "solve_value", base::ErrorCode::runtime_error,
         "solve has to print exactly one JSON value on standard output; messages belong on standard error"},
};

std::optional<Complaint> parse_complaint(const FailedProgram& failed, std::string_view line) {
  constexpr std::string_view kLine = ": line ";
  const std::size_t at = line.find(kLine);
  if (at == std::string_view::npos || !is_user_file(failed, line.substr(0, at))) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(at + kLine.size());
  const std::size_t colon = rest.find(": ");
  if (colon == std::string_view::npos || !parse_number(rest.substr(0, colon))) {
    return std::nullopt;
  }
  return Complaint{parse_number(rest.substr(0, colon)), trim(rest.substr(colon + 2)), line.substr(0, at)};
}

void explain_missing_command(const FailedProgram& failed, std::string_view command, contract::RunError& error) {
  const ModuleFinding finding = failed.modules.look_up(failed.profile, command);
  if (finding.in_image) {
    error.hint = "the image has this command, but PATH does not lead to it";
    return;
  }
  error.message = describe(finding, "command", command);
  error.hint = !finding.import_as.empty() ? fmt::format("use {} instead", finding.import_as)
               : !finding.similar.empty() ? fmt::format("did you mean {}?", finding.similar.front())
                                          : "installs are blocked; use a command the image has";
}

// "11379 Segmentation fault      ./tool": how a command of the script ended.
bool is_job_report(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && text[digits] == ' ';
}

}  // namespace

std::optional<contract::RunError> explain_bash(const FailedProgram& failed) {
  if (failed.end.signal) {
    return std::nullopt;
  }
  std::optional<Complaint> last;
  const Kind* kind = nullptr;
  std::vector<std::string_view> shown;
  for (auto line = failed.lines.rbegin(); line != failed.lines.rend() && shown.size() < kMaxShownLines; ++line) {
    const std::optional<Complaint> complaint = parse_complaint(failed, *line);
    if (!complaint) {
      continue;
    }
    shown.push_back(*line);
    const auto known = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) {
      return complaint->text.find(each.part) != std::string_view::npos;
    });
    // A syntax error is told in two lines, the second of which only quotes the text.
    if (!last || (kind == nullptr && known != kKinds.end())) {
      last = complaint;
      kind = known == kKinds.end() ? nullptr : &*known;
    }
  }
  // A complaint is the reason only where the exit code can come from it.
  const int exit_code = failed.end.exit_code.value_or(0);
  const bool own_code = exit_code != 1 && exit_code != 2 && exit_code < 126;
  if (!last || own_code) {
    return std::nullopt;
  }
  contract::RunError error;
  error.code = kind == nullptr ? base::ErrorCode::runtime_error : kind->code;
  error.type = kind != nullptr ? std::string(kind->type) : is_job_report(last->text) ? "command_killed" : "bash_error";
  error.message = last->text;
  if (error.type == "command_killed") {
    error.message.erase(0, error.message.find(' ') + 1);  // the process id helps nobody
  }
  error.line = last->line;
  if (error.type == "command_not_found") {
    explain_missing_command(failed, last->text.substr(0, last->text.find(": ")), error);
  } else if (error.type == "unbound_variable" && last->text.starts_with('$')) {
    error.hint = "the script was given no such argument; pass args with the request, or give a default: ${1:-}";
  } else if (exit_code == 126 && error.type == "permission_denied") {
    error.hint = hint_for_exit_code(failed, exit_code);
  } else if (kind != nullptr && !kind->hint.empty()) {
    error.hint = kind->hint;
  } else {
    error.hint = hint_for_system_error(failed, error.message);
  }
  if (error.hint.empty()) {
    error.hint = hint_for_exit_code(failed, exit_code);
  }
  if (failed.program.code.find("\r\n") != std::string_view::npos) {
    error.hint =
        "the script has Windows line ends, and bash takes the carriage return for a part of each word; send it "
        "with plain line feeds";
  }
  if (last->file == failed.program.program_path) {
    error.line = within(failed.program.code, error.line);  // an end that is missed is looked for behind the last line
  } else {
    error.hint += fmt::format("; {}{}", kLineIsIn, last->file);
  }
  for (auto line = shown.rbegin(); line != shown.rend(); ++line) {
    error.traceback += fmt::format("{}\n", *line);
  }
  return error;
}

}  // namespace glovebox::engine
