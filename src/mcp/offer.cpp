#include "mcp/offer.h"

#include "contract/json_writer.h"

namespace glovebox::mcp {

std::string listing_of(const Tool& tool, Revision revision) {
  contract::JsonWriter json;
  json.begin_object();
  json.key("name");
  json.string(tool.name);
  if (revision >= Revision::v2025_06_18) {
    json.key("title");
    json.string(tool.title);
  }
  json.key("description");
  json.string(tool.description);
  json.key("inputSchema");
  json.free_form(tool.input_schema);
  if (!tool.output_schema.empty() && revision >= Revision::v2025_06_18) {
    json.key("outputSchema");
    json.free_form(tool.output_schema);
  }
  if (!tool.annotations.empty() && revision >= Revision::v2025_03_26) {
    json.key("annotations");
    json.free_form(tool.annotations);
  }
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

std::string capabilities_of(const Offer& offer, Revision revision) {
  const std::string changes = offer.changes ? R"("listChanged":true)" : "";
  std::string members = R"("tools":{)" + changes + "}";
  if (offer.read) {
    members += R"(,"resources":{)" + changes + (offer.changes ? R"(,"subscribe":true)" : "") + "}";
  }
  if (!offer.prompts.empty()) {
    members += R"(,"prompts":{)" + changes + "}";
  }
  if (offer.complete && revision >= Revision::v2025_03_26) {
    members += R"(,"completions":{})";
  }
  if (offer.logging) {
    members += R"(,"logging":{})";
  }
  return members;
}

}  // namespace glovebox::mcp
