// Looking at what was run: lists, records, artifacts, replays, usage.
#include "base/rel_path.h"
#include "contract/error_catalogue.h"
#include "contract/run_result_codec.h"
#include "records/record_json.h"
#include "runner/replay.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"
#include "server/api/query.h"

namespace glovebox::server {
namespace {

// A second run that was cut off, denied or has to be approved first is nobody's fault, and gives no verdict.
http::Response no_replay(const base::Error& error, const std::string& run_id) {
  if (contract::catalogue_entry(error.code).http_status >= 400) {
    return problem(error);
  }
  return conflict(error.message + (error.hint.empty() ? "" : "; " + error.hint), run_id);
}

}  // namespace

std::optional<records::RunRecord> Api::find_own_run(const CallPtr& call) {
  const std::string& run_id = call->parameters.front();
  if (!is_run_id(run_id)) {
    call->respond(bad_request("run_id", "this is no run's id"));
    return std::nullopt;
  }
  auto record = ledger().store().find(run_id);
  if (!record) {
    call->respond(problem(record.error()));
    return std::nullopt;
  }
  if (!*record) {
    *record = live_.find(run_id, call->identity.tenant);  // begun, and not yet written down
    if (*record) {
      ledger().redact((*record)->request);
    }
  }
  // Another tenant's run is no more there than one that never was.
  if (!*record || (*record)->summary.tenant != call->identity.tenant) {
    call->respond(not_found("there is no run " + run_id));
    return std::nullopt;
  }
  if ((*record)->summary.state == records::RunState::running) {
    (*record)->approval_id = live_.approval_of(run_id);
    if (!(*record)->approval_id.empty()) {
      (*record)->summary.state = records::RunState::waiting;
    }
  }
  return std::move(*record);
}

void Api::list_runs(const CallPtr& call) {
  auto query = read_runs_query(call->request());
  if (!query) {
    return call->respond(std::move(query.error()));
  }
  query->filter.tenant = call->identity.tenant;
  chore(call, [this, call, query = std::move(*query)] {
    auto page = ledger().store().list(query.filter, query.cursor, query.limit);
    for (std::size_t index = 0; page && index < page->runs.size(); ++index) {
      records::RunSummary& summary = page->runs[index];
      if (summary.state == records::RunState::running && !live_.approval_of(summary.run_id).empty()) {
        summary.state = records::RunState::waiting;
      }
    }
    call->respond(page ? json_answer(200, records::to_json(*page)) : problem(page.error()));
  });
}

void Api::get_run(const CallPtr& call) {
  chore(call, [this, call] {
    if (const auto record = find_own_run(call); record) {
      http::Response response = json_answer(200, records::to_json(*record));
      response.headers.set("Glovebox-Run-Id", record->summary.run_id);
      call->respond(std::move(response));
    }
  });
}

void Api::delete_run(const CallPtr& call) {
  chore(call, [this, call] {
    const auto record = find_own_run(call);
    if (!record) {
      return;
    }
    const std::string& run_id = record->summary.run_id;
    if (record->summary.state == records::RunState::running || record->summary.state == records::RunState::waiting) {
      return call->respond(conflict("the run is still running", run_id));
    }
    const auto removed = ledger().store().remove(run_id, call->identity.actor, runner::unix_ms());
    ledger().cache().forget_run(run_id);
    if (!removed) {
      return call->respond(problem(removed.error()));
    }
    http::Response gone;
    gone.status = 204;
    call->respond(*removed ? std::move(gone) : not_found("there is no run " + run_id));
  });
}

void Api::replay_run(const CallPtr& call) {
  chore(call, [this, call] {
    const auto record = find_own_run(call);
    if (!record) {
      return;
    }
    if (const std::string reason = runner::nothing_to_replay(*record); !reason.empty()) {
      return call->respond(conflict(reason, record->summary.run_id));
    }
    // From here on it is a run like any other, and waits in line like any other.
    const std::string run_id = record->summary.run_id;
    const std::int64_t now = runner::unix_ms();
    auto queued =
        dispatcher_.submit(call->identity.tenant, ledger().governor().concurrency_of(call->identity.tenant, now), "",
                           [this, call, run_id](const runner::Waited& waited) {
                             if (waited.refusal) {
                               return call->respond(problem(*waited.refusal));
                             }
                             const auto report = runner::replay(runner_, run_id, caller_of(*call, ""));
                             if (!report) {
                               return call->respond(no_replay(report.error(), run_id));
                             }
                             http::Response response = json_answer(200, runner::to_json(*report));
                             response.headers.set("Glovebox-Run-Id", report->result.run_id);
                             call->respond(std::move(response));
                           });
    if (!queued) {
      call->respond(problem(queued.error()));
    }
  });
}

void Api::get_artifact(const CallPtr& call) {
  std::string joined;
  for (std::size_t index = 1; index < call->parameters.size(); ++index) {
    joined += (joined.empty() ? "" : "/") + call->parameters[index];
  }
  const auto path = base::RelPath::parse(joined);
  if (!path) {
    return call->respond(bad_request("path", "this is no path below the work directory"));
  }
  chore(call, [this, call, path = path->str()] {
    const auto record = find_own_run(call);
    if (!record) {
      return;
    }
    auto artifact = ledger().store().artifact(record->summary.run_id, path);
    if (!artifact) {
      return call->respond(problem(artifact.error()));
    }
    if (!*artifact) {
      return call->respond(not_found("the run has no artifact of this name"));
    }
    http::Response response;
    response.headers = {{"Content-Type", (*artifact)->media_type},
                        {"ETag", "\"" + (*artifact)->sha256 + "\""},
                        {"Content-Disposition", "attachment"},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Content-Security-Policy", "sandbox; default-src 'none'"},
                        {"Glovebox-Run-Id", record->summary.run_id}};
    response.body = std::move((*artifact)->bytes);
    call->respond(std::move(response));
  });
}

void Api::get_usage(const CallPtr& call) {
  auto query = read_usage_query(call->request(), runner::unix_ms());
  if (!query) {
    return call->respond(std::move(query.error()));
  }
  chore(call, [this, call, query = *query] {
    const std::string& tenant = call->identity.tenant;
    const auto buckets = ledger().store().usage(tenant, query.begin_ms, query.end_ms, query.bucket_ms);
    const auto stored = ledger().store().stored_bytes(tenant);
    if (!buckets || !stored) {
      return call->respond(problem(!buckets ? buckets.error() : stored.error()));
    }
    const runner::TenantUse use = ledger().governor().use_of(tenant, runner::unix_ms());
    call->respond(json_answer(200, records::to_json(tenant, *buckets,
                                                    {use.quota, dispatcher_.running_of(tenant), use.runs_this_minute,
                                                     use.cpu_ms_this_hour, *stored})));
  });
}

}  // namespace glovebox::server
