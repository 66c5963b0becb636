#include "server/http/head_rules.h"

#include <gtest/gtest.h>

namespace glovebox::http {
namespace {

constexpr std::string_view kGood = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

int status_of(std::string_view head, HeadLimits limits = {}) {
  HeadScanner scanner(HeadKind::request, limits);
  const auto length = scanner.scan(head);
  return length.has_value() ? (*length == 0 ? 0 : 200) : length.error().status;
}

TEST(HeadScanner, FindsTheEndByteByByte) {
  HeadScanner scanner(HeadKind::request, {});
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    ASSERT_EQ(scanner.scan(kGood.substr(0, size)).value(), 0U) << size;
  }
  EXPECT_EQ(scanner.scan(kGood).value(), kGood.size());
}

TEST(HeadScanner, LeavesWhatFollowsAlone) {
  HeadScanner scanner(HeadKind::request, {});
  EXPECT_EQ(scanner.scan(std::string(kGood) + "\n\0garbage").value(), kGood.size());
}

TEST(HeadScanner, RefusesLinesThatTwoServersCouldReadDifferently) {
  using namespace std::string_literals;
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: a\n\n"), 400);              // bare LF
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"), 400);  // bare CR
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"), 400);     // folded
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n A: b\r\n\r\n"), 400);          // space before the first field
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400);       // space before the colon
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n: a\r\n\r\n"), 400);            // no name
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost\r\n\r\n"), 400);           // no colon
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nH\xc3st: a\r\n\r\n"), 400);     // not a token
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n"s), 400);    // NUL
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n"), 400);    // control character
  EXPECT_EQ(status_of("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);    // the connection forgives one, not this
  EXPECT_EQ(status_of("\x16\x03\x01\x02"), 400);                         // TLS
}

TEST(HeadScanner, RefusesBadRequestLines) {
  for (const std::string_view line :
       {"GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET / a HTTP/1.1", "GET\t/ HTTP/1.1",
        "G@T / HTTP/1.1", "GET / http/1.1", "GET / HTTP/1", "GET / HTTP/11", "GET / HTTP/1.x", "GET / HTTP/1.10", ""}) {
    EXPECT_EQ(status_of(std::string(line) + "\r\nHost: a\r\n\r\n"), 400) << line;
  }
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.2\r\n\r\n"), 505);
  EXPECT_EQ(status_of("BREW / HTTP/1.1\r\n\r\n"), 501);
  EXPECT_EQ(status_of("get / HTTP/1.1\r\n\r\n"), 501);
  EXPECT_EQ(status_of("CONNECT a:1 HTTP/1.1\r\n\r\n"), 501);
  EXPECT_EQ(status_of("TRACE / HTTP/1.1\r\n\r\n"), 501);
}

TEST(HeadScanner, TellsTooLongTargetsFromTooLargeFields) {
  const HeadLimits limits{200, 3, 50};
  const std::string padding(300, 'a');
  EXPECT_EQ(status_of("GET /" + padding, limits), 414);
  EXPECT_EQ(status_of("GET /" + std::string(50, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", limits), 414);
  EXPECT_EQ(status_of("GET /" + std::string(49, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", limits), 200);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + padding, limits), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + padding + "\r\n\r\n", limits), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\na: 1\r\nb: 2\r\nc: 3\r\n\r\n", limits), 200);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\n\r\n", limits), 431);
}

int framing_status(Headers headers, int minor_version = 1) {
  headers.add("Host", "a");
  const auto framing = request_framing(headers, minor_version);
  return framing.has_value() ? 200 : framing.error().status;
}

TEST(RequestFraming, RefusesTwoLengths) {
  EXPECT_EQ(framing_status({{"Content-Length", "3"}, {"Transfer-Encoding", "chunked"}}), 400);
  EXPECT_EQ(framing_status({{"content-length", "3"}, {"Content-Length", "3"}}), 400);
  EXPECT_EQ(framing_status({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}), 400);
  EXPECT_EQ(framing_status({{"Transfer-Encoding", "chunked"}}, 0), 400);
}

TEST(RequestFraming, TakesOneNumberAsLength) {
  for (const std::string value : {"", "-1", "+1", "1 2", "3,3", "0x3", "1e3", "99999999999999999999", "٣"}) {
    EXPECT_EQ(framing_status({{"Content-Length", value}}), 400) << value;
  }
  EXPECT_EQ(request_framing({{"Host", "a"}, {"Content-Length", "007"}}, 1)->content_length, 7U);
}

TEST(RequestFraming, KnowsNoEncodingButChunked) {
  for (const std::string value :
       {"gzip", "gzip, chunked", "chunked, chunked", "identity", "xchunked", "", "\"chunked\""}) {
    EXPECT_EQ(framing_status({{"Transfer-Encoding", value}}), 501) << value;
  }
  EXPECT_TRUE(request_framing({{"Host", "a"}, {"Transfer-Encoding", "CHUNKED"}}, 1)->chunked);
}

TEST(RequestFraming, NeedsOneHost) {
  EXPECT_FALSE(request_framing({}, 1).has_value());
  EXPECT_TRUE(request_framing({}, 0).has_value());
  EXPECT_EQ(framing_status({{"Host", "b"}}), 400);
}

TEST(RequestFraming, KeepsTheConnectionAsTheVersionSays) {
  EXPECT_TRUE(request_framing({{"Host", "a"}}, 1)->keep_alive);
  EXPECT_FALSE(request_framing({{"Host", "a"}, {"Connection", "x, Close"}}, 1)->keep_alive);
  EXPECT_FALSE(request_framing({}, 0)->keep_alive);
  EXPECT_TRUE(request_framing({{"Connection", "Keep-Alive"}}, 0)->keep_alive);
}

TEST(RequestFraming, ExpectsOnlyContinue) {
  EXPECT_EQ(framing_status({{"Expect", "dinner"}}), 417);
  EXPECT_TRUE(
      request_framing({{"Host", "a"}, {"Expect", "100-Continue"}, {"Content-Length", "1"}}, 1)->expects_continue);
  EXPECT_FALSE(request_framing({{"Host", "a"}, {"Expect", "100-continue"}}, 1)->expects_continue);
}

}  // namespace
}  // namespace glovebox::http
