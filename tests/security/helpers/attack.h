// For the attacks written in C: the two words that the harness looks for, and raw calls.
//
// BLOCKED only for a refusal that was really seen; ESCAPED when the attack worked; anything else is neither.
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noreturn, unused)) static void finish(const char* word, const char* detail) {
  printf("%s %s\n", word, detail);
  fflush(stdout);
  _exit(0);
}

// Ends the program: a success is an escape, the accepted error is a refusal.
__attribute__((noreturn, unused)) static void judge(long value, int accepted, int also_accepted) {
  int code = errno;
  if (value != -1) finish("ESCAPED", "the call succeeded");
  finish(code == accepted || code == also_accepted ? "BLOCKED" : "UNCLEAR", strerrorname_np(code));
}
