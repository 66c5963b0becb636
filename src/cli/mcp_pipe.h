// MCP over a pair of pipes: one message per line, in and out.
//
// Threads: run() reads on the caller's; answers come from the workers of two dispatchers; one thread writes them, so
// that a client that reads slowly holds up nobody but itself. Nothing but messages reaches the output: whatever else
// this process might print goes to standard error.
//
// Ends when the input does, or with SIGINT, SIGTERM or SIGHUP; what runs then is killed.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/fd.h"
#include "base/result.h"
#include "mcp/sandbox_server.h"
#include "runner/dispatcher.h"
#include "runner/runner.h"

namespace glovebox::cli {

class McpPipe {
 public:
  explicit McpPipe(mcp::SandboxServer& sandbox);
  ~McpPipe();

  // Until the end. Signals that end it must be blocked in every thread.
  [[nodiscard]] base::Status run();
  // Any thread.
  void write(std::string message);

 private:
  class Channel;
  class Host;

  [[nodiscard]] base::Status open();
  void take(std::string_view bytes);
  void line(std::string_view text);
  void write_out();
  // False: nobody reads it.
  [[nodiscard]] bool write_some(std::string_view text);

  mcp::SandboxServer& sandbox_;
  const mcp::SessionPtr session_ = std::make_shared<mcp::Session>();
  base::Fd output_;
  base::Fd signals_;
  std::string pending_;    // a line that has begun
  bool too_long_ = false;  // and is not kept

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  std::size_t bytes_ = 0;
  bool ends_ = false;
  bool broken_ = false;  // nobody reads us
  std::thread writer_;
  runner::Dispatcher chores_;
  runner::Dispatcher programs_;
};

}  // namespace glovebox::cli
