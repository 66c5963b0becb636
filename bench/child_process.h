// One command of a peer, from spawn until its output has ended and it is reaped.
//
// The child gets a process group of its own, so that Ctrl-C reaches only the benchmark, which lets the runs that are
// going on end in peace; and exactly the environment that it was given, so that the caller's settings (another Python
// on PATH, NODE_OPTIONS) do not count. Safe to call from any number of threads; the parent's size does not matter,
// since posix_spawn shares the memory instead of copying it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace glovebox::bench {

struct Command {
  std::vector<std::string> words;
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  std::string directory = "/";
};

struct ChildEnd {
  std::string output;
  std::string error_output;  // its first bytes, for messages
  std::string problem;       // empty: it exited with 0
};

// Killed, with its group, when it takes longer than `patience`.
[[nodiscard]] ChildEnd run_command(const Command& command, std::chrono::seconds patience = std::chrono::seconds(60));

}  // namespace glovebox::bench
