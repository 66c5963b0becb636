// Collects what the program made, after everything in the cell is dead (L7, A4).
//
// The tree is hostile: every step opens one name beneath a directory descriptor without following anything, depth and
// number of entries are bounded, and only regular files with honest names are taken. What matched a pattern and was not
// taken is listed with its reason: nothing is dropped in silence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contract/limits.h"
#include "contract/run_result.h"
#include "engine/supervise/scratch.h"

namespace glovebox::engine {

struct ArtifactHarvest {
  std::vector<contract::Artifact> artifacts;  // sorted by path
  std::vector<contract::Denial> refused;      // layer "artifacts"
  std::string over_limit;                     // which cap was passed, for people; empty if none
};

// `inputs` are the files passed in, path → SHA-256 of the bytes ("" for mounted blobs): unchanged ones are no
// artifacts.
[[nodiscard]] ArtifactHarvest collect_artifacts(const Scratch& scratch, const std::vector<std::string>& patterns,
                                                const contract::Limits& limits,
                                                const std::map<std::string, std::string>& inputs);

}  // namespace glovebox::engine
