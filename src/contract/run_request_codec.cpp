#include "contract/run_request_codec.h"

#include <fmt/format.h>

#include <array>

#include "base/utf8.h"
#include "contract/base64.h"
#include "contract/json_reader.h"
#include "contract/limit_table.h"
#include "contract/request_rules.h"

namespace glovebox::contract {
namespace {

using base::Error;
using base::Result;
using base::Status;

constexpr std::string_view kBlobPrefix = "sha256:";

constexpr std::string_view kRequestFields[] = {
    "language", "code",      "stdin",  "args",      "env",    "files", "input",           "limits",
    "network",  "isolation", "policy", "artifacts", "expect", "cache", "idempotency_key", "deterministic",
};
constexpr std::string_view kFileFields[] = {"path", "content", "encoding", "blob"};
constexpr std::string_view kNetworkFields[] = {"allow"};
constexpr std::string_view kEncodings[] = {"utf-8", "base64"};
constexpr std::string_view kFreeFormOfRequest[] = {"input", "expect"};

constexpr auto kLimitNames = [] {
  std::array<std::string_view, kLimitTable.size()> names{};
  for (std::size_t index = 0; index < names.size(); ++index) {
    names[index] = kLimitTable[index].name;
  }
  return names;
}();

// What people write at the top although it lives deeper.
constexpr std::string_view kElsewhere[] = {
    "limits.wall_ms",     "limits.cpu_ms",         "limits.memory_bytes", "limits.disk_bytes",
    "limits.processes",   "limits.open_files",     "limits.output_bytes", "limits.artifact_bytes",
    "limits.cpu_percent", "limits.artifact_count", "network.allow",
};

Error not_one_of(const JsonNode& node, std::string_view given, std::span<const std::string_view> names) {
  Error error = node.error(fmt::format("\"{}\" is not one of {}", base::printable(given, 40), list_names(names)));
  if (const auto meant = closest_name(given, names)) {
    error.hint = fmt::format("did you mean \"{}\"?", *meant);
  }
  return error;
}

Result<Limits> read_limits(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kLimitNames));
  Limits limits;
  for (const LimitField& limit : kLimitTable) {
    if (const auto value = object.find(limit.name)) {
      limits.*limit.member = TRY(value->integer(limit.least, limit.most));
    }
  }
  return limits;
}

Result<Network> read_network(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kNetworkFields));
  Network network;
  if (const auto allow = object.find("allow")) {
    network.allow = TRY(allow->take_strings(kMaxNetworkEntries));
  }
  return network;
}

Result<BlobRef> read_blob(const JsonNode& node) {
  const std::string text = TRY(node.take_string());
  if (!text.starts_with(kBlobPrefix) || !is_sha256_hex(std::string_view(text).substr(kBlobPrefix.size()))) {
    return base::fail(node.error("expected sha256: and 64 lower-case hex digits"));
  }
  return BlobRef{text.substr(kBlobPrefix.size())};
}

Result<std::string> read_content(const JsonObject& file, const JsonNode& content) {
  std::string text = TRY(content.take_string());
  const auto encoding_node = file.find("encoding");
  if (!encoding_node) {
    return text;
  }
  const std::string encoding = TRY(encoding_node->take_string());
  if (encoding == "utf-8") {
    return text;
  }
  if (encoding != "base64") {
    return base::fail(not_one_of(*encoding_node, encoding, kEncodings));
  }
  std::optional<std::string> bytes = decode_base64(text);
  if (!bytes) {
    return base::fail(content.error("not valid base64")
                          .with_hint("use the standard alphabet with = padding and without line breaks"));
  }
  return *std::move(bytes);
}

Result<InputFile> read_file(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kFileFields));
  const JsonNode path_node = TRY(object.require("path"));
  const std::string path_text = TRY(path_node.take_string());
  auto path = base::RelPath::parse(path_text);
  if (!path) {
    return base::fail(std::move(path.error()).with_field(path_node.path()));
  }
  const auto content = object.find("content");
  const auto blob = object.find("blob");
  if (content.has_value() == blob.has_value()) {
    return base::fail(node.error(content ? "both \"content\" and \"blob\" are given" : "no \"content\" and no \"blob\"")
                          .with_hint("give exactly one of the two"));
  }
  if (blob) {
    if (const auto encoding = object.find("encoding")) {
      return base::fail(encoding->error("a blob has no encoding").with_hint("leave \"encoding\" out"));
    }
    BlobRef reference = TRY(read_blob(*blob));
    return InputFile{*std::move(path), std::move(reference)};
  }
  std::string bytes = TRY(read_content(object, *content));
  return InputFile{*std::move(path), std::move(bytes)};
}

Result<std::vector<InputFile>> read_files(const JsonNode& node) {
  std::vector<InputFile> files;
  for (const JsonNode& element : TRY(node.elements(kMaxFiles))) {
    files.push_back(TRY(read_file(element)));
  }
  return files;
}

Result<std::map<std::string, std::string>> read_env(const JsonNode& node) {
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : TRY(node.entries(kMaxEnv))) {
    env[name] = TRY(value.take_string());
  }
  return env;
}

// {} counts as absent.
Result<std::optional<std::string>> read_expect(const JsonNode& node) {
  std::string text = TRY(node.take_free_form());
  if (text == "{}") {
    return std::nullopt;
  }
  TRY_STATUS(check_expect(text));
  return text;
}

// How a run is set up: everything but the program and its inputs.
Status read_settings(const JsonObject& object, RunRequest& request) {
  if (const auto node = object.find("limits")) {
    request.limits = TRY(read_limits(*node));
  }
  if (const auto node = object.find("network")) {
    request.network = TRY(read_network(*node));
  }
  if (const auto node = object.find("isolation")) {
    const std::string name = TRY(node->take_string());
    const auto isolation = parse_isolation(name);
    if (!isolation) {
      return base::fail(not_one_of(*node, name, isolation_names()));
    }
    request.isolation = *isolation;
  }
  if (const auto node = object.find("policy")) {
    request.policy = TRY(node->take_string());
  }
  if (const auto node = object.find("cache")) {
    const std::string name = TRY(node->take_string());
    const auto mode = parse_cache_mode(name);
    if (!mode) {
      return base::fail(not_one_of(*node, name, cache_mode_names()));
    }
    request.cache = *mode;
  }
  if (const auto node = object.find("idempotency_key"); node && !node->is_null()) {
    request.idempotency_key = TRY(node->take_string());
  }
  if (const auto node = object.find("deterministic")) {
    request.deterministic = TRY(node->boolean());
  }
  return {};
}

void write_file(JsonWriter& json, const InputFile& file) {
  json.begin_object();
  json.string("path", file.path.str());
  if (const auto* blob = std::get_if<BlobRef>(&file.content)) {
    json.string("blob", fmt::format("{}{}", kBlobPrefix, blob->sha256));
  } else {
    const std::string& bytes = std::get<std::string>(file.content);
    const bool is_text = base::is_valid_utf8(bytes);
    json.string("content", is_text ? bytes : encode_base64(bytes));
    if (!is_text) {
      json.string("encoding", "base64");
    }
  }
  json.end_object();
}

}  // namespace

Result<RunRequest> parse_run_request(std::string_view json_text, std::size_t max_bytes) {
  JsonOptions options;
  options.free_form = kFreeFormOfRequest;
  options.bounds.max_bytes = max_bytes;
  JsonValue root = TRY(parse_json(json_text, options));
  const JsonObject object = TRY(JsonNode(root, "").object(kRequestFields, kElsewhere));

  RunRequest request;
  if (const auto node = object.find("language")) {
    request.language = TRY(node->take_string());
  }
  const JsonNode code = TRY(object.require("code"));
  request.code = TRY(code.take_string());
  if (const auto node = object.find("stdin")) {
    request.standard_input = TRY(node->take_string());
  }
  if (const auto node = object.find("args")) {
    request.args = TRY(node->take_strings(kMaxArgs));
  }
  if (const auto node = object.find("env")) {
    request.env = TRY(read_env(*node));
  }
  if (const auto node = object.find("files")) {
    request.files = TRY(read_files(*node));
  }
  if (const auto node = object.find("input")) {
    request.input_json = TRY(node->take_free_form());
  }
  TRY_STATUS(read_settings(object, request));
  if (const auto node = object.find("artifacts")) {
    request.artifacts = TRY(node->take_strings(kMaxArtifactPatterns));
  }
  if (const auto node = object.find("expect")) {
    request.expect_json = TRY(read_expect(*node));
  }
  TRY_STATUS(check_request_rules(request));
  return request;
}

std::string to_json(const RunRequest& request, JsonStyle style) {
  JsonWriter json;
  json.begin_object();
  json.string("language", request.language);
  json.string("code", request.code);
  json.string("stdin", request.standard_input);
  json.strings("args", request.args);
  json.key("env");
  json.begin_object();
  for (const auto& [name, value] : request.env) {
    json.string(name, value);
  }
  json.end_object();
  json.key("files");
  json.begin_array();
  for (const InputFile& file : request.files) {
    write_file(json, file);
  }
  json.end_array();
  if (request.input_json) {
    json.free_form("input", *request.input_json);
  }
  json.key("limits");
  json.begin_object();
  for (const LimitField& limit : kLimitTable) {
    json.integer(limit.name, request.limits.*limit.member);
  }
  json.end_object();
  json.key("network");
  json.begin_object();
  json.strings("allow", request.network.allow);
  json.end_object();
  json.string("isolation", to_string(request.isolation));
  json.string("policy", request.policy);
  json.strings("artifacts", request.artifacts);
  json.free_form("expect", request.expect_json.value_or("{}"));
  json.string("cache", to_string(request.cache));
  json.key("idempotency_key");
  if (request.idempotency_key) {
    json.string(*request.idempotency_key);
  } else {
    json.null();
  }
  json.boolean("deterministic", request.deterministic);
  json.end_object();
  return json.take(style);
}

}  // namespace glovebox::contract
