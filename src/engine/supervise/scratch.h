// The cell's writable tmpfs seen from outside: inputs go in before the program starts, results come out after
// everything in the cell is dead. All access is beneath one directory descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/rel_path.h"
#include "base/result.h"

namespace glovebox::engine {

// Parts of the scratch tmpfs, by name.
inline constexpr const char* kWorkPart = "work";
inline constexpr const char* kTmpPart = "tmp";
inline constexpr const char* kShmPart = "shm";
inline constexpr const char* kCodePart = "code";
inline constexpr const char* kSupportPart = "code/support";
inline constexpr const char* kEmptyPart = "empty";

struct PlacedFile {
  std::string_view part;  // kWorkPart or kCodePart
  base::RelPath path;
  std::string_view bytes;
};

struct ScratchUsage {
  std::uint64_t used_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t free_inodes = 0;
};

// Acts on files as the cell's host user while it lives: what we create belongs to the program, and what we open can be
// nothing that the program could not open. Per thread; does nothing for an ordinary user.
class ActingAs {
 public:
  ActingAs(std::uint32_t uid, std::uint32_t gid);
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;
  ~ActingAs();

 private:
  bool active_ = false;
};

class Scratch {
 public:
  Scratch() = default;
  Scratch(base::Fd root, std::uint32_t host_uid, std::uint32_t host_gid);

  [[nodiscard]] bool valid() const { return root_.valid(); }
  [[nodiscard]] int root() const { return root_.get(); }
  [[nodiscard]] std::uint32_t host_uid() const { return host_uid_; }
  [[nodiscard]] std::uint32_t host_gid() const { return host_gid_; }

  [[nodiscard]] base::Status place(const std::vector<PlacedFile>& files) const;
  [[nodiscard]] ScratchUsage usage() const;
  // A regular file that the program wrote, or an error; never follows anything.
  [[nodiscard]] base::Result<std::string> read_file(const char* path, std::uint64_t max_bytes) const;

 private:
  base::Fd root_;
  std::uint32_t host_uid_ = 0;
  std::uint32_t host_gid_ = 0;
};

}  // namespace glovebox::engine
