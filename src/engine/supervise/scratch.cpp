#include "engine/supervise/scratch.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "os/calls.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

base::Error cannot_place(const base::RelPath& path) {
  const int saved = errno;
  base::Error error = errno_error(ErrorCode::setup_failed, "inputs", "cannot write the input file " + path.str());
  if (saved == ENOSPC) {
    error.code = ErrorCode::disk_limit;
    error.hint = "raise limits.disk_bytes or limits.inodes, or pass the file as a blob";
  }
  return error;
}

// Makes the parents of `path` and returns the innermost directory.
Result<Fd> open_parent(int part, const base::RelPath& path) {
  Fd directory(::openat(part, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto parts = path.parts();
  for (std::size_t index = 0; index + 1 < parts.size() && directory.valid(); ++index) {
    const std::string name(parts[index]);
    if (::mkdirat(directory.get(), name.c_str(), 0755) != 0 && errno != EEXIST) {
      return fail(cannot_place(path));
    }
    directory = Fd(os::open_beneath(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
  }
  if (!directory.valid()) {
    return fail(cannot_place(path));
  }
  return directory;
}

}  // namespace

ActingAs::ActingAs(std::uint32_t uid, std::uint32_t gid) {
  if (::geteuid() == 0) {
    ::setfsgid(gid);
    ::setfsuid(uid);
    active_ = true;
  }
}

ActingAs::~ActingAs() {
  if (active_) {
    ::setfsuid(::geteuid());
    ::setfsgid(::getegid());
  }
}

Scratch::Scratch(Fd root, std::uint32_t host_uid, std::uint32_t host_gid)
    : root_(std::move(root)), host_uid_(host_uid), host_gid_(host_gid) {}

Status Scratch::place(const std::vector<PlacedFile>& files) const {
  const ActingAs program_user(host_uid_, host_gid_);
  // Files of one directory mostly come one after the other: it stays open.
  std::string_view part_name;
  std::string_view parent_name;
  Fd part;
  Fd parent;
  for (const PlacedFile& file : files) {
    if (!part.valid() || file.part != part_name) {
      part = Fd(os::open_beneath(root_.get(), std::string(file.part).c_str(), O_RDONLY | O_DIRECTORY));
      if (!part.valid()) {
        return fail(cannot_place(file.path));
      }
      parent.reset();
    }
    if (!parent.valid() || file.path.parent() != parent_name) {
      parent = TRY(open_parent(part.get(), file.path));
    }
    part_name = file.part;
    parent_name = file.path.parent();
    const std::string name(file.path.file_name());
    const Fd out(os::open_beneath(parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644));
    if (!out.valid() || !os::write_all(out.get(), file.bytes)) {
      return fail(cannot_place(file.path));
    }
  }
  return {};
}

ScratchUsage Scratch::usage() const {
  struct statfs stats {};
  if (!root_.valid() || ::fstatfs(root_.get(), &stats) != 0) {
    return {};
  }
  const auto block = static_cast<std::uint64_t>(stats.f_bsize);
  return {(stats.f_blocks - stats.f_bfree) * block, stats.f_bfree * block, stats.f_ffree};
}

Result<std::string> Scratch::read_file(const char* path, std::uint64_t max_bytes) const {
  const ActingAs program_user(host_uid_, host_gid_);
  const Fd file(os::open_beneath(root_.get(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) {
    return fail(errno_error(ErrorCode::invalid_output, "collect", std::string("cannot open ") + path));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_output, std::string(path) + " is not a regular file");
  }
  return os::read_all(file.get(), max_bytes);
}

}  // namespace glovebox::engine
