// The quick end of a Node that waited for its program (wait.js): what JavaScript has no words for.
//
//   leave(status)    Ends the process as exit() does, without taking the virtual machine apart first.
//   keep()           Splits off a keeper: a process that shares this one's memory and never runs again. True if it did.
//                    Gives back what the allocator has no use for first.
//
// A process that ends gives back its memory, page by page, before anybody can learn that it has ended: two milliseconds
// for a Node. With a keeper the memory has another user, the end is known at once, and the memory goes when the keeper
// is killed, while nobody waits.
//
// The keeper is a child of the cell's first process, to whom it names itself with SIGUSR1. It has every signal blocked
// and no descriptor, and sleeps in pause(). It uses registers alone, never the stack that it shares. A program can kill
// it, or stop, overwrite and continue it: it is then one more process of that program, behind the same walls.
//
// Bound to Node's stable interface (N-API) by hand: four calls do not need its headers to build.
#define _GNU_SOURCE
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct napi_env__* napi_env;
typedef struct napi_value__* napi_value;
typedef struct napi_callback_info__* napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
extern int napi_create_function(napi_env, const char*, size_t, napi_callback, void*, napi_value*);
extern int napi_set_named_property(napi_env, napi_value, const char*, napi_value);
extern int napi_get_cb_info(napi_env, napi_callback_info, size_t*, napi_value*, napi_value*, void**);
extern int napi_get_value_int32(napi_env, napi_value, int32_t*);
extern int napi_get_boolean(napi_env, bool, napi_value*);

enum { kFirstProcess = 1 };

static volatile int keeper_sleeps = 0;

// What was registered before us, at Node's start, would only tidy up memory that goes anyway. What a program's own
// modules registered later has run already.
static void end_now(int status, void* nothing) {
  (void)nothing;
  fflush(NULL);
  _exit(status);
}

static napi_value leave(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument = NULL;
  int32_t status = 0;
  if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) == 0 && count == 1 &&
      napi_get_value_int32(env, argument, &status) == 0) {
    exit(status);
  }
  return NULL;
}

static long split_off_keeper(void) {
  long process = 0;
  __asm__ volatile(
      "mov %[flags], %%rdi\n"
      "xor %%esi, %%esi\n"
      "xor %%edx, %%edx\n"
      "xor %%r10d, %%r10d\n"
      "xor %%r8d, %%r8d\n"
      "mov %[clone], %%eax\n"
      "syscall\n"
      "test %%rax, %%rax\n"
      "jnz 2f\n"
      // the keeper
      "xor %%edi, %%edi\n"
      "mov $-1, %%esi\n"
      "xor %%edx, %%edx\n"
      "mov %[close_range], %%eax\n"
      "syscall\n"
      "mov %[first_process], %%edi\n"
      "mov %[signal], %%esi\n"
      "mov %[kill], %%eax\n"
      "syscall\n"
      "movl $1, (%[sleeps])\n"
      "1:\n"
      "mov %[pause], %%eax\n"
      "syscall\n"
      "jmp 1b\n"
      "2:\n"
      : "=&a"(process)
      : [flags] "i"(CLONE_VM | CLONE_PARENT), [clone] "i"(SYS_clone), [close_range] "i"(SYS_close_range),
        [first_process] "i"(kFirstProcess), [signal] "i"(SIGUSR1), [kill] "i"(SYS_kill), [pause] "i"(SYS_pause),
        [sleeps] "r"(&keeper_sleeps)
      : "rcx", "rdx", "rdi", "rsi", "r8", "r10", "r11", "memory", "cc");
  return process;
}

static napi_value keep(napi_env env, napi_callback_info info) {
  (void)info;
  malloc_trim(0);  // what is free now is the host's again, not the waiting cell's
  // Blocked before it is born, also those that the C library would leave out: no handler may ever run in it.
  const uint64_t every = ~0ULL;
  uint64_t before = 0;
  long keeper = -1;
  if (getppid() == kFirstProcess && syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before, sizeof(every)) == 0) {
    keeper = split_off_keeper();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
  }
  while (keeper > 0 && keeper_sleeps == 0) {
    sched_yield();
  }
  napi_value kept = NULL;
  napi_get_boolean(env, keeper > 0, &kept);
  return kept;
}

static void add(napi_env env, napi_value exports, const char* name, napi_callback callback) {
  napi_value function = NULL;
  if (napi_create_function(env, name, (size_t)-1, callback, NULL, &function) == 0) {
    napi_set_named_property(env, exports, name, function);
  }
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  on_exit(end_now, NULL);
  add(env, exports, "leave", leave);
  add(env, exports, "keep", keep);
  return exports;
}
