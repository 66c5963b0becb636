// From a Python traceback to an explanation: what kind of error, where in the user's code, what to do.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/utf8.h"
#include "engine/languages/error_hints.h"
#include "engine/languages/error_text.h"
#include "engine/languages/python_traceback.h"

namespace glovebox::engine {
namespace {

using namespace python;

constexpr int kExitInterrupted = 128 + SIGINT;

std::string_view without_module(std::string_view type) {
  const std::size_t dot = type.rfind('.');
  return dot == std::string_view::npos ? type : type.substr(dot + 1);
}

bool is_syntax_type(std::string_view type) {
  return type == "SyntaxError" || type == "IndentationError" || type == "TabError";
}

void add_place(const FailedProgram& failed, const std::vector<Frame>& frames, contract::RunError& error) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (is_user_file(failed, frame->file)) {
      error.line = frame->line;
      error.column = column_of(failed, *frame);
      if (frame->file != failed.program.program_path) {
        error.hint += fmt::format("{}{}{}", error.hint.empty() ? "" : "; ", kLineIsIn, frame->file);
      }
      return;
    }
  }
}

// "No module named 'a.b'" or "cannot import name 'x' from 'a'".
void explain_import(const FailedProgram& failed, contract::RunError& error) {
  error.code = base::ErrorCode::import_error;
  if (const std::string_view name = between(error.message, "cannot import name '", "'"); !name.empty()) {
    const std::string_view source = between(error.message, "from '", "'");
    error.hint = fmt::format("the module{} is there but has no '{}'; check the spelling and its version",
                             source.empty() ? "" : fmt::format(" '{}'", source), base::printable(name, 80));
    return;
  }
  if (error.message.find("attempted relative import") != std::string::npos) {
    error.hint = "the program is a script and no package; import without the dot: files of the request lie in /work";
    return;
  }
  const std::string module(between(error.message, "No module named '", "'"));
  if (module.empty()) {
    error.hint = "the module is there, but something it needs could not be loaded";
    return;
  }
  const ModuleFinding finding = failed.modules.look_up(failed.profile, module);
  error.message = describe(finding, "module", module);
  error.hint = !finding.import_as.empty() ? fmt::format("import {} instead", finding.import_as)
               : !finding.similar.empty() ? fmt::format("import {} instead", finding.similar.front())
               : finding.in_image         ? "the program's own files may hide it: rename a file of the same name"
               : finding.parent_in_image  ? "the package is there, but has no such part; check the spelling"
                                          : "installs are blocked; use the standard library or a module the image has";
}

// subprocess raises this for the command itself.
bool is_missing_command(std::string_view type, const std::vector<Frame>& frames) {
  return type == "FileNotFoundError" && !frames.empty() && frames.back().file.ends_with("/subprocess.py");
}

contract::RunError explain_exception(const FailedProgram& failed, std::string_view type, std::string message,
                                     const std::vector<Frame>& frames) {
  contract::RunError error;
  error.code = base::ErrorCode::runtime_error;
  error.type = type.empty() ? "Exception" : std::string(type);
  error.message = std::move(message);
  const std::string_view name = without_module(type);
  const bool in_user_text = !frames.empty() && frames.back().is_location && is_user_file(failed, frames.back().file);
  if (is_syntax_type(name) && (in_user_text || frames.empty())) {
    error.code = base::ErrorCode::syntax_error;
    error.hint = hint_for_python(failed, name, error.message);
  } else if (is_syntax_type(name)) {
    error.hint = "the text given to eval, exec or ast is not valid Python; print it first";
  } else if (name == "ModuleNotFoundError" || name == "ImportError") {
    explain_import(failed, error);
  } else if (is_missing_command(name, frames)) {
    error.hint = "the image has no such command; use one that it has, or do the work in Python itself";
  } else {
    error.hint = hint_for_python(failed, name, error.message);
  }
  add_place(failed, frames, error);
  return error;
}

contract::RunError explain_block(const FailedProgram& failed, const std::vector<Block>& blocks, std::size_t index) {
  const Block& block = blocks[index];
  const std::string_view first = block.exception < block.end ? failed.lines[block.exception] : std::string_view();
  const auto [type, message] = split_exception(first);
  std::string whole(message);
  if (block.exception + 1 < block.end) {
    whole += '\n' + join_lines(failed.lines, block.exception + 1, block.end);
  }
  contract::RunError error = explain_exception(failed, type, std::string(trim(whole)), block.frames);
  error.traceback = trimmed_chain(failed, blocks, index);
  return error;
}

// "  | " and deeper are stripped from the group's own part; the first lines of its members end the message.
std::optional<contract::RunError> explain_group(const FailedProgram& failed, std::size_t header) {
  constexpr std::string_view kBar = "  | ";
  FailedProgram own{failed.profile, failed.end, failed.program, failed.modules, {}};
  std::size_t index = header + 1;
  for (; index < failed.lines.size() && failed.lines[index].starts_with(kBar); ++index) {
    own.lines.push_back(failed.lines[index].substr(kBar.size()));
  }
  std::size_t position = 0;
  const std::vector<Frame> frames = parse_frames(own.lines, position);
  if (position >= own.lines.size()) {
    return std::nullopt;
  }
  std::vector<std::string_view> members;
  bool in_member = false;
  for (std::size_t line = index; line < failed.lines.size() && members.size() < 5; ++line) {
    const std::string_view text = trim(failed.lines[line]);
    if (text.starts_with('+')) {
      in_member = text.find("----- ") != std::string_view::npos;  // "+---------------- 2 ----------------"
    } else if (in_member && text.starts_with("| ") && !split_exception(text.substr(2)).first.empty()) {
      members.push_back(text.substr(2));
      in_member = false;
    }
  }
  const auto [type, message] = split_exception(own.lines[position]);
  contract::RunError error = explain_exception(
      own, type, members.empty() ? std::string(message) : fmt::format("{}: {}", message, fmt::join(members, "; ")),
      frames);
  error.hint = "several exceptions were raised together; mend each of those listed";
  error.traceback = join_lines(failed.lines, header, failed.lines.size());
  return error;
}

// faulthandler lists the innermost frame first: "  File "x", line 5 in f".
std::optional<contract::RunError> explain_python_crash(const FailedProgram& failed, int signal) {
  const Lines& lines = failed.lines;
  std::size_t fatal = lines.size();
  for (std::size_t index = lines.size(); index-- > 0;) {
    if (lines[index].starts_with("Fatal Python error: ")) {
      fatal = index;
      break;
    }
  }
  if (fatal == lines.size()) {
    return std::nullopt;
  }
  contract::RunError error;
  error.code = base::ErrorCode::program_signal;
  error.type = signal_name(signal);
  error.message = lines[fatal];
  error.hint = hint_for_signal(signal);
  std::size_t library = 0;
  for (std::size_t index = fatal + 1; index < lines.size(); ++index) {
    const std::optional<Frame> frame = parse_file_line(lines[index]);
    if (frame && is_user_file(failed, frame->file)) {
      error.line = error.line ? error.line : frame->line;
      error.traceback += library > 0 ? fmt::format("  … {} library frame{}\n", library, library == 1 ? "" : "s") : "";
      error.traceback += fmt::format("{}\n", lines[index]);
      library = 0;
    } else if (frame && !is_support_file(frame->file)) {
      ++library;
    }
  }
  return error;
}

// The program itself did not compile: a File line, its source and marker, then the error; nothing before it.
std::optional<contract::RunError> explain_syntax(const FailedProgram& failed) {
  const Lines& lines = failed.lines;
  for (std::size_t index = lines.size(); index-- > 0;) {
    const auto [type, message] = split_exception(lines[index]);
    if (!is_syntax_type(type)) {
      continue;
    }
    std::vector<Frame> frames;
    for (std::size_t back = 1; back <= 4 && back <= index && frames.empty(); ++back) {
      std::size_t position = index - back;
      frames = parse_frames(lines, position);
    }
    contract::RunError error = explain_exception(failed, type, std::string(message), frames);
    if (!error.line) {  // "Non-UTF-8 code … in file /glovebox/main.py on line 1, but …"
      error.line = parse_number(between(message, " on line ", ","));
    }
    error.traceback = join_lines(lines, frames.empty() ? index : frames.front().begin, index + 1);
    return error;
  }
  return std::nullopt;
}

}  // namespace

std::optional<contract::RunError> explain_python(const FailedProgram& failed) {
  const Lines& lines = failed.lines;
  if (failed.end.signal && *failed.end.signal != SIGINT) {
    return explain_python_crash(failed, *failed.end.signal);
  }
  // An uncaught exception ends with exit code 1, an interrupt with 130; another code was chosen, whatever was written.
  const bool interrupted =
      failed.end.exit_code == kExitInterrupted && last_line_with_text(lines) == "KeyboardInterrupt";
  if (!failed.end.signal && failed.end.exit_code != 1 && !interrupted) {
    return std::nullopt;
  }
  const std::vector<Block> blocks = find_blocks(lines);
  const auto group = std::find(lines.rbegin(), lines.rend(), kGroupHeader);
  const std::size_t group_header = group == lines.rend() ? 0 : static_cast<std::size_t>(lines.rend() - group - 1);
  for (std::size_t index = blocks.size(); index-- > 0;) {
    if (!blocks[index].beside && (group == lines.rend() || blocks[index].header > group_header)) {
      return explain_block(failed, blocks, index);
    }
  }
  if (group != lines.rend()) {
    return explain_group(failed, group_header);
  }
  if (auto syntax = explain_syntax(failed)) {
    return syntax;
  }
  if (!blocks.empty()) {
    return explain_block(failed, blocks, blocks.size() - 1);
  }
  if (failed.end.signal || last_line_with_text(lines).empty()) {
    return std::nullopt;
  }
  contract::RunError error;  // sys.exit("text")
  error.code = base::ErrorCode::program_exit;
  error.type = "SystemExit";
  error.message = last_line_with_text(lines);
  error.hint = hint_for_system_error(failed, error.message);
  if (error.hint.empty()) {
    error.hint = hint_for_exit_code(failed, 1);
  }
  return error;
}

}  // namespace glovebox::engine
