#include "cli/service_call.h"

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "base/utf8.h"
#include "cli/records_flags.h"
#include "contract/json_reader.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;

constexpr int kOk = 200;
constexpr std::uint64_t kMaxAnswerBytes = 256U << 20U;
constexpr std::size_t kMaxProblemBytes = 64U << 10U;
constexpr std::size_t kMaxFields = 64;
constexpr std::size_t kMaxDetailBytes = 500;

// What application/problem+json says, as far as it can be read.
std::string detail_of(const std::string& body) {
  contract::JsonOptions options;
  options.bounds.max_bytes = kMaxProblemBytes;
  auto root = contract::parse_json(body, options);
  if (!root) {
    return "";
  }
  const auto fields = contract::JsonNode(*root, "").entries(kMaxFields);
  if (!fields) {
    return "";
  }
  for (const auto& [name, node] : *fields) {
    if (name == "detail") {
      return ": " + base::printable(node.take_string().value_or(""), kMaxDetailBytes);
    }
  }
  return "";
}

}  // namespace

void add_service_flags(CLI::App& app, ServiceFlags& flags, const std::string& scope) {
  app.add_option("--url", flags.url, "a service elsewhere: http://127.0.0.1:7070, unix:/run/glovebox.sock")
      ->type_name("URL");
  app.add_option("--key", flags.key, "an API key with the scope " + scope + " (with --url also: GLOVEBOX_API_KEY)")
      ->type_name("SECRET");
}

Result<ServicePlace> place_of(const ServiceFlags& flags, const std::string& data) {
  ServicePlace place;
  place.url = flags.url;
  place.key = flags.key;
  if (flags.url.empty()) {
    place.directory = TRY(data_directory(data));
    return place;
  }
  if (!data.empty()) {
    return fail(flag_error("--url", "a service has one place: leave --data out"));
  }
  if (const char* key = std::getenv("GLOVEBOX_API_KEY"); place.key.empty() && key != nullptr) {
    place.key = key;
  }
  return place;
}

Result<std::string> call_service(const ServicePlace& place, const std::string& target, const std::string& json_body,
                                 const std::string& scope) {
  http::ClientOptions options;
  options.max_body_bytes = kMaxAnswerBytes;
  const std::string address = place.url.empty() ? "unix:" + place.directory + "/glovebox.sock" : place.url;
  http::Client client = TRY(http::Client::to(address, options));
  http::ClientRequest request;
  request.target = target;
  if (!place.key.empty()) {
    request.headers.set("Authorization", "Bearer " + place.key);
  }
  if (!json_body.empty()) {
    request.method = "POST";
    request.headers.set("Content-Type", "application/json");
    request.body = json_body;
  }
  http::ClientResponse response = TRY(client.send(request));
  if (response.status != kOk) {
    const bool needs_key = response.status == 401 || response.status == 403;
    return fail(make_error(ErrorCode::invalid_request,
                           "the service answered " + std::to_string(response.status) + detail_of(response.body))
                    .with_hint(needs_key ? "give a key with the scope " + scope + ": --key or GLOVEBOX_API_KEY" : ""));
  }
  return std::move(response.body);
}

}  // namespace glovebox::cli
