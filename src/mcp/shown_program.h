// A program as a person sees it who is asked about it: all of it, or it is not asked about.
#pragma once

#include <optional>
#include <string>

#include "contract/run_request.h"

namespace glovebox::mcp {

// The program and the files of code that it can load, with nothing in them that a reader would not see. Nothing: that
// is more than a form can show.
[[nodiscard]] std::optional<std::string> shown_program(const contract::RunRequest& request);

}  // namespace glovebox::mcp
