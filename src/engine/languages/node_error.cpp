// Node's report of an uncaught error:
//
//   /glovebox/main.js:2                          where it was thrown: the user's file, or node:internal/…
//     return rows.item.name;
//                      ^
//                                                an empty line, unless what was thrown is no Error
//   TypeError [ERR_X]: Cannot read …             type and message, until the frames begin
//       at total (/glovebox/main.js:2:20)
//       at node:internal/main/run_main_module:28:49 {
//     code: 'ERR_X'                              own properties, [cause] and [errors] among them
//   }
//
//   Node.js v20.20.2
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/utf8.h"
#include "engine/languages/error_hints.h"
#include "engine/languages/error_text.h"

namespace glovebox::engine {
namespace {

using Lines = std::vector<std::string_view>;

struct Place {
  std::string_view file;
  std::optional<std::uint32_t> line;
  std::optional<std::uint32_t> column;
};

struct Report {
  std::size_t header = 0;
  Place thrown_at;
  std::size_t head = 0;    // type and message start here
  std::size_t frames = 0;  // first frame, or end
  std::size_t end = 0;     // before "Node.js v…"
  bool is_error = true;    // not a string or a plain object
};

// Cuts ":12" off the end.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::uint32_t> number = parse_number(text.substr(colon + 1));
  if (number) {
    text = text.substr(0, colon);
  }
  return number;
}

std::string_view without_scheme(std::string_view path) {
  return path.starts_with("file:///") ? path.substr(std::string_view("file://").size()) : path;
}

// "    at total (/glovebox/main.js:2:20)", "    at async file:///glovebox/main.js:3:14 {"
std::optional<Place> parse_frame(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("at ")) {
    return std::nullopt;
  }
  line.remove_prefix(3);
  if (line.ends_with(" {")) {
    line.remove_suffix(2);
  }
  if (line.ends_with(')') && line.find('(') != std::string_view::npos) {
    line = line.substr(line.rfind('(') + 1);
    line.remove_suffix(1);
  } else if (line.starts_with("async ")) {
    line.remove_prefix(6);
  }
  Place place;
  place.column = take_number(line);
  place.line = take_number(line);
  place.file = without_scheme(line);
  return place;
}

bool looks_like_source(std::string_view line) {
  return line.starts_with('/') || line.starts_with("file:///") || line.starts_with("node:") || line.starts_with('<') ||
         line.starts_with("evalmachine.") || line.starts_with("[eval]");
}

std::optional<Report> find_report(const Lines& lines) {
  for (std::size_t index = lines.size(); index-- > 0;) {
    if (!looks_like_source(lines[index]) || index + 3 >= lines.size()) {
      continue;
    }
    std::string_view file = lines[index];
    const std::optional<std::uint32_t> line = take_number(file);
    const std::string_view marker = lines[index + 2];
    if (!line || !(is_marker_line(marker) || trim(marker).empty())) {
      continue;
    }
    Report report;
    report.header = index;
    report.thrown_at = {without_scheme(file), line, std::nullopt};
    if (is_marker_line(marker)) {
      report.thrown_at.column = static_cast<std::uint32_t>(marker.find_first_of("^~") + 1);
    }
    report.head = index + 3;
    while (report.head < lines.size() && trim(lines[report.head]).empty()) {
      ++report.head;
    }
    // An import that finds no such export is reported without the empty line.
    report.is_error =
        report.head > index + 3 || lines[std::min(report.head, lines.size() - 1)].starts_with("SyntaxError: ");
    report.end = report.head;
    while (report.end < lines.size() && !lines[report.end].starts_with("Node.js v")) {
      ++report.end;
    }
    report.frames = report.head;
    while (report.frames < report.end && !lines[report.frames].starts_with("    at ")) {
      ++report.frames;
    }
    if (report.head < lines.size()) {
      return report;
    }
  }
  return std::nullopt;
}

// The head and the frames, library frames counted instead of shown, with the place above if it is the user's.
std::string trimmed_report(const FailedProgram& failed, const Report& report) {
  std::string text;
  if (is_user_file(failed, report.thrown_at.file)) {
    text += join_lines(failed.lines, report.header, report.head);
  }
  std::size_t library = 0;
  std::string_view opening;  // " {" at the end of the last frame
  const auto flush_library = [&] {
    if (library > 0) {
      text += fmt::format("    … {} library frame{}{}\n", library, library == 1 ? "" : "s", opening);
    }
    library = 0;
    opening = {};
  };
  for (std::size_t index = report.head; index < report.end; ++index) {
    const std::string_view line = failed.lines[index];
    const std::optional<Place> frame = parse_frame(line);
    const bool elided = trim(line).starts_with("... ") && line.find(" lines matching ") != std::string_view::npos;
    if (elided || (frame && is_support_file(frame->file))) {
      continue;
    }
    if (frame && !is_user_file(failed, frame->file)) {
      ++library;
      opening = line.ends_with(" {") ? " {" : "";
      continue;
    }
    flush_library();
    text += fmt::format("{}\n", line);
  }
  flush_library();
  return std::string(trim(text)) + "\n";
}

void add_place(const FailedProgram& failed, const Report& report, contract::RunError& error) {
  Place place;
  if (error.code == base::ErrorCode::syntax_error) {
    place = report.thrown_at;
  }
  for (std::size_t index = report.frames; index < report.end && place.file.empty(); ++index) {
    const std::optional<Place> frame = parse_frame(failed.lines[index]);
    if (frame && is_user_file(failed, frame->file)) {
      place = *frame;
    }
  }
  if (place.file.empty() && is_user_file(failed, report.thrown_at.file)) {
    place = report.thrown_at;
  }
  // What Promise.any gathered has its frames deeper inside.
  for (std::size_t index = report.head; index < report.end && place.file.empty(); ++index) {
    const std::optional<Place> frame = parse_frame(failed.lines[index]);
    if (frame && is_user_file(failed, frame->file)) {
      place = *frame;
    }
  }
  error.line = place.file == failed.program.program_path ? within(failed.program.code, place.line) : place.line;
  error.column = place.column;
  if (!place.file.empty() && place.file != failed.program.program_path) {
    error.hint += fmt::format("{}{}{}", error.hint.empty() ? "" : "; ", kLineIsIn, place.file);
  }
}

// An import has no frame in the program: its line is the first that quotes the module.
std::optional<std::uint32_t> line_that_quotes(std::string_view code, std::string_view module) {
  for (const char quote : {'\'', '"', '`'}) {
    const std::size_t at = code.find(fmt::format("{}{}{}", quote, module, quote));
    if (at != std::string_view::npos) {
      return static_cast<std::uint32_t>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n') +
                                        1);
    }
  }
  return std::nullopt;
}

void explain_import(const FailedProgram& failed, std::string_view module, contract::RunError& error) {
  const std::string name(module.starts_with("node:") ? module.substr(5) : module);
  error.code = base::ErrorCode::import_error;
  if (name.starts_with('.') || name.starts_with('/')) {
    error.message = fmt::format("there is no file {}", base::printable(name, 200));
    error.hint = hint_for_system_error(failed, "ENOENT") + "; import it as /work/<name>.js";
  } else {
    const ModuleFinding finding = failed.modules.look_up(failed.profile, name);
    error.message = describe(finding, "module", name);
    error.hint = !finding.import_as.empty() ? fmt::format("use require('{}') instead", finding.import_as)
                 : !finding.similar.empty() ? fmt::format("use require('{}') instead", finding.similar.front())
                 : finding.in_image         ? "load it with require(); import does not look at the image's modules"
                                            : "installs are blocked; use Node's own modules or one the image has";
  }
  if (!error.line) {
    error.line = line_that_quotes(failed.program.code, module);
  }
}

// "TypeError [ERR_X]: text" in two. "[Error: text]" is an error without a stack; " {" opens its properties.
std::pair<std::string_view, std::string_view> split_head(std::string_view line) {
  if (line.starts_with('[') && line.ends_with("] {")) {
    line.remove_suffix(2);
  }
  if (line.starts_with('[') && line.ends_with(']')) {
    line = line.substr(1, line.size() - 2);
  }
  std::string_view type = line.substr(0, std::min(line.find(": "), line.size()));
  const std::string_view name = type.substr(0, std::min(type.find(" ["), type.size()));
  const bool is_name = !name.empty() && name.find_first_of(" \t'\"(){}") == std::string_view::npos;
  if (!is_name) {
    return {{}, line};
  }
  return {name, type.size() < line.size() ? line.substr(type.size() + 2) : std::string_view()};
}

// "  [errors]: [" and in it one error after the other: their first lines.
std::vector<std::string_view> gathered_errors(const Lines& lines, const Report& report) {
  constexpr std::string_view kMember = "    ";
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string_view> found;
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(report.head);
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(report.end);
  for (auto line = std::find(begin, end, "  [errors]: ["); line != end && found.size() < kMostNamed; ++line) {
    if (line->starts_with(kMember) && line->find(": ") != std::string_view::npos && (*line)[kMember.size()] != ' ') {
      found.push_back(trim(*line));
    }
  }
  return found;
}

// "The requested module 'node:fs' does not provide an export named 'x'"; "Named export 'x' not found. The requested …"
bool explain_missing_export(contract::RunError& error) {
  const std::string_view module = between(error.message, "The requested module '", "'");
  const bool common = error.message.starts_with("Named export '");
  const std::string_view name = between(error.message, common ? "Named export '" : "an export named '", "'");
  if (error.type != "SyntaxError" || module.empty() || name.empty()) {
    return false;
  }
  error.hint = common ? fmt::format("import the module as a whole and take '{}' from it", base::printable(name, 80))
                      : fmt::format("the module '{}' is there but has no '{}'; check the spelling",
                                    base::printable(module, 80), base::printable(name, 80));
  error.code = base::ErrorCode::import_error;
  return true;
}

contract::RunError explain_report(const FailedProgram& failed, const Report& report) {
  const Lines& lines = failed.lines;
  contract::RunError error;
  error.code = base::ErrorCode::runtime_error;
  if (!report.is_error) {
    std::size_t end = report.head;
    while (end < report.end && !lines[end].starts_with("(Use `node --trace-uncaught")) {
      ++end;
    }
    error.type = "Uncaught";
    error.message = trim(join_lines(lines, report.head, end));
    error.hint = "what was thrown is no Error; throw new Error(…) to get its place and trace";
  } else {
    const auto [type, message] = split_head(lines[report.head]);
    error.type = type.empty() ? "Error" : std::string(type);
    std::string whole = fmt::format("{}\n{}", message, join_lines(lines, report.head + 1, report.frames));
    if (const std::string_view reason = between(whole, "rejected with the reason \"", "\".\n"); !reason.empty()) {
      whole = reason;
    }
    error.message = trim(whole);
    if (const auto gathered = gathered_errors(lines, report); !gathered.empty()) {
      error.message = fmt::format("{}: {}", message, fmt::join(gathered, "; "));
    }
    // A real one was found by the compiler: its first frame is Node's own. JSON.parse throws the same type.
    const std::optional<Place> first = report.frames < report.end ? parse_frame(lines[report.frames]) : std::nullopt;
    if (error.type == "SyntaxError" && is_user_file(failed, report.thrown_at.file) &&
        (!first || first->file.starts_with("node:"))) {
      error.code = base::ErrorCode::syntax_error;
    }
    error.hint = hint_for_node(failed, error.type, error.message);
  }
  add_place(failed, report, error);
  if (error.code == base::ErrorCode::syntax_error && error.line && !explain_missing_export(error)) {
    if (std::string typed = hint_for_node_syntax(code_line(failed.program.code, *error.line)); !typed.empty()) {
      error.hint = std::move(typed);
    }
  }
  for (const std::string_view opening : {"Cannot find module '", "Cannot find package '"}) {
    if (const std::string module(between(error.message, opening, "'")); report.is_error && !module.empty()) {
      explain_import(failed, module, error);
      break;
    }
  }
  error.traceback = trimmed_report(failed, report);
  return error;
}

// Node's fatal errors: "1: /glovebox/main.js:1:9" below "JavaScript stack trace".
std::optional<contract::RunError> explain_node_crash(const FailedProgram& failed, int signal) {
  contract::RunError error;
  error.code = base::ErrorCode::program_signal;
  error.type = signal_name(signal);
  error.hint = hint_for_signal(signal);
  bool of_node = false;
  for (const std::string_view line : failed.lines) {
    if (line.starts_with("FATAL ERROR: ")) {
      error.message = line.substr(std::string_view("FATAL ERROR: ").size());
      of_node = true;
    }
    of_node = of_node || line.starts_with("----- JavaScript stack trace -----");
    const std::size_t colon = line.find(": ");
    if (!of_node || colon == std::string_view::npos || !parse_number(trim(line.substr(0, colon)))) {
      continue;
    }
    const std::string as_frame = fmt::format("at {}", line.substr(colon + 2));
    const std::optional<Place> place = parse_frame(as_frame);
    if (place && is_user_file(failed, place->file)) {
      error.line = error.line ? error.line : place->line;
      error.column = error.column ? error.column : place->column;
      error.traceback += fmt::format("{}\n", line);
    }
  }
  if (!of_node) {
    return std::nullopt;
  }
  if (error.message.find("heap out of memory") != std::string::npos) {
    error.code = base::ErrorCode::memory_limit;
    error.hint =
        "the program keeps more data than its memory limit allows; work in smaller pieces or raise limits.memory_bytes";
  }
  if (error.message.empty()) {
    error.message = fmt::format("the program was ended by {}", error.type);
  }
  return error;
}

}  // namespace

std::optional<contract::RunError> explain_node(const FailedProgram& failed) {
  if (failed.end.signal) {
    return explain_node_crash(failed, *failed.end.signal);
  }
  // 1: an uncaught error; 7: one inside of the handler for those. Other codes were chosen.
  if (failed.end.exit_code != 1 && failed.end.exit_code != 7) {
    return std::nullopt;
  }
  if (const std::optional<Report> report = find_report(failed.lines)) {
    return explain_report(failed, *report);
  }
  return std::nullopt;
}

}  // namespace glovebox::engine
