#include "cli/repair_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fd.h"
#include "base/utf8.h"
#include "os/files.h"
#include "os/pairs.h"

namespace glovebox::cli {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRepairedBytes = 4U << 20U;

struct Started {
  pid_t pid = -1;
  Fd process;  // readable when it ended
  Fd output;
};

// A file in memory needs no pump, and can be opened as /dev/stdin.
Result<Fd> input_file(const std::string& input) {
  Fd file(::memfd_create("brief", MFD_CLOEXEC));
  if (!file.valid() || !os::write_all(file.get(), input) || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return fail(errno_error(ErrorCode::internal_error, "", "cannot prepare the brief"));
  }
  return file;
}

Result<Started> start(const std::string& command, int input) {
  Started started;
  Fd theirs;
  if (os::make_pipe(started.output, theirs) != 0) {
    return fail(errno_error(ErrorCode::internal_error, "", "cannot create a pipe"));
  }
  ::fcntl(started.output.get(), F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string shell = "/bin/sh";
  std::string option = "-c";
  std::string text = command;
  std::array<char*, 4> argv = {shell.data(), option.data(), text.data(), nullptr};
  const int problem = ::posix_spawn(&started.pid, shell.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    errno = problem;
    return fail(errno_error(ErrorCode::internal_error, "", "cannot start /bin/sh"));
  }
  started.process = Fd(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  return started;
}

enum class Reading { more, done, too_much };

Reading read_some(int fd, std::string& text) {
  std::array<char, 16384> buffer{};
  while (true) {
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size == 0) {
      return Reading::done;
    }
    if (size < 0) {
      return errno == EAGAIN || errno == EINTR ? Reading::more : Reading::done;
    }
    text.append(buffer.data(), static_cast<std::size_t>(size));
    if (text.size() > kMaxRepairedBytes) {
      return Reading::too_much;
    }
  }
}

// Why it was given up; empty: it ended by itself.
std::string read_until_it_ends(const Started& started, Clock::time_point until, const engine::CancelToken& cancel,
                               std::string& text) {
  bool open = true;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) {
      return "took too long";
    }
    std::array<pollfd, 3> watched = {
        {{started.process.get(), POLLIN, 0}, {cancel.fd(), POLLIN, 0}, {open ? started.output.get() : -1, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(std::min<std::int64_t>(left, 60'000))) < 0 &&
        errno != EINTR) {
      return "cannot be watched";
    }
    if (watched[1].revents != 0) {
      return "was interrupted";
    }
    const bool ended = watched[0].revents != 0;
    if (open && (ended || watched[2].revents != 0)) {
      const Reading reading = read_some(started.output.get(), text);
      if (reading == Reading::too_much) {
        return "printed more than 4 MiB";
      }
      open = reading == Reading::more;
    }
    if (ended) {
      return "";  // something that it left behind may keep the pipe open; that is not waited for
    }
  }
}

}  // namespace

Result<std::string> ask_command(const std::string& command, const std::string& input,
                                std::chrono::milliseconds patience, const engine::CancelToken& cancel) {
  const Fd brief = TRY(input_file(input));
  const Started started = TRY(start(command, brief.get()));
  std::string text;
  const std::string problem = read_until_it_ends(started, Clock::now() + patience, cancel, text);
  if (!problem.empty()) {
    ::kill(-started.pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(started.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!problem.empty()) {
    return fail(ErrorCode::internal_error, "the repair command " + problem);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::internal_error,
                WIFEXITED(status) ? "the repair command ended with status " + std::to_string(WEXITSTATUS(status))
                                  : "the repair command was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::internal_error, "the repair command printed no program");
  }
  if (!base::is_valid_utf8(text)) {
    return fail(ErrorCode::internal_error, "the repair command printed something else than UTF-8 text");
  }
  return text;
}

}  // namespace glovebox::cli
