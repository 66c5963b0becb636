// Random numbers out of a counter and a seed. Each process and each thread has a stream of its own, by the seeds in the
// book. The numbers are as good as splitmix64's, which is good, and no secret at all.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "determinism.h"

static _Atomic uint64_t position;  // of the first thread
static bool devices_opened;        // this process may have a descriptor of a random device

static uint64_t next_word(void) {
  if (this_thread.seed != 0) {
    return mixed(this_thread.seed + ++this_thread.position);
  }
  return mixed(atomic_load(&myself()->seed) + atomic_fetch_add(&position, 1) + 1);
}

void random_fill(void* bytes, size_t count) {
  unsigned char* next = bytes;
  while (count > 0) {
    const uint64_t word = next_word();
    const size_t part = count < sizeof(word) ? count : sizeof(word);
    memcpy(next, &word, part);
    next += part;
    count -= part;
  }
}

EXPORT ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
  (void)flags;
  random_fill(bytes, count);
  return (ssize_t)count;
}

EXPORT int getentropy(void* bytes, size_t count) {
  if (count > 256) {
    errno = EIO;
    return -1;
  }
  random_fill(bytes, count);
  return 0;
}

EXPORT void arc4random_buf(void* bytes, size_t count) { random_fill(bytes, count); }

EXPORT __uint32_t arc4random(void) {
  uint32_t word = 0;
  random_fill(&word, sizeof(word));
  return word;
}

EXPORT __uint32_t arc4random_uniform(__uint32_t bound) {
  return bound < 2 ? 0 : (uint32_t)(((uint64_t)arc4random() * bound) >> 32);
}

// -------------------------------------------------------------------------------------- /dev/random and /dev/urandom

static bool is_random_name(const char* path) {
  return path != NULL && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

static bool is_random_device(int fd) {
  struct stat status;
  return raw_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) == 0 && S_ISCHR(status.st_mode) &&
         (status.st_rdev == makedev(1, 8) || status.st_rdev == makedev(1, 9));
}

// Standard input that somebody redirected from a random device: the C library's own streams read it behind our back, so
// it becomes a file with bytes of our stream. They come to an end, which those of the device would not.
static void replace_standard_input(void) {
  enum { kBytes = 8 << 20 };
  const long memory = raw_call(SYS_memfd_create, (long)"random", MFD_CLOEXEC, 0, 0, 0, 0);
  if (memory < 0) {
    return;
  }
  char part[4096];
  for (size_t done = 0; done < kBytes; done += sizeof(part)) {
    random_fill(part, sizeof(part));
    raw_call(SYS_write, memory, (long)part, sizeof(part), 0, 0, 0);
  }
  raw_call(SYS_lseek, memory, 0, SEEK_SET, 0, 0, 0);
  raw_call(SYS_dup2, memory, STDIN_FILENO, 0, 0, 0, 0);
  raw_call(SYS_close, memory, 0, 0, 0, 0, 0);
}

void random_begin_process(void) {
  atomic_store(&position, 0);
  static bool looked;
  if (!looked) {
    looked = true;
    for (int fd = 3; fd < 16; ++fd) {
      devices_opened = devices_opened || is_random_device(fd);
    }
    if (is_random_device(STDIN_FILENO)) {
      replace_standard_input();
    }
  }
}

static int noted(int fd, const char* path) {
  if (fd >= 0 && is_random_name(path)) {
    devices_opened = true;
  }
  return fd;
}

#define MODE_AFTER(flags)                                             \
  ({                                                                  \
    mode_t given = 0;                                                 \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
      va_list rest;                                                   \
      va_start(rest, flags);                                          \
      given = va_arg(rest, mode_t);                                   \
      va_end(rest);                                                   \
    }                                                                 \
    given;                                                            \
  })

EXPORT int open(const char* path, int flags, ...) {
  const mode_t mode = MODE_AFTER(flags);
  return noted(REAL(open)(path, flags, mode), path);
}
EXPORT int open64(const char* path, int flags, ...) {
  const mode_t mode = MODE_AFTER(flags);
  return noted(REAL(open64)(path, flags, mode), path);
}
EXPORT int openat(int directory, const char* path, int flags, ...) {
  const mode_t mode = MODE_AFTER(flags);
  return noted(REAL(openat)(directory, path, flags, mode), path);
}
EXPORT int openat64(int directory, const char* path, int flags, ...) {
  const mode_t mode = MODE_AFTER(flags);
  return noted(REAL(openat64)(directory, path, flags, mode), path);
}
// What callers that were built with checks of arguments call.
EXPORT int __open_2(const char* path, int flags) { return open(path, flags); }
EXPORT int __open64_2(const char* path, int flags) { return open64(path, flags); }
EXPORT int __openat_2(int directory, const char* path, int flags) { return openat(directory, path, flags); }
EXPORT int __openat64_2(int directory, const char* path, int flags) { return openat64(directory, path, flags); }

static bool reads_random(int fd) { return devices_opened && is_random_device(fd); }

EXPORT ssize_t read(int fd, void* bytes, size_t count) {
  return reads_random(fd) ? getrandom(bytes, count, 0) : REAL(read)(fd, bytes, count);
}
EXPORT ssize_t pread(int fd, void* bytes, size_t count, off_t offset) {
  return reads_random(fd) ? getrandom(bytes, count, 0) : REAL(pread)(fd, bytes, count, offset);
}
EXPORT ssize_t pread64(int fd, void* bytes, size_t count, off64_t offset) {
  return pread(fd, bytes, count, (off_t)offset);
}
EXPORT ssize_t readv(int fd, const struct iovec* parts, int count) {
  if (!reads_random(fd)) {
    return REAL(readv)(fd, parts, count);
  }
  ssize_t total = 0;
  for (int index = 0; index < count; ++index) {
    total += getrandom(parts[index].iov_base, parts[index].iov_len, 0);
  }
  return total;
}
EXPORT ssize_t __read_chk(int fd, void* bytes, size_t count, size_t size) {
  if (count > size) {
    abort();
  }
  return read(fd, bytes, count);
}

static ssize_t read_cookie(void* unused, char* bytes, size_t count) {
  (void)unused;
  return getrandom(bytes, count, 0);
}

EXPORT FILE* fopen(const char* restrict path, const char* restrict mode) {
  if (is_random_name(path) && mode[0] == 'r') {
    return fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_cookie});
  }
  return REAL(fopen)(path, mode);
}
EXPORT FILE* fopen64(const char* restrict path, const char* restrict mode) { return fopen(path, mode); }
