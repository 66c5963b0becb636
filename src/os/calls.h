// One thin typed wrapper per system call that glibc 2.36 lacks or that everybody gets wrong.
//
// They are async-signal-safe: no allocation, no lock, no errno translation. A failed call returns -1 and leaves
// errno, so that the code between clone and exec can use them; higher layers turn errno into base::Error.
#pragma once

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "os/linux_abi.h"

namespace glovebox::os {

inline pid_t clone3(clone_args& args) { return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof(args))); }

inline int pidfd_open(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0U)); }

inline int pidfd_send_signal(int pidfd, int signal) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0U));
}

inline int openat2(int directory, const char* path, const open_how& how) {
  return static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof(how)));
}
// Opens `path` strictly below `directory`: no links of any kind, no "..", no other file system.
inline int open_beneath(int directory, const char* path, std::uint64_t flags, std::uint64_t mode = 0) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return openat2(directory, path, how);
}

inline int open_tree(int directory, const char* path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_open_tree, directory, path, flags));
}
inline int move_mount(int from, const char* from_path, int to, const char* to_path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_move_mount, from, from_path, to, to_path, flags));
}
inline int fsopen(const char* type, unsigned flags) { return static_cast<int>(::syscall(SYS_fsopen, type, flags)); }
inline int fsconfig_string(int fs, const char* key, const char* value) {
  return static_cast<int>(::syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0));
}
inline int fsconfig_create(int fs) {
  return static_cast<int>(::syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0));
}
inline int fsconfig_reconfigure(int fs) {
  return static_cast<int>(::syscall(SYS_fsconfig, fs, FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr, 0));
}
// A handle to change the options of a mounted file system.
inline int fspick(int directory, const char* path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_fspick, directory, path, flags));
}
inline int fsmount(int fs, unsigned flags, unsigned attributes) {
  return static_cast<int>(::syscall(SYS_fsmount, fs, flags, attributes));
}
inline int mount_setattr(int directory, const char* path, unsigned flags, std::uint64_t set) {
  mount_attr attributes{};
  attributes.attr_set = set;
  return static_cast<int>(::syscall(SYS_mount_setattr, directory, path, flags, &attributes, sizeof(attributes)));
}
inline int pivot_root(const char* new_root, const char* put_old) {
  return static_cast<int>(::syscall(SYS_pivot_root, new_root, put_old));
}

inline int close_range(unsigned first, unsigned last, unsigned flags) {
  return static_cast<int>(::syscall(SYS_close_range, first, last, flags));
}

// The landlock ABI of the running kernel, or -1 (errno says why).
inline int landlock_abi() {
  return static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}
inline int landlock_create_ruleset(const LandlockRulesetAttr& attributes, std::size_t size) {
  return static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0U));
}
inline int landlock_add_path(int ruleset, const landlock_path_beneath_attr& rule) {
  return static_cast<int>(::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U));
}
inline int landlock_restrict_self(int ruleset, unsigned flags) {
  return static_cast<int>(::syscall(SYS_landlock_restrict_self, ruleset, flags));
}

inline int seccomp_set_filter(unsigned flags, const void* program) {
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program));
}

}  // namespace glovebox::os
