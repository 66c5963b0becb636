// Where runs wait for a person (P4). Nobody who waits here holds a thread: a run is a callback with a deadline.
//
// Bounded in number, per tenant and in all, and in the bytes that waiting requests hold. One thread looks after the
// deadlines. Each callback is called exactly once, with why the wait is over, on whatever thread ended it; it must not
// block.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace glovebox::server {

enum class WaitEnd { answered, expired, cancelled, stopped, draining, full };

class ApprovalDesk {
 public:
  using Callback = std::function<void(WaitEnd)>;

  struct Visitor {
    std::string approval_id;
    std::string run_id;
    std::string tenant;
    std::uint64_t bytes = 0;
    std::int64_t until_ms = 0;  // as unix_ms()
    Callback callback;
  };

  ApprovalDesk();
  // Ends what waits as draining.
  ~ApprovalDesk();

  // Calls back at once when there is no room, or nobody may wait any more.
  void wait(Visitor visitor);
  // Wakes all who wait for this approval.
  void answered(const std::string& approval_id);
  // The run does not want to wait any longer. The approval that nobody waits for any more, if that is so.
  std::optional<std::string> cancel(const std::string& run_id);
  // Everybody who waits now.
  void end_all(WaitEnd why);
  // end_all, and nobody waits here again.
  void close();

  [[nodiscard]] std::size_t waiting() const;

 private:
  void look_after_deadlines();
  // Takes those out that the condition picks.
  template <typename Picks>
  [[nodiscard]] std::vector<Callback> take(Picks picks);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Visitor> visitors_;
  std::uint64_t bytes_ = 0;
  bool closed_ = false;
  bool ends_ = false;
  std::thread clock_;
};

}  // namespace glovebox::server
