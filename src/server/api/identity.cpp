#include "server/api/identity.h"

#include <unistd.h>

#include "base/sha256.h"
#include "runner/caller.h"
#include "server/api/answers.h"
#include "server/api/names.h"

namespace glovebox::server {
namespace {

using Outcome = tl::expected<Identity, http::Response>;

constexpr std::int64_t kAskAgainMs = 1000;
constexpr std::size_t kMostKnown = 10'000;
constexpr std::size_t kMaxSecretBytes = 256;

tl::unexpected<http::Response> unauthorized(std::string detail) {
  http::Response response = problem(Problem(401, "unauthorized", "This needs a valid API key.", std::move(detail)));
  response.headers.set("WWW-Authenticate", "Bearer");
  return tl::unexpected(std::move(response));
}

Identity everything(std::string actor) {
  return {std::string(runner::kDefaultTenant), "", std::move(actor), {"run", "read", "approve", "admin"}};
}

}  // namespace

bool Gatekeeper::keys_exist(std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  if (!keys_exist_ && (keys_asked_ms_ < 0 || now_ms >= keys_asked_ms_ + kAskAgainMs)) {
    keys_asked_ms_ = now_ms;
    keys_exist_ = store_.any_key().value_or(true);  // in doubt there are
  }
  return keys_exist_;
}

Outcome Gatekeeper::by_key(std::string_view secret, std::int64_t now_ms) {
  if (secret.empty() || secret.size() > kMaxSecretBytes) {
    return unauthorized("this is no API key");
  }
  const std::string hash = base::sha256_hex(secret);
  std::optional<records::KeyRecord> key;
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(hash);
    if (known != known_.end() && now_ms < known->second.asked_ms + kAskAgainMs) {
      key = known->second.key;
    } else {
      auto found = store_.find_key(hash);
      if (!found) {
        return tl::unexpected(problem(found.error()));
      }
      if (known_.size() >= kMostKnown) {
        known_.clear();
      }
      known_[hash] = {*found, now_ms};
      key = std::move(*found);
      if (key) {
        store_.note_key_use(key->id, now_ms);
      }
    }
  }
  if (!key) {
    return unauthorized("the API key is not known here");
  }
  if (key->revoked_ms) {
    return unauthorized("the API key was revoked");
  }
  if (key->expires_ms && now_ms >= *key->expires_ms) {
    return unauthorized("the API key has expired");
  }
  return Identity{key->tenant, key->id, key->name + " (" + key->id + ")", key->scopes};
}

Outcome Gatekeeper::identify(const http::Request& request, std::int64_t now_ms) {
  if (const std::string* header = request.headers.find("Authorization"); header != nullptr) {
    constexpr std::string_view kScheme = "Bearer ";
    if (request.headers.all("Authorization").size() != 1 || header->size() <= kScheme.size() ||
        !http::equal_ignoring_case(std::string_view(*header).substr(0, kScheme.size()), kScheme)) {
      return unauthorized("send one header: Authorization: Bearer gbk_…");
    }
    return by_key(std::string_view(*header).substr(kScheme.size()), now_ms);
  }
  if (request.peer.is_unix_socket && request.peer.uid && (*request.peer.uid == ::geteuid() || *request.peer.uid == 0)) {
    return everything("user " + std::to_string(*request.peer.uid));
  }
  if (!request.peer.is_loopback) {
    return unauthorized("there is no Authorization header");
  }
  if (keys_exist(now_ms)) {
    return unauthorized("there is no Authorization header; loopback needs none only until the first key is created");
  }
  // A page in a browser on this host is loopback too, and nobody gave it a key; unless we gave it the page.
  if (!is_same_origin(request.headers)) {
    return unauthorized("a web page needs an API key");
  }
  return everything("loopback");
}

}  // namespace glovebox::server
