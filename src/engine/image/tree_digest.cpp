#include "engine/image/tree_digest.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <vector>

#include "base/fd.h"
#include "base/sha256.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr std::size_t kMaxPackageListBytes = 256U << 20U;

constexpr const char* kUnreadable = "\tunreadable\n";

// Whoever computes it: root reads more than a cell does, and must come to the same digest as everybody.
bool cells_can_read(const struct stat& directory) {
  constexpr mode_t kForOthers = S_IROTH | S_IXOTH;
  return (directory.st_mode & kForOthers) == kForOthers;
}

std::vector<std::string> sorted_names(DIR* directory) {
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      names.emplace_back(entry->d_name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void note(base::Sha256& hash, int directory, const std::string& path, const std::string& name,
          const struct stat& status) {
  std::string line = path + "\t" + std::to_string(status.st_mode) + "\t";
  if (S_ISLNK(status.st_mode)) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    line.append(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  } else if (S_ISREG(status.st_mode)) {
    line += std::to_string(status.st_size) + "\t" + std::to_string(status.st_mtim.tv_sec);
  }
  line += "\n";
  hash.update(line);
}

}  // namespace

Result<std::string> compute_tree_digest(const std::string& package_list, const std::string& tree) {
  base::Sha256 hash;
  if (const auto packages = os::read_file(package_list, kMaxPackageListBytes); packages) {
    hash.update(*packages);
  }
  std::vector<std::string> pending = {tree};
  while (!pending.empty()) {
    const std::string path = std::move(pending.back());
    pending.pop_back();
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* directory = fd >= 0 ? ::fdopendir(fd) : nullptr;
    if (directory == nullptr) {
      if (fd >= 0) {
        ::close(fd);
      }
      if (path == tree) {
        return fail(base::errno_error(ErrorCode::image_unavailable, "digest", "cannot read " + tree));
      }
      hash.update(path + kUnreadable);
      continue;
    }
    const auto names = sorted_names(directory);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      struct stat status {};
      if (::fstatat(fd, name->c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        continue;
      }
      const std::string child = path + "/" + *name;
      note(hash, fd, child, *name, status);
      if (S_ISDIR(status.st_mode) && cells_can_read(status)) {
        pending.push_back(child);
      } else if (S_ISDIR(status.st_mode)) {
        hash.update(child + kUnreadable);
      }
    }
    ::closedir(directory);
  }
  return hash.hex();
}

}  // namespace glovebox::engine
