#include "server/http/target.h"

#include <gtest/gtest.h>

#include "server/http/client.h"

namespace glovebox::http {
namespace {

using Segments = std::vector<std::string>;
using Query = std::vector<std::pair<std::string, std::string>>;

Target good(std::string_view target, std::string_view method = "GET") {
  const auto parsed = parse_target(method, target);
  EXPECT_TRUE(parsed.has_value()) << target;
  return parsed.value_or(Target{});
}

TEST(Target, SplitsBeforeItDecodes) {
  EXPECT_EQ(good("/").path, Segments{});
  EXPECT_EQ(good("/v1/runs").path, (Segments{"v1", "runs"}));
  EXPECT_EQ(good("/v1/a%2Fb").path, (Segments{"v1", "a/b"}));
  EXPECT_EQ(good("/a+b").path, Segments{"a+b"});
}

TEST(Target, DecodesOnce) {
  EXPECT_EQ(good("/%252F").path, Segments{"%2F"});
  EXPECT_EQ(good("/%252e%252e").path, Segments{"%2e%2e"});
}

TEST(Target, RefusesWhatCouldMeanTwoThings) {
  for (const std::string_view target :
       {"/a//b",    "//",   "/a/",  "/.",      "/..", "/a/../b", "/%2e%2e/b", "/.%2E",         "/%2e",       "/%00",
        "/a%0d%0a", "/%7f", "/%ff", "/%c0%af", "/%",  "/%2",     "/%zz",      "/%2g",          "/a b",       "/\x80",
        "/a#b",     "a",    "",     "?a=b",    "*",   "http://", "http:///a", "https://host/", "ftp://host/"}) {
    const auto parsed = parse_target("GET", target);
    ASSERT_FALSE(parsed.has_value()) << target;
    EXPECT_EQ(parsed.error().status, 400) << target;
  }
}

TEST(Target, ReadsTheQueryInOrder) {
  EXPECT_EQ(good("/a?b=1&c=x+y&b=%26&d").query, (Query{{"b", "1"}, {"c", "x y"}, {"b", "&"}, {"d", ""}}));
  EXPECT_EQ(good("/a?").query, Query{});
  EXPECT_EQ(good("/a?x=a=b&&y=/?").query, (Query{{"x", "a=b"}, {"y", "/?"}}));
  EXPECT_FALSE(parse_target("GET", "/a?x=%zz").has_value());
  EXPECT_FALSE(parse_target("GET", "/a?x=%00").has_value());
  EXPECT_FALSE(parse_target("GET", "/a?%ff=1").has_value());
}

TEST(Target, BoundsTheNumberOfPieces) {
  std::string path;
  std::string query = "/?a";
  for (int index = 0; index < 257; ++index) {
    path += "/a";
    query += "&a";
  }
  EXPECT_FALSE(parse_target("GET", path).has_value());
  EXPECT_FALSE(parse_target("GET", query).has_value());
}

TEST(Target, TakesTheAbsoluteFormApart) {
  EXPECT_EQ(good("http://Host:80/a?b=c"), (Target{"Host:80", {"a"}, {{"b", "c"}}}));
  EXPECT_EQ(good("HTTP://host"), (Target{"host", {}, {}}));
}

TEST(Target, KnowsTheAsteriskOfOptions) { EXPECT_EQ(good("*", "OPTIONS").path, Segments{}); }

TEST(Target, EncodedSegmentsComeBack) {
  const std::string name = "a/b c%+?#ü\"";
  EXPECT_EQ(good("/" + encode_segment(name)).path, Segments{name});
  EXPECT_EQ(good("/?" + encode_segment(name) + "=" + encode_segment(name)).query, (Query{{name, name}}));
}

}  // namespace
}  // namespace glovebox::http
