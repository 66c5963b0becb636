#include "mcp/tools/run_arguments.h"

#include <vector>

#include "contract/json_parse.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "contract/run_request_codec.h"

namespace glovebox::mcp {

base::Result<RunArguments> read_run_arguments(std::string_view json, std::span<const std::string_view> fields) {
  contract::JsonOptions options;
  options.free_form = fields;
  contract::JsonValue document = TRY(contract::parse_json(json, options));
  std::vector<std::string_view> known(fields.begin(), fields.end());
  known.push_back("workspace");
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(known));
  RunArguments arguments;
  if (const auto workspace = object.find("workspace"); workspace) {
    arguments.workspace = TRY(workspace->take_string_or_null());
  }
  std::string request;
  for (const contract::JsonMember& member : document.members) {
    if (member.key == "workspace") {
      continue;
    }
    arguments.has_policy = arguments.has_policy || member.key == "policy";
    arguments.has_artifacts = arguments.has_artifacts || member.key == "artifacts";
    request.append(request.empty() ? "{" : ",").append(contract::quote_json(member.key)).append(":");
    request.append(member.value.text);
  }
  arguments.request = TRY(contract::parse_run_request(request.empty() ? "{}" : request + "}"));
  return arguments;
}

}  // namespace glovebox::mcp
