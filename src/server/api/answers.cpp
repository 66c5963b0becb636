#include "server/api/answers.h"

#include <algorithm>

#include "contract/error_catalogue.h"
#include "contract/json_writer.h"

namespace glovebox::server {
namespace {

constexpr int kHttpOk = 200;

void text_if_any(contract::JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    json.string(name, value);
  }
}

}  // namespace

Problem problem_of(const base::Error& error) {
  const contract::CatalogueEntry& entry = contract::catalogue_entry(error.code);
  Problem problem;
  // A code that ends a run well enough for a result has no status of its own: as the answer to a call it is our fault.
  problem.status = entry.http_status == kHttpOk ? 500 : entry.http_status;
  problem.code = base::to_string(error.code);
  problem.title = entry.summary;
  problem.detail = error.message + (error.stage.empty() ? "" : " (at " + error.stage + ")");
  problem.field = error.field;
  problem.hint = error.hint.empty() ? std::string(entry.hint_person) : error.hint;
  problem.retry_after_s = error.retry_after_s;
  return problem;
}

bool is_refusal(const contract::RunResult& result) {
  return result.error && contract::catalogue_entry(result.error->code).http_status != kHttpOk &&
         (result.outcome == contract::Outcome::rejected || result.outcome == contract::Outcome::setup_failed ||
          result.outcome == contract::Outcome::internal_error);
}

Problem problem_of(const contract::RunResult& result) {
  const contract::CatalogueEntry& entry = contract::catalogue_entry(result.error->code);
  Problem problem;
  problem.status = entry.http_status;
  problem.code = base::to_string(result.error->code);
  problem.title = entry.summary;
  problem.detail = result.error->message;
  problem.hint = result.error->hint;
  problem.run_id = result.run_id;
  problem.retry_after_s = result.retry_after_s;
  return problem;
}

contract::RunResult not_started(const base::Error& error, std::string run_id) {
  contract::RunResult result;
  result.run_id = std::move(run_id);
  result.outcome = contract::catalogue_entry(error.code).outcome;
  result.retry_after_s = error.retry_after_s;
  result.error = contract::run_error_of(error);
  return result;
}

std::string to_json(const Problem& problem) {
  contract::JsonWriter json;
  json.begin_object();
  json.string("type", "urn:glovebox:error:" + problem.code);
  json.string("title", problem.title);
  json.integer("status", static_cast<std::uint64_t>(problem.status));
  json.string("detail", problem.detail);
  json.string("code", problem.code);
  text_if_any(json, "field", problem.field);
  text_if_any(json, "hint", problem.hint);
  text_if_any(json, "run_id", problem.run_id);
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

http::Response problem(const Problem& problem) {
  http::Response response;
  response.status = problem.status;
  response.headers.set("Content-Type", "application/problem+json");
  if (problem.status == 503 || problem.retry_after_s != 0) {
    response.headers.set("Retry-After", std::to_string(std::max(problem.retry_after_s, 1U)));
  }
  if (!problem.run_id.empty()) {
    response.headers.set("Glovebox-Run-Id", problem.run_id);
  }
  response.body = to_json(problem);
  return response;
}

http::Response problem(const base::Error& error) { return problem(problem_of(error)); }

http::Response not_found(std::string detail) {
  return problem(Problem(404, "not_found", "There is no such thing here.", std::move(detail)));
}

http::Response bad_request(std::string field, std::string detail) {
  return problem(
      problem_of(base::make_error(base::ErrorCode::invalid_request, std::move(detail)).with_field(std::move(field))));
}

http::Response conflict(std::string detail, std::string run_id) {
  Problem told(409, "conflict", "Not possible in this state.", std::move(detail));
  told.run_id = std::move(run_id);
  return problem(told);
}

http::Response accepted(const std::string& run_id, std::string_view state, std::string_view approval_id) {
  contract::JsonWriter json;
  json.begin_object();
  json.string("run_id", run_id);
  json.string("state", state);
  text_if_any(json, "approval_id", approval_id);
  json.end_object();
  http::Response response = json_answer(202, json.take(contract::JsonStyle::compact));
  response.headers.set("Location", "/v1/runs/" + run_id);
  response.headers.set("Glovebox-Run-Id", run_id);
  return response;
}

http::Response json_answer(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.set("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

}  // namespace glovebox::server
