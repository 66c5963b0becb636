#include "cli/terminal_question.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"
#include "os/files.h"

namespace glovebox::cli {
namespace {

constexpr std::size_t kMaxAnswer = 64;

base::Fd open_terminal() { return base::Fd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)); }

}  // namespace

bool can_ask() { return ::isatty(STDERR_FILENO) == 1 && open_terminal().valid(); }

bool ask(const std::string& text) {
  const base::Fd terminal = open_terminal();
  if (!terminal.valid() || !os::write_all(terminal.get(), text)) {
    return false;
  }
  std::string answer;
  char letter = 0;
  while (true) {
    const ssize_t got = ::read(terminal.get(), &letter, 1);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0 || letter == '\n') {
      break;
    }
    if (answer.size() < kMaxAnswer) {
      answer += letter;
    }
  }
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace glovebox::cli
