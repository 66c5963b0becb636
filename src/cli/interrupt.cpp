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

}  // namespace

CancelOnSignals::CancelOnSignals(const engine::CancelToken& token) {
  interrupted_run = &token;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, on_signal);
  }
}

CancelOnSignals::~CancelOnSignals() {
  interrupted_run = nullptr;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, SIG_DFL);
  }
}

}  // namespace glovebox::cli
