// attack: calls the kernel through the 32-bit gate, past a filter that knows 64-bit numbers only
// expect: outcome=denied|program_failed
// expect-field: signal="SIGSYS"
#include "attack.h"

int main(void) {
  long value = 0;
  // 20 is getpid for 32-bit programs.
  __asm__ volatile("int $0x80" : "=a"(value) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  finish(value > 0 ? "ESCAPED" : "UNCLEAR", "the 32-bit gate answered");
}
