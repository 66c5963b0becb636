// Who is calling: from an API key, from the unix socket, or, until the first key exists, from loopback.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>

#include "records/store.h"
#include "server/http/message.h"

namespace glovebox::server {

struct Identity {
  std::string tenant;
  std::string key_id;
  std::string actor;  // for the audit log
  std::set<std::string> scopes;

  [[nodiscard]] bool may(std::string_view scope) const {
    return scope.empty() || scopes.contains(std::string(scope)) || scopes.contains("admin");
  }
};

// Keys are looked up in the store at most once a second each, so that a revoked one is refused within that time.
class Gatekeeper {
 public:
  explicit Gatekeeper(records::Store& store) : store_(store) {}

  [[nodiscard]] tl::expected<Identity, http::Response> identify(const http::Request& request, std::int64_t now_ms);

 private:
  struct Known {
    std::optional<records::KeyRecord> key;
    std::int64_t asked_ms = 0;
  };
  [[nodiscard]] tl::expected<Identity, http::Response> by_key(std::string_view secret, std::int64_t now_ms);
  [[nodiscard]] bool keys_exist(std::int64_t now_ms);

  records::Store& store_;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;  // by the hash of the secret
  bool keys_exist_ = false;
  std::int64_t keys_asked_ms_ = -1;
};

}  // namespace glovebox::server
