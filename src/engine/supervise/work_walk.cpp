#include "engine/supervise/work_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "os/calls.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxTreeDepth = 64;

// A directory still to be read. The descriptor is opened when its turn comes, so that depth costs no descriptors.
struct Pending {
  std::string path;
  std::size_t depth = 0;
};

class Walker {
 public:
  Walker(int work, const std::function<bool(const std::string&)>& wanted) : work_(work), wanted_(wanted) {}

  WorkWalk run() {
    std::vector<Pending> pending = {{"", 0}};
    while (!pending.empty() && seen_ < WorkWalk::kMaxEntries) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      read_directory(next, pending);
    }
    std::sort(walk_.entries.begin(), walk_.entries.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    walk_.complete = seen_ < WorkWalk::kMaxEntries;
    return std::move(walk_);
  }

 private:
  void read_directory(const Pending& directory, std::vector<Pending>& pending) {
    const char* name = directory.path.empty() ? "." : directory.path.c_str();
    const int fd = os::open_beneath(work_, name, O_RDONLY | O_DIRECTORY);
    DIR* stream = fd >= 0 ? ::fdopendir(fd) : nullptr;
    if (stream == nullptr) {
      if (fd >= 0) {
        ::close(fd);
      }
      skip(directory.path, "the program made the directory unreadable");
      return;
    }
    while (const dirent* entry = ::readdir(stream)) {
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) {
        continue;
      }
      if (++seen_ >= WorkWalk::kMaxEntries) {
        break;
      }
      std::string path = directory.path.empty() ? entry->d_name : directory.path + "/" + entry->d_name;
      struct stat status {};
      if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        skip(path, "the program closed the directory around it");
        continue;
      }
      if (S_ISDIR(status.st_mode)) {
        if (directory.depth + 1 < kMaxTreeDepth && path.size() < PATH_MAX) {
          pending.push_back({std::move(path), directory.depth + 1});
        } else {
          skip(path, "it is nested too deep");
        }
        continue;
      }
      if (wanted_(path)) {
        walk_.entries.push_back({std::move(path), status.st_mode, static_cast<std::uint64_t>(status.st_size)});
      }
    }
    ::closedir(stream);
  }

  void skip(const std::string& path, std::string why) {
    if (walk_.unread.size() < WorkWalk::kMaxUnread) {
      walk_.unread.emplace_back(path, std::move(why));
    }
  }

  int work_;
  const std::function<bool(const std::string&)>& wanted_;
  WorkWalk walk_;
  std::size_t seen_ = 0;
};

}  // namespace

WorkWalk walk_work(int work, const std::function<bool(const std::string&)>& wanted) {
  return Walker(work, wanted).run();
}

base::Fd open_regular(int work, const WorkEntry& entry) {
  base::Fd file(os::open_beneath(work, entry.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return base::Fd();
  }
  return file;
}

std::string kind_of(mode_t mode) {
  if (S_ISLNK(mode)) {
    return "a symbolic link";
  }
  if (S_ISFIFO(mode)) {
    return "a fifo";
  }
  if (S_ISSOCK(mode)) {
    return "a socket";
  }
  return "a device";
}

}  // namespace glovebox::engine
