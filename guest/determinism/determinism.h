// A library that every program of a deterministic cell loads first (/etc/ld.so.preload), so that twice the same program
// gives the same bytes (D3). It stands in front of the C library: clocks, random numbers, waiting, file times and a
// few facts about the machine come from here. It is no wall; a program that goes around it only fools itself.
//
// The clock starts at 2000-01-01T00:00:00Z and moves by 1 µs with each reading. Waiting takes its real time and moves
// the clock by what was asked for, exactly. Each process has a clock and a stream of random numbers of its own. A fork
// hands the clock on; a wait for the child brings the child's time back, if that is later. So what a process reads
// depends on what it and its children did, never on who ran first. The book (book.c) is where this survives an exec.
//
// The coarse clocks stand still while they are read: event loops look at them once per turn, and how many turns there
// were is a matter of luck. Only who reads nothing else, again and again, sees them move.
//
// Within a process only the first thread's readings move the clock. Other threads count for themselves, from when they
// began or from the last wait that moved the clock, and have streams of their own. Helper threads of a runtime thus
// leave no trace in what the program sees.
//
// Plain C: it is loaded into everything, and must bring no library along.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

// The C library's own function of that name; with a version for those that changed in the past, of which the oldest
// would be found otherwise. All of them are looked up when the program begins, since the dynamic linker must not be
// asked in a signal handler or after a fork.
struct RealFunction {
  const char* name;
  const char* version;
  void* address;
};
void* find_real(struct RealFunction* function);
#define REAL_VERSION(function_name, function_version)                                                            \
  ({                                                                                                             \
    static struct RealFunction entry                                                                             \
        __attribute__((section("real_functions"), used, aligned(8))) = {#function_name, function_version, NULL}; \
    (__typeof__(&function_name))(entry.address != NULL ? entry.address : find_real(&entry));                     \
  })
#define REAL(function_name) REAL_VERSION(function_name, NULL)

enum { kNsPerUs = 1000, kNsPerMs = 1000000, kNsPerSecond = 1000000000 };

// A system call without errno and without a detour through our own syscall().
long raw_call(long number, long a, long b, long c, long d, long e, long f);
// As the C library returns it: -1 and errno.
long answer_of(long result);

// ------------------------------------------------------------------------------------------------------------- book.c

struct Process {
  _Atomic uint32_t pid;       // 0: a free line
  _Atomic uint32_t spawning;  // children that the process is about to enter into the book
  _Atomic uint64_t now_ns;    // since the start of the clock
  _Atomic uint64_t seed;
  _Atomic uint64_t children;  // processes and threads so far: each gets another seed
};

// The line of this process.
struct Process* myself(void);
// For a child or a thread to be.
uint64_t next_child_seed(void);
uint64_t mixed(uint64_t value);
// Around a call that makes a process without our seeing its first steps.
void before_spawn(uint64_t* now_ns, uint64_t* seed);
void after_spawn(int pid, uint64_t now_ns, uint64_t seed);  // pid 0: it failed
// The child was waited for: its time is now part of ours.
void joined(int pid);

// ------------------------------------------------------------------------------------------------------------ clock.c

enum Wake {
  wake_quietly,   // a thread that waited for events: nobody else is concerned
  wake_and_tell,  // a sleep: time has passed for the whole process
};

// Nanoseconds since the start of the clock, as this thread sees it.
uint64_t clock_step(void);  // a reading by the program: moves
uint64_t clock_look(void);  // our own: does not
void clock_reach(uint64_t now_ns, enum Wake wake);
// Takes the last reading back, if nothing came after it: it belonged to a wait that begins now. Whether a lock was
// taken and how often an event loop turned is a matter of luck and must not show.
void clock_unstep(void);
void clock_begin_process(void);  // CPU time counts from here

struct timespec time_of(clockid_t clock, uint64_t now_ns);
// The inverse; a time before the start is 0.
uint64_t since_start(clockid_t clock, const struct timespec* time);
struct timespec duration_of(uint64_t ns);
uint64_t length_of(const struct timespec* duration);
// Virtual seconds since 1970 at the start of the clock.
extern const int64_t kStartSeconds;

// ---------------------------------------------------------------------------------------------------------- threads.c

// Whether another thread of this process is doing something else than waiting.
bool others_are_busy(void);
void begin_wait(void);
void end_wait(void);
void forget_other_threads(void);  // in a child: they were not forked
// State of the calling thread.
struct Thread {
  bool helper;              // not the first of its process
  _Atomic uint64_t now_ns;  // of a helper: its own clock, which follows the waits of the others
  uint64_t last_reading_ns;
  bool free_reading;  // the next one does not move the clock
  int turns;          // of an event loop, since a wait moved the clock
  uint64_t seed;      // 0: the process's stream
  uint64_t position;  // in its stream
};
extern __thread struct Thread this_thread;

// ----------------------------------------------------------------------------------------------------------- random.c

void random_fill(void* bytes, size_t count);
void random_begin_process(void);

// ------------------------------------------------------------------------------------------------------------ files.c

void files_begin_process(void);
