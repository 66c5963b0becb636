// The files of one conversation: what was written is there for the next program, and what a program leaves is there for
// the one after it, deletions included.
//
// No cell ever sees the workspace itself. A run gets the files as its inputs, as if the caller had sent them along, so
// that its record is complete and can be replayed; when everything in the cell is dead, what lies in its work directory
// becomes the workspace. Contents and names of regular files count: no links, modes, or empty directories.
//
// The state is one immutable tree, replaced as a whole or not at all. Readers take the tree of the moment; whoever
// changes it (write, remove, run) waits for its turn.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rel_path.h"
#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "runner/runner.h"
#include "runner/service_settings.h"
#include "workspaces/allowance.h"
#include "workspaces/file_shelf.h"
#include "workspaces/turns.h"

namespace glovebox::workspaces {

using Clock = std::chrono::steady_clock;
using Tree = std::map<std::string, std::shared_ptr<const StoredFile>>;

inline constexpr std::chrono::milliseconds kTurnPatience = std::chrono::seconds(30);

struct Entry {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;
  bool operator==(const Entry&) const = default;
};

// What a run has done to its workspace.
struct Changes {
  std::vector<std::string> written;         // new or changed, sorted
  std::vector<std::string> removed;         // sorted
  std::vector<contract::Denial> not_taken;  // links, devices, names with tricks; layer "workspace"
  std::string kept_old;                     // not empty: why the workspace is as it was before the run, for the answer
  bool operator==(const Changes&) const = default;
};

struct WorkspaceRun {
  contract::RunResult result;
  Changes changes;
  contract::RunRequest request{};  // as it ran, with the workspace's files
};

enum class WriteMode { replace, append };

class Workspace {
 public:
  Workspace(std::shared_ptr<FileShelf> shelf, std::shared_ptr<Allowance> allowance, runner::WorkspaceSettings settings);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  // input_too_large: the workspace would pass its bounds. quota_exceeded: the tenant's would. invalid_request: the path
  // is a directory, or one of its parents is a file. not_found: the workspace has been dropped.
  [[nodiscard]] base::Status write(const base::RelPath& path, std::string_view bytes, WriteMode mode,
                                   std::chrono::milliseconds patience = kTurnPatience);
  // At most max_bytes from offset on, and nothing past the end; not_found if there is no such file.
  [[nodiscard]] base::Result<std::string> read(const base::RelPath& path, std::uint64_t offset,
                                               std::uint64_t max_bytes) const;
  [[nodiscard]] base::Result<Entry> find(const base::RelPath& path) const;
  // Sorted by path. With a directory: what is in it, at any depth. Empty: everything.
  [[nodiscard]] std::vector<Entry> list(std::string_view directory) const;
  // A file, or a directory with everything in it; how many files. not_found if there is neither.
  [[nodiscard]] base::Result<std::size_t> remove(const base::RelPath& path);

  // Runs the request with the workspace's files beside its own, which come first where both have a path, and takes over
  // what it left. Fails only when there is no turn; anything else is told in the result. Never answered from the cache,
  // and never parked: options.parked and options.work are not looked at.
  [[nodiscard]] base::Result<WorkspaceRun> run(runner::Runner& runner, contract::RunRequest request,
                                               runner::RunOptions options,
                                               std::chrono::milliseconds patience = kTurnPatience);

  [[nodiscard]] Use used() const;

  // For Workspaces. Nothing is going on here.
  [[nodiscard]] bool idle() const { return turns_.in_line() == 0; }
  // Whatever comes from now on finds nothing, and what runs is not taken over.
  void end() { ended_ = true; }

 private:
  [[nodiscard]] std::shared_ptr<const Tree> tree() const;
  [[nodiscard]] base::Status check_bounds(const Use& use) const;
  // The next state, as far as the tenant's allowance goes.
  [[nodiscard]] base::Status replace(Tree next);
  [[nodiscard]] Changes take_over(engine::WorkTree left, std::span<const contract::InputFile> own_files);
  [[nodiscard]] base::Result<Tree> next_tree(engine::WorkTree& left, std::span<const contract::InputFile> own_files,
                                             const Tree& before);

  const std::shared_ptr<FileShelf> shelf_;
  const std::shared_ptr<Allowance> allowance_;
  const runner::WorkspaceSettings settings_;
  std::atomic<bool> ended_ = false;
  Turns turns_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Tree> tree_;
};

}  // namespace glovebox::workspaces
