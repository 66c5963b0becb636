// What callers of the HTTP interface write beside runs: batches, reasons, and the queries of lists and of usage. No
// crash, no hang, no leak; what is refused is refused with a 400 that says so; what is accepted is within its bounds.
//
// The first byte chooses, the rest is the text. Good seeds are in fuzz/seeds/api.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "contract/run_request_codec.h"
#include "server/api/bodies.h"
#include "server/api/query.h"
#include "server/http/target.h"

namespace {

using namespace glovebox;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_refusal(const http::Response& refused) {
  require(refused.status == 400 && refused.headers.get("Content-Type") == "application/problem+json");
  require(refused.body.find("\"code\":\"invalid_request\"") != std::string::npos);
}

void check_batch(const std::string& body) {
  const auto batch = server::parse_batch(body);
  if (!batch) {
    require(!batch.error().message.empty());
    return;
  }
  require(!batch->runs.empty() && batch->runs.size() <= 10'000 && batch->concurrency <= 1024);
  for (const contract::RunRequest& run : batch->runs) {
    require(contract::parse_run_request(contract::to_json(run)).has_value());
  }
}

void check_reason(const std::string& body) {
  const auto reason = server::parse_reason(body);
  require(reason ? !reason->empty() && reason->size() <= 4000 : !reason.error().message.empty());
}

void check_queries(const std::string& query) {
  const auto target = http::parse_target("GET", "/v1/runs?" + query);
  if (!target) {
    return;
  }
  http::Request request;
  request.query = target->query;
  if (const auto refused = server::check_query(request, "limit cursor"); refused) {
    check_refusal(*refused);
  }
  if (const auto runs = server::read_runs_query(request); runs) {
    require(runs->limit >= 1 && runs->limit <= records::kMaxPageRuns &&
            runs->filter.language.value_or("").size() <= 32);
  } else {
    check_refusal(runs.error());
  }
  constexpr std::int64_t kNow = 1'800'000'000'000;
  if (const auto usage = server::read_usage_query(request, kNow); usage) {
    require(usage->begin_ms >= 0 && usage->bucket_ms > 0 && usage->begin_ms % usage->bucket_ms == 0);
  } else {
    check_refusal(usage.error());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      check_batch(text);
      break;
    case 1:
      check_reason(text);
      break;
    default:
      check_queries(text);
  }
  return 0;
}
