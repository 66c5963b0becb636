// What passes between a cell's first process and its supervisor, over the cell's own socket.
//
// In order: the scratch directory (two descriptors: the directory, and the handle that sizes it), then sealed (the
// seccomp listener, one descriptor), then exited, then emptied unless exited said that nothing is left; failed can come
// instead of any of them. The supervisor sends one CellGo when the inputs are in place; the sealed cell waits for it
// before it starts the program, or, if the program was started ahead, before it starts the clock. The supervisor treats
// all of it as foreign input: fixed size, checked kind, bounded descriptors.
#pragma once

#include <cstdint>
#include <string_view>

namespace glovebox::engine {

// The steps of building a cell, in order. A failure names the step; metrics.stages shows their times.
enum class CellStage : std::int32_t {
  clone,
  identity,
  cgroups,
  root_tmpfs,
  scratch,
  root_entries,
  blobs,
  pivot,
  hostname,
  rlimits,
  determinism,
  privileges,
  landlock,
  seccomp,
  await_go,
  fork,
  exec,
};
[[nodiscard]] std::string_view to_string(CellStage stage);

enum class CellMessageKind : std::uint32_t { scratch = 1, sealed = 2, exited = 3, failed = 4, emptied = 5 };

// What is alive in the cell beside its first process when the program has ended.
enum class Remains : std::int32_t {
  some = 0,
  nothing = 1,
  keeper = 2,  // everything has been killed; unless the program saw to it otherwise, only its keeper is still dying
};

struct CellMessage {
  CellMessageKind kind = CellMessageKind::failed;
  CellStage stage = CellStage::clone;
  std::int32_t sys_errno = 0;
  std::int32_t wait_status = 0;  // exited: as of waitpid
  // failed: index of the root entry or blob; sealed: 1 if the image has an overlay; exited: Remains
  std::int32_t detail = 0;
  std::uint64_t cpu_us = 0;          // exited: CPU time of all that was waited for
  std::uint64_t peak_rss_bytes = 0;  // exited: the largest of them
  std::uint64_t identity_us = 0;     // sealed: microseconds since the clone, when each part was finished
  std::uint64_t root_us = 0;
  std::uint64_t sealed_us = 0;
  std::uint64_t sealed_at_us = 0;  // sealed: on the monotonic clock, when the program could start
};

struct CellGo {
  std::uint64_t latest_end_ms = 0;  // from now: then the cell ends by itself, whatever the supervisor does
};

// Where a program that was started ahead finds the socket on which it is told what to run.
inline constexpr int kChannelFd = 3;

}  // namespace glovebox::engine
