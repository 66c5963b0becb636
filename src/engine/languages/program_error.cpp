#include "engine/languages/program_error.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <utility>

#include "base/utf8.h"
#include "engine/languages/error_hints.h"
#include "engine/languages/error_text.h"

namespace glovebox::engine {
namespace {

// Errors stand at the end of stderr; a longer text is looked at from here on.
constexpr std::size_t kWindowBytes = 256U << 10U;
constexpr std::size_t kMaxLines = 20'000;
constexpr std::size_t kMaxHintBytes = 500;

std::string_view tail(std::string_view text) {
  if (text.size() <= kWindowBytes) {
    return text;
  }
  text.remove_prefix(text.size() - kWindowBytes);
  const std::size_t line = text.find('\n');
  return line == std::string_view::npos ? text : text.substr(line + 1);
}

// The last kMaxLines lines, in order, without their ends.
std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  while (lines.size() < kMaxLines) {
    const std::size_t end = text.rfind('\n');
    std::string_view line = end == std::string_view::npos ? text : text.substr(end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    lines.push_back(line);
    if (end == std::string_view::npos) {
      break;
    }
    text = text.substr(0, end);
  }
  return {lines.rbegin(), lines.rend()};
}

std::optional<contract::RunError> explain_in_its_language(const FailedProgram& failed) {
  switch (failed.profile.error_format) {
    case ErrorFormat::python:
      return explain_python(failed);
    case ErrorFormat::node:
      return explain_node(failed);
    case ErrorFormat::bash:
      return explain_bash(failed);
    case ErrorFormat::generic:
      return explain_generic(failed);
  }
  return std::nullopt;
}

contract::RunError explain_signal(int signal) {
  contract::RunError error;
  error.code = base::ErrorCode::program_signal;
  error.type = signal_name(signal);
  error.message = fmt::format("the program was ended by {}", error.type);
  error.hint = hint_for_signal(signal);
  return error;
}

contract::RunError explain_exit(const FailedProgram& failed, int exit_code) {
  contract::RunError error;
  error.code = base::ErrorCode::program_exit;
  error.type = fmt::format("exit {}", exit_code);
  error.message = fmt::format("the program ended with exit code {}", exit_code);
  if (const std::string_view words = last_line_with_text(failed.lines); !words.empty()) {
    error.message += fmt::format(": {}", words);
  }
  error.hint = hint_for_system_error(failed, error.message);
  if (error.hint.empty()) {
    error.hint = hint_for_exit_code(failed, exit_code);
  }
  return error;
}

}  // namespace

std::optional<contract::RunError> explain_program_error(const LanguageProfile& profile, const ProgramEnd& end,
                                                        std::string_view stderr_text, const ProgramText& program,
                                                        const ModuleLookup& modules) {
  if (!end.signal && end.exit_code.value_or(0) == 0) {
    return std::nullopt;
  }
  const std::string clean = base::sanitize_output(tail(stderr_text));
  const FailedProgram failed{profile, end, program, modules, split_lines(clean)};
  std::optional<contract::RunError> error = explain_in_its_language(failed);
  if (!error) {
    error = end.signal ? explain_signal(*end.signal) : explain_exit(failed, *end.exit_code);
  }
  if (std::string wrapped = hint_for_wrapping(program.code, *error); !wrapped.empty()) {
    error->hint = std::move(wrapped);
  }
  if (error->hint.empty()) {
    error->hint = error->line ? "the program raised this itself at the line given; check the values it had there"
                              : "see the traceback and the output for the reason";
  }
  if (error->message.empty()) {
    error->message = error->type;
  }
  error->type = clip_end(error->type, kMaxTypeBytes);
  error->message = clip_end(trim(error->message), kMaxMessageBytes);
  error->traceback = clip_middle(error->traceback, kMaxTracebackBytes);
  error->hint = clip_end(error->hint, kMaxHintBytes);
  return error;
}

std::string signal_name(int signal) {
  constexpr std::array<std::pair<int, std::string_view>, 31> kNames = {
      {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
       {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
       {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
       {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGSTKFLT, "SIGSTKFLT"},
       {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},
       {SIGTTIN, "SIGTTIN"}, {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},
       {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"},
       {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},       {SIGSYS, "SIGSYS"}}};
  for (const auto& [number, name] : kNames) {
    if (number == signal) {
      return std::string(name);
    }
  }
  return fmt::format("signal {}", signal);
}

}  // namespace glovebox::engine
