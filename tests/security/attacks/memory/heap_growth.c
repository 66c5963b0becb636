// attack: grows the classic heap with brk
// expect: outcome=memory_limit
// limits: memory_bytes=67108864
#include "attack.h"

int main(void) {
  for (int i = 0; i < 1024; i++) {
    void* piece = sbrk(1 << 20);
    if (piece == (void*)-1) return 1;
    memset(piece, 1, 1 << 20);
  }
  finish("ESCAPED", "a gigabyte of heap");
}
