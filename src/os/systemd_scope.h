// Asks systemd to put this process into a transient scope whose control group is delegated to it.
#pragma once

#include "base/result.h"

namespace glovebox::os {

// Moves only the calling process. Takes up to two seconds where there is a bus, and no time where there is none; fails
// with a reason when there is no manager to ask.
[[nodiscard]] base::Status enter_delegated_scope();

}  // namespace glovebox::os
