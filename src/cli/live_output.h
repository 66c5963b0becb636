// Shows a program's output while it runs, without ever making the supervisor wait.
//
// Events arrive on the supervising thread and are only queued; a thread of our own writes them. A reader that is slow
// or stopped holds up that thread and nothing else: limits stay in force. The queue is bounded by what the supervisor
// lets through (limits.output_bytes of each stream, and its tail). A terminal gets text without control sequences, a
// file gets the bytes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "contract/event.h"

namespace glovebox::cli {

class LiveOutput {
 public:
  // `on_closed` is called, on the writing thread, when our standard output cannot be written any more.
  explicit LiveOutput(std::function<void()> on_closed);
  LiveOutput(const LiveOutput&) = delete;
  LiveOutput& operator=(const LiveOutput&) = delete;
  ~LiveOutput();

  void show(const contract::Event& event);
  // Waits until everything is written.
  void finish();
  // The number of the error that ended standard output, after finish(); 0: none did. EPIPE: nobody reads it any more.
  [[nodiscard]] int failure() const { return failure_; }

 private:
  struct Piece {
    int fd = -1;
    std::string bytes;
  };
  void write_pieces();
  base::Status write(const Piece& piece);

  std::function<void()> on_closed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_;
  bool finished_ = false;
  std::string out_held_back_;  // of the writing thread
  std::string err_held_back_;
  int failure_ = 0;     // of the writing thread, too
  std::thread writer_;  // started with the first piece: most programs in pipelines print little or nothing
};

}  // namespace glovebox::cli
