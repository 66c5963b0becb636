// attack: each process starts the next with vfork and exec, in a chain
// expect: outcome=process_limit
#include <sys/wait.h>

#include "attack.h"

int main(int argc, char** argv) {
  (void)argc;
  for (;;) {
    pid_t child = vfork();
    if (child == 0) {
      execv("/proc/self/exe", argv);
      _exit(1);
    }
    if (child > 0) waitpid(child, NULL, 0);
  }
}
