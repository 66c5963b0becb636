// Answers in the shapes of contract/openapi.json.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "contract/run_result.h"
#include "server/http/message.h"

namespace glovebox::server {

// What is wrong with a call; codes that only HTTP knows are spelled out, all others come from the catalogue.
struct Problem {
  Problem() = default;
  Problem(int of_status, std::string of_code, std::string of_title, std::string of_detail)
      : status(of_status), code(std::move(of_code)), title(std::move(of_title)), detail(std::move(of_detail)) {}

  int status = 500;
  std::string code;
  std::string title;
  std::string detail;
  std::string field;
  std::string hint;
  std::string run_id;
  unsigned retry_after_s = 0;
};

[[nodiscard]] Problem problem_of(const base::Error& error);
// Of a run that the service could not do: a result whose error has an HTTP status of its own.
[[nodiscard]] Problem problem_of(const contract::RunResult& result);
[[nodiscard]] bool is_refusal(const contract::RunResult& result);

// The result of a run that never began.
[[nodiscard]] contract::RunResult not_started(const base::Error& error, std::string run_id);

[[nodiscard]] std::string to_json(const Problem& problem);
[[nodiscard]] http::Response problem(const Problem& problem);
[[nodiscard]] http::Response problem(const base::Error& error);
[[nodiscard]] http::Response not_found(std::string detail);
[[nodiscard]] http::Response bad_request(std::string field, std::string detail);
[[nodiscard]] http::Response conflict(std::string detail, std::string run_id);

// 202: the run goes on, or waits, without the client.
[[nodiscard]] http::Response accepted(const std::string& run_id, std::string_view state, std::string_view approval_id);
[[nodiscard]] http::Response json_answer(int status, std::string body);

}  // namespace glovebox::server
