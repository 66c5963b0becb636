#include "server/http/host_rules.h"

#include <gtest/gtest.h>

namespace glovebox::http {
namespace {

Peer loopback() {
  Peer peer;
  peer.is_loopback = true;
  return peer;
}

Peer unix_socket() {
  Peer peer;
  peer.is_unix_socket = true;
  return peer;
}

TEST(HostRules, TakesTheHostOutOfTheAuthority) {
  EXPECT_EQ(host_of("LocalHost:7070"), "localhost");
  EXPECT_EQ(host_of("a-b.example"), "a-b.example");
  EXPECT_EQ(host_of("[::1]:80"), "::1");
  EXPECT_EQ(host_of("a:"), "a");
  for (const std::string_view text :
       {"", ":80", "a:b", "a:123456", "[::1", "[::1]x", "a b", "a/b", "user@a", "a,b", "[x]"}) {
    EXPECT_FALSE(host_of(text).has_value()) << text;
  }
}

TEST(HostRules, ALoopbackClientMustUseALoopbackName) {
  EXPECT_TRUE(host_allowed("localhost", loopback(), {}));
  EXPECT_TRUE(host_allowed("127.0.0.1:7070", loopback(), {}));
  EXPECT_TRUE(host_allowed("[::1]:7070", loopback(), {}));
  EXPECT_FALSE(host_allowed("evil.example", loopback(), {}));
  EXPECT_FALSE(host_allowed("localhost.evil.example", loopback(), {}));
  EXPECT_FALSE(host_allowed("127.0.0.1.evil.example", loopback(), {}));
}

TEST(HostRules, ConfiguredNamesAreTheOnlyOthers) {
  const std::vector<std::string> allowed = {"Box.example", "[fd00::1]"};
  EXPECT_TRUE(host_allowed("box.example:443", loopback(), allowed));
  EXPECT_TRUE(host_allowed("localhost", loopback(), allowed));
  EXPECT_TRUE(host_allowed("[fd00::1]", {}, allowed));
  EXPECT_FALSE(host_allowed("evil.example", loopback(), allowed));
  EXPECT_FALSE(host_allowed("evil.example", {}, allowed));
  EXPECT_FALSE(host_allowed("localhost", {}, allowed));
  EXPECT_TRUE(host_allowed("evil.example", loopback(), {"*"}));
}

TEST(HostRules, ClientsFromElsewhereAndUnixSocketsSayWhatTheyLike) {
  EXPECT_TRUE(host_allowed("any.example", {}, {}));
  EXPECT_FALSE(host_allowed("not a host", {}, {}));
  EXPECT_TRUE(host_allowed("not a host", unix_socket(), {"box.example"}));
}

}  // namespace
}  // namespace glovebox::http
