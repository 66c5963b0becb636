#include "server/http/response_head.h"

#include <gtest/gtest.h>

namespace glovebox::http {
namespace {

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

TEST(ResponseHead, LooksAsItShould) {
  const Headers headers{{"Content-Type", "text/plain"}};
  EXPECT_EQ(format_head(200, headers, {ResponseBody::sized, 5, true, 1}, kDate),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: glovebox\r\n\r\n");
  EXPECT_EQ(format_head(200, {}, {ResponseBody::chunked, 0, false, 1}, kDate),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: glovebox\r\n\r\n");
}

TEST(ResponseHead, FramingIsNotTheHandlers) {
  const Headers headers{
      {"content-length", "99"}, {"Transfer-Encoding", "gzip"}, {"Connection", "x"}, {"date", "never"}};
  const std::string head = format_head(200, headers, {ResponseBody::none, 0, true, 1}, kDate);
  EXPECT_EQ(head, "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: glovebox\r\n\r\n");
}

TEST(ResponseHead, NothingCanBeInjected) {
  using namespace std::string_literals;
  EXPECT_TRUE(is_sendable(200, {{"X", "a\tb \xc3\xbc"}}));
  EXPECT_FALSE(is_sendable(200, {{"X", "a\r\nY: b"}}));
  EXPECT_FALSE(is_sendable(200, {{"X", "a\nb"}}));
  EXPECT_FALSE(is_sendable(200, {{"X", "a\0b"s}}));
  EXPECT_FALSE(is_sendable(200, {{"X: y", "a"}}));
  EXPECT_FALSE(is_sendable(200, {{"", "a"}}));
  EXPECT_FALSE(is_sendable(100, {}));
  EXPECT_FALSE(is_sendable(600, {}));
}

TEST(ResponseHead, DatesAreThoseOfTheStandard) {
  EXPECT_EQ(format_date(784111777), kDate);
  EXPECT_EQ(format_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(ResponseHead, ChunksAreHexadecimal) {
  EXPECT_EQ(format_chunk(std::string(26, 'a')), "1a\r\n" + std::string(26, 'a') + "\r\n");
}

}  // namespace
}  // namespace glovebox::http
