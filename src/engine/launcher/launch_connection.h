// Asks a launcher, or a nursery, for cells. Requests are short (no run time in them) and are taken one at a time.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "engine/launcher/cell_spec.h"

namespace glovebox::engine {

struct CellDescriptors {
  int socket = -1;
  int standard_input = -1;  // these three if something is executed
  int standard_output = -1;
  int standard_error = -1;
  int channel = -1;  // if it waits for orders
  int cgroup = -1;   // cgroup2 directory, or -1
  std::vector<int> tasks;
  std::vector<int> blobs;
};

struct LaunchedCell {
  base::Fd pidfd;
  int pid = 0;  // in the process namespace of who launched it: ours for the launcher, not for a nursery
};

class LaunchConnection {
 public:
  LaunchConnection() = default;
  explicit LaunchConnection(base::Fd socket);

  [[nodiscard]] base::Result<LaunchedCell> launch(const CellSpec& spec, const CellDescriptors& descriptors);
  // The other side is gone, or did not answer in time: nothing more can be asked here.
  [[nodiscard]] bool broken() const { return broken_; }
  // Starts over with another socket.
  void reconnect(base::Fd socket);
  void close();

 private:
  std::mutex mutex_;
  base::Fd socket_;
  std::atomic<bool> broken_{true};
};

}  // namespace glovebox::engine
