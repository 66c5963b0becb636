// What a server has to offer: tools, resources, prompts. Plain lists of descriptions and functions, put together once
// when the server starts. A function answers its call now or later, on any thread; it must not block the one it is
// called on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mcp/call.h"

namespace glovebox::mcp {

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // JSON, 2020-12
  std::string output_schema;  // JSON; empty: the result has no structure
  std::string annotations;    // JSON; empty: none
  std::function<void(const CallPtr& call, std::string arguments)> call;
};

struct Prompt {
  std::string name;
  std::string listing;  // the object of prompts/list
  std::function<void(const CallPtr& call)> get;
};

struct Offer {
  std::vector<Tool> tools;
  std::vector<Prompt> prompts;         // none: the server knows no prompts
  std::vector<std::string> resources;  // objects of resources/list
  std::vector<std::string> templates;  // objects of resources/templates/list
  // False: there is no such resource, and the call is not answered.
  std::function<bool(const CallPtr& call, const std::string& uri)> read;
  std::function<void(const CallPtr& call)> complete;  // none: no completions
  bool logging = false;
  bool changes = false;  // lists may change, and resources can be subscribed to
  std::string instructions;
};

// {"name":…,"inputSchema":…}, as a revision shows it.
[[nodiscard]] std::string listing_of(const Tool& tool, Revision revision);
[[nodiscard]] ProtocolError resource_not_found(const Call& call, const std::string& uri);
// Members of the object that tells what a server can do.
[[nodiscard]] std::string capabilities_of(const Offer& offer, Revision revision);

}  // namespace glovebox::mcp
