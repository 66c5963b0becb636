// attack: fills the buffers of many pipes: kernel memory that no process owns
// expect: outcome=memory_limit
// limits: memory_bytes=25165824
// modes: root user
#include <fcntl.h>

#include "attack.h"

int main(void) {
  static char block[4096];
  for (int i = 0; i < 7; i++) {
    if (fork() == 0) break;
  }
  for (int i = 0; i < 110; i++) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0) break;
    while (write(ends[1], block, sizeof block) > 0) {
    }
  }
  pause();
}
