// attack: creates kernel timers until the host runs out of memory for them
// expect: outcome=ok|memory_limit
// expect-degraded: outcome=ok
// forbid-stdout: ESCAPED
#include <signal.h>
#include <time.h>

#include "attack.h"

int main(void) {
  struct sigevent quiet = {.sigev_notify = SIGEV_NONE};
  for (int i = 0; i < 2000000; i++) {
    int timer = 0;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &quiet, &timer) != 0) finish("BLOCKED", strerrorname_np(errno));
  }
  finish("ESCAPED", "two million timers");
}
