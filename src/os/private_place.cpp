#include "os/private_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace glovebox::os {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr int kForNames = O_PATH | O_DIRECTORY | O_CLOEXEC;

base::Error cannot_create(const std::string& path) {
  return errno_error(ErrorCode::internal_error, "mkdir", "cannot create the directory " + path);
}

Result<Fd> enter(int parent, const std::string& name, const std::string& path) {
  if (::mkdirat(parent, name.c_str(), 0700) == 0) {
    const Fd made(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made.valid()) {
      give_to_owner(made.get(), parent);
    }
  } else if (errno != EEXIST) {
    return fail(cannot_create(path));
  }
  Fd entered(::openat(parent, name.c_str(), kForNames | O_NOFOLLOW));
  if (!entered.valid()) {
    return fail(errno_error(ErrorCode::internal_error, "open", path + " is not a directory of its own"));
  }
  return entered;
}

// The way to the data directory may have links: whoever named it chose them.
Result<Fd> open_root(const std::string& path) {
  Fd root(::open(path.empty() ? "." : path.c_str(), kForNames));
  if (root.valid() || path.empty() || path == "/") {
    return root.valid() ? Result<Fd>(std::move(root)) : fail(cannot_create(path));
  }
  if (errno != ENOENT) {
    return fail(errno_error(ErrorCode::internal_error, "open", "cannot open the directory " + path));
  }
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string above = slash == std::string::npos ? "" : path.substr(0, std::max<std::size_t>(slash, 1));
  const Fd parent = TRY(open_root(above));
  return name.empty() ? Fd(::openat(parent.get(), ".", kForNames)) : enter(parent.get(), name, path);
}

}  // namespace

Result<Fd> open_private_directory(const std::string& root, std::string_view below) {
  Fd place = TRY(open_root(root));
  std::string path = root;
  while (!below.empty()) {
    const std::size_t end = std::min(below.find('/'), below.size());
    const std::string name(below.substr(0, end));
    below.remove_prefix(std::min(end + 1, below.size()));
    path += "/" + name;
    place = TRY(enter(place.get(), name, path));
  }
  return place;
}

Result<Fd> create_private_file(int directory, std::string_view prefix, std::string& name) {
  // There is no mkostempat: the descriptor's own name stands for the directory.
  const std::string place = "/proc/self/fd/" + std::to_string(directory) + "/";
  std::string path = place + std::string(prefix) + "XXXXXX";
  Fd file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file.valid()) {
    return fail(errno_error(ErrorCode::internal_error, "open", "cannot create a file"));
  }
  give_to_owner(file.get(), directory);
  name = path.substr(place.size());
  return file;
}

Result<Fd> open_private_file(const std::string& directory, const std::string& name) {
  constexpr int kOpen = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  const Fd place(::open(directory.c_str(), kForNames));
  Fd file(::openat(place.get(), name.c_str(), kOpen));
  if (!file.valid() && errno == ENOENT) {
    file = Fd(::openat(place.get(), name.c_str(), kOpen | O_CREAT | O_EXCL, 0600));
    if (file.valid()) {
      give_to_owner(file.get(), place.get());
    } else if (errno == EEXIST) {
      file = Fd(::openat(place.get(), name.c_str(), kOpen));
    }
  }
  if (!file.valid()) {
    return fail(errno_error(ErrorCode::internal_error, "open", "cannot open " + directory + "/" + name));
  }
  return file;
}

void give_to_owner(int made, int directory) {
  struct stat owner {};
  struct stat own {};
  if (::geteuid() != 0 || ::fstat(directory, &owner) != 0 || ::fstat(made, &own) != 0 || own.st_uid != 0) {
    return;
  }
  if (owner.st_uid != 0) {
    // It fails where root is not the host's (an owner without a number there): then nobody else can be given it.
    [[maybe_unused]] const int given = ::fchown(made, owner.st_uid, owner.st_gid);
  }
}

void give_to_owner(int made, const std::string& directory) {
  const Fd place(::open(directory.c_str(), kForNames));
  if (place.valid()) {
    give_to_owner(made, place.get());
  }
}

}  // namespace glovebox::os
