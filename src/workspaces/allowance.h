// What one tenant's workspaces hold together, and the most they may.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/result.h"

namespace glovebox::workspaces {

struct Use {
  std::uint64_t bytes = 0;  // of contents and of names
  std::uint64_t files = 0;
  bool operator==(const Use&) const = default;
};

class Allowance {
 public:
  explicit Allowance(Use most) : most_(most) {}

  // One workspace goes from one state to another. Refused (quota_exceeded) if it grows beyond what the tenant may have;
  // to shrink is always allowed.
  [[nodiscard]] base::Status exchange(const Use& before, const Use& after);
  [[nodiscard]] Use used() const;

 private:
  const Use most_;
  mutable std::mutex mutex_;
  Use used_;
};

}  // namespace glovebox::workspaces
