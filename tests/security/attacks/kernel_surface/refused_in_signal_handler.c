// attack: signals interrupt refused calls again and again
// expect: outcome=ok|timeout
// forbid-stdout: ESCAPED
// limits: wall_ms=3000
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include "attack.h"

static void handler(int number) {
  (void)number;
  if (unshare(CLONE_NEWNS) == 0) finish("ESCAPED", "in a handler");
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval fast = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &fast, NULL);
  for (int i = 0; i < 5000; i++) {
    if (unshare(CLONE_NEWUSER) == 0) finish("ESCAPED", "between handlers");
  }
  finish("BLOCKED", "all of them");
}
