#include "engine/image/host_image.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <ctime>
#include <optional>
#include <set>

#include "base/fd.h"
#include "engine/image/image_key.h"
#include "engine/image/tree_digest.h"
#include "engine/supervise/scratch.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

constexpr const char* kPackages = "/var/lib/dpkg/status";
constexpr const char* kTree = "/usr";
// The key does not see everything.
constexpr std::time_t kBelievedSeconds = 24L * 60 * 60;

// Every dynamic program wants it; languages name what else they need, and the rest of /etc does not exist in a cell.
constexpr const char* kLinkerCache = "/etc/ld.so.cache";
// Below /usr, but configuration of the host: covered by an empty directory.
constexpr std::array kMasked = {"usr/etc", "usr/local/etc"};
constexpr std::array kDevices = {"null", "zero", "full", "random", "urandom"};

constexpr const char* kPasswd =
    "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
    "user:x:1000:1000:user:/tmp:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
constexpr const char* kGroup = "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n";
constexpr const char* kHosts = "127.0.0.1 localhost\n::1 localhost\n";
constexpr const char* kNsswitch = "passwd: files\ngroup: files\nshadow: files\nhosts: files\n";

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool has_entries(const std::string& path) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) {
    return errno != ENOENT;  // unreadable for us, perhaps not for the program: cover it
  }
  int entries = 0;
  while (entries <= 2 && ::readdir(directory) != nullptr) {
    ++entries;
  }
  ::closedir(directory);
  return entries > 2;
}

void add(Image& image, RootEntry::Kind kind, std::string target, std::string source = "") {
  image.entries.push_back({kind, std::move(target), std::move(source)});
}

// /bin, /lib and friends are links into /usr on a merged system, directories of their own on an old one.
void add_top_level(Image& image) {
  for (const char* name : {"bin", "sbin", "lib", "lib32", "lib64", "libx32"}) {
    const std::string path = std::string("/") + name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      continue;
    }
    if (S_ISLNK(status.st_mode)) {
      std::array<char, PATH_MAX> link{};
      const ssize_t length = ::readlink(path.c_str(), link.data(), link.size());
      if (length > 0) {
        add(image, RootEntry::Kind::symlink, name, std::string(link.data(), static_cast<std::size_t>(length)));
      }
    } else if (S_ISDIR(status.st_mode)) {
      add(image, RootEntry::Kind::image, name, path);
    }
  }
}

void add_etc(Image& image) {
  add(image, RootEntry::Kind::directory, "etc");
  add(image, RootEntry::Kind::file, "etc/passwd", kPasswd);
  add(image, RootEntry::Kind::file, "etc/group", kGroup);
  add(image, RootEntry::Kind::file, "etc/hosts", kHosts);
  add(image, RootEntry::Kind::file, "etc/nsswitch.conf", kNsswitch);
  if (os::path_exists(kLinkerCache)) {
    add(image, RootEntry::Kind::copied_file, "etc/ld.so.cache", kLinkerCache);
  }
}

void add_dev(Image& image) {
  add(image, RootEntry::Kind::directory, "dev");
  for (const char* name : kDevices) {
    add(image, RootEntry::Kind::device, "dev/" + std::string(name), "/dev/" + std::string(name));
  }
  add(image, RootEntry::Kind::symlink, "dev/fd", "/proc/self/fd");
  add(image, RootEntry::Kind::symlink, "dev/stdin", "/proc/self/fd/0");
  add(image, RootEntry::Kind::symlink, "dev/stdout", "/proc/self/fd/1");
  add(image, RootEntry::Kind::symlink, "dev/stderr", "/proc/self/fd/2");
}

void add_usr(Image& image) {
  add(image, RootEntry::Kind::image, "usr", kTree);
  for (const char* name : kMasked) {
    if (has_entries(std::string("/") + name)) {
      add(image, RootEntry::Kind::scratch_sealed, name, kEmptyPart);
    }
  }
}

std::optional<std::string> cached_digest(const std::string& file, const std::string& key) {
  constexpr std::size_t kHexDigits = 64;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    return std::nullopt;
  }
  const std::time_t age = std::time(nullptr) - status.st_mtim.tv_sec;
  if (age < 0 || age > kBelievedSeconds) {
    return std::nullopt;
  }
  const auto cached = os::read_file(file, 4096);
  if (cached && cached->size() == 2 * kHexDigits + 2 && cached->starts_with(key)) {
    return cached->substr(kHexDigits + 1, kHexDigits);
  }
  return std::nullopt;
}

Result<std::string> digest_of_host(const std::string& cache_directory) {
  const std::string key = image_key(kPackages, kTree);
  const std::string file = cache_directory + "/host-image";
  // Not being able to cache costs time, not safety.
  const bool caching = !cache_directory.empty();
  if (auto cached = caching ? cached_digest(file, key) : std::nullopt; cached) {
    return *cached;
  }
  base::Fd lock;
  if (caching && os::make_directories(cache_directory)) {
    // Runs that start together compute it once.
    lock = base::Fd(::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.valid() && ::flock(lock.get(), LOCK_EX) == 0) {
      if (auto cached = cached_digest(file, key); cached) {
        return *cached;
      }
    }
  }
  const std::string digest = TRY(compute_tree_digest(kPackages, kTree));
  if (caching) {
    (void)os::replace_file(file, key + "\n" + digest + "\n");
  }
  return digest;
}

}  // namespace

Result<Image> open_host_image(const std::string& cache_directory) {
  if (!is_directory(kTree)) {
    return fail(ErrorCode::image_unavailable, "the host has no /usr");
  }
  Image image;
  image.digest = "sha256:" + TRY(digest_of_host(cache_directory));
  add_usr(image);
  add_top_level(image);
  add_etc(image);
  add_dev(image);
  return image;
}

std::vector<RootEntry> show_host_paths(const std::vector<std::string>& paths) {
  std::vector<RootEntry> entries;
  std::set<std::string> parents = {"etc"};
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      continue;
    }
    const std::string target = path.substr(1);
    for (std::size_t slash = target.find('/'); slash != std::string::npos; slash = target.find('/', slash + 1)) {
      if (parents.insert(target.substr(0, slash)).second) {
        entries.push_back({RootEntry::Kind::directory, target.substr(0, slash), ""});
      }
    }
    entries.push_back({S_ISDIR(status.st_mode) ? RootEntry::Kind::image : RootEntry::Kind::copied_file, target, path});
  }
  return entries;
}

}  // namespace glovebox::engine
