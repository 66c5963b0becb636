#include "engine/supervise/denial_log.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "engine/supervise/call_text.h"

namespace glovebox::engine {

int DenialLog::record(const seccomp_data& data) {
  const os::Refusal refusal = os::explain_refusal(*filter_, data);
  ++total_;
  std::string what = call_text(data);
  const auto known = std::ranges::find(entries_, what, &contract::Denial::what);
  if (known != entries_.end()) {
    ++known->count;
  } else if (entries_.size() < kMaxEntries) {
    entries_.push_back({.what = std::move(what),
                        .target = std::string(refusal.reason),
                        .layer = "seccomp",
                        .grant = std::string(refusal.grant),
                        .count = 1});
  } else {
    ++others_;
  }
  // An errno of 0 would tell the program that the call worked.
  return *answers_.insert(refusal.sys_errno > 0 ? refusal.sys_errno : EPERM).first;
}

std::vector<contract::Denial> DenialLog::list() const {
  std::vector<contract::Denial> out = entries_;
  if (others_ > 0) {
    out.push_back({.what = "other refused calls",
                   .target = "too many different refused calls to list each",
                   .layer = "seccomp",
                   .grant = "see the first entries",
                   .count = others_});
  }
  return out;
}

}  // namespace glovebox::engine
