#include <charconv>
#include <set>
#include <string>

#include <fmt/format.h>

#include "seccomp_compiler/profile_reader.h"

namespace glovebox::seccomp_compiler {

using base::ErrorCode;

namespace {

// Far above any real number, far below the x32 bit.
constexpr std::uint32_t kHighestNumber = 0xffff;

base::Result<Syscall> read_line(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) {
    return base::fail(ErrorCode::invalid_request, "expected number, tab, name");
  }
  Syscall call;
  const char* const end = line.data() + tab;
  const auto [stopped, error] = std::from_chars(line.data(), end, call.number);
  if (error != std::errc{} || stopped != end || call.number > kHighestNumber) {
    return base::fail(ErrorCode::invalid_request, "not a system call number");
  }
  call.name = line.substr(tab + 1);
  constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (call.name.empty() || call.name.find_first_not_of(kNameCharacters) != std::string::npos) {
    return base::fail(ErrorCode::invalid_request, "not a system call name");
  }
  return call;
}

}  // namespace

const Syscall* SyscallTable::find(std::string_view name) const {
  for (const Syscall& call : calls) {
    if (call.name == name) {
      return &call;
    }
  }
  return nullptr;
}

base::Result<SyscallTable> read_syscall_table(std::string_view text, std::string_view file) {
  SyscallTable table;
  std::set<std::string> names;
  std::size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    auto call = read_line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto refuse = [&](std::string_view message) {
      return base::fail(ErrorCode::invalid_request, fmt::format("{}:{}: {}", file, line_number, message));
    };
    if (!call) {
      return refuse(call.error().message);
    }
    if (!table.calls.empty() && call->number <= table.calls.back().number) {
      return refuse("numbers must ascend");
    }
    if (!names.insert(call->name).second) {
      return refuse(fmt::format("{} appears twice", call->name));
    }
    table.calls.push_back(std::move(*call));
  }
  if (table.calls.empty()) {
    return base::fail(ErrorCode::invalid_request, fmt::format("{}:1: no system calls", file));
  }
  return table;
}

}  // namespace glovebox::seccomp_compiler
