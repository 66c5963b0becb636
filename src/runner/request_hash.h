// What makes two requests the same.
#pragma once

#include <string>

#include "contract/run_request.h"

namespace glovebox::runner {

// stdin, arguments, environment, input and files.
[[nodiscard]] std::string hash_of_inputs(const contract::RunRequest& request);

// The whole request but its idempotency key and its wish about the cache (K3).
[[nodiscard]] std::string hash_of_request(const contract::RunRequest& request);

// The request, and what it would run in and under (K1). Never shared between tenants: the store asks for both.
[[nodiscard]] std::string cache_key_of(const std::string& request_sha256, const std::string& image_digest,
                                       const std::string& policy);

}  // namespace glovebox::runner
