// The supervisor's side of the launcher: starts it, asks it for cells, starts another when it is gone.
//
// One launcher serves all runs of a process.
#pragma once

#include <mutex>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "engine/launcher/cell_spec.h"
#include "engine/launcher/launch_connection.h"

namespace glovebox::engine {

class LauncherClient {
 public:
  // `program` is the path of glovebox-launcher.
  [[nodiscard]] base::Status start(const std::string& program);
  // The same loop in a fork of this process, which must have one thread and hold nothing that a cell must not inherit.
  // Saves a short-lived command the start of a second program.
  [[nodiscard]] base::Status start_in_fork();
  // Beside the running program, or in ../libexec/glovebox; GLOVEBOX_LAUNCHER names another.
  [[nodiscard]] static base::Result<std::string> find_program();

  LauncherClient() = default;
  LauncherClient(const LauncherClient&) = delete;
  LauncherClient& operator=(const LauncherClient&) = delete;
  // Closes the socket and waits for the launcher to end, which kills what it launched.
  ~LauncherClient();

  [[nodiscard]] base::Result<LaunchedCell> launch(const CellSpec& spec, const CellDescriptors& descriptors);
  [[nodiscard]] int pid() const { return pid_; }

 private:
  void stop();
  // Another launcher in place of one that is gone or hangs.
  [[nodiscard]] base::Status renew();
  [[nodiscard]] base::Status spawn();

  std::mutex mutex_;     // over starting again
  std::string program_;  // empty: a fork, whose successor is the program
  LaunchConnection connection_;
  int pid_ = -1;
};

}  // namespace glovebox::engine
