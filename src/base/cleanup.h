// Runs an action when the scope ends, unless released. An undo stack is a list of these.
#pragma once

#include <utility>

namespace glovebox::base {

template <typename Action>
class [[nodiscard]] Cleanup {
 public:
  explicit Cleanup(Action action) : action_(std::move(action)) {}
  Cleanup(Cleanup&& other) noexcept : action_(std::move(other.action_)), armed_(std::exchange(other.armed_, false)) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  Cleanup& operator=(Cleanup&&) = delete;
  ~Cleanup() {
    if (armed_) {
      action_();
    }
  }
  void release() { armed_ = false; }

 private:
  Action action_;
  bool armed_ = true;
};

}  // namespace glovebox::base
