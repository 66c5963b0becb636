// One at a time, in the order of arrival; who comes when too many wait already, or waits too long, is refused.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <utility>

#include "base/result.h"
#include "engine/supervise/cancel_token.h"

namespace glovebox::workspaces {

class Turns {
 public:
  // Ends when it goes out of scope. Must not outlive its Turns.
  class Turn {
   public:
    Turn(Turn&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), place_(other.place_) {}
    Turn& operator=(Turn&&) = delete;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

   private:
    friend class Turns;
    Turn(Turns* owner, std::list<std::uint8_t>::iterator place) : owner_(owner), place_(place) {}
    Turns* owner_;
    std::list<std::uint8_t>::iterator place_;
  };

  // `cancel` may be null; whoever cancels while it waits gets `cancelled`.
  [[nodiscard]] base::Result<Turn> take(std::chrono::milliseconds patience, const engine::CancelToken* cancel);
  // Who has a turn or waits for one.
  [[nodiscard]] std::size_t in_line() const;

 private:
  void leave(std::list<std::uint8_t>::iterator place);

  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::list<std::uint8_t> line_;  // the first one has its turn
};

}  // namespace glovebox::workspaces
