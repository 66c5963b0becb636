// What a program left does not pass: an error of its output.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace glovebox::verification {

[[nodiscard]] inline tl::unexpected<base::Error> refuse(std::string message) {
  return base::fail(base::ErrorCode::invalid_output, std::move(message));
}

}  // namespace glovebox::verification
