// The supervisor's side of the launcher: starts it, asks it for cells, notices when it is gone.
//
// One launcher serves all runs of a process; requests are short (no run time in them) and are taken one at a time.
#pragma once

#include <mutex>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "engine/launcher/cell_spec.h"

namespace glovebox::engine {

struct CellDescriptors {
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  int socket = -1;
  int cgroup = -1;  // cgroup2 directory, or -1
  std::vector<int> tasks;
  std::vector<int> blobs;
};

struct LaunchedCell {
  base::Fd pidfd;
  int pid = 0;
};

class LauncherClient {
 public:
  // `program` is the path of glovebox-launcher.
  [[nodiscard]] static base::Result<LauncherClient> start(const std::string& program);
  // The same loop in a fork of this process, which must have one thread and hold nothing that a cell must not inherit.
  // Saves a short-lived command the start of a second program.
  [[nodiscard]] static base::Result<LauncherClient> start_in_fork();
  // Beside the running program, or in ../libexec/glovebox; GLOVEBOX_LAUNCHER names another.
  [[nodiscard]] static base::Result<std::string> find_program();

  LauncherClient(LauncherClient&& other) noexcept;
  LauncherClient& operator=(LauncherClient&& other) = delete;
  LauncherClient(const LauncherClient&) = delete;
  LauncherClient& operator=(const LauncherClient&) = delete;
  // Closes the socket and waits for the launcher to end, which kills what it launched.
  ~LauncherClient();

  [[nodiscard]] base::Result<LaunchedCell> launch(const CellSpec& spec, const CellDescriptors& descriptors);

 private:
  LauncherClient(base::Fd socket, int pid) : socket_(std::move(socket)), pid_(pid) {}

  std::mutex mutex_;
  base::Fd socket_;
  int pid_ = -1;
};

}  // namespace glovebox::engine
