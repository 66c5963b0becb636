// Children: where they begin, and what comes back with them. A fork is seen by the handlers in book.c.
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "determinism.h"

// A vfork shows nobody the child's first steps. A fork does the same, a little slower.
EXPORT pid_t vfork(void) { return fork(); }

typedef int Spawn(pid_t* restrict, const char* restrict, const posix_spawn_file_actions_t* restrict,
                  const posix_spawnattr_t* restrict, char* const[restrict], char* const[restrict]);

static int spawn_with(Spawn* spawn, pid_t* restrict pid, const char* restrict path,
                      const posix_spawn_file_actions_t* restrict actions, const posix_spawnattr_t* restrict attributes,
                      char* const argv[restrict], char* const env[restrict]) {
  uint64_t now_ns = 0;
  uint64_t seed = 0;
  before_spawn(&now_ns, &seed);
  pid_t child = 0;
  const int failed = spawn(&child, path, actions, attributes, argv, env);
  after_spawn(failed == 0 ? child : 0, now_ns, seed);
  if (failed == 0 && pid != NULL) {
    *pid = child;
  }
  return failed;
}

EXPORT int posix_spawn(pid_t* restrict pid, const char* restrict path,
                       const posix_spawn_file_actions_t* restrict actions, const posix_spawnattr_t* restrict attributes,
                       char* const argv[restrict], char* const env[restrict]) {
  return spawn_with(REAL_VERSION(posix_spawn, "GLIBC_2.15"), pid, path, actions, attributes, argv, env);
}

EXPORT int posix_spawnp(pid_t* restrict pid, const char* restrict file,
                        const posix_spawn_file_actions_t* restrict actions,
                        const posix_spawnattr_t* restrict attributes, char* const argv[restrict],
                        char* const env[restrict]) {
  return spawn_with(REAL_VERSION(posix_spawnp, "GLIBC_2.15"), pid, file, actions, attributes, argv, env);
}

// The C library's own spawns where we cannot see it.
EXPORT int system(const char* command) {
  if (command == NULL) {
    return 1;
  }
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction old_interrupt;
  struct sigaction old_quit;
  sigset_t child_signal;
  sigset_t old_mask;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigaction(SIGINT, &ignore, &old_interrupt);
  sigaction(SIGQUIT, &ignore, &old_quit);
  sigprocmask(SIG_BLOCK, &child_signal, &old_mask);
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    sigaction(SIGINT, &old_interrupt, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
  }
  if (child > 0) {
    pid_t done = 0;
    do {
      done = waitpid(child, &status, 0);
    } while (done < 0 && errno == EINTR);
    status = done == child ? status : -1;
  }
  sigaction(SIGINT, &old_interrupt, NULL);
  sigaction(SIGQUIT, &old_quit, NULL);
  sigprocmask(SIG_SETMASK, &old_mask, NULL);
  return status;
}

static pid_t collected(pid_t pid, int status) {
  if (pid > 0 && (WIFEXITED(status) || WIFSIGNALED(status))) {
    joined(pid);
  }
  return pid;
}

EXPORT pid_t wait4(pid_t pid, int* status, int options, struct rusage* usage) {
  int ended = 0;
  begin_wait();
  const pid_t found = REAL(wait4)(pid, &ended, options, usage);
  end_wait();
  if (found > 0 && status != NULL) {
    *status = ended;
  }
  if (found > 0 && usage != NULL) {
    *usage = (struct rusage){0};
  }
  return found > 0 ? collected(found, ended) : found;
}
EXPORT pid_t wait3(int* status, int options, struct rusage* usage) { return wait4(-1, status, options, usage); }
EXPORT pid_t waitpid(pid_t pid, int* status, int options) { return wait4(pid, status, options, NULL); }
EXPORT pid_t wait(int* status) { return wait4(-1, status, 0, NULL); }

EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  siginfo_t found = {0};
  begin_wait();
  const int result = REAL(waitid)(type, id, &found, options);
  end_wait();
  if (result == 0 && (options & WNOWAIT) == 0 &&
      (found.si_code == CLD_EXITED || found.si_code == CLD_KILLED || found.si_code == CLD_DUMPED)) {
    joined(found.si_pid);
  }
  if (result == 0 && info != NULL) {
    *info = found;
  }
  return result;
}
