#include "server/http/message_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace glovebox::http {
namespace {

struct Read {
  int status = 0;  // 0: incomplete, 200: fine, else the refusal's
  Request request;
  std::string rest;
};

// Offers the message in pieces, as a connection does.
Read read_request(std::string_view message, std::size_t piece) {
  Read read;
  RequestParser parser({});
  std::string buffered;
  bool head_done = false;
  const TakeBody take = [&](std::string_view bytes) -> std::optional<Refusal> {
    read.request.body.append(bytes);
    return std::nullopt;
  };
  while (true) {
    const auto used = head_done ? parser.body().read(buffered, take) : parser.read_head(buffered, read.request);
    if (!used.has_value()) {
      read.status = used.error().status;
      return read;
    }
    buffered.erase(0, *used);
    if (!head_done && *used > 0) {
      head_done = true;
      continue;
    }
    if (head_done && parser.body().complete()) {
      read.status = 200;
      read.rest = buffered + std::string(message);
      return read;
    }
    if (message.empty()) {
      return read;
    }
    buffered += message.substr(0, piece);
    message.remove_prefix(std::min(piece, message.size()));
  }
}

Read read_request(std::string_view message) {
  const Read whole = read_request(message, message.size());
  for (const std::size_t piece : {1U, 2U, 3U, 7U}) {
    const Read parts = read_request(message, piece);
    EXPECT_EQ(parts.status, whole.status) << message;
    EXPECT_EQ(parts.request.body, whole.request.body) << message;
  }
  return whole;
}

std::string chunked(std::string_view body) {
  return "POST /a?b=c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body);
}

TEST(RequestParser, ReadsARequestWithItsBody) {
  const Read read =
      read_request("POST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX: \t y z \r\nContent-Length: 5\r\n\r\nhelloGET");
  ASSERT_EQ(read.status, 200);
  EXPECT_EQ(read.request.method, "POST");
  EXPECT_EQ(read.request.target, "/a%20b?c=d");
  EXPECT_EQ(read.request.path, std::vector<std::string>{"a b"});
  EXPECT_EQ(*read.request.query_value("c"), "d");
  EXPECT_EQ(read.request.headers.get("x"), "y z");
  EXPECT_EQ(read.request.body, "hello");
  EXPECT_EQ(read.rest, "GET");
}

TEST(RequestParser, DecodesChunksAndDropsTrailers) {
  const Read read =
      read_request(chunked("5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Trailer: y\r\nHost: evil\r\n\r\nrest"));
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.request.body, "hello world");
  EXPECT_EQ(read.request.headers.all("Host"), std::vector<std::string_view>{"h"});
  EXPECT_FALSE(read.request.headers.contains("X-Trailer"));
  EXPECT_EQ(read.rest, "rest");
}

TEST(RequestParser, RefusesBrokenChunks) {
  for (const std::string_view body :
       {"x\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
        "5\nhello\r\n0\r\n\r\n", "ffffffffffffffffff\r\nx\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n", "0\r\nbad trailer\r\n\r\n",
        "0\r\nContent-Length: 3\r\n\r\n"}) {
    EXPECT_EQ(read_request(chunked(body)).status, 400) << body;
  }
}

TEST(RequestParser, RefusesEndlessChunkLinesAndTrailers) {
  const std::string long_text(8000, 'a');
  EXPECT_EQ(read_request(chunked("5;" + long_text), 1000).status, 400);
  EXPECT_EQ(read_request(chunked("0\r\nX: " + long_text), 1000).status, 400);
  EXPECT_EQ(read_request(chunked(std::string(8000, '0')), 1000).status, 400);
}

TEST(RequestParser, WaitsForTheRest) {
  EXPECT_EQ(read_request(chunked("5\r\nhel")).status, 0);
  EXPECT_EQ(read_request("GET / HTTP/1.1\r\nHost: h\r\n").status, 0);
}

TEST(RequestParser, TakesTheHostOfAnAbsoluteTarget) {
  RequestParser parser({});
  Request request;
  ASSERT_TRUE(parser.read_head("GET http://evil:1/a HTTP/1.1\r\nHost: localhost\r\n\r\n", request).has_value());
  EXPECT_EQ(parser.authority(), "evil:1");
}

TEST(RequestParser, StopsWhenTheBodyIsRefused) {
  RequestParser parser({});
  Request request;
  ASSERT_TRUE(parser.read_head("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n", request).has_value());
  const auto used = parser.body().read("hello", [](std::string_view) { return Refusal{413, "input_too_large", "no"}; });
  ASSERT_FALSE(used.has_value());
  EXPECT_EQ(used.error().status, 413);
}

TEST(ResponseParser, ReadsEveryFraming) {
  struct Case {
    std::string message;
    std::string body;
    bool complete;
  };
  for (const Case& expected :
       {Case{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", true},
        Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok", true},
        Case{"HTTP/1.0 200 OK\r\n\r\nok", "ok", false}, Case{"HTTP/1.1 204 No Content\r\n\r\n", "", true}}) {
    ResponseParser parser({}, BodyOfResponse::as_framed);
    const auto head = parser.read_head(expected.message);
    ASSERT_TRUE(head.has_value() && *head > 0);
    std::string body;
    const auto used = parser.body().read(std::string_view(expected.message).substr(*head), [&](std::string_view bytes) {
      body += bytes;
      return std::optional<Refusal>();
    });
    EXPECT_TRUE(used.has_value());
    EXPECT_EQ(body, expected.body);
    EXPECT_EQ(parser.body().complete(), expected.complete);
    EXPECT_TRUE(parser.body().finish_at_eof());
  }
}

TEST(ResponseParser, NoticesACutAnswerAndRefusesGarbage) {
  ResponseParser cut({}, BodyOfResponse::as_framed);
  ASSERT_TRUE(cut.read_head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").has_value());
  EXPECT_FALSE(cut.body().finish_at_eof());
  for (const std::string_view head :
       {"HELLO\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 002 OK\r\n\r\n", "HTTP/1.1 600 OK\r\n\r\n",
        "HTTP/1.1 200 OK\nA: b\n\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    ResponseParser parser({}, BodyOfResponse::as_framed);
    EXPECT_FALSE(parser.read_head(head).has_value()) << head;
  }
}

}  // namespace
}  // namespace glovebox::http
