#include "runner/approval_detail.h"

#include "contract/json_writer.h"
#include "contract/limit_table.h"
#include "runner/runner.h"

namespace glovebox::runner {
namespace {

using contract::JsonWriter;

constexpr std::size_t kShownCodeBytes = 64U << 10U;
constexpr std::size_t kShownArgs = 64;
constexpr std::size_t kShownValueBytes = 1000;
constexpr std::size_t kShownFiles = 256;

void write_request(JsonWriter& json, const contract::RunRequest& request) {
  json.begin_object();
  json.key("language");
  json.string(request.language);
  json.key("code");
  json.string(std::string_view(request.code).substr(0, kShownCodeBytes));
  json.key("code_bytes");
  json.integer(request.code.size());
  json.key("code_cut");
  json.boolean(request.code.size() > kShownCodeBytes);
  json.key("args");
  json.begin_array();
  for (std::size_t index = 0; index < request.args.size() && index < kShownArgs; ++index) {
    json.string(request.args[index]);
  }
  json.end_array();
  json.key("files");
  json.begin_array();
  for (std::size_t index = 0; index < request.files.size() && index < kShownFiles; ++index) {
    json.string(request.files[index].path.str());
  }
  json.end_array();
  json.key("env");
  json.begin_object();
  for (const auto& [name, value] : request.env) {
    json.key(name);
    json.string(std::string_view(value).substr(0, kShownValueBytes));
  }
  json.end_object();
  json.key("expect");
  if (request.expect_json && request.expect_json->size() <= kShownCodeBytes) {
    json.free_form(*request.expect_json);
  } else {
    json.null();
  }
  json.key("expect_cut");
  json.boolean(request.expect_json && request.expect_json->size() > kShownCodeBytes);
  json.key("network");
  json.begin_array();
  for (const std::string& place : request.network.allow) {
    json.string(place);
  }
  json.end_array();
  json.key("limits");
  json.begin_object();
  for (const contract::LimitField& field : contract::kLimitTable) {
    json.key(field.name);
    json.integer(request.limits.*field.member);
  }
  json.end_object();
  json.end_object();
}

}  // namespace

std::string approval_detail(const contract::RunRequest& request, const policy::Decision& decision) {
  JsonWriter json;
  json.begin_object();
  json.key("rules");
  json.begin_array();
  for (const std::string& rule : policy::asking_rules(decision)) {
    json.string(rule);
  }
  json.end_array();
  json.key("decision");
  json.free_form(policy::to_json(decision));
  json.key("request");
  write_request(json, request);
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

std::string new_approval_id() { return "appr_" + new_run_id().substr(4); }

}  // namespace glovebox::runner
