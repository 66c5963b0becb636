// POST /v1/runs in its three forms: the answer at the end, a stream of events, or later.
#include <fmt/format.h>

#include <utility>

#include "contract/json_writer.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"
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
  // What is answered before it runs is checked before, and that takes longer than a thread of connections may be kept.
  const bool quick = call->request().body.size() <= kParsedAtOnceBytes &&
                     !call->request().headers.has_token("Prefer", "respond-async");
  quick ? read() : chore(call, read);
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
  const auto run = std::make_shared<RunCall>();
  run->call = call;
  run->request = std::make_shared<const RunRequest>(std::move(given));
  run->run_id = runner::new_run_id();
  run->caller = caller_of(*call, std::string(headers.get("Glovebox-Task")));
  if (headers.has_token("Prefer", "respond-async")) {
    run->form = RunCall::Form::later;
    // Nobody is there to hear of it later.
    if (auto possible = runner_.check(*run->request); !possible) {
      return call->respond(problem(possible.error()));
    }
  } else if (wants_events(headers)) {
    run->form = RunCall::Form::stream;
  }
  run->token = live_.add(run->run_id, run->caller, run->request, runner::unix_ms());
  // With a key the caller may come back for the answer; without, nobody will ever see it.
  const bool async = run->form == RunCall::Form::later;
  if (run->form == RunCall::Form::stream || (!async && !run->request->idempotency_key)) {
    call->exchange().on_disconnect([this, token = run->token, run_id = run->run_id] {
      token->cancel();
      stop_waiting(run_id);
    });
  }
  if (auto queued = line_up(run); !queued) {
    live_.remove(run->run_id);
    return call->respond(problem(queued.error()));
  }
  if (async) {
    call->respond(accepted(run->run_id, "running", ""));
  }
}

base::Status Api::line_up(const RunCallPtr& run) {
  const std::string& tenant = run->caller.tenant;
  return dispatcher_.submit(tenant, ledger().governor().concurrency_of(tenant, runner::unix_ms()),
                            runner_.flight_of(*run->request, run->caller),
                            [this, run](const runner::Waited& waited) { carry_out(run, waited); });
}

void Api::carry_out(const RunCallPtr& run, const runner::Waited& waited) {
  if (waited.refusal) {
    return give_up(run, *waited.refusal);
  }
  runner::RunOptions options = options_of(*run);
  options.queue_ms = waited.queue_ms;
  options.parked = &run->parked;
  if (run->form == RunCall::Form::stream) {
    options.events = [this, run](const contract::Event& event) { send_event(*run, event); };
  }
  const RunResult result = this->run(*run->call, *run->request, std::move(options));
  run->parked ? park(run) : finish(run, result);
}

runner::RunOptions Api::options_of(const RunCall& run) {
  runner::RunOptions options;
  options.run_id = run.run_id;
  options.caller = run.caller;
  options.cancel = run.token.get();
  return options;
}

// The run does not happen, or does not go on.
void Api::give_up(const RunCallPtr& run, const base::Error& error) {
  if (run->parked) {
    runner::Parked parked = std::move(*run->parked);
    run->parked.reset();
    const RunResult result = runner_.end_parked(*run->request, options_of(*run), std::move(parked), error);
    observers_.runs.observe(result, run->request->language, run->caller.tenant);
    return finish(run, result);
  }
  if (run->form == RunCall::Form::later) {
    return finish(run, not_started(error, run->run_id));
  }
  live_.remove(run->run_id);
  run->call->respond(problem(error));
}

void Api::finish(const RunCallPtr& run, const RunResult& result) {
  switch (run->form) {
    case RunCall::Form::answer: {
      http::Response response =
          is_refusal(result) ? problem(problem_of(result)) : json_answer(200, contract::to_json(result));
      response.headers.set("Glovebox-Run-Id", result.run_id);
      run->call->respond(std::move(response));
      break;
    }
    case RunCall::Form::stream:
      end_stream(*run, result);
      break;
    case RunCall::Form::later:
      ensure_record(*run, result);
      break;
  }
  live_.remove(run->run_id);
}

// The caller looks for the record later, so there must be one, whatever happens.
void Api::ensure_record(const RunCall& run, RunResult result) {
  const auto recorded = ledger().store().find(run.run_id);
  if (recorded && !*recorded) {
    result.run_id = run.run_id;
    ledger().record_refusal(*run.request, options_of(run), result);
  }
}

void Api::send(RunCall& run, std::string event, std::string data) {
  if (!std::exchange(run.streaming, true)) {
    run.call->start_stream({{"Glovebox-Run-Id", run.run_id}});
  }
  if (!run.call->exchange().write(event_text(std::move(event), std::move(data)))) {
    run.token->cancel();  // gone, or too slow to follow
  }
}

void Api::send_output(RunCall& run, const char* event, const std::string& text) {
  if (!text.empty()) {
    send(run, event, named("data", text));
  }
}

void Api::send_event(RunCall& run, const contract::Event& event) {
  switch (event.kind) {
    case contract::EventKind::state:
      return send(run, "state", named("state", event.data));
    case contract::EventKind::standard_output:
      return send_output(run, "stdout", run.standard_output.add(event.data));
    case contract::EventKind::standard_error:
      return send_output(run, "stderr", run.standard_error.add(event.data));
  }
}

void Api::end_stream(RunCall& run, const RunResult& result) {
  if (is_refusal(result)) {
    if (!run.streaming) {
      return run.call->respond(problem(problem_of(result)));
    }
    send(run, "error", to_json(problem_of(result)));
    return run.call->end_stream();
  }
  send_output(run, "stdout", run.standard_output.rest());
  send_output(run, "stderr", run.standard_error.rest());
  if (result.cached) {  // nothing ran, so nothing was said yet
    send(run, "state", named("state", "cached"));
    send_output(run, "stdout", result.standard_output);
    send_output(run, "stderr", result.standard_error);
  }
  send(run, "result", contract::to_json(result));
  run.call->end_stream();
}

RunResult Api::run(const Call& call, const RunRequest& request, runner::RunOptions options) {
  return run(call, request, std::move(options),
             [&](const runner::RunOptions& given) { return runner_.run(request, given); });
}

RunResult Api::run(const Call& call, const RunRequest& request, runner::RunOptions options, const Execute& execute) {
  const auto started = std::chrono::system_clock::now();
  const double queue_ms = options.queue_ms;
  const std::string tenant = options.caller.tenant;
  RunResult result = execute(options);
  if (options.parked != nullptr && *options.parked) {
    return result;  // it has not ended
  }
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

void Api::cancel_run(const CallPtr& call) {
  const std::string& run_id = call->parameters.front();
  if (live_.cancel(run_id, call->identity.tenant)) {
    stop_waiting(run_id);
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
