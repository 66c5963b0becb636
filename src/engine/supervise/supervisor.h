// Watches one cell from its first byte to its last process, on the calling thread.
//
// One poll loop over: the cell's socket, stdout, stderr, the pidfd, the listener for refused calls, the cancel event,
// and a deadline on the monotonic clock. Nothing in the cell can block it: pipes are non-blocking and bounded, messages
// have a fixed size, and every wait has an end. The first verdict wins and kills everything; the loop ends when the
// first process of the cell is gone, and with it the whole pid namespace. A cell that waited for its program is left
// earlier: when nothing but its first process is alive, or, if nothing will be read from its scratch, when all that is
// left beside it is one process that has been killed: the keeper of the program's memory (docs/decisions/0022).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "contract/event.h"
#include "contract/limits.h"
#include "contract/run_result.h"
#include "engine/launcher/launch_connection.h"
#include "engine/supervise/cancel_token.h"
#include "engine/supervise/output_capture.h"
#include "engine/supervise/scratch.h"
#include "os/cgroup.h"
#include "os/seccomp_filter.h"

namespace glovebox::engine {

enum class Verdict { none, wall, cpu, memory, processes, output, cancelled };

// What a cell has that was built before its program was known.
struct WaitingCell {
  Scratch scratch;
  base::Fd listener;
  base::Fd channel;    // where the program waits for its orders
  std::string orders;  // one packet
  bool image_covered = false;
};

struct SupervisedCell {
  LaunchedCell process;
  base::Fd socket;
  base::Fd standard_output;  // read ends, non-blocking
  base::Fd standard_error;
  const os::CellCgroup* cgroup = nullptr;  // never null; may be empty in the degraded mode
  bool poll_memory = false;
  bool poll_processes = false;
  std::optional<WaitingCell> waiting;
};

struct SupervisionOptions {
  contract::Limits limits;
  const os::SeccompFilter* filter = nullptr;
  std::uint32_t host_uid = 0;
  std::uint32_t host_gid = 0;
  std::vector<PlacedFile> inputs;
  bool reads_scratch = true;                    // after the end: then nothing may be alive that could change it
  std::uint64_t latest_end_ms = 0;              // when the cell ends by itself, should we be unable to end it
  const contract::EventSink* events = nullptr;  // may be null
  const CancelToken* cancel = nullptr;          // may be null
};

struct SupervisionReport {
  Verdict verdict = Verdict::none;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<base::Error> failure;  // the cell could not be built, or died before it took the program
  // Unless it is certain that not one instruction of the program was executed.
  bool program_may_have_run = false;
  OutputCapture standard_output{0};
  OutputCapture standard_error{0};
  std::vector<contract::Denial> denials;
  std::set<int> refused_with;  // the errno values that the refused calls got
  Scratch scratch;
  LaunchedCell process;  // may still be on its way out
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t peak_processes = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t refused_forks = 0;
  bool image_covered = false;  // the cell sees the image through an overlay
  bool disk_full = false;
  bool inodes_full = false;
  std::uint64_t peak_written_bytes = 0;  // the most that a look found in the scratch beside our own inputs
  double setup_ms = 0;                   // from supervise() to the start of the program
  double wall_ms = 0;                    // of the program
  double identity_ms = 0;                // parts of the setup, since the clone
  double root_ms = 0;
  double sealed_ms = 0;
  double inputs_ms = 0;
};

[[nodiscard]] SupervisionReport supervise(SupervisedCell cell, const SupervisionOptions& options);

}  // namespace glovebox::engine
