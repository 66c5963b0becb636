#include "telemetry/trace_config.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/text.h"
#include "base/utf8.h"
#include "server/http/message.h"

namespace glovebox::telemetry {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using Pairs = std::vector<std::pair<std::string, std::string>>;

tl::unexpected<base::Error> bad_variable(std::string_view name, std::string_view why) {
  return fail(ErrorCode::invalid_request, std::string(name) + " " + std::string(why));
}

struct Setting {
  std::string name;
  std::string value;
};

// The variable for traces, else the one for everything.
Setting for_traces(const Environment& environment, const std::string& suffix) {
  const std::string own = "OTEL_EXPORTER_OTLP_TRACES_" + suffix;
  const std::string shared = "OTEL_EXPORTER_OTLP_" + suffix;
  std::string value = environment(own.c_str());
  if (!value.empty()) {
    return {own, std::move(value)};
  }
  return {shared, environment(shared.c_str())};
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') {
    return letter - '0';
  }
  const char lower = static_cast<char>(letter | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      decoded += text[index];
      continue;
    }
    const int high = index + 2 < text.size() ? hex_digit(text[index + 1]) : -1;
    const int low = index + 2 < text.size() ? hex_digit(text[index + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(high * 16 + low);
    index += 2;
  }
  return decoded;
}

// "a=1,b=x%20y": the form of W3C Baggage, without its properties.
Result<Pairs> parse_pairs(const Setting& setting) {
  constexpr std::size_t kMostBytes = 16U << 10U;
  constexpr std::size_t kMostPairs = 64;
  std::string_view rest = setting.value;
  if (rest.size() > kMostBytes) {
    return bad_variable(setting.name, "is too long");
  }
  Pairs pairs;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view member = base::trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (member.empty()) {
      continue;
    }
    const std::size_t equals = member.find('=');
    const auto key = percent_decode(base::trim(member.substr(0, equals)));
    const auto value = percent_decode(equals == std::string_view::npos ? "" : base::trim(member.substr(equals + 1)));
    // The value is not repeated in the message: it may be a secret.
    if (equals == std::string_view::npos || !key || key->empty() || !value || pairs.size() >= kMostPairs) {
      return bad_variable(setting.name, "is not a list like key=value,key=value");
    }
    pairs.emplace_back(*key, *value);
  }
  return pairs;
}

bool is_sendable_header(const std::string& name, const std::string& value) {
  constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";
  const auto in_token = [&](char letter) {
    const char lower = static_cast<char>(letter | 0x20);
    return (lower >= 'a' && lower <= 'z') || (letter >= '0' && letter <= '9') ||
           kTokenMarks.find(letter) != std::string_view::npos;
  };
  const auto in_value = [](char letter) { return letter == '\t' || (letter >= ' ' && letter <= '~'); };
  return std::all_of(name.begin(), name.end(), in_token) && std::all_of(value.begin(), value.end(), in_value);
}

Result<Pairs> parse_headers(const Setting& setting) {
  const Pairs pairs = TRY(parse_pairs(setting));
  for (const auto& [name, value] : pairs) {
    if (!is_sendable_header(name, value)) {
      return bad_variable(setting.name, "holds a header that cannot be sent");
    }
  }
  return pairs;
}

Result<Resource> make_resource(const Environment& environment, std::string_view version) {
  const Pairs given = TRY(parse_pairs({"OTEL_RESOURCE_ATTRIBUTES", environment("OTEL_RESOURCE_ATTRIBUTES")}));
  Resource resource;
  const auto set = [&](std::string_view key, std::string value) {
    const auto has_key = [&](const Attribute& attribute) { return attribute.key == key; };
    const auto found = std::find_if(resource.begin(), resource.end(), has_key);
    if (found != resource.end()) {
      found->value = std::move(value);
    } else {
      resource.push_back({std::string(key), std::move(value)});
    }
  };
  set("service.name", "glovebox");
  set("service.version", std::string(version));
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) {
    set("host.name", host.data());
  }
  for (const auto& [key, value] : given) {
    set(key, base::to_valid_utf8(value));
  }
  if (const std::string name = environment("OTEL_SERVICE_NAME"); !name.empty()) {
    set("service.name", base::to_valid_utf8(name));
  }
  return resource;
}

Result<std::chrono::milliseconds> parse_timeout(const Setting& setting, std::chrono::milliseconds otherwise) {
  if (setting.value.empty()) {
    return otherwise;
  }
  std::uint32_t value = 0;
  const char* end = setting.value.data() + setting.value.size();
  const auto parsed = std::from_chars(setting.value.data(), end, value);
  constexpr std::uint32_t kMost = 600'000;
  if (parsed.ec != std::errc() || parsed.ptr != end || value == 0 || value > kMost) {
    return bad_variable(setting.name, "is not a number of milliseconds up to 600000");
  }
  return std::chrono::milliseconds(value);
}

Result<std::string> endpoint_of(const Environment& environment) {
  std::string own = environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (!own.empty()) {
    return own;
  }
  std::string shared = environment("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (shared.empty()) {
    return shared;
  }
  if (shared.find('?') != std::string::npos) {
    return bad_variable("OTEL_EXPORTER_OTLP_ENDPOINT", "has a query, to which no path can be added");
  }
  return shared + (shared.ends_with('/') ? "v1/traces" : "/v1/traces");
}

}  // namespace

std::string process_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables here
  return value != nullptr ? value : "";
}

Result<TraceConfig> trace_config(const Environment& environment, std::string_view version) {
  TraceConfig config;
  if (http::equal_ignoring_case(environment("OTEL_SDK_DISABLED"), "true")) {
    return config;
  }
  const std::string kind = environment("OTEL_TRACES_EXPORTER");
  if (kind == "none") {
    return config;
  }
  if (!kind.empty() && kind != "otlp") {
    return bad_variable("OTEL_TRACES_EXPORTER", "must be otlp or none");
  }
  config.sampler = TRY(parse_sampler(environment("OTEL_TRACES_SAMPLER"), environment("OTEL_TRACES_SAMPLER_ARG")));
  ExporterOptions options;
  options.endpoint = TRY(endpoint_of(environment));
  if (options.endpoint.empty()) {
    return config;
  }
  // Every collector takes JSON where it takes protobuf over HTTP; gRPC has another port and another protocol.
  if (const Setting protocol = for_traces(environment, "PROTOCOL");
      !protocol.value.empty() && protocol.value != "http/json" && protocol.value != "http/protobuf") {
    return bad_variable(protocol.name, "must be http/json");
  }
  options.headers = TRY(parse_headers(for_traces(environment, "HEADERS")));
  options.resource = TRY(make_resource(environment, version));
  options.request_timeout = TRY(parse_timeout(for_traces(environment, "TIMEOUT"), options.request_timeout));
  config.exporter = std::move(options);
  return config;
}

}  // namespace glovebox::telemetry
