// What the stateless era has the client carry between two requests: "requestState".
//
// A state is a text that only this process can have made (signed with a key of its own, forgotten with it), that is
// good for one use, for a while, and for the very request that it was made for (`binding`). Any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>

#include "mcp/message.h"

namespace glovebox::mcp {

class RequestStates {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RequestStates(std::chrono::seconds good_for);

  // `payload` comes back when the state does; it is signed, not hidden.
  // `owner` has so many open at most: the oldest of its own makes room.
  [[nodiscard]] std::string issue(std::string_view binding, std::string_view payload, const std::string& owner = {},
                                  Clock::time_point now = Clock::now());
  // The payload, once. A forged, foreign, used or late state is the client's error.
  [[nodiscard]] tl::expected<std::string, ProtocolError> redeem(std::string_view state, std::string_view binding,
                                                                Clock::time_point now = Clock::now());

 private:
  [[nodiscard]] std::string sign(std::string_view nonce, std::string_view payload, std::string_view binding) const;

  struct Open {
    std::string nonce;
    std::string owner;
    Clock::time_point until;
  };
  const std::chrono::seconds good_for_;
  const std::string key_;
  std::mutex mutex_;
  void forget(std::list<Open>::iterator one);  // with the lock

  std::list<Open> open_;  // oldest first; bounded, so that nobody fills our memory with questions
  std::unordered_map<std::string, std::list<Open>::iterator> by_nonce_;
  std::unordered_map<std::string, std::size_t> of_owner_;
};

}  // namespace glovebox::mcp
