// Sleeping takes its real time, so that processes which wait for each other keep their order, and moves the clock by
// what was asked for. Of an interrupted sleep whole hundredths of a second count: finer is noise.
#include <unistd.h>

#include "determinism.h"

enum { kCoarseNs = 10 * kNsPerMs };

static bool is_duration(const struct timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < kNsPerSecond;
}

// 0, or EINTR with what is left.
static int sleep_for(uint64_t asked_ns, uint64_t* left_ns) {
  const uint64_t start = clock_look();
  const struct timespec asked = duration_of(asked_ns);
  struct timespec left = {0, 0};
  begin_wait();
  const int result = REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &asked, &left);
  end_wait();
  if (result != EINTR) {
    *left_ns = 0;
    clock_reach(start + asked_ns, wake_and_tell);
    return 0;
  }
  const uint64_t rest = length_of(&left) < asked_ns ? length_of(&left) : asked_ns;
  const uint64_t slept = (asked_ns - rest) / kCoarseNs * kCoarseNs;
  *left_ns = asked_ns - slept;
  clock_reach(start + slept, wake_and_tell);
  return EINTR;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec* asked, struct timespec* left) {
  if (!is_duration(asked)) {
    return EINVAL;
  }
  uint64_t length = length_of(asked);
  if ((flags & TIMER_ABSTIME) != 0) {
    const uint64_t end = since_start(clock, asked);
    const uint64_t now = clock_look();
    length = end > now ? end - now : 0;
  }
  uint64_t left_ns = 0;
  const int result = sleep_for(length, &left_ns);
  if (result != 0 && left != NULL && (flags & TIMER_ABSTIME) == 0) {
    *left = duration_of(left_ns);
  }
  return result;
}

EXPORT int nanosleep(const struct timespec* asked, struct timespec* left) {
  errno = clock_nanosleep(CLOCK_REALTIME, 0, asked, left);
  return errno == 0 ? 0 : -1;
}

EXPORT int usleep(useconds_t asked_us) {
  const struct timespec asked = duration_of((uint64_t)asked_us * kNsPerUs);
  return nanosleep(&asked, NULL);
}

EXPORT unsigned sleep(unsigned seconds) {
  uint64_t left_ns = 0;
  sleep_for((uint64_t)seconds * kNsPerSecond, &left_ns);
  return (unsigned)((left_ns + kNsPerSecond - 1) / kNsPerSecond);
}
