#include "bench/work_directory.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "os/files.h"

namespace glovebox::bench {

namespace fs = std::filesystem;

base::Result<WorkDirectory> WorkDirectory::create(const std::string& parent) {
  std::string path = parent + "/glovebox-bench-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return base::fail(
        base::errno_error(base::ErrorCode::setup_failed, "bench", "cannot create a directory in " + parent));
  }
  return WorkDirectory(std::move(path));
}

WorkDirectory::WorkDirectory(WorkDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}

WorkDirectory::~WorkDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

base::Status WorkDirectory::fill(const Workload& workload) const {
  if (::chmod(path_.c_str(), 0777) != 0) {
    return base::fail(base::errno_error(base::ErrorCode::setup_failed, "bench", "cannot open " + path_ + " for all"));
  }
  const auto write = [&](const std::string& name, const std::string& bytes) -> base::Status {
    const std::string file = path_ + "/" + name;
    TRY_STATUS(os::replace_file(file, bytes));
    ::chmod(file.c_str(), 0644);
    return {};
  };
  TRY_STATUS(write(program_name(workload), workload.code));
  for (const auto& [name, bytes] : workload.files) {
    TRY_STATUS(write(name, bytes));
  }
  return {};
}

NamedBytes read_artifacts(const std::string& directory) {
  constexpr std::size_t kMostBytes = 8U << 20U;
  NamedBytes artifacts;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, problem)) {
    if (entry.path().extension() == ".txt" && entry.is_regular_file(problem)) {
      artifacts[entry.path().filename()] = os::read_file(entry.path(), kMostBytes).value_or("");
    }
  }
  return artifacts;
}

}  // namespace glovebox::bench
