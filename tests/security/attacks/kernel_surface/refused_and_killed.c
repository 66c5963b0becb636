// attack: children that are killed while their refused call waits for an answer
// expect: outcome=ok
// expect-stdout: STILL HERE
// forbid-stdout: ESCAPED
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "attack.h"

int main(void) {
  for (int i = 0; i < 200; i++) {
    pid_t child = fork();
    if (child == 0) {
      for (;;) unshare(CLONE_NEWUSER);
    }
    usleep((unsigned)(i * 7 % 500));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  finish("STILL HERE", "");
}
