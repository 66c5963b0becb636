#include "server/mcp/http_host.h"

#include <utility>

namespace glovebox::server {

HttpHost::HttpHost(Api& api, CallPtr call, std::string task)
    : api_(api), call_(std::move(call)), caller_(api.caller_of(*call_, std::move(task))) {}

bool HttpHost::may_approve() const {
  const Identity& caller = call_->identity;
  return caller.may("approve") && (caller.key_id.empty() || api_.ledger().settings().policy.self_approval);
}

base::Status HttpHost::line_up(std::string flight, runner::Dispatcher::Job job) {
  const std::uint64_t most = api_.ledger().governor().concurrency_of(caller_.tenant, runner::unix_ms());
  return api_.dispatcher_.submit(caller_.tenant, most, std::move(flight), std::move(job));
}

base::Status HttpHost::chore(runner::Dispatcher::Job job) {
  return api_.chores_.submit(caller_.tenant, 0, "", std::move(job));
}

contract::RunResult HttpHost::run(const contract::RunRequest& request, runner::RunOptions options,
                                  const Execute& execute) {
  options.run_id = runner::new_run_id();
  // Whoever looks at runs or cancels them sees it meanwhile; both are there until it is removed.
  api_.live_.add(options.run_id, caller_, LiveRuns::Request(call_, &request), runner::unix_ms(),
                 LiveRuns::Token(call_, options.cancel));
  const std::string run_id = options.run_id;
  contract::RunResult result = api_.run(*call_, request, std::move(options), execute);
  api_.live_.remove(run_id);
  return result;
}

}  // namespace glovebox::server
