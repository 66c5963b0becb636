#include "engine/launcher/cell_landlock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>

#include "os/calls.h"

namespace glovebox::engine {
namespace {

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteAbi1 = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;
// Handled, never granted.
constexpr std::uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

struct Rights {
  std::uint64_t handled = kRead | kWriteAbi1 | kDevices;
  std::uint64_t writable = kRead | kWriteAbi1;
  std::uint64_t device = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
};

Rights rights_of(std::uint32_t abi) {
  Rights rights;
  if (abi >= 2) {
    rights.handled |= os::kLandlockFsRefer;
    rights.writable |= os::kLandlockFsRefer;
  }
  if (abi >= 3) {
    rights.handled |= os::kLandlockFsTruncate;
    rights.writable |= os::kLandlockFsTruncate;
    rights.device |= os::kLandlockFsTruncate;
  }
  if (abi >= 5) {
    rights.handled |= os::kLandlockFsIoctlDev;
  }
  return rights;
}

bool allow(int ruleset, const char* path, std::uint64_t access) {
  const int fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) {
    return errno == ENOENT;  // nothing there, nothing to grant
  }
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = fd;
  const bool added = os::landlock_add_path(ruleset, rule) == 0;
  ::close(fd);
  return added;
}

}  // namespace

bool restrict_with_landlock(std::uint32_t abi) {
  const Rights rights = rights_of(abi);
  os::LandlockRulesetAttr attributes;
  attributes.handled_access_fs = rights.handled;
  std::size_t size = offsetof(os::LandlockRulesetAttr, handled_access_net);
  if (abi >= 4) {
    attributes.handled_access_net = os::kLandlockNetBindTcp | os::kLandlockNetConnectTcp;
    size = offsetof(os::LandlockRulesetAttr, scoped);
  }
  if (abi >= 6) {
    attributes.scoped = os::kLandlockScopeAbstractUnix | os::kLandlockScopeSignal;
    size = sizeof(attributes);
  }
  const int ruleset = os::landlock_create_ruleset(attributes, size);
  if (ruleset < 0) {
    return false;
  }
  bool done = allow(ruleset, "/", kRead);
  for (const char* path : {"/work", "/tmp", "/dev/shm"}) {
    done = done && allow(ruleset, path, rights.writable);
  }
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
    done = done && allow(ruleset, path, rights.device);
  }
  // A program must not fill the host's audit log with what it is refused.
  const unsigned flags = abi >= 7 ? os::kLandlockLogSameExecOff | os::kLandlockLogSubdomainsOff : 0U;
  done = done && os::landlock_restrict_self(ruleset, flags) == 0;
  ::close(ruleset);
  return done;
}

}  // namespace glovebox::engine
