// Waiting for events with a time limit: poll, select, epoll. Events come when they come. That none came is said only
// when the time has really passed and no other thread of this process is at work that might still bring one, or is at
// it for too long; then the clock has moved by exactly the limit.
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "determinism.h"

enum { kPatienceMs = 100, kCoarse = 10 * kNsPerMs, kMaxTurns = 10000 };
static const uint64_t kForever = UINT64_MAX;

// One real wait; 0 when nothing happened in that time.
typedef int Attempt(void* what, const struct timespec* limit);

static uint64_t real_now_ns(void) {
  struct timespec now = {0, 0};
  raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
  return length_of(&now);
}

static int try_once(Attempt* attempt, void* what, uint64_t limit_ns) {
  const struct timespec limit = duration_of(limit_ns);
  begin_wait();
  const int result = attempt(what, limit_ns == kForever ? NULL : &limit);
  end_wait();
  return result;
}

static int await_real(Attempt* attempt, void* what, uint64_t limit_ns) {
  if (limit_ns == 0 || limit_ns == kForever) {
    return try_once(attempt, what, limit_ns);
  }
  const uint64_t start = clock_look();
  const uint64_t real_start = real_now_ns();
  int result = try_once(attempt, what, limit_ns);
  for (int waited_ms = 0; result == 0 && others_are_busy() && waited_ms < kPatienceMs; ++waited_ms) {
    result = try_once(attempt, what, kNsPerMs);
  }
  if (result == 0) {
    result = try_once(attempt, what, 0);  // who is idle now may have left something just before
  }
  if (result == 0) {
    clock_reach(start + limit_ns, wake_quietly);
  } else if (result < 0 && errno == EINTR) {
    const uint64_t passed = (real_now_ns() - real_start) / kCoarse * kCoarse;
    clock_reach(start + (passed < limit_ns ? passed : limit_ns), wake_quietly);
    errno = EINTR;
  }
  return result;
}

// A turn of an event loop, with its looks at the clock before and after, takes no time by itself: how many turns there
// are is a matter of luck. Loops look at the clock before they wait for a given time, to know until when, and after
// every question, to know what is due. libuv, which calls epoll_pwait, looks before and after every wait, and in
// between asks without waiting. Who turns again and again, and never waits in vain, may be waiting for the clock, which
// then moves.
enum Loop { any_loop, libuv_loop };

static int await(Attempt* attempt, void* what, uint64_t limit_ns, enum Loop loop) {
  const bool is_free = this_thread.turns < kMaxTurns;
  const bool looked_before = loop == libuv_loop ? limit_ns != 0 : limit_ns != kForever;
  const bool looks_after = loop == any_loop || limit_ns != 0;
  if (is_free && looked_before) {
    clock_unstep();
  }
  this_thread.turns += is_free;
  const int result = await_real(attempt, what, limit_ns);
  this_thread.free_reading = is_free && looks_after;
  return result;
}

static uint64_t limit_of_ms(int timeout_ms) { return timeout_ms < 0 ? kForever : (uint64_t)timeout_ms * kNsPerMs; }
static uint64_t limit_of(const struct timespec* timeout) { return timeout == NULL ? kForever : length_of(timeout); }

// ---------------------------------------------------------------------------------------------------------------- poll

struct Poll {
  struct pollfd* fds;
  nfds_t count;
  const sigset_t* mask;
};

static int attempt_poll(void* what, const struct timespec* limit) {
  const struct Poll* poll = what;
  return REAL(ppoll)(poll->fds, poll->count, limit, poll->mask);
}

EXPORT int poll(struct pollfd* fds, nfds_t count, int timeout_ms) {
  struct Poll what = {fds, count, NULL};
  return await(attempt_poll, &what, limit_of_ms(timeout_ms), any_loop);
}
EXPORT int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* timeout, const sigset_t* mask) {
  struct Poll what = {fds, count, mask};
  return await(attempt_poll, &what, limit_of(timeout), any_loop);
}
// What callers that were built with checks of array bounds call.
EXPORT int __poll_chk(struct pollfd* fds, nfds_t count, int timeout_ms, size_t size) {
  (void)size;
  return poll(fds, count, timeout_ms);
}
EXPORT int __ppoll_chk(struct pollfd* fds, nfds_t count, const struct timespec* timeout, const sigset_t* mask,
                       size_t size) {
  (void)size;
  return ppoll(fds, count, timeout, mask);
}

// -------------------------------------------------------------------------------------------------------------- select

enum { kSets = 3 };
struct Select {
  int count;
  fd_set* sets[kSets];
  fd_set asked[kSets];
  const sigset_t* mask;
};

// The sets are answer and question at once.
static int attempt_select(void* what, const struct timespec* limit) {
  struct Select* select = what;
  for (int index = 0; index < kSets; ++index) {
    if (select->sets[index] != NULL) {
      *select->sets[index] = select->asked[index];
    }
  }
  return REAL(pselect)(select->count, select->sets[0], select->sets[1], select->sets[2], limit, select->mask);
}

EXPORT int pselect(int count, fd_set* restrict readable, fd_set* restrict writable, fd_set* restrict exceptional,
                   const struct timespec* restrict timeout, const sigset_t* restrict mask) {
  if (count > FD_SETSIZE) {  // sets of the caller's own size
    return REAL(pselect)(count, readable, writable, exceptional, timeout, mask);
  }
  struct Select what = {count, {readable, writable, exceptional}, {}, mask};
  const size_t bytes = count < 0 ? 0 : ((size_t)count + 63) / 64 * 8;
  for (int index = 0; index < kSets; ++index) {
    FD_ZERO(&what.asked[index]);
    if (what.sets[index] != NULL) {
      memcpy(&what.asked[index], what.sets[index], bytes);
    }
  }
  // The caller's sets may be shorter than ours.
  fd_set answers[kSets];
  for (int index = 0; index < kSets; ++index) {
    what.sets[index] = what.sets[index] != NULL ? &answers[index] : NULL;
  }
  const int result = await(attempt_select, &what, limit_of(timeout), any_loop);
  fd_set* wanted[kSets] = {readable, writable, exceptional};
  for (int index = 0; result >= 0 && index < kSets; ++index) {
    if (wanted[index] != NULL) {
      memcpy(wanted[index], &answers[index], bytes);
    }
  }
  return result;
}

EXPORT int select(int count, fd_set* restrict readable, fd_set* restrict writable, fd_set* restrict exceptional,
                  struct timeval* restrict timeout) {
  if (timeout == NULL) {
    return pselect(count, readable, writable, exceptional, NULL, NULL);
  }
  if (timeout->tv_sec < 0 || timeout->tv_usec < 0) {
    errno = EINVAL;
    return -1;
  }
  const struct timespec limit =
      duration_of((uint64_t)timeout->tv_sec * kNsPerSecond + (uint64_t)timeout->tv_usec * kNsPerUs);
  const uint64_t start = clock_look();
  const int result = pselect(count, readable, writable, exceptional, &limit, NULL);
  const uint64_t passed = clock_look() - start;
  const struct timespec left = duration_of(passed < length_of(&limit) ? length_of(&limit) - passed : 0);
  *timeout = (struct timeval){left.tv_sec, left.tv_nsec / kNsPerUs};
  return result;
}

// --------------------------------------------------------------------------------------------------------------- epoll

struct Epoll {
  int epoll;
  struct epoll_event* events;
  int most;
  const sigset_t* mask;
};

static int attempt_epoll(void* what, const struct timespec* limit) {
  const struct Epoll* epoll = what;
  int timeout_ms = -1;
  if (limit != NULL) {
    const uint64_t whole = (length_of(limit) + kNsPerMs - 1) / kNsPerMs;
    timeout_ms = whole < INT32_MAX ? (int)whole : INT32_MAX;
  }
  return REAL(epoll_pwait)(epoll->epoll, epoll->events, epoll->most, timeout_ms, epoll->mask);
}

EXPORT int epoll_pwait(int epoll, struct epoll_event* events, int most, int timeout_ms, const sigset_t* mask) {
  struct Epoll what = {epoll, events, most, mask};
  return await(attempt_epoll, &what, limit_of_ms(timeout_ms), libuv_loop);
}
EXPORT int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout_ms) {
  struct Epoll what = {epoll, events, most, NULL};
  return await(attempt_epoll, &what, limit_of_ms(timeout_ms), any_loop);
}
EXPORT int epoll_pwait2(int epoll, struct epoll_event* events, int most, const struct timespec* timeout,
                        const sigset_t* mask) {
  struct Epoll what = {epoll, events, most, mask};
  return await(attempt_epoll, &what, limit_of(timeout), any_loop);
}
