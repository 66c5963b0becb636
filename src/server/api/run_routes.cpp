// POST /v1/runs in its three forms: the answer at the end, a stream of events, or later.
#include <fmt/format.h>

#include <utility>

#include "contract/json_writer.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"
#include "server/api/output_stream.h"
#include "server/http/sse.h"
#include "telemetry/run_spans.h"

namespace glovebox::server {
namespace {

using contract::RunRequest;
using contract::RunResult;

constexpr std::size_t kParsedAtOnceBytes = 64U << 10U;

std::string event_text(std::string event, std::string data) {
  return http::format_event({std::move(event), std::move(data), ""});
}

std::string named(std::string_view name, std::string_view value) {
  return fmt::format("{{{}:{}}}", contract::quote_json(name), contract::quote_json(value));
}

// Headers that say the same as a field of the body.
base::Status apply_headers(const http::Headers& headers, RunRequest& request) {
  if (const std::string* key = headers.find("Idempotency-Key"); key != nullptr) {
    if (request.idempotency_key && *request.idempotency_key != *key) {
      return base::fail(base::make_error(base::ErrorCode::invalid_request,
                                         "the header Idempotency-Key says something else than the body")
                            .with_field("idempotency_key"));
    }
    request.idempotency_key = *key;
  }
  return {};
}

}  // namespace

void Api::create_run(const CallPtr& call) {
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  const auto read = [this, call] {
    auto request = contract::parse_run_request(call->request().body);
    if (request) {
      if (auto applied = apply_headers(call->request().headers, *request); !applied) {
        return call->respond(problem(applied.error()));
      }
    }
    request ? start_run(call, std::move(*request)) : call->respond(problem(request.error()));
  };
  // A large body would keep other connections of this thread waiting.
  call->request().body.size() <= kParsedAtOnceBytes ? read() : chore(call, read);
}

runner::Caller Api::caller_of(const Call& call, std::string task) const {
  return {call.identity.tenant, call.identity.key_id, std::move(task), telemetry::format_traceparent(call.trace)};
}

void Api::start_run(const CallPtr& call, RunRequest given) {
  const http::Headers& headers = call->request().headers;
  if (const std::string* task = headers.find("Glovebox-Task"); task != nullptr && !is_task_id(*task)) {
    return call->respond(
        bad_request("Glovebox-Task", "a task's name is letters, digits and ._:/- after a letter or digit"));
  }
  call->request().body = {};
  auto request = std::make_shared<const RunRequest>(std::move(given));
  const std::string run_id = runner::new_run_id();
  const bool streams = wants_events(headers);
  const bool async = headers.has_token("Prefer", "respond-async");
  if (async) {
    // Nobody is there to hear of it later.
    if (auto possible = runner_.check(*request); !possible) {
      return call->respond(problem(possible.error()));
    }
  }
  const runner::Caller caller = caller_of(*call, std::string(headers.get("Glovebox-Task")));
  const std::int64_t now = runner::unix_ms();
  const LiveRuns::Token token = live_.add(run_id, caller, request, now);
  // With a key the caller may come back for the answer; without, nobody will ever see it.
  if (streams || (!async && !request->idempotency_key)) {
    call->exchange().on_disconnect([token] { token->cancel(); });
  }
  auto queued =
      dispatcher_.submit(call->identity.tenant, ledger().governor().concurrency_of(call->identity.tenant, now),
                         runner_.flight_of(*request, caller), [=, this](const runner::Waited& waited) {
                           if (async) {
                             runner::RunOptions options;
                             options.run_id = run_id;
                             options.caller = caller;
                             options.queue_ms = waited.queue_ms;
                             options.cancel = token.get();
                             run_for_later(*call, *request, waited, std::move(options));
                           } else if (streams) {
                             run_and_stream(call, *request, waited, run_id, token);
                           } else {
                             run_and_answer(call, *request, waited, run_id, token);
                           }
                           live_.remove(run_id);
                         });
  if (!queued) {
    live_.remove(run_id);
    return call->respond(problem(queued.error()));
  }
  if (async) {
    http::Response accepted = json_answer(202, fmt::format(R"({{"run_id":"{}","state":"running"}})", run_id));
    accepted.headers.set("Location", "/v1/runs/" + run_id);
    accepted.headers.set("Glovebox-Run-Id", run_id);
    call->respond(std::move(accepted));
  }
}

// The caller looks for the record later, so there must be one, whatever happens.
void Api::run_for_later(const Call& call, const RunRequest& request, const runner::Waited& waited,
                        runner::RunOptions options) {
  const runner::RunOptions asked = options;
  RunResult result =
      waited.refusal ? not_started(*waited.refusal, options.run_id) : run(call, request, std::move(options));
  const auto recorded = ledger().store().find(asked.run_id);
  if (recorded && !*recorded) {
    result.run_id = asked.run_id;
    ledger().record_refusal(request, asked, result);
  }
}

RunResult Api::run(const Call& call, const RunRequest& request, runner::RunOptions options) {
  const auto started = std::chrono::system_clock::now();
  const double queue_ms = options.queue_ms;
  const std::string tenant = options.caller.tenant;
  RunResult result = runner_.run(request, options);
  observers_.runs.observe(result, request.language, tenant);
  if (observers_.spans != nullptr && call.trace.sampled) {
    const auto waited = std::chrono::duration_cast<std::chrono::system_clock::duration>(
        std::chrono::duration<double, std::milli>(queue_ms));
    observers_.spans->submit(
        telemetry::spans_of_run(result, {request.language, telemetry::to_unix_ns(started - waited),
                                         telemetry::to_unix_ns(std::chrono::system_clock::now()), call.trace}));
  }
  if (observers_.log.enabled(telemetry::LogLevel::debug)) {
    observers_.log.log(telemetry::LogLevel::debug, "run",
                       {{"tenant", tenant},
                        {"language", request.language},
                        {"outcome", contract::to_string(result.outcome)},
                        {"wall_ms", result.metrics.wall_ms},
                        {"queue_ms", queue_ms},
                        {"cached", result.cached}},
                       {result.run_id, call.trace.trace_id.hex(), ""});
  }
  return result;
}

void Api::run_and_answer(const CallPtr& call, const RunRequest& request, const runner::Waited& waited,
                         const std::string& run_id, const LiveRuns::Token& token) {
  if (waited.refusal) {
    return call->respond(problem(*waited.refusal));
  }
  runner::RunOptions options;
  options.run_id = run_id;
  options.caller = caller_of(*call, std::string(call->request().headers.get("Glovebox-Task")));
  options.queue_ms = waited.queue_ms;
  options.cancel = token.get();
  const RunResult result = run(*call, request, std::move(options));
  http::Response response =
      is_refusal(result) ? problem(problem_of(result)) : json_answer(200, contract::to_json(result));
  response.headers.set("Glovebox-Run-Id", result.run_id);
  call->respond(std::move(response));
}

void Api::run_and_stream(const CallPtr& call, const RunRequest& request, const runner::Waited& waited,
                         const std::string& run_id, const LiveRuns::Token& token) {
  if (waited.refusal) {
    return call->respond(problem(*waited.refusal));
  }
  http::Exchange& exchange = call->exchange();
  bool started = false;
  const auto send = [&](std::string event, std::string data) {
    if (!std::exchange(started, true)) {
      call->start_stream({{"Glovebox-Run-Id", run_id}});
    }
    if (!exchange.write(event_text(std::move(event), std::move(data)))) {
      token->cancel();  // gone, or too slow to follow
    }
  };
  OutputStream out;
  OutputStream err;
  const auto send_output = [&](const char* event, std::string text) {
    if (!text.empty()) {
      send(event, named("data", text));
    }
  };
  runner::RunOptions options;
  options.run_id = run_id;
  options.caller = caller_of(*call, std::string(call->request().headers.get("Glovebox-Task")));
  options.queue_ms = waited.queue_ms;
  options.cancel = token.get();
  options.events = [&](const contract::Event& event) {
    switch (event.kind) {
      case contract::EventKind::state:
        return send("state", named("state", event.data));
      case contract::EventKind::standard_output:
        return send_output("stdout", out.add(event.data));
      case contract::EventKind::standard_error:
        return send_output("stderr", err.add(event.data));
    }
  };
  const RunResult result = run(*call, request, std::move(options));
  if (is_refusal(result)) {
    if (!started) {
      return call->respond(problem(problem_of(result)));
    }
    send("error", to_json(problem_of(result)));
    return call->end_stream();
  }
  send_output("stdout", out.rest());
  send_output("stderr", err.rest());
  if (result.cached) {  // nothing ran, so nothing was said yet
    send("state", named("state", "cached"));
    send_output("stdout", result.standard_output);
    send_output("stderr", result.standard_error);
  }
  send("result", contract::to_json(result));
  call->end_stream();
}

void Api::cancel_run(const CallPtr& call) {
  const std::string& run_id = call->parameters.front();
  if (live_.cancel(run_id, call->identity.tenant)) {
    http::Response response =
        json_answer(202, fmt::format(R"({{"run_id":{},"cancelled":true}})", contract::quote_json(run_id)));
    response.headers.set("Glovebox-Run-Id", run_id);
    return call->respond(std::move(response));
  }
  chore(call, [this, call, run_id] {
    if (const auto record = find_own_run(call); record) {
      call->respond(conflict("the run is not running", run_id));
    }
  });
}

}  // namespace glovebox::server
