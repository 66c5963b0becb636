// The way back to the client for one request. Implemented by the transports: a pipe, an HTTP answer, a stream of
// events. Every function may be called from any thread and waits for nothing.
#pragma once

#include <memory>
#include <string>

namespace glovebox::mcp {

struct Answer {
  std::string message;
  int error_code = 0;  // of JSON-RPC; 0: it is a result
  // The request itself was wrong, not what became of it: HTTP has statuses for that.
  bool refused = false;
};

class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  // Whether something can be sent before the answer.
  [[nodiscard]] virtual bool can_send() const = 0;
  // A notification, or a question of ours. Nothing may follow the answer.
  virtual void send(std::string message) = 0;
  virtual void answer(Answer answer) = 0;
  // The client has cancelled the request and wants no answer.
  virtual void leave_unanswered() = 0;
  // The stream may break here; the client comes back for the rest. Only for streams that can be taken up again.
  virtual void pause() {}
};

using ChannelPtr = std::shared_ptr<Channel>;

}  // namespace glovebox::mcp
