// The clocks of the process, all out of one number.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "determinism.h"

enum { kStepNs = kNsPerUs, kMaxCoarseReadings = 1000 };
const int64_t kStartSeconds = 946684800;  // 2000-01-01T00:00:00Z
// What the monotonic clocks say at the start: a machine that has been up for a while.
static const int64_t kUptimeSeconds = 1000;

static _Atomic uint64_t last_wake_ns;  // when a wait moved the clock last: all threads see that much
static uint64_t begun_ns;              // of this process
static __thread int coarse_readings;   // in a row
static _Atomic uint64_t waited_ns;     // of this process: not CPU time

static void raise_to(_Atomic uint64_t* value, uint64_t least) {
  uint64_t seen = atomic_load(value);
  while (seen < least && !atomic_compare_exchange_weak(value, &seen, least)) {
  }
}

uint64_t clock_look(void) {
  if (!this_thread.helper) {
    return atomic_load(&myself()->now_ns);
  }
  raise_to(&this_thread.now_ns, atomic_load(&last_wake_ns));
  return this_thread.now_ns;
}

uint64_t clock_step(void) {
  if (this_thread.free_reading) {
    this_thread.free_reading = false;
    return clock_look();
  }
  if (this_thread.helper) {
    this_thread.now_ns = clock_look() + kStepNs;
    this_thread.last_reading_ns = this_thread.now_ns;
  } else {
    this_thread.last_reading_ns = atomic_fetch_add(&myself()->now_ns, kStepNs) + kStepNs;
  }
  return this_thread.last_reading_ns;
}

static uint64_t clock_step_of(clockid_t clock) {
  const bool coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
  const int before = coarse_readings;
  const uint64_t now = !coarse || before == kMaxCoarseReadings ? clock_step() : clock_look();
  coarse_readings = coarse ? before + (before < kMaxCoarseReadings) : 0;
  return now;
}

void clock_unstep(void) {
  uint64_t expected = this_thread.last_reading_ns;
  this_thread.last_reading_ns = 0;
  if (expected < kStepNs) {
    return;
  }
  if (!this_thread.helper) {
    atomic_compare_exchange_strong(&myself()->now_ns, &expected, expected - kStepNs);
  } else if (this_thread.now_ns == expected) {
    this_thread.now_ns -= kStepNs;
  }
}

void clock_reach(uint64_t now_ns, enum Wake wake) {
  this_thread.turns = 0;
  if (this_thread.helper) {
    raise_to(&this_thread.now_ns, now_ns);
  }
  const uint64_t before = atomic_load(&myself()->now_ns);
  // Where the first thread is by now is a matter of luck within a few readings, so small steps of others do not count.
  if (!this_thread.helper || (wake == wake_and_tell && now_ns >= before + kNsPerMs)) {
    if (now_ns > before) {
      atomic_fetch_add(&waited_ns, now_ns - before);
      raise_to(&myself()->now_ns, now_ns);
    }
    raise_to(&last_wake_ns, now_ns);
  }
}

void clock_begin_process(void) {
  begun_ns = atomic_load(&myself()->now_ns);
  atomic_store(&last_wake_ns, begun_ns);
  atomic_store(&waited_ns, 0);
}

static uint64_t cpu_ns(uint64_t now_ns) {
  const uint64_t idle = begun_ns + atomic_load(&waited_ns);
  return now_ns > idle ? now_ns - idle : 0;
}

static bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
         clock == CLOCK_REALTIME_ALARM;
}
// Those of other processes and threads have negative numbers.
static bool is_cpu_clock(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

static int64_t first_second(clockid_t clock) { return is_wall_clock(clock) ? kStartSeconds : kUptimeSeconds; }

struct timespec duration_of(uint64_t ns) {
  return (struct timespec){(time_t)(ns / kNsPerSecond), (long)(ns % kNsPerSecond)};
}

uint64_t length_of(const struct timespec* duration) {
  const uint64_t longest = UINT64_MAX / 4 / kNsPerSecond;
  if (duration->tv_sec < 0) {
    return 0;
  }
  const uint64_t seconds = (uint64_t)duration->tv_sec > longest ? longest : (uint64_t)duration->tv_sec;
  return seconds * kNsPerSecond + (uint64_t)duration->tv_nsec;
}

struct timespec time_of(clockid_t clock, uint64_t now_ns) {
  if (is_cpu_clock(clock)) {
    return duration_of(cpu_ns(now_ns));
  }
  struct timespec time = duration_of(now_ns);
  time.tv_sec += first_second(clock);
  return time;
}

uint64_t since_start(clockid_t clock, const struct timespec* time) {
  const struct timespec relative = {time->tv_sec - first_second(clock), time->tv_nsec};
  return length_of(&relative);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec* time) {
  struct timespec resolution;
  const long known = raw_call(SYS_clock_getres, clock, (long)&resolution, 0, 0, 0, 0);
  if (known < 0) {
    return (int)answer_of(known);
  }
  *time = time_of(clock, clock_step_of(clock));
  return 0;
}

// As fine as they get: event loops take a coarse clock only if it is fine enough for them.
EXPORT int clock_getres(clockid_t clock, struct timespec* resolution) {
  const long known = raw_call(SYS_clock_getres, clock, (long)resolution, 0, 0, 0, 0);
  if (known == 0 && resolution != NULL) {
    *resolution = (struct timespec){0, 1};
  }
  return (int)answer_of(known);
}

EXPORT int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  const struct timespec now = time_of(CLOCK_REALTIME, clock_step());
  *time = (struct timeval){now.tv_sec, now.tv_nsec / kNsPerUs};
  if (zone != NULL) {
    *(struct timezone*)zone = (struct timezone){0, 0};
  }
  return 0;
}

EXPORT time_t time(time_t* seconds) {
  const struct timespec now = time_of(CLOCK_REALTIME, clock_step());
  if (seconds != NULL) {
    *seconds = now.tv_sec;
  }
  return now.tv_sec;
}

EXPORT int timespec_get(struct timespec* time, int base) {
  if (base != TIME_UTC) {
    return 0;
  }
  *time = time_of(CLOCK_REALTIME, clock_step());
  return base;
}

EXPORT clock_t clock(void) { return (clock_t)(cpu_ns(clock_step()) / (kNsPerSecond / CLOCKS_PER_SEC)); }

EXPORT clock_t times(struct tms* used) {
  const uint64_t now = clock_step();
  const uint64_t tick = (uint64_t)(kNsPerSecond / sysconf(_SC_CLK_TCK));
  if (used != NULL) {
    *used = (struct tms){.tms_utime = (clock_t)(cpu_ns(now) / tick)};
  }
  return (clock_t)((now + (uint64_t)kUptimeSeconds * kNsPerSecond) / tick);
}

// CPU time by the virtual clock; what depends on the machine's mood (faults, switches, resident memory) is zero.
EXPORT int getrusage(__rusage_who_t who, struct rusage* usage) {
  const long known = raw_call(SYS_getrusage, who, (long)usage, 0, 0, 0, 0);
  if (known < 0) {
    return (int)answer_of(known);
  }
  *usage = (struct rusage){0};
  if (who != RUSAGE_CHILDREN) {
    const struct timespec used = duration_of(cpu_ns(clock_step()));
    usage->ru_utime = (struct timeval){used.tv_sec, used.tv_nsec / kNsPerUs};
  }
  return 0;
}
