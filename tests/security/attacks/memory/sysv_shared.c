// attack: fills System V segments and detaches them, so that they outlive every mapping
// expect: outcome=memory_limit
// limits: memory_bytes=67108864
// modes: root user
#include <sys/ipc.h>
#include <sys/shm.h>

#include "attack.h"

int main(void) {
  for (int i = 0; i < 400; i++) {
    int segment = shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600);
    if (segment < 0) finish("UNCLEAR", strerrorname_np(errno));
    char* area = shmat(segment, NULL, 0);
    memset(area, 1, 1 << 20);
    shmdt(area);
  }
  finish("ESCAPED", "400 MiB in segments");
}
