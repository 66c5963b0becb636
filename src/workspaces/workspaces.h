// Every workspace of a process, by handle. Memory holds names, sizes and hashes; contents lie on the shelf
// (file_shelf.h), which does not outlive the process.
//
// A handle is a secret: whoever has it and belongs to the tenant has the files. One of another tenant, one that has
// expired and one that never was look the same: not_found. Any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "runner/service_settings.h"
#include "workspaces/workspace.h"

namespace glovebox::workspaces {

struct WorkspacesOptions {
  std::string directory;  // made if it is missing; private to this user
  runner::WorkspaceSettings settings;
  std::function<Clock::time_point()> now = [] { return Clock::now(); };
};

class Workspaces {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Workspaces>> create(WorkspacesOptions options);

  // A new, empty workspace; its handle is "ws_" and 128 random bits. quota_exceeded: the tenant, or the service, has as
  // many as it may.
  [[nodiscard]] base::Result<std::string> add(const std::string& tenant);
  // Counts as a use: the time to live starts again.
  [[nodiscard]] base::Result<std::shared_ptr<Workspace>> open(const std::string& tenant, const std::string& handle);
  [[nodiscard]] base::Status drop(const std::string& tenant, const std::string& handle);
  // Drops what nobody has used for its time to live; how many. add() and open() do so too.
  std::size_t sweep();

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const runner::WorkspaceSettings& settings() const { return options_.settings; }

 private:
  struct Place {
    std::string tenant;
    std::shared_ptr<Workspace> workspace;
    Clock::time_point used_at;
  };
  struct Tenant {
    std::shared_ptr<Allowance> allowance;
    std::size_t workspaces = 0;
  };
  using Places = std::unordered_map<std::string, Place>;

  Workspaces(WorkspacesOptions options, std::shared_ptr<FileShelf> shelf)
      : options_(std::move(options)), shelf_(std::move(shelf)) {}
  std::size_t sweep_locked(Clock::time_point now);
  Places::iterator forget(Places::iterator place);

  const WorkspacesOptions options_;
  const std::shared_ptr<FileShelf> shelf_;
  mutable std::mutex mutex_;
  Places places_;
  std::unordered_map<std::string, Tenant> tenants_;
  Clock::time_point swept_at_;
};

// Where a process that keeps no data puts its workspaces: a directory of this user's own in $TMPDIR or /tmp.
[[nodiscard]] std::string temporary_directory();

}  // namespace glovebox::workspaces
