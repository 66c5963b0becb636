#include "workspaces/allowance.h"

#include "base/units.h"

namespace glovebox::workspaces {
namespace {

base::Status refuse(std::string what) {
  return base::fail(
      base::make_error(base::ErrorCode::quota_exceeded, "all workspaces together would have " + std::move(what))
          .with_hint("remove files that are no longer needed, or drop a workspace"));
}

}  // namespace

base::Status Allowance::exchange(const Use& before, const Use& after) {
  const std::lock_guard lock(mutex_);
  const Use next{used_.bytes - before.bytes + after.bytes, used_.files - before.files + after.files};
  if (after.bytes > before.bytes && next.bytes > most_.bytes) {
    return refuse("more than " + base::format_size(most_.bytes));
  }
  if (after.files > before.files && next.files > most_.files) {
    return refuse("more than " + std::to_string(most_.files) + " files");
  }
  used_ = next;
  return {};
}

Use Allowance::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace glovebox::workspaces
