#include "contract/base64.h"

#include <gtest/gtest.h>

namespace glovebox::contract {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, BringsEveryByteBack) {
  std::string bytes;
  for (int value = 0; value < 256; ++value) {
    bytes += static_cast<char>(value);
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNotTheOneEncoding) {
  for (const char* text :
       {"Zg=", "Zg", "Zg===", "=", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9v", "Zm-_", "Zh==", "Zm9="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace glovebox::contract
