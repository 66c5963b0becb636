// One connection of the server, on its I/O thread: reads requests, hands them out, writes answers (see server.h).
//
//   reading_head → reading_body → answering → reading_head … → lingering → closed
//
// One read is always under way, also while an answer is being made: that is how a client that goes away is noticed, and
// where requests that come ahead are kept until the buffer is full. Closing means: stop sending, then read and drop for
// a moment, since closing a socket with unread bytes resets it and can destroy the answer on its way.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/fd.h"
#include "server/http/answer_socket.h"
#include "server/http/body_memory.h"
#include "server/http/buffers.h"
#include "server/http/exchange_impl.h"
#include "server/http/io_thread.h"
#include "server/http/message_parser.h"
#include "server/http/response_head.h"

namespace glovebox::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(IoThread& io, std::shared_ptr<ServerState> server, base::Fd socket);

  void start();
  // Instead of start(): there are too many connections.
  void turn_away();
  void tick(Clock::time_point now);
  void close_if_idle();
  // At once; whoever is answering is told.
  void close();

  // The answer, from the exchange.
  void answer(Response response);
  // The exchange has sent so much of it already.
  void answered(const std::string& bytes, std::size_t sent);
  void start_stream(int status, const Headers& headers, std::shared_ptr<StreamBudget> budget);
  void write_stream(std::string framed);
  void end_stream();

 private:
  enum class State { reading_head, reading_body, answering, lingering, closed };

  void process();
  [[nodiscard]] bool read_head();
  [[nodiscard]] bool head_complete();
  [[nodiscard]] bool plan_body();
  [[nodiscard]] bool read_body();
  [[nodiscard]] std::optional<Refusal> take_body(std::string_view bytes);
  void dispatch();
  void refuse(const Refusal& refusal);
  void refuse_with(Response response);

  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t count);
  void client_stopped_sending();

  [[nodiscard]] HeadForm head_form(ResponseBody body, std::uint64_t length) const;
  [[nodiscard]] bool leaves_out_body(int status) const;
  void push(std::string bytes);
  void flush();
  void wait_until_writable();
  void answer_sent();
  void linger();

  IoThread& io_;
  std::shared_ptr<ServerState> server_;
  boost::asio::generic::stream_protocol::socket socket_;
  std::shared_ptr<AnswerSocket> answer_socket_;
  Peer peer_;
  State state_ = State::reading_head;
  Clock::time_point deadline_;  // of the state, where it has one

  // Reading.
  InputBuffer input_;
  RequestParser parser_;
  Request request_;
  bool reading_ = false;          // a read is under way
  bool processing_ = false;       // guards against entering process() from within a handler
  bool input_closed_ = false;     // the client has sent all it will
  bool message_started_ = false;  // the first byte of a head is there
  bool skipped_line_ = false;     // one empty line before a head is forgiven (RFC 9112)
  std::uint64_t body_limit_ = 0;
  Clock::time_point body_started_;
  std::shared_ptr<BodyShare> body_share_;
  std::optional<Response> body_failure_;
  std::uint64_t lingered_bytes_ = 0;

  // The request being answered.
  bool keep_alive_ = false;
  bool is_head_ = false;
  int minor_version_ = 1;
  std::weak_ptr<ExchangeImpl> exchange_;  // none if the answer is a refusal

  // Writing.
  OutputQueue output_;
  bool waiting_to_write_ = false;
  bool answer_queued_ = false;  // all of it is in output_
  Clock::time_point write_deadline_;
  std::shared_ptr<StreamBudget> budget_;  // while streaming
  bool comments_ = false;                 // an event stream, kept alive by comments
  Clock::time_point last_write_;
};

}  // namespace glovebox::http
