#include "bench/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/utf8.h"

namespace glovebox::bench {
namespace {

using base::Fd;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kErrorBytes = 16U << 10U;

struct Pipe {
  Fd read;
  Fd write;
};

bool open_pipe(Pipe& pipe) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return false;
  }
  pipe.read = Fd(ends[0]);
  pipe.write = Fd(ends[1]);
  return true;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) {
    list.push_back(const_cast<char*>(word.c_str()));
  }
  list.push_back(nullptr);
  return list;
}

int spawn(const Command& command, const Pipe& output, const Pipe& errors, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const base::Cleanup release([&] {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  });
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) {
    ::sigaddset(&defaults, signal);
  }
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const auto words = pointers(command.words);
  const auto environment = pointers(command.environment);
  return ::posix_spawn(&pid, words[0], &actions, &attributes, words.data(), environment.data());
}

// False: the time is over.
bool read_to_the_end(const Pipe& output, const Pipe& errors, Clock::time_point deadline, ChildEnd& end) {
  std::array<pollfd, 2> waiting = {pollfd{output.read.get(), POLLIN, 0}, pollfd{errors.read.get(), POLLIN, 0}};
  std::array<char, 64U << 10U> chunk{};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return false;
    }
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left)) <= 0) {
      continue;  // a signal, or the deadline
    }
    for (std::size_t index = 0; index < waiting.size(); ++index) {
      if (waiting[index].fd < 0 || waiting[index].revents == 0) {
        continue;
      }
      const ssize_t count = ::read(waiting[index].fd, chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count <= 0) {
        waiting[index].fd = -1;
      } else if (index == 0) {
        end.output.append(chunk.data(), static_cast<std::size_t>(count));
      } else if (end.error_output.size() < kErrorBytes) {
        end.error_output.append(chunk.data(), static_cast<std::size_t>(count));
      }
    }
  }
  return true;
}

std::string last_line(std::string_view text) {
  constexpr std::size_t kShownBytes = 200;
  while (!text.empty() && text.back() == '\n') {
    text.remove_suffix(1);
  }
  return base::printable(text.substr(text.rfind('\n') + 1), kShownBytes);
}

}  // namespace

ChildEnd run_command(const Command& command, std::chrono::seconds patience) {
  const auto deadline = Clock::now() + patience;
  ChildEnd end;
  Pipe output;
  Pipe errors;
  if (!open_pipe(output) || !open_pipe(errors)) {
    end.problem = std::string("no pipe: ") + std::strerror(errno);
    return end;
  }
  pid_t pid = -1;
  if (const int refused = spawn(command, output, errors, pid); refused != 0) {
    end.problem = "cannot start " + command.words.front() + ": " + std::strerror(refused);
    return end;
  }
  output.write.reset();
  errors.write.reset();
  const bool in_time = read_to_the_end(output, errors, deadline, end);
  if (!in_time) {
    ::kill(-pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    end.problem = "took longer than " + std::to_string(patience.count()) + " s";
  } else if (WIFSIGNALED(status)) {
    end.problem = "ended by signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    end.problem = "exit status " + std::to_string(WEXITSTATUS(status)) + ": " + last_line(end.error_output);
  }
  return end;
}

}  // namespace glovebox::bench
