// Asking the person behind the client, in either era.
//
// The older era has a request of ours (elicitation/create) on the stream of the call, and the call goes on with the
// reply. The stateless era has a result, `input_required`: the client sends the whole request again with the answers,
// and the state that we gave it (request_state.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "contract/json_parse.h"
#include "mcp/call.h"
#include "mcp/request_state.h"
#include "mcp/ticker.h"

namespace glovebox::mcp {

struct Elicited {
  enum class Action { accept, decline, cancel };
  Action action = Action::cancel;
  contract::JsonValue content;
};

// An ElicitResult; nothing if it is none.
[[nodiscard]] std::optional<Elicited> read_elicited(const contract::JsonValue& result);
[[nodiscard]] std::optional<Elicited> read_elicited(std::string_view json);
// "inputResponses" of a request as a tree; an object without members if there are none.
[[nodiscard]] tl::expected<contract::JsonValue, ProtocolError> read_input_responses(Call& call);

// Members of elicitation/create, in the spelling of the call's revision.
[[nodiscard]] std::string form_members(const Call& call, std::string_view message, std::string_view schema);

// Questions of the older era, with an end.
void ask_client(const CallPtr& call, Ticker& ticker, std::string_view method, std::string_view members,
                std::chrono::seconds patience, Session::OnReply on_reply);

}  // namespace glovebox::mcp
