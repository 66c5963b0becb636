// Whether a program that failed did so because of something that was refused to it.
//
// That a call was refused is observed; that the program minded is not. A program may swallow a refusal and then trip
// over a bug of its own, and whoever mends it must not be sent after the refusal. So the program's own words decide
// between the two readings of a failed end, and nothing else: they cannot make a denial up.
#pragma once

#include <optional>

#include "contract/run_result.h"
#include "engine/supervise/supervisor.h"

namespace glovebox::runner {

// Yes, if something was refused and the program left no error that could be read (it exited, or a signal ended it), or
// its error speaks of permission, of what our refusals answered with, or of the network if a socket was refused. Of an
// error about a command that the program started, what that wrote to stderr counts too.
[[nodiscard]] bool failed_for_a_refusal(const engine::SupervisionReport& report,
                                        const std::optional<contract::RunError>& program_error);

}  // namespace glovebox::runner
