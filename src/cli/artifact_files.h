// `--artifacts DIR`: what a run left, as files below a directory of the caller's.
//
// A file that is there already is left alone and reported, unless --overwrite: programs choose the names, and .bashrc
// is a name. No link is followed below the directory, and nothing is left half.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "contract/run_result.h"

namespace glovebox::cli {

// Makes the directory if it is missing. Before the run: nobody should wait for a result that has no place.
[[nodiscard]] base::Result<base::Fd> open_artifact_directory(const std::string& path);

struct SavedArtifacts {
  std::set<std::string> paths;
  std::vector<base::Error> failures;
};
// One that cannot be saved does not keep the others from it.
[[nodiscard]] SavedArtifacts save_artifacts(const contract::RunResult& result, int directory, bool overwrite);

}  // namespace glovebox::cli
