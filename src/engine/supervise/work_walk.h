// Walks the work directory of a cell in which everything is dead. The tree is hostile: every step opens one name
// beneath a directory descriptor without following anything; depth and number of entries are bounded.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace glovebox::engine {

struct WorkEntry {
  std::string path;  // relative to the work directory, raw bytes
  mode_t mode = 0;
  std::uint64_t size = 0;
};

struct WorkWalk {
  static constexpr std::size_t kMaxEntries = 200'000;
  static constexpr std::size_t kMaxUnread = 32;

  std::vector<WorkEntry> entries;  // everything wanted but directories, sorted by path
  // Directories and names that could not be looked at, with the reason.
  std::vector<std::pair<std::string, std::string>> unread;
  bool complete = true;  // false: more than kMaxEntries
};

[[nodiscard]] WorkWalk walk_work(int work, const std::function<bool(const std::string&)>& wanted);

// Not valid if it is no regular file, or cannot be opened by whom this thread acts as.
[[nodiscard]] base::Fd open_regular(int work, const WorkEntry& entry);

// "a symbolic link"
[[nodiscard]] std::string kind_of(mode_t mode);

}  // namespace glovebox::engine
