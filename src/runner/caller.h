// Who wants a run, and in what surroundings. A command line has none of it: everything is empty there.
#pragma once

#include <string>
#include <string_view>

namespace glovebox::runner {

inline constexpr std::string_view kDefaultTenant = "default";

struct Caller {
  std::string tenant = std::string(kDefaultTenant);
  std::string key_id;       // of the key that was shown; empty: none had to be
  std::string task_id;      // runs of one task share a budget (B1); empty: no task
  std::string traceparent;  // of the request, for the record
  bool operator==(const Caller&) const = default;
};

}  // namespace glovebox::runner
