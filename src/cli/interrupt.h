// Ctrl-C, SIGTERM and SIGHUP cancel the run that this command is about; the second time they end the command. One that
// whoever started us had ignored (nohup, a background job of a shell) stays ignored.
//
// One at a time per process: a signal handler must know without looking which run is meant.
#pragma once

#include "engine/supervise/cancel_token.h"

namespace glovebox::cli {

class CancelOnSignals {
 public:
  // `token` must outlive this.
  explicit CancelOnSignals(const engine::CancelToken& token);
  CancelOnSignals(const CancelOnSignals&) = delete;
  CancelOnSignals& operator=(const CancelOnSignals&) = delete;
  ~CancelOnSignals();
};

}  // namespace glovebox::cli
