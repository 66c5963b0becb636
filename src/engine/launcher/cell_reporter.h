// How a process between clone and exec says that a step failed: one CellMessage{failed} with stage and errno, then it
// ends. Allocates nothing.
#pragma once

#include "engine/launcher/cell_messages.h"
#include "engine/launcher/process_seal.h"

namespace glovebox::engine {

class CellReporter {
 public:
  explicit CellReporter(int socket) : socket_(socket) {}

  [[noreturn]] void fail(CellStage stage, int detail = 0) const;
  void require(bool done, CellStage stage, int detail = 0) const {
    if (!done) {
      fail(stage, detail);
    }
  }
  void require(const SealStep& step) const { require(step.done, step.stage, step.detail); }

 private:
  int socket_;
};

}  // namespace glovebox::engine
