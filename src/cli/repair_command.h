// A command of the user's that mends programs, such as a script that calls a model: it gets a repair brief as JSON on
// its standard input and prints the whole new program. Its standard error is ours.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "engine/supervise/cancel_token.h"

namespace glovebox::cli {

// What `/bin/sh -c command` prints. Fails when it ends with another status than 0, prints nothing or too much, takes
// too long, or `cancel` is called meanwhile; whatever it started in its process group is killed then.
[[nodiscard]] base::Result<std::string> ask_command(const std::string& command, const std::string& input,
                                                    std::chrono::milliseconds patience,
                                                    const engine::CancelToken& cancel);

}  // namespace glovebox::cli
