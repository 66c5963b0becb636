#include "os/seccomp_filter.h"

#include <cerrno>

#include "os/bpf_evaluator.h"
#include "os/syscall_table.h"

namespace glovebox::os {

namespace {

#include "seccomp_filters.inc"

constexpr Refusal kUnexplained{"unexplained", "the filter refused this call",
                               "nothing: this is never allowed in a cell", EPERM};
constexpr Refusal kForeign{"foreign-architecture", "only 64-bit x86 system calls exist in a cell",
                           "nothing: run a 64-bit program", EPERM};

}  // namespace

const SeccompFilter* find_seccomp_filter(std::string_view name) {
  for (const SeccompFilter& filter : kFilters) {
    if (filter.name == name) {
      return &filter;
    }
  }
  return nullptr;
}

Refusal explain_refusal(const SeccompFilter& filter, const seccomp_data& data) {
  const auto verdict = evaluate(filter.program, data);
  if (!verdict) {
    return kUnexplained;
  }
  const std::uint32_t value = *verdict & SECCOMP_RET_DATA;
  switch (*verdict & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_USER_NOTIF:
      return value < filter.rules.size() ? filter.rules[value] : kUnexplained;
    case SECCOMP_RET_ERRNO: {
      const int number = syscall_name(data.nr).empty() ? -1 : data.nr;
      for (const QuietRefusal& quiet : filter.quiet) {
        if (quiet.number == number && quiet.sys_errno == static_cast<int>(value) && quiet.rule < filter.rules.size()) {
          return filter.rules[quiet.rule];
        }
      }
      return kUnexplained;
    }
    case SECCOMP_RET_KILL_PROCESS:
      return kForeign;
    default:
      return kUnexplained;
  }
}

}  // namespace glovebox::os
