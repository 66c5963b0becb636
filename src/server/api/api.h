// The HTTP interface of the service: contract/openapi.json, carried out.
//
// Threads: handle() and plan_body() are called on the server's I/O threads and never wait. A run goes through the
// dispatcher, where tenants wait in turn, and is answered from one of its workers; one that a person has to approve
// first leaves its worker and waits at the desk (approval_desk.h). Whatever else may take a moment (reading records,
// deleting, parsing a large body) goes to a second, small dispatcher, `chores_`.
//
// What a route does is in the *_routes.cpp of its subject; routes.cpp lists them all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/dispatcher.h"
#include "runner/runner.h"
#include "server/api/approval_desk.h"
#include "server/api/call.h"
#include "server/api/engine_check.h"
#include "server/api/live_runs.h"
#include "server/api/observers.h"
#include "server/api/run_call.h"
#include "server/http/server.h"

namespace glovebox::mcp {
class SandboxServer;
}

namespace glovebox::server {

class McpEndpoint;

class Api {
 public:
  // The runner has a ledger.
  Api(runner::Runner& runner, Observers& observers);
  ~Api();

  void handle(std::shared_ptr<http::Exchange> exchange);
  [[nodiscard]] http::BodyPlan plan_body(const http::Request& head);

  // Refuses new runs; true when those that were admitted have ended within the time.
  [[nodiscard]] bool drain(std::chrono::milliseconds patience);
  // Kills what runs.
  void cancel_all();
  // Numbers of the HTTP server, once there is one.
  void watch(const http::Server& server);
  // What answers /mcp; before the first call.
  void offer_mcp(std::unique_ptr<mcp::SandboxServer> server);
  [[nodiscard]] runner::Ledger& ledger() { return *runner_.ledger(); }

 private:
  struct Route {
    std::string_view method;
    std::string_view pattern;  // "/v1/runs/{id}"; "{path*}" takes all segments that are left
    std::string_view scope;    // "": anybody
    void (Api::*answer)(const CallPtr& call);
    std::string_view query = std::string_view();  // the names of its parameters
  };
  struct Found {
    const Route* route = nullptr;
    std::vector<std::string> parameters;
    std::string allowed;  // methods of the same path, when only those match
  };
  [[nodiscard]] static std::span<const Route> routes();
  [[nodiscard]] static Found find_route(std::string_view method, const std::vector<std::string>& path);

  // runs
  void create_run(const CallPtr& call);
  void start_run(const CallPtr& call, contract::RunRequest request);
  [[nodiscard]] base::Status line_up(const RunCallPtr& run);
  void carry_out(const RunCallPtr& run, const runner::Waited& waited);
  void give_up(const RunCallPtr& run, const base::Error& error);
  void finish(const RunCallPtr& run, const contract::RunResult& result);
  void ensure_record(const RunCall& run, contract::RunResult result);
  [[nodiscard]] static runner::RunOptions options_of(const RunCall& run);
  void send(RunCall& run, std::string event, std::string data);
  void send_output(RunCall& run, const char* event, const std::string& text);
  void send_event(RunCall& run, const contract::Event& event);
  void end_stream(RunCall& run, const contract::RunResult& result);
  void cancel_run(const CallPtr& call);
  void create_batch(const CallPtr& call);
  // policy and approvals
  void check_policy(const CallPtr& call);
  void list_approvals(const CallPtr& call);
  void get_approval(const CallPtr& call);
  void answer_approval(const CallPtr& call);
  void park(const RunCallPtr& run);
  void wait_is_over(const RunCallPtr& run, WaitEnd why);
  void leave_desk(const RunCallPtr& run, WaitEnd why);
  void stop_waiting(const std::string& run_id);
  void end_if_over(records::Approval& approval);
  // The approval, if this caller may see it; else the call is answered.
  [[nodiscard]] std::optional<records::Approval> find_approval(const CallPtr& call);
  // records
  void list_runs(const CallPtr& call);
  void get_run(const CallPtr& call);
  void delete_run(const CallPtr& call);
  void replay_run(const CallPtr& call);
  void get_repair(const CallPtr& call);
  void get_artifact(const CallPtr& call);
  void get_usage(const CallPtr& call);
  // blobs
  void put_blob(const CallPtr& call);
  void get_blob(const CallPtr& call);
  // operations
  void get_health(const CallPtr& call);
  void get_readiness(const CallPtr& call);
  void get_metrics(const CallPtr& call);
  void get_openapi(const CallPtr& call);
  void get_tools(const CallPtr& call);
  void stop_service(const CallPtr& call);
  void resume_service(const CallPtr& call);
  void get_service_state(const CallPtr& call);
  // MCP
  void post_mcp(const CallPtr& call);
  void get_mcp(const CallPtr& call);
  void delete_mcp(const CallPtr& call);

  // On a worker of `chores_`; answers by itself when there is no room.
  void chore(const CallPtr& call, std::function<void()> work);
  // The record, if it is this tenant's; else the call is answered.
  [[nodiscard]] std::optional<records::RunRecord> find_own_run(const CallPtr& call);
  // One run with everything around it: events, metrics, spans, log.
  [[nodiscard]] contract::RunResult run(const Call& call, const contract::RunRequest& request,
                                        runner::RunOptions options);
  // The same for a run that is carried out by somebody else.
  using Execute = std::function<contract::RunResult(const runner::RunOptions&)>;
  [[nodiscard]] contract::RunResult run(const Call& call, const contract::RunRequest& request,
                                        runner::RunOptions options, const Execute& execute);
  [[nodiscard]] runner::Caller caller_of(const Call& call, std::string task) const;

  friend class Batch;
  friend class HttpHost;
  friend class McpEndpoint;

  runner::Runner& runner_;
  Observers& observers_;
  Gatekeeper gatekeeper_;
  EngineCheck engine_check_;
  LiveRuns live_;
  std::atomic<const http::Server*> server_ = nullptr;
  std::unique_ptr<McpEndpoint> mcp_;  // what runs for it is done when it goes
  runner::Dispatcher chores_;
  runner::Dispatcher dispatcher_;
  ApprovalDesk desk_;
};

}  // namespace glovebox::server
