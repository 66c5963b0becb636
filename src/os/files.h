// Small files read and written whole: /proc, cgroup files, profiles, caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace glovebox::os {

inline constexpr std::size_t kSmallFileBytes = 1U << 20U;

// Fails when the file is larger than max_bytes: nothing is read half.
[[nodiscard]] base::Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kSmallFileBytes);
[[nodiscard]] base::Result<std::string> read_file_at(int directory, const char* name,
                                                     std::size_t max_bytes = kSmallFileBytes);
[[nodiscard]] base::Result<std::string> read_all(int fd, std::size_t max_bytes);
[[nodiscard]] base::Status write_all(int fd, std::string_view bytes);
// For kernel interface files: one write(2), no create, no truncate.
[[nodiscard]] base::Status write_file_at(int directory, const char* name, std::string_view value);
// Replaces a file atomically (temporary name, rename).
[[nodiscard]] base::Status replace_file(const std::string& path, std::string_view bytes);
// mkdir -p with mode 0700 for what is missing.
[[nodiscard]] base::Status make_directories(const std::string& path);
[[nodiscard]] bool path_exists(const std::string& path);
// Full paths of the directories in it, in no order; none if it cannot be read.
[[nodiscard]] std::vector<std::string> list_directories(const std::string& path);
// The first unsigned number after `key` at the start of a line ("oom_kill 3"), or of the text if key is empty.
[[nodiscard]] std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key);

}  // namespace glovebox::os
