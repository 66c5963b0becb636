// One request being answered.
//
// The server makes an Exchange when a request is complete (head checked, body read) and hands it to the Handler on the
// I/O thread that owns the connection. The handler must not block: it answers at once, or keeps the pointer and has
// another thread answer later. Every function may be called from any thread; what touches the connection is passed
// on to its I/O thread, so nothing here waits for the network.
//
// There is one answer: respond(), or start_stream() with its writes and end(). What comes after it is ignored. An
// exchange whose last pointer goes away unanswered is answered 500 (a stream that was not ended: cut off), so no
// client waits for ever. HEAD arrives as HEAD and is answered as GET would be; the server leaves the body out.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/http/message.h"

namespace glovebox::http {

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  // The handler owns it: the body may be moved out.
  [[nodiscard]] virtual Request& request() = 0;

  virtual void respond(Response response) = 0;

  // Starts an answer of unknown length. Chunked, or until the connection closes for HTTP/1.0. A stream of
  // text/event-stream gets a comment every so often while nothing else is written, so that proxies keep it open.
  virtual void start_stream(int status, Headers headers) = 0;
  // False when the client is gone, or reads so slowly that the buffer (ServerLimits::stream_buffer_bytes) is full;
  // such a client is cut off, since a stream with a hole is worse than none.
  [[nodiscard]] virtual bool write(std::string bytes) = 0;
  virtual void end() = 0;

  // Called at most once, when the client goes away before respond() or end(); at once if it is gone already. On an I/O
  // thread or the caller's; must not block. A client that only closes its sending half counts as gone (the two cannot
  // be told apart), yet gets the answer of respond() if there is one. Dropped with respond() and end().
  virtual void on_disconnect(std::function<void()> action) = 0;
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace glovebox::http
