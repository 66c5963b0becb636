// Bytes to messages, for the server (requests) and the client (responses). Pure: no sockets, no clock.
//
// HeadScanner finds the head and holds it to the strict rules; Beast's parser then takes it apart, whole; BodyReader
// reads what follows. Use one object per message.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "server/http/body_reader.h"
#include "server/http/head_rules.h"
#include "server/http/message.h"
#include "server/http/problem.h"

namespace glovebox::http {

class RequestParser {
 public:
  explicit RequestParser(const HeadLimits& limits) : scanner_(HeadKind::request, limits) {}

  // `buffered` is everything from the message's first byte on. Returns the length of the head, or 0 if more is needed.
  // Fills everything of `request` but the body and the peer.
  [[nodiscard]] tl::expected<std::size_t, Refusal> read_head(std::string_view buffered, Request& request);
  // After the head. The host as the client sees it, from the target or the Host field.
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] std::string_view authority() const { return authority_; }
  [[nodiscard]] BodyReader& body() { return body_; }

 private:
  HeadScanner scanner_;
  Framing framing_;
  std::string authority_;
  BodyReader body_;
};

enum class BodyOfResponse { as_framed, never };  // never: the answer to HEAD

class ResponseParser {
 public:
  ResponseParser(const HeadLimits& limits, BodyOfResponse body) : scanner_(HeadKind::response, limits), form_(body) {}

  // Like RequestParser's. An interim response (1xx) is a message by itself, without a body.
  [[nodiscard]] tl::expected<std::size_t, Refusal> read_head(std::string_view buffered);
  // After the head.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] Headers& headers() { return headers_; }
  [[nodiscard]] bool keep_alive() const { return keep_alive_; }
  [[nodiscard]] BodyReader& body() { return body_; }

 private:
  HeadScanner scanner_;
  BodyOfResponse form_;
  int status_ = 0;
  Headers headers_;
  bool keep_alive_ = false;
  BodyReader body_;
};

}  // namespace glovebox::http
