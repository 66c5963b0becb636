#include "base/secrets.h"

#include <gtest/gtest.h>

namespace glovebox::base {
namespace {

TEST(Secrets, RandomNamesHaveTheLengthThatWasAskedForAndNeverRepeat) {
  EXPECT_EQ(random_hex(16).size(), 32U);
  EXPECT_NE(random_hex(16), random_hex(16));
  EXPECT_EQ(random_hex(0), "");
}

// RFC 4231, test case 2.
TEST(Secrets, TheKeyedHashIsTheOneOfTheStandard) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// RFC 4231, test case 6: a key that is longer than a block.
TEST(Secrets, ALongKeyIsHashedFirst) {
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secrets, SecretsAreEqualOnlyIfTheyAre) {
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_FALSE(equal_secrets("abc", "abd"));
  EXPECT_FALSE(equal_secrets("abc", "abcd"));
  EXPECT_TRUE(equal_secrets("", ""));
}

}  // namespace
}  // namespace glovebox::base
