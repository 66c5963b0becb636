// Peers that are commands: spawned, read to the end, reaped. command_peers.cpp knows their words.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/child_process.h"
#include "bench/peer.h"
#include "bench/work_directory.h"

namespace glovebox::bench {

// Where one run lives: made before the clock starts.
struct CommandPlace {
  std::string work;   // has the program and its inputs; the program writes its artifacts here
  std::string spare;  // for what the peer itself needs (a bundle, a place for results)
};

struct CommandPeerParts {
  std::string missing;
  std::function<std::string(const Workload&)> cannot_run;
  // Called before the clock starts; may write into place.spare.
  std::function<base::Result<Command>(const Workload&, const CommandPlace&)> command;
  bool artifacts_in_spare = false;
};

class CommandPeer : public Peer {
 public:
  CommandPeer(std::string id, std::string title, std::string scratch, CommandPeerParts parts);

  [[nodiscard]] std::string missing() const override { return parts_.missing; }
  [[nodiscard]] std::string cannot_run(const Workload& workload) const override;
  [[nodiscard]] base::Result<std::unique_ptr<PlannedRun>> plan(const Workload& workload) override;

 private:
  struct Place {
    WorkDirectory work;
    WorkDirectory spare;
  };
  [[nodiscard]] base::Result<std::shared_ptr<Place>> place_for(const Workload& workload);

  std::string scratch_;
  CommandPeerParts parts_;
  std::mutex mutex_;
  // Programs that write nothing can share one directory, which keeps the disk quiet while others are measured.
  std::map<std::string, std::shared_ptr<Place>> shared_places_;
};

// What the commands depend on, beside what is installed.
struct CommandSurroundings {
  std::string scratch;   // a directory that the caller removes
  std::string glovebox;  // path of the program, for the peer that starts it
  std::string pyodide;   // directory with run.mjs and node_modules; empty: not installed
  std::string cgroup;    // where `glovebox run` may make its groups; empty: where it finds itself
};

// bare, bare-s, bubblewrap, runc, pyodide, command
[[nodiscard]] std::vector<std::unique_ptr<Peer>> command_peers(const CommandSurroundings& surroundings);

}  // namespace glovebox::bench
