#include "cli/interrupt.h"

#include <signal.h>

#include <atomic>

namespace glovebox::cli {
namespace {

std::atomic<const engine::CancelToken*> interrupted_run{nullptr};

void on_signal(int signal) {
  if (const engine::CancelToken* token = interrupted_run.load(); token != nullptr) {
    token->cancel();
  }
  ::signal(signal, SIG_DFL);  // the second time it is meant for us
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void handle_signals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) {
      ::signal(signal, handler);
    }
  }
}

}  // namespace

CancelOnSignals::CancelOnSignals(const engine::CancelToken& token) {
  interrupted_run = &token;
  handle_signals(on_signal);
}

CancelOnSignals::~CancelOnSignals() {
  interrupted_run = nullptr;
  handle_signals(SIG_DFL);
}

}  // namespace glovebox::cli
