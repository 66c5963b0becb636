#include "redaction/value_shape.h"

#include <gtest/gtest.h>

namespace glovebox::redaction {
namespace {

constexpr ValueSurroundings kQuoted = {true, false, '"'};
constexpr ValueSurroundings kBare = {false, false, '\n'};
constexpr ValueSurroundings kVariable = {false, true, '\n'};

TEST(ValueShape, EntropyIsThatOfTheBytes) {
  EXPECT_DOUBLE_EQ(bits_per_byte("aaaaaaaa"), 0);
  EXPECT_DOUBLE_EQ(bits_per_byte("abababab"), 1);
  EXPECT_DOUBLE_EQ(bits_per_byte("0123456789abcdef"), 4);
  EXPECT_DOUBLE_EQ(bits_per_byte(""), 0);
}

TEST(ValueShape, EightOfTheSameAreFiller) {
  EXPECT_TRUE(has_filler_run("ghp_00000000"));
  EXPECT_FALSE(has_filler_run("ghp_0000000"));
}

TEST(ValueShape, PasswordsMixKindsOfLetters) {
  for (const char* value : {"hunter2", "P@ssword", "correct!horse", "aB3dE5", "123456", "s3cr3t"}) {
    EXPECT_TRUE(has_shape(value, Shape::password, kQuoted)) << value;
  }
  for (const char* value : {"string", "Password", "required", "user_password", "password_field_2", "/etc/passwd1",
                            "https://example.org/1", "config.password1"}) {
    EXPECT_FALSE(has_shape(value, Shape::password, kQuoted)) << value;
  }
}

TEST(ValueShape, CodeIsNoPassword) {
  EXPECT_FALSE(has_shape("password2", Shape::password, kBare));
  EXPECT_FALSE(has_shape("self.pass1", Shape::password, kBare));
  EXPECT_FALSE(has_shape("md5", Shape::password, {false, false, '('}));
  EXPECT_FALSE(has_shape("123456", Shape::password, kBare));
  EXPECT_TRUE(has_shape("password2", Shape::password, kVariable));
  EXPECT_TRUE(has_shape("a1b2c3d4", Shape::password, kBare));
}

TEST(ValueShape, RandomValuesTurnOftenBetweenLettersAndDigits) {
  for (const char* value : {"9f86d081884c7d65", "Zx8Kq2Lm4Vn6", "d41d8cd9-8f00-3204-a980-0998ecf8427e"}) {
    EXPECT_TRUE(has_shape(value, Shape::random, kQuoted)) << value;
  }
  for (const char* value : {"running-water", "user-profile-settings-v2", "2024-01-15T10:30:00Z", "1234567890123456",
                            "myVeryLongVariableName", "tokens_by_user_2024"}) {
    EXPECT_FALSE(has_shape(value, Shape::random, kQuoted)) << value;
  }
}

}  // namespace
}  // namespace glovebox::redaction
