// The compiled system-call filters of profiles/seccomp, and the reasons behind them.
//
// Compiled when Glovebox is built: installing one is a single system call with constant data, and a cell forked from a
// filtered process inherits it for nothing. An observed refusal stops the caller and reaches the filter's listener;
// whoever holds the listener asks explain_refusal what to answer and what to tell.
//
// Everything here is constant data without start-up code, so that the smallest static program can link it.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace glovebox::os {

struct Refusal {
  std::string_view rule;    // id in the profile
  std::string_view reason;  // a sentence for a person
  std::string_view grant;   // the one setting that would allow it, or "nothing: …"
  int sys_errno = 0;
};

// A refusal that the kernel answers without telling anyone. number -1: any call that the table does not have.
struct QuietRefusal {
  int number = 0;
  int sys_errno = 0;
  std::uint32_t rule = 0;
};

struct SeccompFilter {
  std::string_view name;
  std::span<const sock_filter> program;
  std::string_view key;            // equal keys: equal verdicts and equal answers
  std::span<const Refusal> rules;  // an observed refusal's return value carries an index into these
  std::span<const QuietRefusal> quiet;
};

// "default" is the filter of a container cell. nullptr: no such profile.
[[nodiscard]] const SeccompFilter* find_seccomp_filter(std::string_view name);

// Which rule refuses this call, and with what errno. Fails closed: for a call that the filter would not refuse (nobody
// should ask) the answer is still EPERM, under the rule "unexplained".
[[nodiscard]] Refusal explain_refusal(const SeccompFilter& filter, const seccomp_data& data);

}  // namespace glovebox::os
