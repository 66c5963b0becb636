// The book: a line for each process of the cell, in shared memory, by its number. What stands there outlives an exec
// and can be read by who waits for the process. A program may delete or scribble over it; then its clock starts anew.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "determinism.h"

enum { kLines = 1024, kBookBytes = kLines * sizeof(struct Process) };
static const uint32_t kBeingWritten = UINT32_MAX;
static const uint64_t kExecuted = 0x6578656375746564;
static const char kBookPath[] = "/dev/shm/.glovebox-clocks";

static struct Process* book;
static struct Process* me;
static struct Process mine;  // where there is no book
static uint64_t forked_now_ns;
static uint64_t forked_seed;

long raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  long result = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

long answer_of(long result) {
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

void* find_real(struct RealFunction* function) {
  function->address = function->version != NULL ? dlvsym(RTLD_NEXT, function->name, function->version)
                                                : dlsym(RTLD_NEXT, function->name);
  return function->address;
}

// Made by the linker: where the entries of all REAL()s lie.
extern struct RealFunction __start_real_functions[];
extern struct RealFunction __stop_real_functions[];

static void find_all_real(void) {
  for (struct RealFunction* each = __start_real_functions; each < __stop_real_functions; ++each) {
    find_real(each);
  }
}

// The finaliser of splitmix64: every bit of the input reaches every bit of the result.
uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

static void open_book(void) {
  const long fd =
      raw_call(SYS_openat, AT_FDCWD, (long)kBookPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
  if (fd < 0) {
    return;
  }
  // Reserved, not only sized: on a full disk the first touch of a missing page would be a SIGBUS.
  if (raw_call(SYS_fallocate, fd, 0, 0, kBookBytes, 0, 0) == 0) {
    void* memory = mmap(NULL, kBookBytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    book = memory == MAP_FAILED ? NULL : memory;
  }
  raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static struct Process* find(uint32_t pid) {
  for (uint32_t probe = 0; book != NULL && probe < kLines; ++probe) {
    struct Process* line = &book[(pid + probe) % kLines];
    if (atomic_load(&line->pid) == pid) {
      return line;
    }
  }
  return NULL;
}

static struct Process* enter(uint32_t pid, uint64_t now_ns, uint64_t seed) {
  struct Process* line = find(pid);
  for (uint32_t probe = 0; book != NULL && line == NULL && probe < kLines; ++probe) {
    struct Process* candidate = &book[(pid + probe) % kLines];
    uint32_t owner = atomic_load(&candidate->pid);
    // Whom nobody waited for leaves a line behind.
    const bool gone = owner != 0 && owner != kBeingWritten && raw_call(SYS_kill, owner, 0, 0, 0, 0, 0) == -ESRCH;
    if ((owner == 0 || gone) && atomic_compare_exchange_strong(&candidate->pid, &owner, kBeingWritten)) {
      line = candidate;
    }
  }
  if (line == NULL) {
    line = &mine;
  }
  atomic_store(&line->now_ns, now_ns);
  atomic_store(&line->seed, seed);
  atomic_store(&line->children, 0);
  atomic_store(&line->spawning, 0);
  atomic_store(&line->pid, pid);
  return line;
}

// A parent that spawned us enters us into the book as soon as it knows our number, which is about now.
static struct Process* await_entry(uint32_t pid, struct Process* parent) {
  struct Process* line = find(pid);
  for (int tries = 0; line == NULL && parent != NULL && atomic_load(&parent->spawning) > 0 && tries < 2000; ++tries) {
    const struct timespec pause = {0, 50 * kNsPerUs};
    raw_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    line = find(pid);
  }
  return line;
}

static void before_fork(void) {
  forked_now_ns = clock_look();
  forked_seed = next_child_seed();
}

static void in_child(void) {
  forget_other_threads();
  me = enter((uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0), forked_now_ns, forked_seed);
  this_thread = (struct Thread){0};
  clock_begin_process();
  random_begin_process();
}

// 16 bytes that the kernel draws for every program, and that it can look at.
static void fix_auxiliary_random(void) {
  void* bytes = (void*)getauxval(AT_RANDOM);
  if (bytes != NULL) {
    memset(bytes, 0x5a, 16);
  }
}

static void begin(void) {
  static bool begun;
  if (begun) {
    return;
  }
  begun = true;
  const int saved_errno = errno;
  find_all_real();
  open_book();
  const uint32_t pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
  struct Process* parent = find((uint32_t)raw_call(SYS_getppid, 0, 0, 0, 0, 0, 0));
  me = await_entry(pid, parent);
  if (me != NULL) {
    atomic_store(&me->seed, mixed(atomic_load(&me->seed) ^ kExecuted));  // drawn from before the exec
  } else {
    me = enter(pid, parent != NULL ? atomic_load(&parent->now_ns) : 0,
               mixed(parent != NULL ? atomic_load(&parent->seed) ^ pid : 0));
  }
  clock_begin_process();
  random_begin_process();
  files_begin_process();
  fix_auxiliary_random();
  pthread_atfork(before_fork, NULL, in_child);
  errno = saved_errno;
}

__attribute__((constructor)) static void begin_with_the_program(void) { begin(); }

struct Process* myself(void) {
  if (__builtin_expect(me == NULL, 0)) {
    begin();  // another library's constructor was quicker
  }
  return me != NULL ? me : &mine;
}

uint64_t next_child_seed(void) {
  struct Process* process = myself();
  return mixed(atomic_load(&process->seed) ^ mixed(atomic_fetch_add(&process->children, 1) + 1));
}

void before_spawn(uint64_t* now_ns, uint64_t* seed) {
  *now_ns = clock_look();
  *seed = next_child_seed();
  atomic_fetch_add(&myself()->spawning, 1);
}

void after_spawn(int pid, uint64_t now_ns, uint64_t seed) {
  if (pid > 0 && book != NULL) {
    enter((uint32_t)pid, now_ns, seed);
  }
  atomic_fetch_sub(&myself()->spawning, 1);
}

void joined(int pid) {
  struct Process* child = pid > 0 ? find((uint32_t)pid) : NULL;
  if (child != NULL && child != myself()) {
    clock_reach(atomic_load(&child->now_ns), wake_and_tell);
    atomic_store(&child->pid, 0);
  }
}
