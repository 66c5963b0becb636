// What is told about files. The kernel stamps them with the real time and numbers file systems as they come.
//
// A time stamp that was made during this run reads as the start of the clock; one that the program set, or that came
// with the image, stays. Devices, pipes and the like say the start of the clock. Times of access are those of change:
// who else reads the host's files is none of a cell's business. File systems are numbered in the order in which this
// process meets them, and so are files without a place in the tree.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "determinism.h"
#include "files.h"

enum { kMaxMet = 64, kMarginSeconds = 60 };

static int64_t made_at;  // real seconds: stamps from then on are of this run
static _Atomic uint64_t met_devices[kMaxMet];
static _Atomic uint64_t met_files[kMaxMet];
static uint64_t tree_devices[3];

static uint64_t device_at(const char* path) {
  struct stat status;
  return raw_call(SYS_stat, (long)path, (long)&status, 0, 0, 0, 0) == 0 ? status.st_dev : 0;
}

void files_begin_process(void) {
  struct stat status;
  made_at = INT64_MAX;
  if (raw_call(SYS_stat, (long)"/etc/ld.so.preload", (long)&status, 0, 0, 0, 0) == 0) {
    made_at = status.st_ctim.tv_sec - kMarginSeconds;  // the inputs may have been there a little earlier
  }
  static const char* const kPlaces[] = {"/", "/work", "/usr"};
  for (int index = 0; index < 3; ++index) {
    tree_devices[index] = device_at(kPlaces[index]);
  }
}

// 1, 2, 3 … in the order of the first question; 0 when there are too many.
static uint64_t number_in(_Atomic uint64_t* met, uint64_t value) {
  for (uint64_t index = 0; index < kMaxMet; ++index) {
    uint64_t seen = 0;
    if (atomic_compare_exchange_strong(&met[index], &seen, value) || seen == value) {
      return index + 1;
    }
  }
  return 0;
}

static uint64_t told_device(uint64_t device) {
  for (uint64_t index = 0; index < 3; ++index) {
    if (device == tree_devices[index]) {
      return index + 1;
    }
  }
  return 3 + number_in(met_devices, device);
}

// Pipes, sockets and memory files are numbered by the kernel over all cells.
static uint64_t told_inode(uint64_t device, uint64_t inode) {
  for (int index = 0; index < 3; ++index) {
    if (device == tree_devices[index]) {
      return inode;
    }
  }
  return number_in(met_files, mixed(device) ^ inode);
}

static bool is_of_this_run(int64_t seconds, uint32_t mode) {
  return seconds >= made_at || !(S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode));
}

static int tell(long result, struct stat* status) {
  if (result == 0) {
    struct timespec* const stamps[] = {&status->st_mtim, &status->st_ctim};
    for (int index = 0; index < 2; ++index) {
      if (is_of_this_run(stamps[index]->tv_sec, status->st_mode)) {
        *stamps[index] = (struct timespec){kStartSeconds, 0};
      }
    }
    if (is_of_this_run(status->st_atim.tv_sec, status->st_mode) || status->st_dev != tree_devices[1]) {
      status->st_atim = status->st_mtim;
    }
    status->st_ino = told_inode(status->st_dev, status->st_ino);
    status->st_dev = makedev(0, (unsigned)told_device(status->st_dev));
  }
  return (int)answer_of(result);
}

static long tell_extended(long result, struct statx* status) {
  if (result == 0) {
    const uint64_t device = makedev(status->stx_dev_major, status->stx_dev_minor);
    struct statx_timestamp* const stamps[] = {&status->stx_mtime, &status->stx_ctime, &status->stx_btime};
    for (int index = 0; index < 3; ++index) {
      if (is_of_this_run(stamps[index]->tv_sec, status->stx_mode)) {
        *stamps[index] = (struct statx_timestamp){.tv_sec = kStartSeconds};
      }
    }
    if (is_of_this_run(status->stx_atime.tv_sec, status->stx_mode) || device != tree_devices[1]) {
      status->stx_atime = status->stx_mtime;
    }
    status->stx_ino = told_inode(device, status->stx_ino);
    status->stx_dev_major = 0;
    status->stx_dev_minor = (uint32_t)told_device(device);
    status->stx_mnt_id = 0;
    status->stx_mask &= ~(uint32_t)STATX_MNT_ID;
  }
  return answer_of(result);
}

long stat_call(const long* arguments, long number) {
  myself();
  const long result =
      raw_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  switch (number) {
    case SYS_statx:
      return tell_extended(result, (struct statx*)arguments[4]);
    case SYS_newfstatat:
      return tell(result, (struct stat*)arguments[2]);
    default:
      return tell(result, (struct stat*)arguments[1]);
  }
}

EXPORT int fstatat(int directory, const char* restrict path, struct stat* restrict status, int flags) {
  return (int)stat_call((long[6]){directory, (long)path, (long)status, flags}, SYS_newfstatat);
}
EXPORT int stat(const char* restrict path, struct stat* restrict status) { return fstatat(AT_FDCWD, path, status, 0); }
EXPORT int lstat(const char* restrict path, struct stat* restrict status) {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
EXPORT int fstat(int fd, struct stat* status) { return (int)stat_call((long[6]){fd, (long)status}, SYS_fstat); }
EXPORT int statx(int directory, const char* restrict path, int flags, unsigned mask, struct statx* restrict status) {
  return (int)stat_call((long[6]){directory, (long)path, flags, mask, (long)status}, SYS_statx);
}

// The same layout on this architecture.
EXPORT int fstatat64(int directory, const char* restrict path, struct stat64* restrict status, int flags) {
  return fstatat(directory, path, (struct stat*)status, flags);
}
EXPORT int stat64(const char* restrict path, struct stat64* restrict status) {
  return stat(path, (struct stat*)status);
}
EXPORT int lstat64(const char* restrict path, struct stat64* restrict status) {
  return lstat(path, (struct stat*)status);
}
EXPORT int fstat64(int fd, struct stat64* status) { return fstat(fd, (struct stat*)status); }

// What programs of an older C library call; the first argument is the version of the structure.
EXPORT int __xstat(int version, const char* path, struct stat* status) {
  (void)version;
  return stat(path, status);
}
EXPORT int __lxstat(int version, const char* path, struct stat* status) {
  (void)version;
  return lstat(path, status);
}
EXPORT int __fxstat(int version, int fd, struct stat* status) {
  (void)version;
  return fstat(fd, status);
}
EXPORT int __fxstatat(int version, int directory, const char* path, struct stat* status, int flags) {
  (void)version;
  return fstatat(directory, path, status, flags);
}
EXPORT int __xstat64(int version, const char* path, struct stat64* status) {
  return __xstat(version, path, (struct stat*)status);
}
EXPORT int __lxstat64(int version, const char* path, struct stat64* status) {
  return __lxstat(version, path, (struct stat*)status);
}
EXPORT int __fxstat64(int version, int fd, struct stat64* status) {
  return __fxstat(version, fd, (struct stat*)status);
}
EXPORT int __fxstatat64(int version, int directory, const char* path, struct stat64* status, int flags) {
  return __fxstatat(version, directory, path, (struct stat*)status, flags);
}
