// Glovebox as a service: POST /v1/runs over a keep-alive connection to a service in this process, with its warm cells,
// its line, its redaction and its records.
#pragma once

#include <memory>

#include "bench/peer.h"
#include "server/api/service.h"

namespace glovebox::bench {

// `service` outlives the peer and listens on TCP.
[[nodiscard]] std::unique_ptr<Peer> http_peer(std::string id, std::string title, server::Service& service);

}  // namespace glovebox::bench
