// The store's background thread: what must happen soon, but for which nobody waits.
//
//   starts of runs     committed a few milliseconds after begin(), unless somebody's commit took them along
//   uses of keys       written once a second, the last one per key
//   the database's log moved into the database as it grows: that syncs the disk, so no run should pay for it
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "records/commit_queue.h"
#include "records/sqlite.h"

namespace glovebox::records {

class Housekeeper {
 public:
  // `checkpointer` is a connection of its own.
  Housekeeper(CommitQueue& queue, Database checkpointer);
  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;
  // Does what is left to do.
  ~Housekeeper();

  void start_posted();
  void key_used(std::string_view id, std::int64_t used_ms);
  // Called after each commit.
  void log_has(int pages);

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  [[nodiscard]] Clock::time_point next_deadline() const;
  void write_key_uses(std::map<std::string, std::int64_t> uses);
  void checkpoint();

  CommitQueue& queue_;
  Database checkpointer_;
  std::atomic<int> log_pages_ = 0;
  std::atomic<int> checkpoint_at_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  bool wants_checkpoint_ = false;
  std::optional<Clock::time_point> starts_due_;
  std::optional<Clock::time_point> uses_due_;
  std::map<std::string, std::int64_t> uses_;  // key id → last use
  std::thread thread_;
};

}  // namespace glovebox::records
