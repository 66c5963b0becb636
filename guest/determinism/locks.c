// Waiting for other threads, with a deadline that the program took from its clock: the deadline is moved to where it
// lies on the real one, and the clock to the deadline if it passed.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>

#include "determinism.h"
#include "locks.h"

// Where a deadline of the virtual clock lies on the real one.
static struct timespec real_deadline(clockid_t clock, const struct timespec* deadline) {
  const uint64_t end = since_start(clock, deadline);
  const uint64_t now = clock_look();
  struct timespec real = {0, 0};
  raw_call(SYS_clock_gettime, clock, (long)&real, 0, 0, 0, 0);
  return duration_of(length_of(&real) + (end > now ? end - now : 0));
}

static int ended(int result, clockid_t clock, const struct timespec* deadline) {
  end_wait();
  if (result == ETIMEDOUT) {
    clock_reach(since_start(clock, deadline), wake_quietly);
  }
  return result;
}

// Which clock a condition variable goes by shows in the deadline: the wall clock is decades ahead of the others.
static clockid_t clock_of(const struct timespec* deadline) {
  return deadline->tv_sec >= kStartSeconds / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

static bool is_valid(const struct timespec* deadline) {
  return deadline->tv_nsec >= 0 && deadline->tv_nsec < kNsPerSecond;
}

#define WAIT_UNTIL(clock, deadline, call)         \
  ({                                              \
    struct timespec until = *(deadline);          \
    if (is_valid(deadline)) {                     \
      until = real_deadline((clock), (deadline)); \
    }                                             \
    clock_unstep();                               \
    begin_wait();                                 \
    ended((call), (clock), (deadline));           \
  })

EXPORT int pthread_cond_wait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex) {
  begin_wait();
  const int result = REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(condition, mutex);
  end_wait();
  return result;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                                  const struct timespec* restrict deadline) {
  return WAIT_UNTIL(clock_of(deadline), deadline,
                    REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, &until));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex, clockid_t clock,
                                  const struct timespec* restrict deadline) {
  return WAIT_UNTIL(clock, deadline, REAL(pthread_cond_clockwait)(condition, mutex, clock, &until));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t* restrict mutex, const struct timespec* restrict deadline) {
  return WAIT_UNTIL(CLOCK_REALTIME, deadline, REAL(pthread_mutex_timedlock)(mutex, &until));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t* restrict mutex, clockid_t clock,
                                   const struct timespec* restrict deadline) {
  return WAIT_UNTIL(clock, deadline, REAL(pthread_mutex_clocklock)(mutex, clock, &until));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* restrict lock, const struct timespec* restrict deadline) {
  return WAIT_UNTIL(CLOCK_REALTIME, deadline, REAL(pthread_rwlock_timedrdlock)(lock, &until));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* restrict lock, const struct timespec* restrict deadline) {
  return WAIT_UNTIL(CLOCK_REALTIME, deadline, REAL(pthread_rwlock_timedwrlock)(lock, &until));
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void** value, const struct timespec* deadline) {
  return WAIT_UNTIL(CLOCK_REALTIME, deadline, REAL(pthread_timedjoin_np)(thread, value, &until));
}

// Semaphores answer through errno.
#define SEMAPHORE_UNTIL(clock, deadline, call)                               \
  ({                                                                         \
    const int failed = WAIT_UNTIL(clock, deadline, (call) == 0 ? 0 : errno); \
    if (failed != 0) {                                                       \
      errno = failed;                                                        \
    }                                                                        \
    failed == 0 ? 0 : -1;                                                    \
  })

EXPORT int sem_wait(sem_t* semaphore) {
  clock_unstep();
  begin_wait();
  const int result = REAL(sem_wait)(semaphore);
  end_wait();
  return result;
}

EXPORT int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict deadline) {
  return SEMAPHORE_UNTIL(CLOCK_REALTIME, deadline, REAL(sem_timedwait)(semaphore, &until));
}

EXPORT int sem_clockwait(sem_t* restrict semaphore, clockid_t clock, const struct timespec* restrict deadline) {
  return SEMAPHORE_UNTIL(clock, deadline, REAL(sem_clockwait)(semaphore, clock, &until));
}

// Runtimes with locks of their own call the kernel directly.
long futex_wait(const long* arguments) {
  const long command = arguments[1] & FUTEX_CMD_MASK;
  const struct timespec* limit = (const struct timespec*)arguments[3];
  const clockid_t clock =
      command == FUTEX_LOCK_PI || (arguments[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const uint64_t start = clock_look();
  const bool absolute = command != FUTEX_WAIT;
  struct timespec until = {0, 0};
  if (limit != NULL) {
    until = absolute ? real_deadline(clock, limit) : *limit;
  }
  begin_wait();
  const long result = raw_call(SYS_futex, arguments[0], arguments[1], arguments[2], limit != NULL ? (long)&until : 0,
                               arguments[4], arguments[5]);
  end_wait();
  if (result == -ETIMEDOUT && limit != NULL) {
    clock_reach(absolute ? since_start(clock, limit) : start + length_of(limit), wake_quietly);
  }
  return answer_of(result);
}
