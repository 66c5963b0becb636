#include "cli/api_key.h"

#include <gtest/gtest.h>

#include <set>

namespace glovebox::cli {
namespace {

TEST(ApiKey, HasAPrefixAnd43RandomLetters) {
  std::set<std::string> seen;
  std::set<char> letters;
  for (int index = 0; index < 200; ++index) {
    const auto secret = new_key_secret();
    ASSERT_TRUE(secret);
    ASSERT_EQ(secret->size(), 47U);
    ASSERT_TRUE(secret->starts_with("gbk_"));
    letters.insert(secret->begin() + 4, secret->end());
    seen.insert(*secret);
  }
  EXPECT_EQ(seen.size(), 200U);
  EXPECT_EQ(letters.size(), 62U) << "8600 letters show all of them, or one in 10^58 times not";
}

TEST(ApiKey, KnowsTenantNames) {
  for (const char* name : {"default", "a", "A9", "team-1.web_x"}) {
    EXPECT_TRUE(is_tenant_name(name)) << name;
  }
  for (const std::string& name : {std::string(), std::string("-a"), std::string("a."), std::string("a b"),
                                  std::string("ä"), std::string("a/b"), std::string("a\0b", 3), std::string(65, 'a')}) {
    EXPECT_FALSE(is_tenant_name(name)) << name;
  }
}

}  // namespace
}  // namespace glovebox::cli
