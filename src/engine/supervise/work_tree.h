// Everything that a program leaves in its work directory, for a caller who goes on from there (workspaces).
//
// Unlike artifacts (artifacts.h), which are what somebody asked to see, this is all of it or nothing: what passes the
// bounds or cannot be read makes the tree incomplete, and an incomplete tree holds no files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contract/run_result.h"
#include "engine/supervise/scratch.h"

namespace glovebox::engine {

struct WorkBounds {
  std::uint64_t bytes = 0;  // of contents and of names
  std::uint64_t files = 0;
};

struct WorkFile {
  std::string path;
  std::string sha256;
  std::string content;
};

struct WorkTree {
  std::vector<std::string> kept;          // inputs that are still there as they were passed in
  std::vector<WorkFile> written;          // new or changed
  std::vector<contract::Denial> refused;  // links, devices, names with tricks: left out; layer "workspace"
  std::string incomplete;                 // why this is not all, for people; empty: it is
};

// `inputs` as for collect_artifacts: path → SHA-256, "" for mounted blobs, which are left out.
[[nodiscard]] WorkTree collect_work_tree(const Scratch& scratch, const WorkBounds& bounds,
                                         const std::map<std::string, std::string>& inputs);

}  // namespace glovebox::engine
