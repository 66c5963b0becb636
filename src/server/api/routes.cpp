// Every path of the interface, and how a call finds its way to one.
#include <array>
#include <utility>

#include "contract/request_rules.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/blob_sink.h"
#include "server/api/query.h"
#include "server/mcp/mcp_endpoint.h"

namespace glovebox::server {
namespace {

constexpr std::uint64_t kSmallBody = 64U << 10U;
constexpr std::uint32_t kChoreWorkers = 4;

runner::QueueSettings chore_settings() {
  runner::QueueSettings settings;
  settings.workers = kChoreWorkers;
  return settings;
}

// Whether the path fits; what the pattern leaves open goes into `parameters`.
bool matches(std::string_view pattern, const std::vector<std::string>& path, std::vector<std::string>& parameters) {
  parameters.clear();
  std::size_t segment = 0;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // the slash
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view wanted = pattern.substr(0, end);
    pattern.remove_prefix(end);
    if (segment >= path.size()) {
      return false;
    }
    if (wanted.starts_with('{')) {
      parameters.push_back(path[segment]);
      if (wanted.ends_with("*}")) {
        while (++segment < path.size()) {
          parameters.push_back(path[segment]);
        }
        return true;
      }
    } else if (wanted != path[segment]) {
      return false;
    }
    ++segment;
  }
  return segment == path.size();
}

}  // namespace

std::span<const Api::Route> Api::routes() {
  static constexpr std::array kRoutes = {
      Route{"POST", "/v1/runs", "run", &Api::create_run},
      Route{"GET", "/v1/runs", "read", &Api::list_runs, "limit cursor outcome language task state since until"},
      Route{"GET", "/v1/runs/{run_id}", "read", &Api::get_run},
      Route{"DELETE", "/v1/runs/{run_id}", "run", &Api::delete_run},
      Route{"POST", "/v1/runs/{run_id}/cancel", "run", &Api::cancel_run},
      Route{"POST", "/v1/runs/{run_id}/replay", "run", &Api::replay_run},
      Route{"GET", "/v1/runs/{run_id}/repair", "read", &Api::get_repair},
      Route{"GET", "/v1/runs/{run_id}/artifacts/{path*}", "read", &Api::get_artifact},
      Route{"POST", "/v1/batches", "run", &Api::create_batch},
      Route{"POST", "/v1/policy/check", "run", &Api::check_policy},
      Route{"GET", "/v1/approvals", "read", &Api::list_approvals, "limit cursor state"},
      Route{"GET", "/v1/approvals/{approval_id}", "read", &Api::get_approval},
      Route{"POST", "/v1/approvals/{approval_id}", "approve", &Api::answer_approval},
      Route{"PUT", "/v1/blobs/{sha256}", "run", &Api::put_blob},
      Route{"GET", "/v1/blobs/{sha256}", "read", &Api::get_blob},
      Route{"GET", "/v1/usage", "read", &Api::get_usage, "from to bucket"},
      Route{"GET", "/v1/tools", "", &Api::get_tools, "format"},
      Route{"POST", "/v1/admin/stop", "admin", &Api::stop_service},
      Route{"POST", "/v1/admin/resume", "admin", &Api::resume_service},
      Route{"GET", "/v1/admin/state", "admin", &Api::get_service_state},
      Route{"GET", "/healthz", "", &Api::get_health},
      Route{"GET", "/readyz", "", &Api::get_readiness},
      Route{"GET", "/metrics", "metrics", &Api::get_metrics},
      Route{"GET", "/openapi.json", "", &Api::get_openapi},
      Route{"POST", "/mcp", "run", &Api::post_mcp},
      Route{"GET", "/mcp", "run", &Api::get_mcp},
      Route{"DELETE", "/mcp", "run", &Api::delete_mcp},
  };
  return kRoutes;
}

Api::Found Api::find_route(std::string_view method, const std::vector<std::string>& path) {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Found found;
  for (const Route& route : routes()) {
    std::vector<std::string> parameters;
    if (!matches(route.pattern, path, parameters)) {
      continue;
    }
    if (route.method == wanted) {
      return {&route, std::move(parameters), ""};
    }
    found.allowed += (found.allowed.empty() ? "" : ", ") + std::string(route.method);
    found.allowed += route.method == "GET" ? ", HEAD" : "";
  }
  return found;
}

Api::Api(runner::Runner& runner, Observers& observers)
    : runner_(runner),
      observers_(observers),
      gatekeeper_(runner.ledger()->store()),
      engine_check_(runner),
      chores_(chore_settings()),
      dispatcher_(runner.ledger()->settings().queue) {
  telemetry::ServiceSources sources;
  sources.pool = [this] { return runner_.pool_metrics(); };
  sources.queue = [this] {
    const runner::DispatcherLoad load = dispatcher_.load();
    return std::vector<telemetry::QueueClass>{{"all", load.waiting, load.running}, {"approval", desk_.waiting(), 0}};
  };
  sources.breakers = [this] {
    const runner::Breaker& breaker = ledger().governor().breaker();
    const std::int64_t now = runner::unix_ms();
    const runner::BreakerStats tasks = breaker.task_stats(now);
    const runner::BreakerStats tenants = breaker.tenant_stats(now);
    return std::vector<telemetry::BreakerScope>{{"task", tasks.open, tasks.opened, tasks.refused},
                                                {"tenant", tenants.open, tenants.opened, tenants.refused}};
  };
  sources.http = [this] {
    const http::Server* server = server_;
    return server != nullptr ? server->stats() : http::ServerStats();
  };
  sources.store_bytes = [this] { return ledger().store().stored_bytes("").value_or(0); };
  if (observers.spans != nullptr) {
    sources.traces = [this] { return observers_.spans->stats(); };
  }
  sources.log_lines_dropped = [this] { return observers_.log.dropped(); };
  telemetry::add_service_metrics(observers.registry, std::move(sources));
}

// What waits at the desk becomes a chore, and a chore may line up a run: so they end in this order.
Api::~Api() {
  if (mcp_ != nullptr) {
    mcp_->close();
  }
  desk_.close();
  dispatcher_.stop();
  chores_.stop();
}

void Api::watch(const http::Server& server) { server_ = &server; }

void Api::cancel_all() { live_.cancel_all(); }

bool Api::drain(std::chrono::milliseconds patience) {
  ledger().governor().drain();
  desk_.close();
  if (mcp_ != nullptr) {
    mcp_->drain();
  }
  const bool told = chores_.wait_until_idle(patience);
  // A run may have asked somebody meanwhile, and what waited is told by a chore.
  return dispatcher_.wait_until_idle(patience) && told && chores_.wait_until_idle(patience);
}

// Before any of the body is read: strangers do not get to fill our memory.
http::BodyPlan Api::plan_body(const http::Request& head) {
  http::BodyPlan plan;
  plan.limit_bytes = kSmallBody;
  const Found found = find_route(head.method, head.path);
  if (found.route == nullptr || found.route->scope.empty()) {
    return plan;  // the handler tells
  }
  auto identity = gatekeeper_.identify(head, runner::unix_ms());
  if (!identity) {
    plan.refusal = std::move(identity.error());
    return plan;
  }
  if (!identity->may(found.route->scope)) {
    return plan;
  }
  const runner::ServeSettings& settings = ledger().settings().serve;
  if (found.route->answer == &Api::create_run || found.route->answer == &Api::create_batch ||
      found.route->answer == &Api::check_policy || found.route->answer == &Api::post_mcp) {
    plan.limit_bytes = settings.body_bytes;
  } else if (found.route->answer == &Api::put_blob && contract::is_sha256_hex(found.parameters.front())) {
    plan.limit_bytes = settings.blob_bytes;
    auto sink = BlobSink::open(runner_.blobs(identity->tenant), found.parameters.front(), settings.blob_bytes);
    if (sink) {
      plan.sink = std::move(*sink);
    } else {
      plan.refusal = problem(sink.error());
    }
  }
  return plan;
}

void Api::handle(std::shared_ptr<http::Exchange> exchange) {
  const CallPtr call = std::make_shared<Call>(std::move(exchange), observers_);
  const http::Request& request = call->request();
  Found found = find_route(request.method, request.path);
  if (found.route == nullptr) {
    if (found.allowed.empty()) {
      return call->respond(not_found("there is no such path; /openapi.json lists them"));
    }
    http::Response response = problem(Problem(405, "method_not_allowed", "This path does not take that method.",
                                              request.method + " is not one of " + found.allowed));
    response.headers.set("Allow", found.allowed);
    return call->respond(std::move(response));
  }
  call->route = found.route->pattern;
  call->parameters = std::move(found.parameters);
  if (!found.route->scope.empty()) {
    auto identity = gatekeeper_.identify(request, runner::unix_ms());
    if (!identity) {
      return call->respond(std::move(identity.error()));
    }
    if (!identity->may(found.route->scope)) {
      return call->respond(problem(Problem(403, "forbidden", "The key may not do this.",
                                           "this needs the scope " + std::string(found.route->scope))));
    }
    call->identity = std::move(*identity);
  }
  // Probes of load balancers may say what they like; whoever calls the interface should hear of a misspelt word.
  if (found.route->pattern.starts_with("/v1/")) {
    if (auto refused = check_query(request, found.route->query); refused) {
      return call->respond(std::move(*refused));
    }
  }
  (this->*found.route->answer)(call);
}

void Api::chore(const CallPtr& call, std::function<void()> work) {
  auto queued = chores_.submit(call->identity.tenant, 0, "", [call, work = std::move(work)](const runner::Waited& w) {
    if (w.refusal) {
      call->respond(problem(*w.refusal));
    } else {
      work();
    }
  });
  if (!queued) {
    call->respond(problem(queued.error()));
  }
}

}  // namespace glovebox::server
