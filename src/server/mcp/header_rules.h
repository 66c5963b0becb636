// What the headers of a message over HTTP must say.
//
// In the stateless era they repeat what the body says (revision, method, name), so that whoever stands between may look
// at them alone; a message whose two halves disagree is refused, or the one in between was deceived.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/server.h"
#include "server/http/message.h"

namespace glovebox::server {

// Which era a request belongs to, by its header and its body.
[[nodiscard]] mcp::Era era_of(const http::Headers& headers, const mcp::Message& message);

// Of the stateless era: why the headers do not fit the body; nothing if they do.
[[nodiscard]] std::optional<mcp::ProtocolError> check_stateless_headers(const http::Headers& headers,
                                                                        const mcp::Message& message);

// A header's value that may be wrapped as =?base64?…?=; nothing if the wrapping is broken.
[[nodiscard]] std::optional<std::string> unwrap_header(std::string_view value);

}  // namespace glovebox::server
