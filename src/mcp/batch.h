// Several messages in one text: an array, as revision 2025-03-26 has it and no other. Its requests are answered in one
// array, when the last of them is done.
#pragma once

#include <string_view>

#include "mcp/channel.h"
#include "mcp/server.h"

namespace glovebox::mcp {

// Whether a text would have to be one.
[[nodiscard]] bool looks_like_batch(std::string_view text);
// Whether this session speaks the revision that has batches.
[[nodiscard]] bool takes_batches(const Session& session);

// Hands every message to the server. `origin` is of the whole: each request gets a token of its own. False: nothing in
// it wants an answer, and none is given.
[[nodiscard]] bool receive_batch(Server& server, std::string_view text, const Origin& origin);

}  // namespace glovebox::mcp
