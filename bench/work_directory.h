// A directory for one run of a command: the program and its input files are written before the clock starts, and it is
// gone when the object is.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/workload.h"

namespace glovebox::bench {

class WorkDirectory {
 public:
  // An empty directory below the system's place for temporary files.
  [[nodiscard]] static base::Result<WorkDirectory> create(const std::string& parent);
  WorkDirectory(WorkDirectory&& other) noexcept;
  WorkDirectory& operator=(WorkDirectory&& other) = delete;
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }
  // The program and the files of the workload, for a user with any id.
  [[nodiscard]] base::Status fill(const Workload& workload) const;

 private:
  explicit WorkDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// All regular *.txt files right in `directory`.
[[nodiscard]] NamedBytes read_artifacts(const std::string& directory);

}  // namespace glovebox::bench
