#include "program_process.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

// Where the C library has its restartable sequences; absent in older ones.
extern "C" const std::ptrdiff_t __rseq_offset __attribute__((weak));

namespace glovebox::guest {
namespace {

constexpr std::uint32_t kRseqBytes = 32;
constexpr std::uint32_t kRseqSignature = 0x53053053;
constexpr long kHelperFlags = CLONE_VM | CLONE_VFORK | SIGCHLD;
constexpr long kProgramFlags = CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
constexpr std::uint64_t kEverySignal = ~0ULL;

int* thread_id = nullptr;
robust_list_head* robust_locks = nullptr;
std::size_t robust_locks_size = 0;
stack_t signal_stack{};           // where faulthandler tells of a full stack
volatile long program_clone = 0;  // what clone said to the helper

void introduce_thread() {
  ::syscall(SYS_set_robust_list, robust_locks, robust_locks_size);
  if ((signal_stack.ss_flags & SS_DISABLE) == 0) {
    ::sigaltstack(&signal_stack, nullptr);  // a clone that shares memory starts without
  }
  if (&__rseq_offset != nullptr) {
    char* const thread = static_cast<char*>(__builtin_thread_pointer());
    ::syscall(SYS_rseq, thread + __rseq_offset, kRseqBytes, 0, kRseqSignature);
  }
}

// Three processes go through this on one stack: the keeper, a helper whose only purpose is to make the program an
// orphan, and the program. The first two use registers alone, so that the stack stays as the program needs it.
long split() {
  long result = 0;
  asm volatile(
      "mov %[helper_flags], %%rdi\n"
      "xor %%esi, %%esi\n"
      "xor %%edx, %%edx\n"
      "xor %%r10d, %%r10d\n"
      "xor %%r8d, %%r8d\n"
      "mov %[clone], %%eax\n"
      "syscall\n"
      "test %%rax, %%rax\n"
      "jnz 1f\n"
      // the helper
      "mov %[program_flags], %%rdi\n"
      "xor %%esi, %%esi\n"
      "xor %%edx, %%edx\n"
      "mov %[thread_id], %%r10\n"
      "xor %%r8d, %%r8d\n"
      "mov %[clone], %%eax\n"
      "syscall\n"
      "test %%rax, %%rax\n"
      "jz 3f\n"
      "mov %%rax, (%[program_clone])\n"
      "xor %%edi, %%edi\n"
      "mov %[exit], %%eax\n"
      "syscall\n"
      // the keeper; the helper is gone
      "1:\n"
      "js 3f\n"
      "mov (%[program_clone]), %%rax\n"
      "test %%rax, %%rax\n"
      "js 3f\n"
      "mov %[set_mask], %%edi\n"
      "mov %[every_signal], %%rsi\n"
      "xor %%edx, %%edx\n"
      "mov $8, %%r10d\n"
      "mov %[sigprocmask], %%eax\n"
      "syscall\n"
      "xor %%edi, %%edi\n"
      "mov $-1, %%esi\n"
      "xor %%edx, %%edx\n"
      "mov %[close_range], %%eax\n"
      "syscall\n"
      "2:\n"
      "mov %[pause], %%eax\n"
      "syscall\n"
      "jmp 2b\n"
      "3:\n"
      : "=&a"(result)
      : [helper_flags] "i"(kHelperFlags), [program_flags] "i"(kProgramFlags), [clone] "i"(SYS_clone),
        [exit] "i"(SYS_exit), [set_mask] "i"(SIG_SETMASK), [sigprocmask] "i"(SYS_rt_sigprocmask),
        [close_range] "i"(SYS_close_range), [pause] "i"(SYS_pause), [thread_id] "r"(thread_id),
        [program_clone] "r"(&program_clone), [every_signal] "r"(&kEverySignal)
      : "rcx", "rdx", "rdi", "rsi", "r8", "r10", "r11", "memory", "cc");
  return result;
}

}  // namespace

bool learn_thread() {
  return ::sigaltstack(nullptr, &signal_stack) == 0 && ::prctl(PR_GET_TID_ADDRESS, &thread_id) == 0 &&
         thread_id != nullptr && *thread_id == ::gettid() &&
         ::syscall(SYS_get_robust_list, 0, &robust_locks, &robust_locks_size) == 0;
}

int split_off_program() {
  const long result = split();
  if (result != 0) {
    return static_cast<int>(-result);
  }
  introduce_thread();
  return 0;
}

}  // namespace glovebox::guest
