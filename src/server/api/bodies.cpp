#include "server/api/bodies.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "contract/json_parse.h"
#include "contract/json_reader.h"
#include "contract/run_request_codec.h"
#include "server/api/names.h"

namespace glovebox::server {
namespace {

using base::Result;

constexpr std::size_t kMostRuns = 10'000;
constexpr std::uint64_t kMostAtOnce = 1024;
constexpr std::size_t kMostReasonCharacters = 1000;

}  // namespace

Result<BatchRequest> parse_batch(const std::string& body) {
  static constexpr std::string_view kFields[] = {"runs", "task", "stop_on_failure", "concurrency"};
  static constexpr std::string_view kFreeForm[] = {"runs[]"};
  contract::JsonOptions options;
  options.free_form = kFreeForm;
  contract::JsonValue document = TRY(contract::parse_json(body, options));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  BatchRequest batch;
  const contract::JsonNode list = TRY(object.require("runs"));
  const auto runs = TRY(list.elements(kMostRuns));
  if (runs.empty()) {
    return base::fail(
        base::make_error(base::ErrorCode::invalid_request, "a batch has at least one run").with_field("runs"));
  }
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const std::string text = TRY(runs[index].take_free_form());
    auto request = contract::parse_run_request(text);
    if (!request) {
      base::Error error = std::move(request.error());
      error.field = fmt::format("runs[{}]{}{}", index, error.field.empty() ? "" : ".", error.field);
      return base::fail(std::move(error));
    }
    batch.runs.push_back(std::move(*request));
  }
  if (const auto task = object.find("task"); task) {
    batch.task = TRY(task->take_string());
    if (!is_task_id(batch.task)) {
      return base::fail(task->error("this is no task's name"));
    }
  }
  if (const auto stop = object.find("stop_on_failure"); stop) {
    batch.stop_on_failure = TRY(stop->boolean());
  }
  if (const auto concurrency = object.find("concurrency"); concurrency) {
    batch.concurrency = TRY(concurrency->integer(1, kMostAtOnce));
  }
  return batch;
}

Result<std::string> parse_reason(const std::string& body) {
  static constexpr std::string_view kFields[] = {"reason"};
  contract::JsonValue document = TRY(contract::parse_json(body, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  const contract::JsonNode field = TRY(object.require("reason"));
  std::string reason = TRY(field.take_string());
  if (reason.empty() || base::count_characters(reason) > kMostReasonCharacters) {
    return base::fail(
        base::make_error(base::ErrorCode::invalid_request, "a reason has 1 to 1000 characters").with_field("reason"));
  }
  return reason;
}

}  // namespace glovebox::server
