// What this host offers to a wall: each facility is tried, never guessed from a version number.
#pragma once

#include <string>
#include <vector>

#include "os/cgroup_site.h"

namespace glovebox::engine {

enum class CheckStatus {
  ok,
  missing,   // something that a sealed run needs
  optional,  // absent or limited, but no run needs it today
};

struct HostCheck {
  std::string id;     // stable, for machines: user_namespaces
  std::string title;  // for people
  CheckStatus status = CheckStatus::ok;
  std::string detail;  // what was found
  std::string remedy;  // the exact thing to do; empty when all is well
};

[[nodiscard]] std::vector<HostCheck> check_host(const os::CgroupSite& site);

// What came of trying; 0: no error.
struct KvmAttempt {
  int open_errno = 0;
  int create_errno = 0;
  int api_version = 0;
};
[[nodiscard]] HostCheck judge_kvm(const KvmAttempt& attempt);

}  // namespace glovebox::engine
