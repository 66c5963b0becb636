#include "os/syscall_table.h"

#include <algorithm>

namespace glovebox::os {

namespace {
#include "syscall_table.inc"
}  // namespace

std::span<const SyscallEntry> all_syscalls() { return kSyscalls; }

std::string_view syscall_name(int number) {
  const auto* found = std::ranges::lower_bound(kSyscalls, number, {}, &SyscallEntry::number);
  return found != std::ranges::end(kSyscalls) && found->number == number ? found->name : std::string_view();
}

std::optional<int> syscall_number(std::string_view name) {
  const auto* found = std::ranges::find(kSyscalls, name, &SyscallEntry::name);
  return found != std::ranges::end(kSyscalls) ? std::optional(found->number) : std::nullopt;
}

}  // namespace glovebox::os
