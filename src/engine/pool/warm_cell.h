// A cell that waits, built and sealed, with its runtime loaded, for the one program that it will run.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.h"
#include "engine/launcher/launch_connection.h"
#include "engine/supervise/scratch.h"
#include "os/cgroup.h"

namespace glovebox::engine {

struct WarmCell {
  LaunchedCell process;      // its first process
  base::Fd socket;           // to that process
  base::Fd keeper;           // a pidfd; of a zygote's child only
  base::Fd channel;          // to the runtime that waits
  base::Fd listener;         // refused system calls
  base::Fd standard_input;   // a memory file, still empty
  base::Fd standard_output;  // read ends
  base::Fd standard_error;
  Scratch scratch;
  base::Fd scratch_size;  // handle to size the scratch tmpfs anew
  std::uint64_t scratch_bytes = 0;
  std::uint64_t scratch_inodes = 0;
  os::CellCgroup cgroup;
  std::shared_ptr<os::CellCgroup> birth_group;  // of its zygote: the keeper may have stayed in it
  std::vector<ResourceLimit> rlimits;  // that its runtime has already; a zygote's child gets them with its orders
  bool takes_limits = false;           // the runtime sets the resource limits that come with its orders
  bool image_covered = false;
  std::string kind;
  double make_cpu_ms = 0;  // that making it took, inside the cell
  std::chrono::steady_clock::time_point made_at;

  // Nothing of it has died or said a word while it waited.
  [[nodiscard]] bool healthy() const;
  // Gives it the size that this run's limits ask for.
  [[nodiscard]] base::Status resize(std::uint64_t bytes, std::uint64_t inodes);
  // What the program will find on its standard input; nobody can change it afterwards.
  [[nodiscard]] base::Status fill_standard_input(const std::string& bytes);
};

// What is left of a cell after its run: the first process on its way out, the keeper of the program's memory
// (guest/zygote/program_process.h), and the control groups.
struct SpentCell {
  LaunchedCell process;
  os::CellCgroup cgroup;
  base::Fd keeper;
  std::shared_ptr<os::CellCgroup> birth_group;
  bool reusable = false;  // the groups saw nothing but an ordinary run
  bool killed = false;
  double run_cpu_ms = 0;

  void kill();
  [[nodiscard]] bool dead() const;
};

// Of a cell that will not be used, or not again.
[[nodiscard]] SpentCell remains_of(WarmCell cell);

}  // namespace glovebox::engine
