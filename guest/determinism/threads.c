// Which threads there are, and whether they do something.
#include <pthread.h>
#include <stdlib.h>

#include "determinism.h"

__thread struct Thread this_thread;

static _Atomic int busy = 1;
static pthread_key_t end_key;
static pthread_once_t end_key_made = PTHREAD_ONCE_INIT;

struct Beginning {
  void* (*routine)(void*);
  void* argument;
  uint64_t now_ns;
  uint64_t seed;
};

bool others_are_busy(void) { return atomic_load(&busy) > 1; }
void begin_wait(void) { atomic_fetch_sub(&busy, 1); }
void end_wait(void) { atomic_fetch_add(&busy, 1); }
void forget_other_threads(void) { atomic_store(&busy, 1); }

static void at_thread_end(void* unused) {
  (void)unused;
  atomic_fetch_sub(&busy, 1);
}
static void make_end_key(void) { pthread_key_create(&end_key, at_thread_end); }

static void* run_thread(void* argument) {
  const struct Beginning beginning = *(struct Beginning*)argument;
  free(argument);
  this_thread = (struct Thread){.helper = true, .now_ns = beginning.now_ns, .seed = beginning.seed};
  pthread_once(&end_key_made, make_end_key);
  pthread_setspecific(end_key, &end_key);  // pthread_exit and cancellation pass there too
  return beginning.routine(beginning.argument);
}

EXPORT int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict attributes,
                          void* (*routine)(void*), void* restrict argument) {
  struct Beginning* beginning = malloc(sizeof(*beginning));
  if (beginning == NULL) {
    return EAGAIN;
  }
  *beginning = (struct Beginning){routine, argument, clock_look(), next_child_seed()};
  atomic_fetch_add(&busy, 1);  // here: it is busy before it has begun
  const int failed = REAL(pthread_create)(thread, attributes, run_thread, beginning);
  if (failed != 0) {
    atomic_fetch_sub(&busy, 1);
    free(beginning);
  }
  return failed;
}

EXPORT int pthread_join(pthread_t thread, void** value) {
  begin_wait();
  const int failed = REAL(pthread_join)(thread, value);
  end_wait();
  return failed;
}
