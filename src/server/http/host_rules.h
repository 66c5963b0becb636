// Which names a client may call us by.
//
// A web page can make its own name resolve to a loopback address and have the browser talk to us (DNS rebinding). The
// browser then sends that name in Host, which is how we notice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace glovebox::http {

// The host of "host", "host:port" or "[::1]:port", in lower case and without brackets or port. Nothing if it is
// malformed.
[[nodiscard]] std::optional<std::string> host_of(std::string_view authority);

// `authority` is the Host field, or the authority of an absolute target. See ServerOptions::allowed_hosts.
[[nodiscard]] bool host_allowed(std::string_view authority, const Peer& peer,
                                const std::vector<std::string>& allowed_hosts);

}  // namespace glovebox::http
