// What a waiting runtime is told: which form of program, its arguments, its additional environment.
//
// Fields that end in NUL: "script" or "solve", the number of arguments, the arguments, then NAME=value each. A child of
// a zygote gets the resource limits of its run in front (adoption.h); it sets them before any foreign code runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "contract/run_request.h"
#include "engine/launcher/process_seal.h"

namespace glovebox::engine {

// More than this does not fit into one packet with certainty; such a request is served by a cold cell.
inline constexpr std::size_t kMaxOrdersBytes = 60U << 10U;

[[nodiscard]] std::string orders_of(const contract::RunRequest& request);
[[nodiscard]] std::string with_limits(const std::vector<ResourceLimit>& limits, const std::string& orders);

}  // namespace glovebox::engine
