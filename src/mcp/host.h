// What a transport lends to a call: threads to work on, and the way every run of this process is done.
//
// Nothing in src/mcp starts a run by itself: the service counts, traces and cancels runs of MCP like those of any other
// call (fair lines, quotas, records), and the command over stdio has lines of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "runner/dispatcher.h"
#include "runner/runner.h"

namespace glovebox::mcp {

class Host {
 public:
  using Execute = std::function<contract::RunResult(const runner::RunOptions&)>;

  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  // Who asks; records and quotas are theirs.
  [[nodiscard]] virtual const runner::Caller& caller() const = 0;
  // Whether the one who asks may also say yes to what a policy asks a person about.
  [[nodiscard]] virtual bool may_approve() const = 0;
  // Whether they may look at runs of others of their tenant, and not just at those of their own key.
  [[nodiscard]] virtual bool may_read() const = 0;
  // Waits in the line of this caller's runs. Jobs of the same flight wait for each other without a thread.
  [[nodiscard]] virtual base::Status line_up(std::string flight, runner::Dispatcher::Job job) = 0;
  // Work that may take a moment and is no run.
  [[nodiscard]] virtual base::Status chore(runner::Dispatcher::Job job) = 0;
  // One run with everything around it; `execute` does it. On a thread of line_up().
  [[nodiscard]] virtual contract::RunResult run(const contract::RunRequest& request, runner::RunOptions options,
                                                const Execute& execute) = 0;
};

using HostPtr = std::shared_ptr<Host>;

}  // namespace glovebox::mcp
