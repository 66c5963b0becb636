// A machine with one processor, number 0, and nothing else to do; and the way into the kernel for programs that do not
// use the C library's functions, but its syscall().
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include "determinism.h"
#include "files.h"
#include "locks.h"

EXPORT int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t* set) {
  const int failed = REAL_VERSION(sched_getaffinity, "GLIBC_2.3.4")(pid, bytes, set);
  if (failed == 0) {
    CPU_ZERO_S(bytes, set);
    CPU_SET_S(0, bytes, set);
  }
  return failed;
}

EXPORT int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t* set) {
  (void)pid;
  if (!CPU_ISSET_S(0, bytes, set)) {
    errno = EINVAL;
    return -1;
  }
  return 0;
}

EXPORT int sched_getcpu(void) { return 0; }

EXPORT int getcpu(unsigned* cpu, unsigned* node) {
  if (cpu != NULL) {
    *cpu = 0;
  }
  if (node != NULL) {
    *node = 0;
  }
  return 0;
}

EXPORT int sysinfo(struct sysinfo* info) {
  const int failed = REAL(sysinfo)(info);
  if (failed == 0) {
    info->uptime = time_of(CLOCK_BOOTTIME, clock_step()).tv_sec;
    memset(info->loads, 0, sizeof(info->loads));
    info->freeram = info->totalram / 2;
    info->sharedram = 0;
    info->bufferram = 0;
    info->freeswap = info->totalswap;
    info->procs = 1;
  }
  return failed;
}

static bool is_futex_wait(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI;
}

EXPORT long syscall(long number, ...) {
  long arguments[6];
  va_list rest;
  va_start(rest, number);
  for (int index = 0; index < 6; ++index) {
    arguments[index] = va_arg(rest, long);
  }
  va_end(rest);
  switch (number) {
    case SYS_getrandom:
      return getrandom((void*)arguments[0], (size_t)arguments[1], 0);
    case SYS_clock_gettime:
      return clock_gettime((clockid_t)arguments[0], (struct timespec*)arguments[1]);
    case SYS_gettimeofday:
      return gettimeofday((struct timeval*)arguments[0], (void*)arguments[1]);
    case SYS_time:
      return time((time_t*)arguments[0]);
    case SYS_nanosleep:
      return nanosleep((const struct timespec*)arguments[0], (struct timespec*)arguments[1]);
    case SYS_getcpu:
      return getcpu((unsigned*)arguments[0], (unsigned*)arguments[1]);
    case SYS_stat:
    case SYS_lstat:
    case SYS_fstat:
    case SYS_newfstatat:
    case SYS_statx:
      return stat_call(arguments, number);
    case SYS_futex:
      if (is_futex_wait(arguments[1])) {
        return futex_wait(arguments);
      }
      break;
    default:
      break;
  }
  return answer_of(
      raw_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]));
}
