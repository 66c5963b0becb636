// The first step of every run: is this request within the contract, its caps, and what this installation can do?
//
// C3: nothing is silently ignored. A field that is valid but cannot be honoured here is refused by name, because
// running without it would be a different run.
#pragma once

#include "base/result.h"
#include "contract/run_request.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

// Whether there is a store that remembers runs: some wishes need one.
enum class Records { none, kept };

[[nodiscard]] base::Status admit(const contract::RunRequest& request, Records records);

// What a service keeps for an answer has bounds of its own.
[[nodiscard]] base::Status admit_to_service(const contract::Limits& limits, const ServeSettings& serve);

// Whether rows of this file are counted.
[[nodiscard]] bool is_tabular(std::string_view path);

// The same caps for the file at `index`, whose bytes are not in the request but behind a descriptor. Reads them in
// pieces, and no further than the cap.
[[nodiscard]] base::Status admit_blob(const contract::RunRequest& request, std::size_t index, int fd);

}  // namespace glovebox::runner
