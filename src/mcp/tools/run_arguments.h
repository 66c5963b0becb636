// Arguments of a tool that runs something → a request of the contract. What the contract knows is read by its own
// reader, so that every message names the field; the rest is the tool's.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/run_request.h"

namespace glovebox::mcp {

struct RunArguments {
  contract::RunRequest request;
  std::string workspace;  // a handle; empty: none was named
  bool has_policy = false;
  bool has_artifacts = false;
};

// `fields` of the contract may be there, and "workspace".
[[nodiscard]] base::Result<RunArguments> read_run_arguments(std::string_view json,
                                                            std::span<const std::string_view> fields);

}  // namespace glovebox::mcp
