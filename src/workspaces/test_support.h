// For the tests of this folder: paths without ceremony, and what stands behind them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/rel_path.h"
#include "workspaces/workspace.h"

namespace glovebox::workspaces {

inline base::RelPath path_of(const std::string& text) { return base::RelPath::parse(text).value(); }

inline std::vector<std::string> names_in(const Workspace& workspace, const std::string& directory = "") {
  std::vector<std::string> names;
  for (const Entry& entry : workspace.list(directory)) {
    names.push_back(entry.path);
  }
  return names;
}

inline std::string text_of(const Workspace& workspace, const std::string& path) {
  const auto text = workspace.read(path_of(path), 0, 1U << 20U);
  return text ? *text : "(" + std::string(base::to_string(text.error().code)) + ")";
}

// Regular files anywhere below.
inline std::size_t files_below(const std::string& directory) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    files += entry.is_regular_file() && entry.path().filename() != "lock" ? 1 : 0;
  }
  return files;
}

}  // namespace glovebox::workspaces
