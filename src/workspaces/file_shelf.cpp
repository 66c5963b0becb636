#include "workspaces/file_shelf.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::workspaces {
namespace {

using base::ErrorCode;
using base::Fd;
using base::Result;

constexpr std::string_view kLivePrefix = "live-";
constexpr const char* kLockName = "lock";

base::Error failed(std::string_view what) { return base::errno_error(ErrorCode::internal_error, "workspaces", what); }

bool lock(int fd, int operation) {
  int done = 0;
  do {
    done = ::flock(fd, operation);
  } while (done != 0 && errno == EINTR);
  return done == 0;
}

template <typename Visit>
void each_name(int directory, const Visit& visit) {
  const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = fd >= 0 ? ::fdopendir(fd) : nullptr;
  if (stream == nullptr) {
    if (fd >= 0) {
      ::close(fd);
    }
    return;
  }
  while (const dirent* entry = ::readdir(stream)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      visit(entry->d_name);
    }
  }
  ::closedir(stream);
}

// Files only, in no depth: that is all we ever put there.
void remove_shelf(int root, int own, const char* name) {
  each_name(own, [own](const char* file) { ::unlinkat(own, file, 0); });
  ::unlinkat(root, name, AT_REMOVEDIR);
}

Result<Fd> open_private(const std::string& path) {
  TRY_STATUS(os::make_directories(path));
  Fd root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!root.valid() || ::fstat(root.get(), &status) != 0) {
    return base::fail(failed("cannot open the directory " + path));
  }
  if (status.st_uid != ::geteuid()) {
    return base::fail(base::make_error(ErrorCode::internal_error, path + " belongs to somebody else")
                          .with_hint("remove it, or choose another directory"));
  }
  if ((status.st_mode & 077U) != 0 && ::fchmod(root.get(), 0700) != 0) {
    return base::fail(failed("cannot make private the directory " + path));
  }
  return root;
}

}  // namespace

StoredFile::StoredFile(std::shared_ptr<const FileShelf> shelf, std::uint64_t number, std::uint64_t bytes,
                       std::string sha256)
    : shelf_(std::move(shelf)), number_(number), bytes_(bytes), sha256_(std::move(sha256)) {}

StoredFile::~StoredFile() { ::unlinkat(shelf_->own_.get(), std::to_string(number_).c_str(), 0); }

Result<std::string> StoredFile::read(std::uint64_t offset, std::uint64_t max_bytes) const {
  const Fd file(::openat(shelf_->own_.get(), std::to_string(number_).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) {
    return base::fail(failed("cannot open a file of the workspace"));
  }
  std::string bytes(offset >= bytes_ ? 0 : std::min(max_bytes, bytes_ - offset), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return base::fail(got < 0 ? failed("cannot read a file of the workspace")
                                : base::make_error(ErrorCode::internal_error, "a file of the workspace was cut short"));
    }
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<std::shared_ptr<FileShelf>> FileShelf::open(const std::string& path) {
  Fd root = TRY(open_private(path));
  // While we look, nobody else makes a directory or takes one for dead.
  const Fd gate(::openat(root.get(), kLockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!gate.valid() || !lock(gate.get(), LOCK_EX)) {
    return base::fail(failed("cannot lock the directory " + path));
  }
  each_name(root.get(), [&root](const char* name) {
    if (!std::string_view(name).starts_with(kLivePrefix)) {
      return;
    }
    const Fd other(os::open_beneath(root.get(), name, O_RDONLY | O_DIRECTORY));
    if (other.valid() && lock(other.get(), LOCK_EX | LOCK_NB)) {
      remove_shelf(root.get(), other.get(), name);
    }
  });
  std::string name;
  for (int number = 0; true; ++number) {
    name = std::string(kLivePrefix) + std::to_string(::getpid()) + "-" + std::to_string(number);
    if (::mkdirat(root.get(), name.c_str(), 0700) == 0) {
      break;
    }
    if (errno != EEXIST) {
      return base::fail(failed("cannot make a directory in " + path));
    }
  }
  Fd own(os::open_beneath(root.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
  if (!own.valid() || !lock(own.get(), LOCK_EX | LOCK_NB)) {
    return base::fail(failed("cannot lock a directory in " + path));
  }
  return std::shared_ptr<FileShelf>(new FileShelf(std::move(root), std::move(own), std::move(name)));
}

FileShelf::~FileShelf() { remove_shelf(root_.get(), own_.get(), name_.c_str()); }

Result<std::shared_ptr<const StoredFile>> FileShelf::store(std::string_view bytes) {
  const std::uint64_t number = ++next_;
  const std::string name = std::to_string(number);
  const Fd file(::openat(own_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) {
    return base::fail(failed("cannot make a file for the workspace"));
  }
  base::Cleanup undo([&] { ::unlinkat(own_.get(), name.c_str(), 0); });
  TRY_STATUS(os::write_all(file.get(), bytes));
  undo.release();
  return std::make_shared<const StoredFile>(shared_from_this(), number, bytes.size(), base::sha256_hex(bytes));
}

}  // namespace glovebox::workspaces
