#include "engine/image/image_key.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/sha256.h"

namespace glovebox::engine {
namespace {

// Where installing something shows that brings programs or shared libraries.
constexpr const char* kWatched[] = {
    "",           "/bin",       "/sbin",        "/lib",        "/lib64",   "/lib/x86_64-linux-gnu", "/share", "/local",
    "/local/bin", "/local/lib", "/local/share", "/local/sbin", "/libexec",
};
// Each directory in these is a package of a language.
constexpr const char* kPackagePlaces[] = {
    "/lib/python3/dist-packages",
    "/lib/node_modules",
    "/local/lib/node_modules",
    "/share/nodejs",
};

struct Directory {
  base::Fd self;
  std::vector<std::string> directories;  // in it; sorted, since the disk lists them in any order
};

Directory read_directory(const std::string& path, std::string_view prefix = "") {
  Directory read;
  DIR* listing = ::opendir(path.c_str());
  while (const dirent* entry = listing != nullptr ? ::readdir(listing) : nullptr) {
    const std::string_view name = entry->d_name;
    const bool may_be_directory = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
    if (may_be_directory && name != "." && name != ".." && name.starts_with(prefix)) {
      read.directories.emplace_back(name);
    }
  }
  if (listing != nullptr) {
    read.self = base::Fd(::fcntl(::dirfd(listing), F_DUPFD_CLOEXEC, 0));
    ::closedir(listing);
  }
  std::sort(read.directories.begin(), read.directories.end());
  return read;
}

class Key {
 public:
  // False: there is no such place.
  bool note(const std::string& path, int beneath = AT_FDCWD) {
    struct stat status {};
    if (::fstatat(beneath, path.c_str(), &status, 0) != 0) {
      return false;
    }
    text_ += fmt::format("{}:{}:{}:{}.{}\n", path, status.st_ino, status.st_size, status.st_ctim.tv_sec,
                         status.st_ctim.tv_nsec);
    return true;
  }
  void note_packages(const std::string& place) {
    if (note(place)) {
      const Directory packages = read_directory(place);
      for (const std::string& package : packages.directories) {
        note(package, packages.self.get());
      }
    }
  }
  [[nodiscard]] std::string hex() const { return base::sha256_hex(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string image_key(const std::string& package_list, const std::string& tree) {
  Key key;
  key.note(package_list);
  for (const char* place : kWatched) {
    key.note(tree + place);
  }
  for (const char* place : kPackagePlaces) {
    key.note_packages(tree + place);
  }
  for (const char* libraries : {"/lib", "/local/lib"}) {
    for (const std::string& name : read_directory(tree + libraries, "python").directories) {
      const std::string version = tree + libraries + "/" + name;
      key.note(version);
      key.note_packages(version + "/dist-packages");
      key.note_packages(version + "/site-packages");
    }
  }
  return key.hex();
}

}  // namespace glovebox::engine
