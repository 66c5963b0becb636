#include "engine/launcher/cell_root.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "os/calls.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

using os::fsconfig_string;

constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
// The new root is built on top of /proc: it exists everywhere and nothing that a cell shows lives below it.
constexpr const char* kStaging = "/proc";

}  // namespace

void CellRoot::build() {
  if (plan_.prepared_root) {
    require(::chdir("/") == 0, CellStage::root_tmpfs);
    ::umask(0);
  } else {
    find_blobs();
    mount_root();
  }
  attach_devices();
  mount_scratch();
  add_root_entries();
  ::close(plan_.fds.devices);
  add_blobs();
  if (!plan_.prepared_root) {
    enter();
  }
  require(::chdir(spec_.directory.c_str()) == 0, CellStage::pivot);
  ::umask(022);
}

// A descriptor of the caller belongs to a mount of the caller's namespace, and only mounts of one's own can be
// cloned. So the file is looked up again by its path, where our namespace has copies of those mounts, and has to be
// the same.
void CellRoot::find_blobs() {
  if (plan_.blobs_are_mounts) {
    return;
  }
  for (std::size_t index = 0; index < plan_.fds.blobs.size(); ++index) {
    const int given = plan_.fds.blobs[index];
    const int detail = static_cast<int>(index);
    char link[32];
    ::snprintf(link, sizeof(link), "/proc/self/fd/%d", given);
    char path[PATH_MAX];
    const ssize_t length = ::readlink(link, path, sizeof(path));
    require(length > 0 && static_cast<std::size_t>(length) < sizeof(path), CellStage::blobs, detail);
    path[length] = '\0';
    const int found = ::open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    require(found >= 0, CellStage::blobs, detail);
    struct stat wanted {};
    struct stat seen {};
    require(::fstat(given, &wanted) == 0 && ::fstat(found, &seen) == 0, CellStage::blobs, detail);
    errno = ESTALE;
    require(wanted.st_dev == seen.st_dev && wanted.st_ino == seen.st_ino, CellStage::blobs, detail);
    require(::dup3(found, given, O_CLOEXEC) == given && ::close(found) == 0, CellStage::blobs, detail);
  }
}

void CellRoot::mount_root() {
  require(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, CellStage::root_tmpfs);
  require(::mount("glovebox", kStaging, "tmpfs", MS_NOSUID | MS_NODEV, "size=4m,nr_inodes=1k,mode=0755") == 0,
          CellStage::root_tmpfs);
  require(::chdir(kStaging) == 0, CellStage::root_tmpfs);
  ::umask(0);
}

// At `proc`, where the scratch tmpfs covers them as soon as they can be bound from there: only what is mounted can.
void CellRoot::attach_devices() {
  if (plan_.fds.devices >= 0) {
    require(::mkdir("proc", 0555) == 0 || errno == EEXIST, CellStage::root_entries);
    require(os::move_mount(plan_.fds.devices, "", AT_FDCWD, "proc", MOVE_MOUNT_F_EMPTY_PATH) == 0,
            CellStage::root_entries);
  }
}

// One sized tmpfs for all that the program may write, so that its limit holds over all directories together.
// It sits at `proc` while its parts are bound to their places; then procfs covers it.
void CellRoot::mount_scratch() {
  const int fs = os::fsopen("tmpfs", FSOPEN_CLOEXEC);
  require(fs >= 0, CellStage::scratch);
  require(fsconfig_string(fs, "size", plan_.scratch_size) == 0 &&
              fsconfig_string(fs, "nr_inodes", plan_.scratch_inodes) == 0 && fsconfig_string(fs, "mode", "0755") == 0 &&
              os::fsconfig_create(fs) == 0,
          CellStage::scratch);
  const int mount = os::fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  require(mount >= 0, CellStage::scratch);
  require(::mkdir("proc", 0555) == 0 || errno == EEXIST, CellStage::scratch);
  require(os::move_mount(mount, "", AT_FDCWD, "proc", MOVE_MOUNT_F_EMPTY_PATH) == 0, CellStage::scratch);
  for (const std::string& part : spec_.scratch_parts) {
    require(::mkdirat(mount, part.c_str(), 0755) == 0, CellStage::scratch);
  }
  scratch_ = ::openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(scratch_ >= 0, CellStage::scratch);
  hand_over_scratch(mount);
}

// Early, so that the supervisor writes the inputs while we go on building. With it goes the handle through which the
// supervisor, which owns our user namespace, can size the tmpfs anew when the limits of the run are known.
void CellRoot::hand_over_scratch(int scratch_mount) {
  const int context = os::fspick(scratch_mount, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);
  require(context >= 0, CellStage::scratch);
  CellMessage message;
  message.kind = CellMessageKind::scratch;
  message.stage = CellStage::scratch;
  const int fds[] = {scratch_, context};
  require(os::send_packet(plan_.fds.socket, &message, sizeof(message), fds) == 0, CellStage::scratch);
  ::close(context);
}

bool CellRoot::make_mount_point(const char* target, bool directory) {
  if (directory) {
    return ::mkdir(target, 0755) == 0 || errno == EEXIST;
  }
  const int fd = ::open(target, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
  return fd >= 0 && ::close(fd) == 0;
}

// Clones the mount at (directory, source), makes it as strict as `attributes` and puts it at `target`.
bool CellRoot::bind(int directory, const char* source, unsigned extra, std::uint64_t attributes, const char* target) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | extra;
  const int tree = os::open_tree(directory, source, flags);
  return tree >= 0 && os::mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, attributes) == 0 &&
         os::move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0 && ::close(tree) == 0;
}

// A directory through an overlay without an upper layer, mounted nowhere yet: same files, same page cache, but inodes
// of our own. So locks, watches, leases, flushes and sockets of its files stay their owner's. -1 where the kernel
// cannot.
int CellRoot::overlay_of(const char* source) {
  const int fs = os::fsopen("overlay", FSOPEN_CLOEXEC);
  if (fs < 0) {
    return -1;
  }
  char lower[PATH_MAX];
  const int length = ::snprintf(lower, sizeof(lower), "%s:proc/empty", source);
  const bool made = length > 0 && static_cast<std::size_t>(length) < sizeof(lower) &&
                    fsconfig_string(fs, "lowerdir", lower) == 0 && os::fsconfig_create(fs) == 0;
  const int mount = made ? os::fsmount(fs, FSMOUNT_CLOEXEC, kReadOnly) : -1;
  ::close(fs);
  return mount;
}

bool CellRoot::cover(const char* source, const char* target) {
  const int mount = overlay_of(source);
  const bool covered = mount >= 0 && os::move_mount(mount, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  if (mount >= 0) {
    ::close(mount);
  }
  covers_ = true;
  shares_inodes_ = shares_inodes_ || !covered;
  return covered;
}

// A copy has an inode of its own. What is too large for that is rather shared than missing.
bool CellRoot::copy_file(const char* source, const char* target) {
  constexpr off_t kMostBytes = 1 << 20;
  const int from = ::open(source, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (from < 0 || ::fstat(from, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMostBytes) {
    ::close(from);
    shares_inodes_ = true;
    return make_mount_point(target, false) && bind(AT_FDCWD, source, 0, kReadOnly, target);
  }
  const int to = ::open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  off_t left = status.st_size;
  while (to >= 0 && left > 0) {
    const ssize_t sent = ::sendfile(to, from, nullptr, static_cast<std::size_t>(left));
    if (sent <= 0) {
      break;
    }
    left -= sent;
  }
  ::close(from);
  return to >= 0 && ::close(to) == 0 && left == 0;
}

bool CellRoot::add_device(const RootEntry& entry) {
  constexpr std::uint64_t kAttributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
  const char* target = entry.target.c_str();
  const char* name = entry.source.c_str() + entry.source.rfind('/') + 1;
  if (!make_mount_point(target, false)) {
    return false;
  }
  return plan_.fds.devices >= 0 ? bind(plan_.fds.devices, name, 0, kAttributes, target)
                                : bind(AT_FDCWD, entry.source.c_str(), 0, kAttributes, target);
}

bool CellRoot::write_small_file(const RootEntry& entry) {
  const int fd = ::open(entry.target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  return fd >= 0 &&
         ::write(fd, entry.source.data(), entry.source.size()) == static_cast<ssize_t>(entry.source.size()) &&
         ::close(fd) == 0;
}

// Over the scratch tmpfs, which has done its duty here: a covered mount cannot be reached by any path, nobody in the
// cell may unmount, and detaching it would wait for an RCU grace period.
bool CellRoot::mount_proc(const char* target) {
  const int fs = os::fsopen("proc", FSOPEN_CLOEXEC);
  if (fs < 0 || fsconfig_string(fs, "hidepid", "invisible") != 0 || fsconfig_string(fs, "subset", "pid") != 0 ||
      os::fsconfig_create(fs) != 0) {
    return false;
  }
  const int mount = os::fsmount(fs, FSMOUNT_CLOEXEC, kReadOnly | MOUNT_ATTR_NOEXEC);
  return mount >= 0 && os::move_mount(mount, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

// The support files of a language are the same for all cells of a nursery, which has them once; a cell sees them
// through inodes of its own.
bool CellRoot::keep_support(const RootEntry& entry) {
  char support[PATH_MAX];
  const int length = ::snprintf(support, sizeof(support), "%s/support", entry.target.c_str());
  if (length <= 0 || static_cast<std::size_t>(length) >= sizeof(support)) {
    errno = ENAMETOOLONG;
    return false;
  }
  int kept = overlay_of(support);
  if (kept < 0) {
    shares_inodes_ = true;
    kept = os::open_tree(AT_FDCWD, support, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (kept < 0 || os::mount_setattr(kept, "", AT_EMPTY_PATH, kReadOnly) != 0) {
      return false;
    }
  }
  return bind(scratch_, entry.source.c_str(), 0, kReadOnly, entry.target.c_str()) &&
         os::move_mount(kept, "", AT_FDCWD, support, MOVE_MOUNT_F_EMPTY_PATH) == 0 && ::close(kept) == 0;
}

bool CellRoot::add(const RootEntry& entry) {
  const char* target = entry.target.c_str();
  const char* source = entry.source.c_str();
  switch (entry.kind) {
    case RootEntry::Kind::directory:
      return ::mkdir(target, 0755) == 0;
    case RootEntry::Kind::file:
      return write_small_file(entry);
    case RootEntry::Kind::symlink:
      return ::symlink(source, target) == 0;
    case RootEntry::Kind::bind_directory:
      return make_mount_point(target, true) && bind(AT_FDCWD, source, 0, kReadOnly, target);
    case RootEntry::Kind::image:
      return make_mount_point(target, true) && (cover(source, target) || bind(AT_FDCWD, source, 0, kReadOnly, target));
    case RootEntry::Kind::copied_file:
      return copy_file(source, target);
    case RootEntry::Kind::device:
      return add_device(entry);
    case RootEntry::Kind::scratch:
      return make_mount_point(target, true) && bind(scratch_, source, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, target);
    case RootEntry::Kind::scratch_sealed:
      return make_mount_point(target, true) && bind(scratch_, source, 0, kReadOnly, target);
    case RootEntry::Kind::proc:
      return mount_proc(target);
    case RootEntry::Kind::sealed_support:
      return keep_support(entry);
  }
  errno = EINVAL;
  return false;
}

void CellRoot::add_root_entries() {
  int index = 0;
  for (const RootEntry& entry : spec_.root) {
    require(add(entry), CellStage::root_entries, index++);
  }
}

// Stored inputs appear read-only inside the work directory, without a copy.
void CellRoot::add_blobs() {
  for (std::size_t index = 0; index < spec_.blob_targets.size(); ++index) {
    const char* target = spec_.blob_targets[index].c_str();
    const int detail = static_cast<int>(index);
    for (const char* slash = std::strchr(target, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
      char parent[PATH_MAX];
      const auto length = static_cast<std::size_t>(slash - target);
      require(length < sizeof(parent), CellStage::blobs, detail);
      std::memcpy(parent, target, length);
      parent[length] = '\0';
      require(::mkdir(parent, 0755) == 0 || errno == EEXIST, CellStage::blobs, detail);
    }
    require(make_mount_point(target, false), CellStage::blobs, detail);
    const int blob = plan_.fds.blobs[index];
    require(plan_.blobs_are_mounts ? os::move_mount(blob, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0
                                   : bind(blob, "", AT_EMPTY_PATH, kBlobAttributes, target),
            CellStage::blobs, detail);
  }
}

void CellRoot::enter() {
  require(os::pivot_root(".", ".") == 0, CellStage::pivot);
  require(::umount2(".", MNT_DETACH) == 0, CellStage::pivot);
  require(os::mount_setattr(AT_FDCWD, "/", 0, kReadOnly) == 0, CellStage::pivot);
}

}  // namespace glovebox::engine
