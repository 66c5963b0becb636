// Looking at what was run: lists, records, artifacts, replays, usage.
#include <charconv>
#include <set>

#include "base/rel_path.h"
#include "base/timestamp.h"
#include "contract/run_result_codec.h"
#include "records/record_json.h"
#include "runner/replay.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kDefaultPage = 50;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;

using Refused = std::optional<http::Response>;

// C3 for queries: nothing is silently ignored, and nothing is said twice.
Refused check_query(const http::Request& request, const std::set<std::string_view>& known) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : request.query) {
    if (!known.contains(name)) {
      return bad_request(name, "there is no such parameter");
    }
    if (!seen.insert(name).second) {
      return bad_request(name, "the parameter is given twice");
    }
  }
  return std::nullopt;
}

Refused read_time(const http::Request& request, const char* name, std::optional<std::int64_t>& into) {
  if (const std::string* text = request.query_value(name); text != nullptr) {
    into = base::parse_timestamp_ms(*text);
    if (!into) {
      return bad_request(name, "a time looks like 2026-01-31T12:00:00Z");
    }
  }
  return std::nullopt;
}

Refused read_filter(const http::Request& request, records::RunFilter& filter, std::size_t& limit) {
  if (auto refused =
          check_query(request, {"limit", "cursor", "outcome", "language", "task", "state", "since", "until"});
      refused) {
    return refused;
  }
  if (const std::string* text = request.query_value("limit"); text != nullptr) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
    if (error != std::errc() || end != text->data() + text->size() || limit < 1 || limit > records::kMaxPageRuns) {
      return bad_request("limit", "limit is a whole number from 1 to " + std::to_string(records::kMaxPageRuns));
    }
  }
  if (const std::string* text = request.query_value("outcome"); text != nullptr) {
    filter.outcome = contract::parse_outcome(*text);
    if (!filter.outcome) {
      return bad_request("outcome", "there is no such outcome");
    }
  }
  if (const std::string* text = request.query_value("state"); text != nullptr) {
    filter.state = records::parse_run_state(*text);
    if (!filter.state) {
      return bad_request("state", "a state is running, finished or interrupted");
    }
  }
  if (const std::string* text = request.query_value("language"); text != nullptr) {
    filter.language = *text;
  }
  if (const std::string* text = request.query_value("task"); text != nullptr) {
    if (!is_task_id(*text)) {
      return bad_request("task", "this is no task's name");
    }
    filter.task_id = *text;
  }
  if (auto refused = read_time(request, "since", filter.since_ms); refused) {
    return refused;
  }
  return read_time(request, "until", filter.until_ms);
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
  return std::move(*record);
}

void Api::list_runs(const CallPtr& call) {
  records::RunFilter filter;
  std::size_t limit = kDefaultPage;
  if (auto refused = read_filter(call->request(), filter, limit); refused) {
    return call->respond(std::move(*refused));
  }
  filter.tenant = call->identity.tenant;
  chore(call, [this, call, filter, limit] {
    const std::string* cursor = call->request().query_value("cursor");
    const auto page = ledger().store().list(filter, cursor != nullptr ? *cursor : "", limit);
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
    if (record->summary.state == records::RunState::running) {
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
    if (!record->result) {
      return call->respond(conflict("the run has not ended", record->summary.run_id));
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
                             auto report = runner::replay(runner_, run_id, caller_of(*call, ""));
                             if (!report) {
                               return call->respond(problem(report.error()));
                             }
                             if (is_refusal(report->result)) {
                               return call->respond(problem(problem_of(report->result)));
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
  const http::Request& request = call->request();
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
  auto refused = check_query(request, {"from", "to", "bucket"});
  refused = refused ? std::move(refused) : read_time(request, "from", from);
  refused = refused ? std::move(refused) : read_time(request, "to", to);
  const std::string* bucket = request.query_value("bucket");
  if (!refused && bucket != nullptr && *bucket != "hour" && *bucket != "day") {
    refused = bad_request("bucket", "a bucket is an hour or a day");
  }
  const std::int64_t end = to.value_or(runner::unix_ms() + 1);
  const std::int64_t begin = from.value_or(end - kDayMs);
  const std::int64_t length = bucket != nullptr && *bucket == "day" ? kDayMs : kHourMs;
  if (!refused && (begin > end || (end - begin) / length > 10'000)) {
    refused = bad_request("from", "from must lie before to, and at most 10,000 buckets apart");
  }
  if (refused) {
    return call->respond(std::move(*refused));
  }
  chore(call, [this, call, begin, end, length] {
    const std::string& tenant = call->identity.tenant;
    const auto buckets = ledger().store().usage(tenant, begin, end, length);
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
