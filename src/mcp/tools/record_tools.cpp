// check_policy, get_run, replay_run, and the resources of runs.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/utf8.h"
#include "contract/base64.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "contract/run_result_codec.h"
#include "mcp/tools/run_answer.h"
#include "mcp/tools/run_arguments.h"
#include "mcp/tools/run_uri.h"
#include "mcp/tools/tool_answer.h"
#include "mcp/tools/toolbox.h"
#include "mcp/tools/workspace_sources.h"
#include "records/record_json.h"

namespace glovebox::mcp {
namespace {

using base::Result;

constexpr std::size_t kMaxRecordOutput = 24U << 10U;
constexpr std::size_t kMostCode = 64U << 10U;

constexpr const char* kCheckSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"language":{"type":"string","default":"python"},
"code":{"type":"string","description":"The program that is not run."},
"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"encoding":{"type":"string","enum":["utf8","base64"]}},"required":["path","content"]}},
"limits":{"type":"object","additionalProperties":{"type":"integer","minimum":0}},
"policy":{"type":"string","description":"Name of a policy; the usual one if left out."},
"workspace":{"type":"string","description":"Whose code the program could load; the conversation's own if left out."}},
"required":["code"],"additionalProperties":false})";
constexpr const char* kDecisionSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"decision":{"type":"string","enum":["allow","ask","deny"]},"policy":{"type":"string"},
"findings":{"type":"array","items":{"type":"object"},"description":"What was found, where, why it matters and what to do instead."}},
"required":["decision","policy","findings"]})";
constexpr const char* kRunIdSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"run_id":{"type":"string","description":"run_…, from the result of a run."}},"required":["run_id"],"additionalProperties":false})";
constexpr const char* kRecordSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"run_id":{"type":"string"},"state":{"type":"string"},"request":{"type":"object"},"result":{"type":["object","null"]}},
"required":["run_id","state"]})";
constexpr const char* kReplaySchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"verdict":{"type":"string","enum":["equal","differs","image_changed"]},"replay_of":{"type":"string"},
"differences":{"type":"array","items":{"type":"object"}},"result":{"type":"object"}},
"required":["verdict","replay_of","differences"]})";

constexpr std::array<std::string_view, 5> kCheckFields = {"language", "code", "files", "limits", "policy"};
constexpr const char* kReadOnly = R"({"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false})";

Result<std::string> run_id_of(const std::string& json) {
  static constexpr std::string_view kFields[] = {"run_id"};
  contract::JsonValue document = TRY(contract::parse_json(json, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  const contract::JsonNode node = TRY(object.require("run_id"));
  return node.take_string();
}

void answer_structure(Call& call, std::string json) {
  ToolAnswer answer;
  answer.structure(std::move(json));
  answer.send(call);
}

void shorten_output(contract::RunResult& result) {
  shorten(result.standard_output, kMaxRecordOutput,
          to_string(RunUri{result.run_id, RunUri::Part::standard_output, ""}));
  shorten(result.standard_error, kMaxRecordOutput, to_string(RunUri{result.run_id, RunUri::Part::standard_error, ""}));
}

void check_policy(Toolbox& toolbox, const CallPtr& call, const std::string& json) {
  auto arguments = read_run_arguments(json, kCheckFields);
  if (!arguments) {
    return answer_error(*call, arguments.error());
  }
  if (!arguments->has_policy) {
    arguments->request.policy = toolbox.defaults().policy;
  }
  const auto place = toolbox.place(*call, arguments->workspace, Toolbox::WhenMissing::none);
  if (!place) {
    return answer_error(*call, place.error());
  }
  if (place->workspace != nullptr) {
    add_sources(arguments->request, *place->workspace);
  }
  const auto decision =
      toolbox.runner().check_policy(arguments->request, call->host().caller(), policy::Detail::explain);
  decision ? answer_structure(*call, policy::to_json(*decision)) : answer_error(*call, decision.error());
}

void get_run(Toolbox& toolbox, const CallPtr& call, const std::string& json) {
  const auto run_id = run_id_of(json);
  auto record = run_id ? toolbox.archive().find(*run_id, call->host())
                       : base::Result<records::RunRecord>(base::fail(run_id.error()));
  if (!record) {
    return answer_error(*call, record.error());
  }
  // What was sent along may be large; the record itself has all of it.
  record->request.files.clear();
  shorten(record->request.code, kMostCode, "of this run's record");
  shorten(record->request.standard_input, kMaxRecordOutput, "of this run's record");
  if (record->result) {
    shorten_output(*record->result);
  }
  answer_structure(*call, records::to_json(*record));
}

void replay_run(Toolbox& toolbox, const CallPtr& call, const std::string& json) {
  const auto run_id = run_id_of(json);
  if (!run_id) {
    return answer_error(*call, run_id.error());
  }
  auto queued = call->host().line_up("", [&toolbox, call, run_id = *run_id](const runner::Waited& waited) {
    if (waited.refusal) {
      return answer_error(*call, *waited.refusal);
    }
    runner::ReplayOptions options;
    options.cancel = call->cancel().get();
    options.approved_rules = toolbox.defaults().approved_rules;
    options.approver = toolbox.defaults().approver;
    auto report = toolbox.archive().replay(run_id, call->host(), options);
    if (!report) {
      return answer_error(*call, report.error());
    }
    shorten_output(report->result);
    answer_structure(*call, runner::to_json(*report));
  });
  if (!queued) {
    answer_error(*call, queued.error());
  }
}

using RecordWork = void (*)(Toolbox&, const CallPtr&, const std::string&);

auto as_chore(Toolbox& toolbox, RecordWork work) {
  return [&toolbox, work](const CallPtr& call, std::string json) {
    do_chore(call, [&toolbox, work, call, json = std::move(json)] { work(toolbox, call, json); });
  };
}

void answer_resource(Call& call, const std::string& uri, const std::string& media_type, const std::string& bytes) {
  const bool is_text = base::is_valid_utf8(bytes);
  call.complete_cacheable(fmt::format(R"("contents":[{{"uri":{},"mimeType":{},"{}":{}}}])", contract::quote_json(uri),
                                      contract::quote_json(media_type), is_text ? "text" : "blob",
                                      contract::quote_json(is_text ? bytes : contract::encode_base64(bytes))));
}

void read_resource(Toolbox& toolbox, Call& call, const std::string& text, const RunUri& uri) {
  if (uri.part == RunUri::Part::artifact) {
    const auto artifact = toolbox.archive().artifact(uri.run_id, uri.path, call.host());
    return artifact ? answer_resource(call, text, artifact->media_type, artifact->bytes)
                    : call.fail(resource_not_found(call, text));
  }
  const auto record = toolbox.archive().find(uri.run_id, call.host());
  if (!record || !record->result) {
    return call.fail(resource_not_found(call, text));
  }
  switch (uri.part) {
    case RunUri::Part::standard_output:
      return answer_resource(call, text, "text/plain", record->result->standard_output);
    case RunUri::Part::standard_error:
      return answer_resource(call, text, "text/plain", record->result->standard_error);
    default:
      return answer_resource(call, text, "application/json", contract::to_json(*record->result));
  }
}

}  // namespace

bool read_run_resource(Toolbox& toolbox, const CallPtr& call, const std::string& uri) {
  const auto parsed = parse_run_uri(uri);
  if (!parsed) {
    return false;
  }
  auto queued = call->host().chore([&toolbox, call, uri, parsed = *parsed](const runner::Waited& waited) {
    waited.refusal ? call->fail({kInternalError, waited.refusal->message}) : read_resource(toolbox, *call, uri, parsed);
  });
  if (!queued) {
    call->fail({kInternalError, queued.error().message});
  }
  return true;
}

Tool check_policy_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "check_policy";
  tool.title = "Ask the policy about a program";
  tool.description =
      "Say what the policy makes of a program without running it: allow, ask or deny, with line, reason and a "
      "suggestion for everything it found.";
  tool.input_schema = kCheckSchema;
  tool.output_schema = kDecisionSchema;
  tool.annotations = kReadOnly;
  tool.call = as_chore(toolbox, check_policy);
  return tool;
}

Tool get_run_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "get_run";
  tool.title = "Look at an earlier run";
  tool.description =
      "Look at an earlier run by its id: what was asked for and what came of it. Long output is shown as its beginning "
      "and its end; the resource glovebox://runs/RUN_ID/stdout has all of it.";
  tool.input_schema = kRunIdSchema;
  tool.output_schema = kRecordSchema;
  tool.annotations = kReadOnly;
  tool.call = as_chore(toolbox, get_run);
  return tool;
}

Tool replay_run_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "replay_run";
  tool.title = "Run an earlier program again";
  tool.description =
      "Run an earlier program again, with the same code, inputs, limits and policy, and say what is different: a check "
      "whether a result can be relied on.";
  tool.input_schema = kRunIdSchema;
  tool.output_schema = kReplaySchema;
  tool.annotations = R"({"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false})";
  tool.call = as_chore(toolbox, replay_run);
  return tool;
}

}  // namespace glovebox::mcp
