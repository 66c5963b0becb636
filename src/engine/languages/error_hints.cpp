#include "engine/languages/error_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <span>
#include <utility>

#include "base/utf8.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxNamedFiles = 5;
constexpr std::size_t kMaxNameBytes = 80;

using Rule = std::pair<std::string_view, std::string_view>;  // a part of the message, or a type; the hint

constexpr std::string_view kNetworkHint =
    "the sandbox has no network; pass the data in as files, or ask for the host in network.allow";
constexpr std::string_view kWritableHint = "only /work and /tmp are writable; write there";

constexpr std::array kSystemRules = {
    Rule{"No space left on device",
         "the disk limit is reached; write less, delete temporary files or raise limits.disk_bytes"},
    Rule{"ENOSPC", "the disk limit is reached; write less, delete temporary files or raise limits.disk_bytes"},
    Rule{"Too many open files", "too many files are open at once; close them (use with) or raise limits.open_files"},
    Rule{"EMFILE", "too many files are open at once; close them or raise limits.open_files"},
    Rule{"Read-only file system", kWritableHint},
    Rule{"EROFS", kWritableHint},
    Rule{"Permission denied", kWritableHint},
    Rule{"EACCES", kWritableHint},
    Rule{"can't start new thread",
         "the limit on processes and threads is reached; use fewer or raise limits.processes"},
    Rule{"Resource temporarily unavailable",
         "the limit on processes and threads is reached; use fewer or raise limits.processes"},
    Rule{"EAGAIN", "the limit on processes and threads is reached; use fewer or raise limits.processes"},
    Rule{"Cannot allocate memory", "memory is short; work in smaller pieces or raise limits.memory_bytes"},
    Rule{"ENOMEM", "memory is short; work in smaller pieces or raise limits.memory_bytes"},
    Rule{"name resolution", kNetworkHint},
    Rule{"Name or service not known", kNetworkHint},
    Rule{"Network is unreachable", kNetworkHint},
    Rule{"Connection refused", kNetworkHint},
    Rule{"urlopen error", kNetworkHint},
    Rule{"Max retries exceeded with url", kNetworkHint},
    Rule{"getaddrinfo", kNetworkHint},
    Rule{"EAI_AGAIN", kNetworkHint},
    Rule{"ENOTFOUND", kNetworkHint},
    Rule{"ENETUNREACH", kNetworkHint},
    Rule{"ECONNREFUSED", kNetworkHint},
    Rule{"Operation not permitted", "the sandbox does not allow this operation; do without it"},
    Rule{"EPERM", "the sandbox does not allow this operation; do without it"},
};

constexpr std::array kPythonTypes = {
    Rule{"IndexError", "an index lies outside of the list; check its length before the access"},
    Rule{"ZeroDivisionError", "a divisor is zero; handle the empty or zero case before dividing"},
    Rule{"RecursionError", "the recursion never ends or is too deep; check its base case or use a loop"},
    Rule{"MemoryError", "one allocation was larger than the memory there is; work in smaller pieces"},
    Rule{"UnicodeDecodeError",
         "the bytes are not in the expected encoding; open the file with its encoding= or errors=\"replace\""},
    Rule{"UnicodeEncodeError", "the text has characters the encoding lacks; open the file with encoding=\"utf-8\""},
    Rule{"JSONDecodeError", "the text is not JSON; print its beginning (repr) before parsing"},
    Rule{"EOFError", "the program reads more from standard input than it was given; pass stdin with the request"},
    Rule{"AssertionError", "an assertion of the program does not hold; print the values it compares"},
    Rule{"KeyboardInterrupt", "the program raised KeyboardInterrupt or sent SIGINT to itself"},
    Rule{"TimeoutError", "an operation waited too long inside of the program"},
    Rule{"StopIteration", "next() was called on an exhausted iterator; give it a default"},
    Rule{"UnboundLocalError",
         "the variable is assigned somewhere in this function; assign it first, or declare it global or nonlocal"},
    Rule{"AttributeError", "the object has no such attribute; check its type and the spelling"},
    Rule{"TypeError", "a value has another type than the operation needs; check or convert it at the line given"},
    Rule{"ValueError", "a value has the right type but not an allowed content; check it at the line given"},
    Rule{"IndentationError", "indent the block consistently with four spaces"},
    Rule{"TabError", "do not mix tabs and spaces; indent with four spaces"},
    Rule{"SyntaxError", "the text is not Python at the place given; mend that line or the one before it"},
};

// Names that programs use without importing them.
constexpr std::array kPythonImports = {
    Rule{"np", "import numpy as np"},
    Rule{"pd", "import pandas as pd"},
    Rule{"plt", "import matplotlib.pyplot as plt"},
    Rule{"sns", "import seaborn as sns"},
    Rule{"defaultdict", "from collections import defaultdict"},
    Rule{"Counter", "from collections import Counter"},
    Rule{"datetime", "from datetime import datetime"},
    Rule{"Path", "from pathlib import Path"},
    Rule{"os", "import os"},
    Rule{"sys", "import sys"},
    Rule{"re", "import re"},
    Rule{"json", "import json"},
    Rule{"math", "import math"},
    Rule{"csv", "import csv"},
    Rule{"time", "import time"},
    Rule{"random", "import random"},
    Rule{"itertools", "import itertools"},
    Rule{"collections", "import collections"},
    Rule{"io", "import io"},
};

constexpr std::array kNodeMessages = {
    Rule{"is not a function", "the value called is no function; check the name and what was imported"},
    Rule{"Assignment to constant variable", "declare the variable with let instead of const"},
    Rule{"is not iterable", "the value is no array or other iterable; check where it comes from"},
    Rule{"Maximum call stack size", "the recursion never ends or is too deep; check its base case or use a loop"},
    Rule{"Invalid array length", "an array length is negative or too large; check how it is computed"},
    Rule{"Cannot use import statement outside a module", "do not mix import with require; use one of them"},
    Rule{"not defined in ES module scope", "the program uses import, so require is not there; use import everywhere"},
    Rule{"JSON", "the text is not JSON; print its beginning before parsing"},
};

constexpr std::array kNodeTypes = {
    Rule{"SyntaxError", "the text is not JavaScript at the place given; mend that line or the one before it"},
    Rule{"TypeError", "a value has another type than the operation needs; check it at the place given"},
    Rule{"RangeError", "a number lies outside of what is allowed; check it at the place given"},
    Rule{"AssertionError", "an assertion of the program does not hold; print the values it compares"},
    Rule{"UnhandledPromiseRejection",
         "a promise was rejected with something that is no Error; reject with new Error(…) and await it in try/catch"},
};

template <std::size_t size>
std::string_view find_part(const std::array<Rule, size>& rules, std::string_view message) {
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const Rule& each) { return message.find(each.first) != std::string_view::npos; });
  return rule == rules.end() ? std::string_view() : rule->second;
}

template <std::size_t size>
std::string_view find_same(const std::array<Rule, size>& rules, std::string_view name) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& each) { return each.first == name; });
  return rule == rules.end() ? std::string_view() : rule->second;
}

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
    names.push_back(base::printable(file, kMaxNameBytes));
  }
  return fmt::format("input files lie in /work, the current directory; it was given: {}", fmt::join(names, ", "));
}

std::string hint_for_undefined_name(std::string_view name) {
  if (const std::string_view import = find_same(kPythonImports, name); !import.empty()) {
    return fmt::format("add this line at the top: {}", import);
  }
  return fmt::format("'{}' is used before it is defined; define or import it, or check the spelling",
                     base::printable(name, kMaxNameBytes));
}

// Complaints of the shims in guest/.
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

}  // namespace

std::string hint_for_system_error(const FailedProgram& failed, std::string_view message) {
  if (message.find("No such file or directory") != std::string_view::npos ||
      message.find("ENOENT") != std::string_view::npos) {
    return hint_for_missing_file(failed);
  }
  return std::string(find_part(kSystemRules, message));
}

std::string hint_for_python(const FailedProgram& failed, std::string_view type, std::string_view message) {
  if (type == "KeyError") {
    return fmt::format("there is no key {}; print the keys (or columns) there are, or use .get()",
                       clip_end(message.substr(0, message.find('\n')), kMaxNameBytes));
  }
  if (type == "NameError" && message.starts_with("name '")) {
    return hint_for_undefined_name(between(message, "name '", "'"));
  }
  if (std::string solve = hint_for_solve(message); !solve.empty()) {
    return solve;
  }
  if (std::string system = hint_for_system_error(failed, message); !system.empty()) {
    return system;
  }
  return std::string(find_same(kPythonTypes, type));
}

std::string hint_for_node(const FailedProgram& failed, std::string_view type, std::string_view message) {
  if (const std::string_view name = between(message, "(reading '", "'"); !name.empty()) {
    return fmt::format("the value before .{} is missing; check that it is set, or use ?.",
                       base::printable(name, kMaxNameBytes));
  }
  if (std::string solve = hint_for_solve(message); !solve.empty()) {
    return solve;
  }
  if (const std::string_view known = find_part(kNodeMessages, message); !known.empty()) {
    return std::string(known);
  }
  if (type == "ReferenceError") {
    return fmt::format("'{}' is not defined; declare or require it, or check the spelling",
                       base::printable(message.substr(0, message.find(' ')), kMaxNameBytes));
  }
  if (std::string system = hint_for_system_error(failed, message); !system.empty()) {
    return system;
  }
  return std::string(find_same(kNodeTypes, type));
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
