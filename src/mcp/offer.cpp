#include "mcp/offer.h"

#include "contract/json_writer.h"

namespace glovebox::mcp {

std::string listing_of(const Tool& tool, Revision revision) {
  contract::JsonWriter json;
  json.begin_object();
  json.string("name", tool.name);
  if (revision >= Revision::v2025_06_18) {
    json.string("title", tool.title);
  }
  json.string("description", tool.description);
  json.free_form("inputSchema", tool.input_schema);
  if (!tool.output_schema.empty() && revision >= Revision::v2025_06_18) {
    json.free_form("outputSchema", tool.output_schema);
  }
  if (!tool.annotations.empty() && revision >= Revision::v2025_03_26) {
    json.free_form("annotations", tool.annotations);
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
