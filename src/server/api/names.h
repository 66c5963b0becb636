// Small questions about a request that several routes ask.
#pragma once

#include <optional>
#include <string_view>

#include "server/http/message.h"

namespace glovebox::server {

[[nodiscard]] bool is_run_id(std::string_view text);
[[nodiscard]] bool is_approval_id(std::string_view text);
[[nodiscard]] bool is_task_id(std::string_view text);
// Accept: text/event-stream
[[nodiscard]] bool wants_events(const http::Headers& headers);
// False: a page of another site sent this, by way of somebody's browser. A page of our own has our name as its Origin.
[[nodiscard]] bool is_same_origin(const http::Headers& headers);
// The answer to a body that is not application/json.
[[nodiscard]] std::optional<http::Response> refuse_other_than_json(const http::Request& request);

}  // namespace glovebox::server
