#include "engine/languages/error_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/utf8.h"
#include "engine/languages/hint_rules.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxNamedFiles = 5;

constexpr std::string_view kNetworkHint =
    "the sandbox has no network, and this build has no broker that could open network.allow; pass the data in as files";
constexpr std::string_view kFileSizeHint =
    "a file would become larger than all of the disk; write less or raise limits.disk_bytes";
constexpr std::string_view kWritableHint = "only /work and /tmp are writable; write there";

constexpr std::array kSystemRules = {
    HintRule{"No space left on device",
             "the disk limit is reached; write less, delete temporary files or raise limits.disk_bytes"},
    HintRule{"ENOSPC", "the disk limit is reached; write less, delete temporary files or raise limits.disk_bytes"},
    HintRule{"File too large", kFileSizeHint},
    HintRule{"EFBIG", kFileSizeHint},
    HintRule{"Too many open files",
             "too many files are open at once; close them (use with) or raise limits.open_files"},
    HintRule{"EMFILE", "too many files are open at once; close them or raise limits.open_files"},
    HintRule{"Read-only file system", kWritableHint},
    HintRule{"EROFS", kWritableHint},
    HintRule{"Permission denied", kWritableHint},
    HintRule{"EACCES", kWritableHint},
    HintRule{"can't start new thread",
             "the limit on processes and threads is reached; use fewer or raise limits.processes"},
    HintRule{"Resource temporarily unavailable",
             "the limit on processes and threads is reached; use fewer or raise limits.processes"},
    HintRule{"EAGAIN", "the limit on processes and threads is reached; use fewer or raise limits.processes"},
    HintRule{"Cannot allocate memory", "memory is short; work in smaller pieces or raise limits.memory_bytes"},
    HintRule{"ENOMEM", "memory is short; work in smaller pieces or raise limits.memory_bytes"},
    HintRule{"name resolution", kNetworkHint},
    HintRule{"Name or service not known", kNetworkHint},
    HintRule{"Network is unreachable", kNetworkHint},
    HintRule{"Connection refused", kNetworkHint},
    HintRule{"urlopen error", kNetworkHint},
    HintRule{"Max retries exceeded with url", kNetworkHint},
    HintRule{"getaddrinfo", kNetworkHint},
    HintRule{"EAI_AGAIN", kNetworkHint},
    HintRule{"ENOTFOUND", kNetworkHint},
    HintRule{"ENETUNREACH", kNetworkHint},
    HintRule{"ECONNREFUSED", kNetworkHint},
    HintRule{"Is a directory", "the path names a directory where a file is needed"},
    HintRule{"EISDIR", "the path names a directory where a file is needed"},
    HintRule{"Operation not permitted", "the sandbox does not allow this operation; do without it"},
    HintRule{"EPERM", "the sandbox does not allow this operation; do without it"},
};

std::string hint_for_missing_file(const FailedProgram& failed) {
  if (failed.program.files.empty()) {
    return "input files lie in /work, the current directory; this run was given none";
  }
  std::vector<std::string> names;
  for (const std::string& file : failed.program.files) {
    if (names.size() == kMaxNamedFiles) {
      names.push_back(fmt::format("… {} more", failed.program.files.size() - kMaxNamedFiles));
      break;
    }
    names.push_back(base::printable(file, kMaxHintedNameBytes));
  }
  return fmt::format("input files lie in /work, the current directory; it was given: {}", fmt::join(names, ", "));
}

// Words and punctuation, but nothing that programs are made of.
bool looks_like_prose(std::string_view line) {
  constexpr std::size_t kFewestSpaces = 3;
  line = trim(line);
  const bool begins_with_a_letter = !line.empty() && ((line[0] >= 'A' && line[0] <= 'Z') || line[0] == '*');
  const bool has_code = line.find_first_of("=(){}[];<>\"$|&") != std::string_view::npos;
  return begins_with_a_letter && !has_code &&
         static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) >= kFewestSpaces;
}

}  // namespace

std::string hint_for_system_error(const FailedProgram& failed, std::string_view message) {
  if (message.find("No such file or directory") != std::string_view::npos ||
      message.find("ENOENT") != std::string_view::npos) {
    return hint_for_missing_file(failed);
  }
  return std::string(find_part(kSystemRules, message));
}

std::string hint_for_solve(std::string_view message) {
  if (message.find("the program defines no function solve") != std::string_view::npos) {
    return "with \"input\" in the request the program has to define solve(input) and return its value";
  }
  if (message.starts_with("solve(input) returned ")) {
    return "solve has to return plain JSON data: null, booleans, finite numbers, strings, lists and string-keyed "
           "objects";
  }
  return {};
}

std::string hint_for_wrapping(std::string_view code, const contract::RunError& error) {
  constexpr std::string_view kFence = "```";
  const std::string_view text = trim(code);
  const std::size_t last_line = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  if (text.starts_with(kFence) || text.substr(last_line) == kFence) {
    return "the program still stands in its Markdown fence; send the code alone, without the ``` lines";
  }
  if (error.code == base::ErrorCode::syntax_error && error.line && looks_like_prose(code_line(code, *error.line))) {
    return "the line given is words and no code; send the code alone, or turn the line into a comment";
  }
  return {};
}

std::string hint_for_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "native code touched memory it must not; a call into a library got bad arguments, or the stack is full";
    case SIGABRT:
      return "the program or its runtime gave up by itself; see what it wrote last on stderr";
    case SIGILL:
    case SIGFPE:
      return "native code executed an impossible instruction or computation; check the arguments of native calls";
    case SIGKILL:
      return "something outside of the program killed it, or it killed itself";
    case SIGXCPU:
      return "the CPU time is used up; do less work or raise limits.cpu_ms";
    case SIGXFSZ:
      return "a file became larger than allowed; write less or raise limits.disk_bytes";
    case SIGSYS:
      return "the program made a system call that the sandbox forbids; do without it";
    case SIGPIPE:
      return "the program wrote to a pipe that nobody reads";
    default:
      return "the program was ended by a signal";
  }
}

std::string hint_for_exit_code(const FailedProgram& failed, int exit_code) {
  if (failed.profile.error_format == ErrorFormat::node && exit_code == 13) {
    return "the program awaits a promise at its top level that never settles";
  }
  if (exit_code == 126) {
    return "a file could not be executed; make it executable, or run it with its interpreter";
  }
  if (exit_code == 127) {
    return "a command does not exist in the image; check its name";
  }
  if (exit_code > 128 && exit_code < 128 + 65) {
    return fmt::format("exit code {} usually means that a command inside was ended by {}", exit_code,
                       signal_name(exit_code - 128));
  }
  if (failed.profile.error_format == ErrorFormat::bash) {
    return "the exit code is that of the script's last command, or of the one at which set -e stopped it";
  }
  return "the program chose this exit code itself; see its output for the reason";
}

}  // namespace glovebox::engine
