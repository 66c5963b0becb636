#include "mcp/request_state.h"

#include <algorithm>

#include "base/secrets.h"
#include "contract/base64.h"

namespace glovebox::mcp {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kMaxOpen = 65'536;
constexpr std::size_t kMaxOfOwner = 1024;
constexpr std::size_t kMaxStateBytes = 64U << 10U;

tl::unexpected<ProtocolError> refuse(std::string why) {
  return tl::unexpected(ProtocolError{kInvalidParams, "requestState: " + std::move(why)});
}

}  // namespace

RequestStates::RequestStates(std::chrono::seconds good_for) : good_for_(good_for), key_(base::random_hex(kKeyBytes)) {}

std::string RequestStates::sign(std::string_view nonce, std::string_view payload, std::string_view binding) const {
  // Nonce and signed length have a fixed form, so no two triples read the same.
  std::string text(nonce);
  text.append(".").append(std::to_string(payload.size())).append(".").append(payload).append(binding);
  return base::hmac_sha256_hex(key_, text);
}

void RequestStates::forget(std::list<Open>::iterator one) {
  if (--of_owner_[one->owner] == 0) {
    of_owner_.erase(one->owner);
  }
  by_nonce_.erase(one->nonce);
  open_.erase(one);
}

std::string RequestStates::issue(std::string_view binding, std::string_view payload, const std::string& owner,
                                 Clock::time_point now) {
  const std::string nonce = base::random_hex(kNonceBytes);
  {
    const std::lock_guard lock(mutex_);
    while (!open_.empty() && (open_.size() >= kMaxOpen || open_.front().until <= now)) {
      forget(open_.begin());
    }
    if (of_owner_[owner] >= kMaxOfOwner) {
      forget(std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.owner == owner; }));
    }
    ++of_owner_[owner];
    open_.push_back({nonce, owner, now + good_for_});
    by_nonce_[nonce] = std::prev(open_.end());
  }
  return nonce + "." + sign(nonce, payload, binding) + "." + contract::encode_base64(payload);
}

tl::expected<std::string, ProtocolError> RequestStates::redeem(std::string_view state, std::string_view binding,
                                                               Clock::time_point now) {
  const std::size_t first = state.find('.');
  const std::size_t second = first == state.npos ? state.npos : state.find('.', first + 1);
  if (second == state.npos || state.size() > kMaxStateBytes) {
    return refuse("this is none of ours");
  }
  const std::string nonce(state.substr(0, first));
  const auto payload = contract::decode_base64(state.substr(second + 1));
  if (!payload || !base::equal_secrets(state.substr(first + 1, second - first - 1), sign(nonce, *payload, binding))) {
    return refuse("it was changed, or made for another request");
  }
  const std::lock_guard lock(mutex_);
  const auto found = by_nonce_.find(nonce);
  if (found == by_nonce_.end()) {
    return refuse("it was used before, or is too old");
  }
  const bool late = found->second->until <= now;
  forget(found->second);
  if (late) {
    return refuse("it is too old");
  }
  return *payload;
}

}  // namespace glovebox::mcp
