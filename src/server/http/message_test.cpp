#include "server/http/message.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/http/problem.h"

namespace glovebox::http {
namespace {

TEST(Headers, AreFoundInAnyCase) {
  Headers headers{{"Content-Type", "text/plain"}, {"X-A", "1"}, {"x-a", "2"}};
  EXPECT_EQ(headers.get("content-type"), "text/plain");
  EXPECT_EQ(headers.find("missing"), nullptr);
  EXPECT_EQ(headers.get("missing"), "");
  EXPECT_EQ(headers.all("X-a"), (std::vector<std::string_view>{"1", "2"}));
  headers.set("X-A", "3");
  EXPECT_EQ(headers.all("x-a"), std::vector<std::string_view>{"3"});
  headers.remove("x-A");
  EXPECT_FALSE(headers.contains("X-A"));
}

TEST(Headers, TokensOfAListAreFound) {
  const Headers headers{{"Connection", "keep-alive , Upgrade"}, {"Connection", "close"}};
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_TRUE(headers.has_token("connection", "close"));
  EXPECT_FALSE(headers.has_token("connection", "clo"));
  EXPECT_FALSE(headers.has_token("connection", "keep"));
}

TEST(Problem, SaysWhatHappenedInJson) {
  const Response response = problem(404, "not_found", "no \"run\" \xff here\n");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.get("Content-Type"), "application/problem+json");
  const auto body = nlohmann::json::parse(response.body);
  EXPECT_EQ(body["title"], "Not Found");
  EXPECT_EQ(body["status"], 404);
  EXPECT_EQ(body["code"], "not_found");
  EXPECT_EQ(body["type"], "about:blank");
  EXPECT_EQ(body["detail"], "no \"run\" \xef\xbf\xbd here\n");
}

}  // namespace
}  // namespace glovebox::http
