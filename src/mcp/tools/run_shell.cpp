// run_shell: a command in a workspace.
#include <utility>

#include "contract/json_reader.h"
#include "mcp/tools/run_answer.h"
#include "mcp/tools/run_job.h"
#include "mcp/tools/tool_answer.h"
#include "mcp/tools/toolbox.h"

namespace glovebox::mcp {
namespace {

using base::Result;

constexpr std::uint64_t kDefaultTimeoutMs = 30'000;
constexpr std::uint64_t kMostTimeoutMs = 3'600'000;
constexpr std::uint64_t kMostMemory = 1ULL << 40U;

constexpr const char* kShellDescription =
    "Run a shell command (bash) in the workspace: its files are the current directory, and what the command writes or "
    "deletes there stays for the next call. Pipes, loops and several lines are fine. The usual commands are there, and "
    "python3 and node where the host has them. Every command runs in a fresh sealed cell: nothing keeps running "
    "afterwards, variables and cd are not remembered. No network, nothing can be installed outside the workspace. "
    "30 seconds unless timeout_ms says otherwise.";

constexpr const char* kShellSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"command":{"type":"string","description":"The command, as you would type it."},
"timeout_ms":{"type":"integer","minimum":1,"maximum":3600000,"default":30000,"description":"How long it may take, in milliseconds."},
"memory_bytes":{"type":"integer","minimum":1048576,"description":"How much memory it may use (256 MiB)."},
"stdin":{"type":"string","description":"What the command reads on standard input."},
"policy":{"type":"string","description":"Name of a policy."},
"workspace":{"type":"string","description":"Name of the workspace. If left out: the conversation's, where the client keeps one; else a new one, which the answer names."}},
"required":["command"],"additionalProperties":false})";

struct Arguments {
  contract::RunRequest request;
  std::string workspace;
};

Result<Arguments> read(const std::string& json, const ToolDefaults& defaults) {
  static constexpr std::string_view kFields[] = {"command", "timeout_ms", "memory_bytes",
                                                 "stdin",   "policy",     "workspace"};
  contract::JsonValue document = TRY(contract::parse_json(json, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  Arguments arguments;
  contract::RunRequest& request = arguments.request;
  request.language = "bash";
  request.policy = defaults.policy;
  const contract::JsonNode command = TRY(object.require("command"));
  request.code = TRY(command.take_string());
  request.limits.wall_ms = kDefaultTimeoutMs;
  if (const auto timeout = object.find("timeout_ms"); timeout) {
    request.limits.wall_ms = TRY(timeout->integer(1, kMostTimeoutMs));
  }
  request.limits.cpu_ms = request.limits.wall_ms;
  if (const auto memory = object.find("memory_bytes"); memory) {
    request.limits.memory_bytes = TRY(memory->integer(1U << 20U, kMostMemory));
  }
  if (const auto input = object.find("stdin"); input) {
    request.standard_input = TRY(input->take_string());
  }
  if (const auto policy = object.find("policy"); policy) {
    request.policy = TRY(policy->take_string());
  }
  if (const auto workspace = object.find("workspace"); workspace) {
    arguments.workspace = TRY(workspace->take_string_or_null());
  }
  return arguments;
}

}  // namespace

Tool run_shell_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "run_shell";
  tool.title = "Run a shell command in the workspace";
  tool.description = kShellDescription;
  tool.input_schema = kShellSchema;
  tool.output_schema = run_output_schema();
  tool.annotations = R"({"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false})";
  tool.call = [&toolbox](const CallPtr& call, const std::string& json) {
    auto arguments = read(json, toolbox.defaults());
    if (!arguments) {
      return answer_error(*call, arguments.error());
    }
    auto place = toolbox.place(*call, arguments->workspace, Toolbox::WhenMissing::create);
    if (!place) {
      return answer_error(*call, place.error());
    }
    std::make_shared<RunJob>(toolbox, call, std::move(arguments->request), std::move(*place), "run_shell " + json)
        ->start();
  };
  return tool;
}

}  // namespace glovebox::mcp
