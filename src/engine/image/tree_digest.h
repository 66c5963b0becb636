// A digest over the metadata of every file below a directory, independent of the order in which the disk lists them.
#pragma once

#include <string>

#include "base/result.h"

namespace glovebox::engine {

// The package list is covered by content (absent is fine), the tree by metadata.
[[nodiscard]] base::Result<std::string> compute_tree_digest(const std::string& package_list, const std::string& tree);

}  // namespace glovebox::engine
